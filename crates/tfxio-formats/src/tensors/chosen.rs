//! Tensors that were chosen of a data set, and the columns that they need.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use tensor_repr::{Adapter, Representation, TensorAdapter, TensorSpec};
use tfxio_core::{
    Column, Dataset, Error, ErrorKind, Layout, Limits, Partition, Result, Scan, ScanRequest, suggest,
};
use tfxio_format_tfrecord::example_codec::OffsetWidth;
use tfxio_scan::DatasetExt as _;

use super::batches::TensorBatches;
use super::layout;

/// Tensors of a data set, checked.
#[derive(Clone)]
pub struct Tensors {
    dataset: Arc<dyn Dataset>,
    adapter: Arc<dyn TensorAdapter>,
    /// Columns and representations of the tensors; an adapter of one's own reads all columns.
    source: Option<TensorSource>,
    /// Tensors that were chosen of an adapter of one's own.
    specs: Option<Vec<(Arc<str>, TensorSpec)>>,
}

#[derive(Clone)]
struct TensorSource {
    representations: Vec<(Arc<str>, Representation)>,
    columns: Vec<Column>,
    schema: SchemaRef,
    original_specs: Option<Vec<(Arc<str>, TensorSpec)>>,
    /// The tensor whose shape gives a column its length, by the name of the column.
    shapes: Arc<HashMap<Arc<str>, Arc<str>>>,
}

impl Tensors {
    pub(super) fn new(
        dataset: &Arc<dyn Dataset>,
        representations: Vec<(Arc<str>, Representation)>,
        original_specs: Option<Vec<(Arc<str>, TensorSpec)>>,
    ) -> Result<Self> {
        let (columns, shapes) = columns(&representations);
        let wanted = ScanRequest::new().columns(columns.iter().cloned());
        let all = Arc::clone(dataset.schema());
        let mut source =
            TensorSource { representations, columns, schema: all, original_specs, shapes: Arc::new(shapes) };
        let adapter = dataset.scan_schema(&wanted).and_then(|schema| {
            let all = std::mem::replace(&mut source.schema, schema);
            source.adapter(Limits::default()).inspect_err(|_| source.schema = all)
        });
        // The schema of all columns makes the better error: it names the tensor, and no layout that nobody asked for.
        let adapter = adapter.map_err(|error| source.adapter(Limits::default()).err().unwrap_or(error))?;
        Ok(Self {
            dataset: Arc::clone(dataset),
            adapter: Arc::new(adapter),
            source: Some(source),
            specs: None,
        })
    }

    pub(super) fn of_adapter(dataset: &Arc<dyn Dataset>, adapter: Arc<dyn TensorAdapter>) -> Self {
        Self { dataset: Arc::clone(dataset), adapter, source: None, specs: None }
    }

    /// Returns the names and specs of the tensors, in order. Every tensor conforms to its spec.
    #[must_use]
    pub fn specs(&self) -> &[(Arc<str>, TensorSpec)] {
        self.specs.as_deref().unwrap_or_else(|| self.adapter.specs())
    }

    /// Returns the names and specs of the tensors from which these were [selected](Self::select).
    #[must_use]
    pub fn original_specs(&self) -> &[(Arc<str>, TensorSpec)] {
        self.adapter.original_specs()
    }

    /// Returns what makes the tensors of the batches of a scan of [these columns](Self::request).
    #[must_use]
    pub fn adapter(&self) -> &Arc<dyn TensorAdapter> {
        &self.adapter
    }

