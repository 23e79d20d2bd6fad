//! Batches: examples gathered, padded and normalised.

mod batcher;
mod failure;
mod fixed;
mod layout;
mod normalize;
mod origin;
mod packed;
mod pool;
mod runs;
mod text;
mod windows;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use tensor_repr::{DenseTensor, RaggedTensor};
use tfxio_core::{Count, suggest};

pub(crate) use self::batcher::Batcher;
use self::origin::Origins;
pub use self::origin::RowOrigin;
use crate::{Error, Kind, Result};

/// A batch of examples: the model's inputs and targets as dense tensors.
///
/// The first dimension of every tensor is the batch's examples, in the same order, or the rows into which these are packed. Cloning a batch copies no values.
///
/// The memory of a batch serves for a later one as soon as nobody holds it any more, so a consumer that drops batches
/// as it goes spares the first touch of fresh memory.
///
/// ```
/// use batch_loader::BatchLoader;
/// use batch_loader::config::LoaderConfig;
///
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/loader");
/// let config = LoaderConfig::from_file(format!("{folder}/digits.json"))?;
/// let builder = BatchLoader::builder(config).formats(&tfxio_formats::formats()).inputs(["image"]).targets(["label"]);
/// let mut loader = builder.base_dir(folder).batch_size(32).build()?;
/// let batch = loader.next_batch()?.expect("the first of many");
/// assert_eq!(batch.len(), 32);
/// for (name, tensor) in batch.inputs().chain(batch.targets()) {
///     println!("{name}: {} {:?}", tensor.dtype(), tensor.shape());
/// }
/// let labels = batch.get("label")?.values().as_slice::<i64>();
/// assert!(labels.is_some_and(|labels| labels.iter().all(|label| (0..10).contains(label))));
/// # Ok::<(), batch_loader::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Batch {
    examples: usize,
    roles: Arc<Roles>,
    /// In the order of the names of the roles.
    tensors: Vec<DenseTensor>,
    /// Lengths of the records of each tensor, in the same order; empty unless examples are windows of records.
    row_lengths: Vec<Option<RaggedTensor>>,
    origins: Origins,
}

/// The tensors of every batch of a loader and what they are for.
#[derive(Debug, PartialEq)]
struct Roles {
    names: Vec<Arc<str>>,
    /// Indices of `names`.
    inputs: Vec<usize>,
    targets: Vec<usize>,
    /// The name of a file that has none.
    unnamed: Arc<str>,
}

