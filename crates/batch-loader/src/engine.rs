//! The engine of a loader: pools within a pool.
//!
//! The outer pool makes batches. Its source is the planner, which decides which example comes when; its jobs put examples
//! together. The planner takes chunks from [feeds](Feed), each an inner pool: its source is the reader of a file, its jobs make
//! chunks of the rows that were read. Scans, from which readers read, may be pools themselves. Tasks of an inner pool run on the
//! threads of the outer one, so all have the threads of one, and the consumer does what no task does.

mod feed;

use std::sync::Arc;

use tfxio_core::{Nested, Ordered, Threading, Work};

pub(crate) use self::feed::{Feed, Feeds, Parse, Parsed, Start};
use crate::batch::Batch;
use crate::item::Item;
use crate::planner::Planner;
use crate::progress::Step;
use crate::{Error, Result};

/// Makes a batch of examples.
pub(crate) type Assemble = Arc<dyn Fn(&[Item]) -> Result<Batch> + Send + Sync>;

/// The batches of a loader, in order.
pub(crate) type Engine = Ordered<Together>;

/// Starts an engine. Batches are made ahead as `threading` says; the inner pools are made by `feeds`, of their threads.
pub(crate) fn start(
    planner: Planner,
    threading: &Threading,
    assemble: Assemble,
    feeds: impl FnOnce(Threading) -> Feeds,
) -> Result<Engine> {
    let nested = Nested::new();
    let feeds = feeds(nested.threading(threading));
    let make = move || Ok(Together { assemble: Arc::clone(&assemble), planned: None });
    let engine = Ordered::over((planner, feeds), threading, nested, make)?;
    if threading.threads > 1 {
        engine.start();
    }
    Ok(engine)
}

/// The examples of a batch, and what it changes in the loader's progress.
pub(crate) struct Planned {
    pub(crate) items: Vec<Item>,
    pub(crate) step: Step,
}

/// A batch, and what it changes in the loader's progress.
pub(crate) struct Delivered {
    pub(crate) batch: Batch,
    pub(crate) step: Step,
}

/// Puts batches together.
pub(crate) struct Together {
    assemble: Assemble,
    planned: Option<Planned>,
}

impl Work for Together {
    type Source = (Planner, Feeds);
    type Output = Delivered;
    type Error = Error;

    fn read(&mut self, (planner, feeds): &mut Self::Source) -> Result<bool> {
        self.planned = planner.batch(feeds)?;
        Ok(self.planned.is_some())
    }

    fn next(&mut self) -> Result<Option<Delivered>> {
        let Some(Planned { items, step }) = self.planned.take() else { return Ok(None) };
        Ok(Some(Delivered { batch: (self.assemble)(&items)?, step }))
    }

    fn is_done(&self) -> bool {
        self.planned.is_none()
    }
}