    /// Returns these tensors only, in this order. Columns that no other tensor needs are not read.
    ///
    /// # Errors
    /// `InvalidArgument` for a tensor that does not exist, with the nearest name.
    pub fn select<N: AsRef<str>>(&self, names: impl IntoIterator<Item = N>) -> Result<Self> {
        let mut chosen = Vec::new();
        for name in names {
            let name = name.as_ref();
            let at = self.specs().iter().position(|(known, _)| **known == *name);
            chosen.push(at.ok_or_else(|| {
                let known = self.specs().iter().map(|(name, _)| &**name);
                Error::new(ErrorKind::InvalidArgument, format!("there is no tensor {name:?}"))
                    .help(suggest::hint(name, known, "tensors"))
            })?);
        }
        let Some(source) = &self.source else {
            let specs = chosen.iter().filter_map(|at| self.specs().get(*at).cloned()).collect();
            return Ok(Self { specs: Some(specs), ..self.clone() });
        };
        let chosen = chosen.iter().filter_map(|at| source.representations.get(*at).cloned()).collect();
        Self::new(&self.dataset, chosen, Some(self.original_specs().to_vec()))
    }

    /// Returns a request with the columns of the tensors, in the layouts that need no copy.
    #[must_use]
    pub fn request(&self, request: ScanRequest) -> ScanRequest {
        match &self.source {
            Some(source) => request.columns(source.columns.iter().cloned()),
            None => request,
        }
    }

    /// Reads all rows as tensors. Columns of the request are set by the representations.
    ///
    /// # Errors
    /// As [`DatasetExt::read`](crate::DatasetExt::read).
    pub fn read(&self, request: ScanRequest) -> Result<TensorBatches> {
        let limits = request.limits;
        self.batches(Box::new(self.dataset.read(self.request(request))?), limits)
    }

    /// Scans one partition as tensors; as [`Dataset::scan`], it may use the filter to skip rows and may return more. Columns
    /// of the request are set by the representations.
    ///
    /// # Errors
    /// As [`Dataset::scan`].
    pub fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<TensorBatches> {
        let scan = self.dataset.scan(partition, &self.request(request.clone()))?;
        Ok(self.batches(scan, request.limits)?.of(partition))
    }

    fn batches(&self, batches: Box<dyn Scan>, limits: Limits) -> Result<TensorBatches> {
        let adapter = match &self.source {
            Some(source) if limits != Limits::default() => Arc::new(source.adapter(limits)?),
            _ => Arc::clone(&self.adapter),
        };
        let names = self.specs.as_ref().map(|specs| specs.iter().map(|(name, _)| Arc::clone(name)).collect());
        let shapes = self.source.as_ref().map(|source| Arc::clone(&source.shapes)).unwrap_or_default();
        Ok(TensorBatches::new(batches, adapter, names, shapes))
    }
}

impl TensorSource {
    fn adapter(&self, limits: Limits) -> Result<Adapter> {
        let adapter = Adapter::builder(Arc::clone(&self.schema), self.representations.iter().cloned());
        let adapter = adapter.limits(limits);
        match &self.original_specs {
            Some(specs) => adapter.original_specs(specs.clone()).build(),
            None => adapter.build(),
        }
    }
}

/// Returns the columns that representations are made of, in the layouts that need no copy, and the tensors whose shapes give
/// columns their lengths.
fn columns(named: &[(Arc<str>, Representation)]) -> (Vec<Column>, HashMap<Arc<str>, Arc<str>>) {
    let representations = || named.iter().map(|(_, representation)| representation);
    let lengths = layout::lengths(representations());
    let lists = match layout::offsets(representations()) {
        OffsetWidth::Bits32 => Layout::List,
        OffsetWidth::Bits64 => Layout::LargeList,
    };
    let (mut columns, mut shapes) = (Vec::new(), HashMap::new());
    let mut known = std::collections::HashSet::new();
    for (tensor, representation) in named {
        for path in representation.source_columns() {
            let length = match path.steps() {
                [name] => lengths.get(name).copied(),
                _ => None,
            };
            if let ([name], Some(_)) = (path.steps(), length) {
                shapes.entry(Arc::clone(name)).or_insert_with(|| Arc::clone(tensor));
            }
            if known.insert(path.clone()) {
                columns.push(Column::new(path).layout(length.map_or(lists, Layout::FixedSizeList)));
            }
        }
    }
    (columns, shapes)
}

impl fmt::Debug for Tensors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let specs = self.specs().iter().map(|(name, spec)| (name, spec.to_string()));
        f.debug_map().entries(specs).finish()
    }
}