impl Batch {
    /// Returns the number of rows of each tensor: examples, unless these are packed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.examples
    }

    /// Returns whether the batch is empty. A loader makes no such batch.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.examples == 0
    }

    /// Returns the model's inputs with their names, in the order in which these were given.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &DenseTensor)> + '_ {
        self.roles.inputs.iter().map(|&at| (&self.roles.names[at], &self.tensors[at]))
    }

    /// Returns the model's targets with their names, in the order in which these were given. A tensor that is an input too is
    /// shared with it.
    pub fn targets(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &DenseTensor)> + '_ {
        self.roles.targets.iter().map(|&at| (&self.roles.names[at], &self.tensors[at]))
    }

    /// Returns the input or target of a name.
    ///
    /// # Errors
    /// [`Kind::UnknownTensor`] for an unknown name; it suggests the nearest one.
    pub fn get(&self, name: &str) -> Result<&DenseTensor> {
        self.roles.index_of(name).and_then(|at| self.tensors.get(at)).ok_or_else(|| {
            let known = self.roles.names.iter().map(|name| &**name);
            Error::new(Kind::UnknownTensor, format!("the batch has no tensor {name:?}"))
                .help(suggest::hint(name, known, "tensors"))
        })
    }

    /// Returns the inputs or targets of some names, for a framework that takes over their memory.
    ///
    /// ```
    /// use batch_loader::BatchLoader;
    /// use batch_loader::config::LoaderConfig;
    ///
    /// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/loader");
    /// let config = LoaderConfig::from_file(format!("{folder}/digits.json"))?;
    /// let builder = BatchLoader::builder(config).formats(&tfxio_formats::formats()).inputs(["image"]).targets(["label"]);
    /// let batch = builder.base_dir(folder).reuse_memory(false).build()?.next_batch()?.expect("a batch");
    /// let [image, label] = batch.into_tensors(["image", "label"])?;
    /// let (shape, values) = image.into_parts();
    /// // Not copied, as nobody else has it.
    /// let pixels = values.try_into_vec::<f32>().expect("floats");
    /// assert_eq!((shape, pixels.len(), label.shape()), (vec![32, 8, 8], 32 * 64, &[32][..]));
    /// # Ok::<(), batch_loader::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Kind::UnknownTensor`] for an unknown name; it suggests the nearest one.
    pub fn into_tensors<const N: usize>(self, names: [&str; N]) -> Result<[DenseTensor; N]> {
        let tensors = names.iter().map(|name| self.get(name).cloned()).collect::<Result<Vec<_>>>()?;
        tensors.try_into().map_err(|_| Error::new(Kind::UnknownTensor, "a name has no tensor"))
    }

    /// Replaces an input or target. [`LoaderBuilder::map`](crate::LoaderBuilder::map) does so with each batch.
    ///
    /// ```
    /// use batch_loader::BatchLoader;
    /// use batch_loader::config::LoaderConfig;
    /// use tensor_repr::{DenseTensor, Values};
    ///
    /// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/loader");
    /// let config = LoaderConfig::from_file(format!("{folder}/digits.json"))?;
    /// let builder = BatchLoader::builder(config).formats(&tfxio_formats::formats()).inputs(["image"]).targets(["label"]);
    /// let mut batch = builder.base_dir(folder).build()?.next_batch()?.expect("a batch");
    /// let zeros = vec![0.0f32; batch.len()];
    /// batch.replace("label", DenseTensor::try_new(vec![batch.len()], Values::from_vec(zeros))?)?;
    /// assert_eq!(batch.get("label")?.dtype().to_string(), "float32");
    /// # Ok::<(), batch_loader::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Kind::UnknownTensor`] for an unknown name.
    /// - [`Kind::InvalidValue`] when the first dimension is not the number of rows of the batch.
    pub fn replace(&mut self, name: &str, tensor: DenseTensor) -> Result<()> {
        self.get(name)?;
        if tensor.shape().first() != Some(&self.examples) {
            let what = format!(
                "a tensor of shape {:?} cannot be {name:?} of a batch of {}",
                tensor.shape(),
                Count::of(self.examples, "row")
            );
            return Err(Error::new(Kind::InvalidValue, what).help("make its first dimension that number"));
        }
        if let Some(at) = self.roles.index_of(name) {
            self.tensors[at] = tensor;
            // Only windows of records have any.
            if let Some(lengths) = self.row_lengths.get_mut(at) {
                *lengths = None;
            }
        }
        Ok(())
    }

    /// Returns, for windows of whole records (`discrete_sequence`), the length of each record of each window along the
    /// first dimension of a tensor (that of the batch not counted), before padding.
    ///
    /// The values are int64, the row splits delimit windows: window `i` has the records `splits[i]..splits[i + 1]`, and
    /// their lengths add up to that of the window. After `window_steps`, they are the lengths of what is left of each
    /// record. `None` for other examples and unknown names, and for tensors that these steps reshape, reverse or take one
    /// step of.
    #[must_use]
    pub fn row_lengths(&self, name: &str) -> Option<&RaggedTensor> {
        self.row_lengths.get(self.roles.index_of(name)?)?.as_ref()
    }
}

impl Batch {
    /// Returns the batch with no more than the origins of its rows.
    pub(crate) fn without_tensors(&self) -> Self {
        let (roles, origins) = (Arc::clone(&self.roles), self.origins.clone());
        Self { examples: self.examples, roles, tensors: Vec::new(), row_lengths: Vec::new(), origins }
    }

    /// Returns whether another batch has the same rows.
    pub(crate) fn has_rows_of(&self, other: &Self) -> bool {
        (self.examples, &self.roles, &self.origins) == (other.examples, &other.roles, &other.origins)
    }
}

impl Roles {
    fn index_of(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| **known == *name)
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("inputs", &self.inputs().collect::<Vec<_>>())
            .field("targets", &self.targets().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
