//! The engine of a loader: pools within a pool.
//!
//! The outer pool makes batches. Its source is the planner, which decides which example comes when; its jobs put examples
//! together. The planner takes chunks from [feeds](crate::feed::Feed), each an inner pool: its source is the reader of a file, its jobs make
//! chunks of the rows that were read. Scans, from which readers read, may be pools themselves. Tasks of an inner pool run on the
//! threads of the outer one, so all have the threads of one, and the consumer does what no task does.

use std::sync::Arc;

use tfxio_core::{Nested, Ordered, Threading, Work};

use crate::batch::Batch;
use crate::feed::Feeds;
use crate::item::{Item, Unit};
use crate::packing::Packing;
use crate::planner::{Examples, Planned, Planner};
use crate::progress::BatchStep;
use crate::stats::{Counters, timed};
use crate::validate::{Tallied, tally};
use crate::{Error, Result};

/// Makes a batch of examples, packed into rows if there is a packing, of an epoch.
pub(crate) type Assemble = Arc<dyn Fn(&[Item], Option<&Packing>, u64) -> Result<Batch> + Send + Sync>;

/// The batches of a loader, in order.
pub(crate) type BatchEngine = Ordered<Together>;

/// Starts an engine. Batches are made ahead on `threading`; `feeds` makes the inner pools, of the same threads.
pub(crate) fn start(
    planner: Planner,
    threading: &Threading,
    assemble: Assemble,
    tallies: Option<Unit>,
    counters: &Arc<Counters>,
    feeds: impl FnOnce(Threading) -> Feeds,
) -> Result<BatchEngine> {
    let nested = Nested::new();
    let feeds = feeds(nested.threading(threading));
    let counters = Arc::clone(counters);
    let make = move || {
        let (assemble, counters) = (Arc::clone(&assemble), Arc::clone(&counters));
        Ok(Together { assemble, counters, tallies, planned: None })
    };
    let engine = Ordered::over((planner, feeds), threading, nested, make)?;
    if threading.threads > 1 {
        engine.start();
    }
    Ok(engine)
}

/// A batch, and what it changes in the loader's progress.
pub(crate) struct Delivered {
    pub(crate) batch: Batch,
    /// The examples that begin in it.
    pub(crate) examples: u64,
    pub(crate) step: BatchStep,
    /// Schema violations of its examples.
    pub(crate) anomalies: Vec<Tallied>,
}

/// Puts batches together.
pub(crate) struct Together {
    assemble: Assemble,
    counters: Arc<Counters>,
    /// Unit of spans, where the anomalies of records are counted.
    tallies: Option<Unit>,
    planned: Option<Planned>,
}

impl Work for Together {
    type Source = (Planner, Feeds);
    type Output = Delivered;
    type Error = Error;

    fn read(&mut self, (planner, feeds): &mut Self::Source) -> Result<bool> {
        self.planned = timed(&self.counters.planning, || planner.batch(feeds))?;
        Ok(self.planned.is_some())
    }

    fn next(&mut self) -> Result<Option<Delivered>> {
        let Some(Planned { examples, packing, step }) = self.planned.take() else { return Ok(None) };
        let counters = Arc::clone(&self.counters);
        let items = match examples {
            Examples::Items(items) => items,
            Examples::Drawn(drawn) => timed(&counters.assembling, || drawn.items())?,
        };
        let examples = match &packing {
            Some(packing) => packing.parts.iter().filter(|(from, _)| *from == 0).count(),
            None => items.len(),
        };
        let batch = timed(&counters.assembling, || (self.assemble)(&items, packing.as_ref(), step.epoch))?;
        let anomalies = self.tallies.map_or_else(Vec::new, |unit| tally(&items, packing.as_ref(), unit));
        Ok(Some(Delivered { batch, examples: examples as u64, step, anomalies }))
    }

    fn is_done(&self) -> bool {
        self.planned.is_none()
    }
}
