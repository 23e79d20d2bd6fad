//! Columns of any data set as tensors.

mod batches;
mod chosen;
pub(crate) mod layout;

use std::collections::BTreeMap;
use std::sync::Arc;

use tensor_repr::{ColumnPath, Representation, TensorAdapter, schema_file};
use tfxio_core::shared_options::SCHEMA;
use tfxio_core::{Dataset, Error, ErrorKind, OptionValue, Result};

pub use self::batches::TensorBatches;
pub use self::chosen::Tensors;
use crate::open::tensor_options;

/// Columns of an `Arc<dyn Dataset>` as tensors.
///
/// ```
/// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
/// use tfxio_formats::tensor_repr::Representation;
/// use tfxio_formats::tfxio_core::ScanRequest;
/// use tfxio_formats::{TensorsExt, open};
///
/// let dataset = open(pattern)?;
/// let tensors = dataset.tensors([("image", Representation::dense([8, 8])), ("label", Representation::dense([]))])?;
/// for batch in tensors.read(ScanRequest::new().batch_rows(32))? {
///     let batch = batch?;
///     assert_eq!(batch.dense("image")?.shape().len(), 3);
///     assert_eq!(batch.copied_bytes(), 0);
/// }
/// # Ok::<(), tfxio_formats::Error>(())
/// ```
pub trait TensorsExt {
    /// Returns tensors by their representations; a representation without a column is of the column of the tensor's name. The format is
    /// asked for the layouts that need no copy. Reads no data.
    ///
    /// # Errors
    /// When a representation does not fit its column, or a column does not exist.
    fn tensors<N: Into<Arc<str>>>(
        &self,
        representations: impl IntoIterator<Item = (N, Representation)>,
    ) -> Result<Tensors>;

    /// Returns the representations that the data set declares, by tensor name: the [feature specs](crate::OpenOptions::features) or
    /// representations with which it was opened, else the ones in its schema of TensorFlow Metadata: the group without a name, and inferred
    /// ones for the features that it does not use.
    ///
    /// # Errors
    /// `SchemaRequired` if the data set declares none; otherwise the error of the declaration.
    fn representations(&self) -> Result<BTreeMap<String, Representation>>;

    /// Returns the tensors of a group of representations in the schema of TensorFlow Metadata with which the data set was
    /// opened.
    ///
    /// # Errors
    /// When the data set was opened without such a schema, or it has no group of this name; and as
    /// [`tensors`](Self::tensors).
    fn tensors_of_group(&self, group: &str) -> Result<Tensors>;

    /// Returns the tensors that an adapter of one's own makes of batches of all columns.
    ///
    /// # Errors
    /// When a data set cannot be scanned.
    fn tensors_with(&self, adapter: Arc<dyn TensorAdapter>) -> Result<Tensors>;
}

impl TensorsExt for Arc<dyn Dataset> {
    fn tensors<N: Into<Arc<str>>>(
        &self,
        representations: impl IntoIterator<Item = (N, Representation)>,
    ) -> Result<Tensors> {
        let named = representations.into_iter().map(|(name, representation)| {
            let name = name.into();
            let is_of_name = representation.value_column().is_some_and(ColumnPath::is_empty);
            let representation =
                if is_of_name { representation.column(name.as_ref()) } else { representation };
            (name, representation)
        });
        Tensors::new(self, named.collect(), None)
    }

    fn representations(&self) -> Result<BTreeMap<String, Representation>> {
        match self.local_spec() {
            Ok(spec) => tensor_options::representations(&spec),
            Err(_) => Err(tensor_options::unsaid()),
        }
    }

    fn tensors_of_group(&self, group: &str) -> Result<Tensors> {
        let spec = self.local_spec()?;
        let Some(OptionValue::Text(schema)) = spec.options.get(SCHEMA) else {
            let what = format!(
                "the group of representations {group:?} is of a schema, and the data set was opened without one"
            );
            return Err(Error::new(ErrorKind::SchemaRequired, what)
                .help("set the option \"schema\" to the file of a schema of TensorFlow Metadata"));
        };
        self.tensors(schema_file::parse(schema)?.representations(Some(group))?)
    }

    fn tensors_with(&self, adapter: Arc<dyn TensorAdapter>) -> Result<Tensors> {
        Ok(Tensors::of_adapter(self, adapter))
    }
}
