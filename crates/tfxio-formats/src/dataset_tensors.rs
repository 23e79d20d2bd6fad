//! Columns of any data set as tensors.

use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use example_codec::OffsetWidth;
use tensor_repr::{Adapter, Representation, TensorAdapter, TensorBatch, TensorSpec};
use tfxio_core::{
    Column, ColumnPath, Dataset, Error, ErrorKind, Layout, OptionValue, Partition, Result, Scan, ScanRequest,
};

use crate::read::DatasetExt as _;
use crate::tensors::layout;

/// Columns of an `Arc<dyn Dataset>` as tensors.
///
/// ```
/// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits@3.tfrecord");
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
    /// Returns tensors as representations say, each of the column of its name where it does not say another. The format is
    /// asked for the layouts that need no copy.
    ///
    /// # Errors
    /// When a representation does not fit its column, or a column does not exist.
    fn tensors<N: Into<Arc<str>>>(
        &self,
        representations: impl IntoIterator<Item = (N, Representation)>,
    ) -> Result<Tensors>;

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
        let named = named.collect::<Vec<(Arc<str>, Representation)>>();
        let columns = columns(named.iter().map(|(_, representation)| representation));
        let schema = schema_of(self, &columns)?;
        let adapter = Adapter::builder(schema, named).build()?;
        Ok(Tensors { dataset: Arc::clone(self), columns: Some(columns), adapter: Arc::new(adapter) })
    }

    fn tensors_of_group(&self, group: &str) -> Result<Tensors> {
        let spec = self.spec()?;
        let Some(OptionValue::Text(schema)) = spec.options.get("schema") else {
            let what = format!(
                "the group of representations {group:?} is of a schema, and the data set was opened without one"
            );
            return Err(Error::new(ErrorKind::SchemaRequired, what)
                .help("set the option \"schema\" to the file of a schema of TensorFlow Metadata"));
        };
        self.tensors(crate::schema::read_or_parse(schema)?.representations(Some(group))?)
    }

    fn tensors_with(&self, adapter: Arc<dyn TensorAdapter>) -> Result<Tensors> {
        Ok(Tensors { dataset: Arc::clone(self), columns: None, adapter })
    }
}

/// Returns the columns that representations are made of, in the layouts that need no copy.
fn columns<'a>(representations: impl Iterator<Item = &'a Representation> + Clone) -> Vec<Column> {
    let lengths = layout::lengths(representations.clone());
    let lists = match layout::offsets(representations.clone()) {
        OffsetWidth::Bits32 => Layout::List,
        OffsetWidth::Bits64 => Layout::LargeList,
    };
    let mut columns: Vec<Column> = Vec::new();
    for path in layout::paths(representations) {
        let length = match path.steps() {
            [name] => lengths.get(name).copied(),
            _ => None,
        };
        if columns.iter().all(|column| column.path != path) {
            columns.push(Column::new(path).layout(length.map_or(lists, Layout::FixedSizeList)));
        }
    }
    columns
}

/// Returns the schema of scans of these columns.
fn schema_of(dataset: &Arc<dyn Dataset>, columns: &[Column]) -> Result<SchemaRef> {
    let request = ScanRequest::new().columns(columns.iter().cloned());
    Ok(Arc::clone(dataset.read(request)?.schema()))
}

/// Tensors of a data set, checked.
#[derive(Clone)]
pub struct Tensors {
    dataset: Arc<dyn Dataset>,
    /// Columns that they are made of; all, of an adapter of one's own.
    columns: Option<Vec<Column>>,
    adapter: Arc<dyn TensorAdapter>,
}

impl Tensors {
    /// Returns the names and specs of the tensors, in order. Every tensor conforms to its spec.
    #[must_use]
    pub fn specs(&self) -> &[(Arc<str>, TensorSpec)] {
        self.adapter.specs()
    }

    /// Reads all rows as tensors. Columns of the request are set by the representations.
    ///
    /// # Errors
    /// As [`DatasetExt::read`](crate::DatasetExt::read).
    pub fn read(&self, mut request: ScanRequest) -> Result<TensorBatches> {
        self.set_columns(&mut request);
        let scan = Box::new(self.dataset.read(request)?);
        Ok(TensorBatches { scan: Some(scan), adapter: Arc::clone(&self.adapter) })
    }

    /// Scans one partition as tensors; as [`Dataset::scan`], it may use the filter to skip rows and may return more. Columns
    /// of the request are set by the representations.
    ///
    /// # Errors
    /// As [`Dataset::scan`].
    pub fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<TensorBatches> {
        let mut request = request.clone();
        self.set_columns(&mut request);
        let scan = self.dataset.scan(partition, &request)?;
        Ok(TensorBatches { scan: Some(scan), adapter: Arc::clone(&self.adapter) })
    }

    fn set_columns(&self, request: &mut ScanRequest) {
        if let Some(columns) = &self.columns {
            request.columns = Some(columns.clone());
        }
    }
}

impl fmt::Debug for Tensors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensors").field("columns", &self.columns).field("adapter", &self.adapter).finish()
    }
}

/// The rows of a data set as tensors, batch by batch.
pub struct TensorBatches {
    /// Nothing after the end or an error.
    scan: Option<Box<dyn Scan>>,
    adapter: Arc<dyn TensorAdapter>,
}

impl fmt::Debug for TensorBatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorBatches").field("adapter", &self.adapter).finish_non_exhaustive()
    }
}

impl TensorBatches {
    fn next(&mut self) -> Result<Option<TensorBatch>> {
        let Some(scan) = &mut self.scan else { return Ok(None) };
        let Some(batch) = scan.next_batch()? else { return Ok(None) };
        // An error about a row names the record that it was.
        self.adapter.to_tensors(batch.columns(), None).map(Some).map_err(|error| batch.locate(error))
    }
}

impl Iterator for TensorBatches {
    type Item = Result<TensorBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next();
        if !matches!(next, Ok(Some(_))) {
            self.scan = None;
        }
        next.transpose()
    }
}
