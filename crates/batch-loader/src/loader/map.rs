//! A caller's own function on each batch.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use tfxio_core::{MapError, call_given};

use super::builder::LoaderBuilder;
use crate::batch::Batch;
use crate::{Error, Kind, Result};

/// A caller's function.
type Map = dyn Fn(Batch) -> Result<Batch, MapError> + Send + Sync;

/// Functions that are applied to each batch, in the order in which they were given.
#[derive(Clone, Default)]
pub(super) struct Maps(Vec<Arc<Map>>);

impl Maps {
    /// Applies the functions to a batch.
    pub(super) fn apply(&self, mut batch: Batch) -> Result<Batch> {
        for function in &self.0 {
            // Without its tensors, which the function may own alone then.
            let given = batch.without_tensors();
            batch = call_given(|| function(batch)).map_err(|error| failed(&given, &*error))?;
            if !batch.has_rows_of(&given) {
                let what = "the function given to map returns another batch than it was given";
                return Err(Error::new(Kind::InvalidValue, what)
                    .help("replace the tensors of the batch that it is given"));
            }
        }
        Ok(batch)
    }
}

impl fmt::Debug for Maps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} functions", self.0.len())
    }
}

/// Returns the error of a function, with the first record of its batch.
#[cold]
fn failed(batch: &Batch, error: &(dyn StdError + Send + Sync)) -> Error {
    let error = Error::new(Kind::Mapped, format!("the function given to map fails: {error}"));
    match batch.origins().next() {
        Some(first) => error.in_file(Arc::clone(first.file)).at_record(first.record),
        None => error,
    }
}

impl LoaderBuilder {
    /// Applies a function to each batch, on the threads of the loader and ahead of the consumer: an augmentation, a lookup,
    /// another dtype. Functions of several calls are applied one after the other. A function before windows, shuffles and batches is one of
    /// the data set: `map_batches` and `filter_batches` of `tfxio_scan::DatasetExt`, on what [`BatchLoader::over`](crate::BatchLoader::over)
    /// takes.
    ///
    /// Batches keep their order, their rows and their origins, so that a state fits a loader without the function, too.
    /// What a function draws at random is the same in each run if it is seeded by [`Batch::origins`] and
    /// [`Batch::epoch`]. [`BatchLoader::specs`](crate::BatchLoader::specs) has the tensors before the function.
    ///
    /// ```
    /// use batch_loader::BatchLoader;
    /// use batch_loader::config::LoaderConfig;
    /// use tensor_repr::{DenseTensor, Values};
    ///
    /// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/loader");
    /// let config = LoaderConfig::from_file(format!("{folder}/digits.json"))?;
    /// let builder = BatchLoader::builder(config).formats(&tfxio_formats::formats()).base_dir(folder);
    /// let builder = builder.inputs(["image"]).targets(["label"]).map(|mut batch| {
    ///     let label = batch.get("label")?;
    ///     let even = label.values().as_slice::<i64>().ok_or("labels are int64")?.iter().map(|label| label % 2);
    ///     let even = DenseTensor::try_new(label.shape().to_vec(), Values::from_vec(even.collect::<Vec<_>>()))?;
    ///     batch.replace("label", even)?;
    ///     Ok(batch)
    /// });
    /// let batch = builder.build()?.next_batch()?.expect("a batch");
    /// assert!(batch.get("label")?.values().as_slice::<i64>().is_some_and(|labels| labels.iter().all(|&label| label < 2)));
    /// # Ok::<(), batch_loader::Error>(())
    /// ```
    pub fn map<F>(mut self, function: F) -> Self
    where
        F: Fn(Batch) -> Result<Batch, MapError> + Send + Sync + 'static,
    {
        self.maps.0.push(Arc::new(function));
        self
    }
}
