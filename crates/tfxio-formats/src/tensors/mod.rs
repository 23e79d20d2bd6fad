//! Tensors of data sets: the trait that a data set with tensors has, and the reader of its batches.

pub(crate) mod layout;
mod raw;
mod reader;

use std::collections::BTreeMap;
use std::sync::Arc;

use tensor_repr::{Representation, TensorAdapter};
use tfxio_core::{Error, ErrorKind, ReadOptions, Split, TfxIo};

pub use self::reader::TensorReader;

/// What a caller asks of [`TensorTfxIo::read_tensors`].
///
/// ```
/// use tfxio_formats::TensorReadOptions;
/// let options = TensorReadOptions::default().with_batch_size(128).with_tensors(["label", "image"]);
/// assert_eq!(options.batch_size, 128);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TensorReadOptions {
    /// Tensors to read, in this order; `None` (the default) reads all, in the order of their names.
    pub tensors: Option<Vec<Arc<str>>>,
    /// Rows a batch, at least 1. The last batch of a split may have fewer. Default 1,024.
    pub batch_size: usize,
}

impl Default for TensorReadOptions {
    fn default() -> Self {
        Self { tensors: None, batch_size: ReadOptions::default().batch_size }
    }
}

impl TensorReadOptions {
    /// Reads only these tensors, in this order.
    #[must_use]
    pub fn with_tensors<I>(mut self, tensors: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<Arc<str>>,
    {
        self.tensors = Some(tensors.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the rows a batch; 0 is taken as 1.
    #[must_use]
    pub fn with_batch_size(mut self, rows: usize) -> Self {
        self.batch_size = rows.max(1);
        self
    }
}

/// A data set that says how its columns become tensors.
///
/// What needs a schema answers [`ErrorKind::SchemaRequired`] without one, never a guess. The design is TensorFlow
/// RFC 162, Standardized TFX Inputs.
///
/// ```
/// use tfxio_formats::{ExampleTfxIo, TensorReadOptions, TensorTfxIo, TfxIo};
/// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits-*.tfrecord");
/// # let schema = r#"feature { name: "image" type: FLOAT shape { dim { size: 64 } } presence { min_fraction: 1 } }
/// #     feature { name: "label" type: INT shape { } presence { min_fraction: 1 } }"#;
/// # let schema: tfxio_formats::tensor_repr::Schema = schema.parse()?;
///
/// let dataset = ExampleTfxIo::builder([pattern]).metadata_schema(schema).build()?;
/// let labels = dataset.project(&["label"])?;
/// let mut sum = 0;
/// for split in labels.splits(64 << 20)? {
///     for tensors in labels.read_tensors(&split, &TensorReadOptions::default())? {
///         let (name, tensor) = &tensors?[0];
///         assert_eq!(&**name, "label");
///         sum += tensor.rows();
///     }
/// }
/// assert_eq!(sum, 1797);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait TensorTfxIo: TfxIo {
    /// How columns become tensors, by tensor name.
    ///
    /// # Errors
    /// `SchemaRequired` where there is nothing that says it; otherwise what is wrong with what says it.
    fn tensor_representations(&self) -> Result<BTreeMap<String, Representation>, Error>;

    /// An adapter for the batches that [`read`](TfxIo::read) yields without a projection, with all tensors. After
    /// [`project`](Self::project) its original specs are those of the data set that was projected first.
    ///
    /// # Errors
    /// `SchemaRequired` where the columns, or what becomes of them, are not known; otherwise whatever finding them out
    /// meets, and what keeps the columns from becoming the tensors.
    fn tensor_adapter(&self) -> Result<Box<dyn TensorAdapter>, Error>;

    /// The same data set with these tensors only. It reads the columns that they are made of, and those beside the
    /// features that it was asked for (raw records, places).
    ///
    /// # Errors
    /// `InvalidArgument` for a tensor that the data set does not have, and as [`tensor_adapter`](Self::tensor_adapter).
    fn project(&self, tensors: &[&str]) -> Result<Box<dyn TensorTfxIo>, Error>;

    /// Reads one split as tensors, batch by batch. An implementation may read other columns than [`read`](TfxIo::read)
    /// does, where tensors are made of them with less copying; the one given here reads those of the projection.
    ///
    /// # Errors
    /// When the split cannot be opened, and as [`project`](Self::project). Errors in the data come from the reader.
    fn read_tensors(&self, split: &Split, options: &TensorReadOptions) -> Result<TensorReader, Error> {
        let rows = ReadOptions::default().with_batch_size(options.batch_size);
        let Some(names) = &options.tensors else {
            return TensorReader::new(self.read(split, &rows)?, self.tensor_adapter()?, None);
        };
        let plain = names.iter().map(|name| &**name).collect::<Vec<_>>();
        let dataset = self.project(&plain)?;
        TensorReader::new(dataset.read(split, &rows)?, dataset.tensor_adapter()?, Some(names.clone()))
    }
}

/// Some of the representations, in the order of the names.
pub(crate) fn subset<'a>(
    all: &BTreeMap<String, Representation>,
    names: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<(Arc<str>, Representation)>, Error> {
    let find = |name: &str| match all.get(name) {
        Some(representation) => Ok((name.into(), representation.clone())),
        None => {
            let known = all.keys().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() { "none".to_owned() } else { known };
            let message = format!("there is no tensor {name:?}; there are: {known}");
            Err(Error::new(ErrorKind::InvalidArgument, message))
        }
    };
    names.into_iter().map(find).collect()
}
