//! Several data sets, mixed by weight.

mod build;
mod state;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tensor_repr::TensorSpec;

pub use self::build::MixedBuilder;
pub use self::state::MixedState;
use super::{BatchLoader, StopHandle};
use crate::batch::Batch;
use crate::random::Stream;
use crate::{Error, Result};

/// What is done when a data set of a mixture has been read to its end: as often as `epochs` says. Without `epochs` none ever is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Exhausted {
    /// The others go on, in the proportions that they have to each other: every record comes once an epoch.
    #[default]
    Leave,
    /// The mixture ends.
    Stop,
}

/// Loads several data sets, each batch from one of them, which is drawn by weight.
///
/// The same seed gives the same batches, whatever the number of threads. Each data set has its own order, as its own loader
/// would have, and its own threads.
///
/// ```no_run
/// use std::sync::Arc;
/// use batch_loader::BatchLoader;
/// use batch_loader::config::LoaderConfig;
/// # fn load(news: Arc<dyn tfxio_core::Dataset>, books: Arc<dyn tfxio_core::Dataset>) -> Result<(), batch_loader::Error> {
///
/// let config = LoaderConfig::independent(32).shuffle_globally(7);
/// let mut loader = BatchLoader::mixed([(news, 3.0), (books, 1.0)], config).inputs(["tokens"]).build()?;
/// while let Some(batch) = loader.next_batch()? {
///     println!("{} rows of data set {:?}", batch.len(), loader.source());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MixedLoader {
    loaders: Vec<BatchLoader>,
    /// Shares of each, of which the smallest is at least 1.
    weights: Vec<u64>,
    ended: Vec<bool>,
    stream: Stream,
    seed: u64,
    exhausted: Exhausted,
    source: Option<usize>,
}

impl MixedLoader {
    /// Returns the next batch, which is of one data set; `None` after the last. A loader that has failed stays at its end.
    ///
    /// # Errors
    /// As [`BatchLoader::next_batch`].
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        while let Some(number) = self.draw() {
            let Some(loader) = self.loaders.get_mut(number) else { break };
            match loader.next_batch() {
                Ok(Some(batch)) => {
                    self.source = Some(number);
                    return Ok(Some(batch));
                }
                Ok(None) if self.exhausted == Exhausted::Leave => {
                    self.ended.iter_mut().skip(number).take(1).for_each(|ended| *ended = true);
                }
                Ok(None) => self.ended.fill(true),
                Err(error) => {
                    self.ended.fill(true);
                    return Err(error);
                }
            }
        }
        Ok(None)
    }

    /// Draws one of the data sets that are not exhausted.
    fn draw(&mut self) -> Option<usize> {
        let open = || self.weights.iter().zip(&self.ended).enumerate().filter(|(_, (_, ended))| !**ended);
        let all = open().map(|(_, (weight, _))| *weight).fold(0, u64::saturating_add);
        if all == 0 {
            return None;
        }
        let mut left = self.stream.below(all);
        open().find_map(|(number, (weight, _))| match left.checked_sub(*weight) {
            None => Some(number),
            Some(rest) => {
                left = rest;
                None
            }
        })
    }

    /// Returns the number of the data set of the batch that came last.
    #[must_use]
    pub fn source(&self) -> Option<usize> {
        self.source
    }

    /// Returns the loader of each data set, which tells its counts and what it skipped.
    #[must_use]
    pub fn loaders(&self) -> &[BatchLoader] {
        &self.loaders
    }

    /// Returns the names, dtypes and shapes of the tensors of every batch, as [`BatchLoader::specs`] does.
    #[must_use]
    pub fn specs(&self) -> &[(Arc<str>, TensorSpec)] {
        self.loaders.first().map_or(&[], BatchLoader::specs)
    }

    /// Returns the seed: the one that was given, or the one that was drawn.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns where the loader stands, after the batch that came last: one state for all data sets.
    #[must_use]
    pub fn state(&self) -> MixedState {
        MixedState::of(self)
    }

    /// Returns handles that together end the loader from another thread, a wait of [`next_batch`](Self::next_batch) included.
    #[must_use]
    pub fn stop_handles(&self) -> Vec<StopHandle> {
        self.loaders.iter().map(BatchLoader::stop_handle).collect()
    }
}

impl Iterator for MixedLoader {
    type Item = Result<Batch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}
