//! Columns that a caller's function makes of others.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use tfxio_core::{
    Batch, ChangedDataset, ChangedScan, ColumnPath, Comparison, Count, Dataset, Error, ErrorKind, Literal,
    MapError, Partition, PartitionStatistics, Position, Predicate, Projection, Result, Scan, ScanRequest,
    call_given,
};

use super::{Filtered, Selection};

type Function = dyn Fn(&Batch) -> Result<RecordBatch, MapError> + Send + Sync;

/// The rows of a data set, each with further columns, or with others of the same name.
#[derive(Debug)]
pub struct Mapped {
    dataset: Arc<dyn Dataset>,
    schema: SchemaRef,
    made: Arc<MadeColumns>,
}

/// A function, and its columns.
struct MadeColumns {
    function: Box<Function>,
    /// The method that it was given to, for errors.
    method: &'static str,
    /// The columns that it takes, in this order.
    takes: Vec<String>,
    /// The columns that it returns.
    schema: SchemaRef,
    names: HashSet<String>,
}

impl fmt::Debug for MadeColumns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MadeColumns")
            .field("takes", &self.takes)
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

impl Mapped {
    /// Returns the data set with the columns of a schema that a function makes of others, batch by batch.
    ///
    /// # Errors
    /// `InvalidArgument` for a column that is taken and does not exist.
    pub fn new<F>(
        dataset: Arc<dyn Dataset>,
        takes: Vec<String>,
        makes: SchemaRef,
        function: F,
    ) -> Result<Self>
    where
        F: Fn(&Batch) -> Result<RecordBatch, MapError> + Send + Sync + 'static,
    {
        Self::by("map_batches", dataset, takes, makes, Box::new(function))
    }

    fn by(
        method: &'static str,
        dataset: Arc<dyn Dataset>,
        takes: Vec<String>,
        makes: SchemaRef,
        function: Box<Function>,
    ) -> Result<Self> {
        Projection::new(dataset.schema(), &ScanRequest::new().columns(takes.iter().map(String::as_str)))?;
        let (of_made, known) = (positions(&makes), dataset.schema());
        let of_known = positions(known);
        let kept = known.fields().iter().map(|field| {
            let replaced = of_made.get(field.name().as_str()).and_then(|at| makes.fields().get(*at));
            Arc::clone(replaced.unwrap_or(field))
        });
        let new =
            makes.fields().iter().filter(|field| !of_known.contains_key(field.name().as_str())).cloned();
        let schema = Schema::new_with_metadata(kept.chain(new).collect::<Vec<_>>(), known.metadata().clone());
        let names = of_made.keys().map(|name| (*name).to_owned()).collect();
        let made = MadeColumns { function, method, takes, schema: makes, names };
        Ok(Self { dataset, schema: Arc::new(schema), made: Arc::new(made) })
    }

    /// Returns the names of the columns that a request needs: the columns that the function makes, and the others.
    fn needed(&self, projection: &Projection) -> (Vec<String>, Vec<String>) {
        let names = projection.read().iter().map(|at| self.schema.field(*at).name().clone());
        names.partition(|name| self.made.names.contains(name))
    }

    fn is_made(&self, path: &ColumnPath) -> bool {
        path.steps().first().is_some_and(|name| self.made.names.contains(&**name))
    }
}

/// Returns the rows for which a function of some columns is true.
///
/// # Errors
/// `InvalidArgument` for a column that does not exist.
pub(crate) fn kept<F>(dataset: &Arc<dyn Dataset>, takes: Vec<String>, function: F) -> Result<Arc<dyn Dataset>>
where
    F: Fn(&Batch) -> Result<BooleanArray, MapError> + Send + Sync + 'static,
{
    let names = dataset.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
    let mut name = "kept".to_owned();
    while names.contains(&name) {
        name.push('_');
    }
    let schema = Arc::new(Schema::new(vec![Field::new(&name, DataType::Boolean, true)]));
    let makes = Arc::clone(&schema);
    let function = move |batch: &Batch| {
        let kept: ArrayRef = Arc::new(function(batch)?);
        if kept.len() != batch.num_rows() {
            return Err(other_rows("filter_batches", kept.len(), batch.num_rows()).into());
        }
        Ok(RecordBatch::try_new(Arc::clone(&schema), vec![kept])?)
    };
    let mapped = Mapped::by("filter_batches", Arc::clone(dataset), takes, makes, Box::new(function))?;
    let (path, value) = (ColumnPath::new([name]), Literal::Boolean(true));
    let is_kept = Predicate::Compare { path, comparison: Comparison::Equal, value };
    let filtered = Arc::new(Filtered::new(Arc::new(mapped), is_kept)?);
    let columns = names.into_iter().map(|name| (name.clone(), name));
    Ok(Arc::new(Selection::new(filtered, columns.collect())?))
}

impl ChangedDataset for Mapped {
    fn below(&self) -> &Arc<dyn Dataset> {
        &self.dataset
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn request_below(&self, request: &ScanRequest) -> Result<ScanRequest> {
        let projection = Projection::new(&self.schema, request)?;
        let (made, mut kept) = self.needed(&projection);
        if !made.is_empty() {
            let known = kept.iter().cloned().collect::<HashSet<_>>();
            kept.extend(self.made.takes.iter().filter(|name| !known.contains(*name)).cloned());
        }
        let mut inner = request.clone().columns(kept.iter().map(String::as_str));
        if let Some(filter) = &request.filter {
            // Rows are left out below only by columns that are there, and are counted after that.
            inner.limit = None;
            let mut columns = Vec::new();
            filter.columns(&mut columns);
            if columns.into_iter().any(|path| self.is_made(path)) {
                inner.filter = None;
            }
        }
        Ok(inner)
    }

    fn change(&self, scan: Box<dyn Scan>, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let projection = Projection::new(&self.schema, request)?;
        let made = (!self.needed(&projection).0.is_empty()).then(|| Arc::clone(&self.made));
        let (schema, read) = (Arc::clone(projection.schema()), self.schema.project(projection.read())?);
        let change = ColumnsChange { read: Arc::new(read), projection, made };
        Ok(Box::new(ChangedScan::new(scan, schema, move |batch| change.apply(batch))))
    }

    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        Ok(Arc::clone(Projection::new(&self.schema, request)?.schema()))
    }

    fn applies_filter(&self, _request: &ScanRequest) -> bool {
        false
    }

    /// Returns what is known below. The columns that are made have no statistics.
    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        let mut statistics = self.dataset.statistics(partition)?;
        statistics.columns.retain(|(path, _)| !self.is_made(path));
        Ok(statistics)
    }
}

impl MadeColumns {
    /// Calls the function.
    fn of(&self, batch: &Batch) -> Result<RecordBatch> {
        let known = positions(batch.columns().schema_ref());
        let indices =
            self.takes.iter().map(|name| known.get(name.as_str()).copied().ok_or_else(|| missing(name)));
        let indices = indices.collect::<Result<Vec<_>>>()?;
        let taken = Batch::new(batch.columns().project(&indices)?, batch.origins().clone());
        if taken.num_rows() == 0 {
            return Ok(RecordBatch::new_empty(Arc::clone(&self.schema)));
        }
        let made = call_given(|| (self.function)(&taken)).map_err(|error| failed(self.method, error))?;
        if made.num_rows() != batch.num_rows() {
            return Err(other_rows(self.method, made.num_rows(), batch.num_rows()));
        }
        if made.schema_ref().fields() != self.schema.fields() {
            let (found, wanted) = (columns(made.schema_ref()), columns(&self.schema));
            let what =
                format!("the function given to {} returns {found}, and was to return {wanted}", self.method);
            let error = Error::new(ErrorKind::SchemaMismatch, what);
            return Err(error.help(
                "return the columns of the schema that map_batches was given, in their order and types",
            ));
        }
        Ok(made)
    }
}

#[cold]
fn failed(method: &str, error: MapError) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => *error,
        Err(error) => Error::new(ErrorKind::Other, format!("the function given to {method} fails: {error}")),
    }
}

#[cold]
fn other_rows(method: &str, found: usize, rows: usize) -> Error {
    let (found, rows) = (Count::of(found, "row"), Count::of(rows, "row"));
    let what = format!("the function given to {method} returns {found} for {rows}");
    Error::new(ErrorKind::SchemaMismatch, what)
        .help("return a value for each row; leave rows out by a filter")
}

/// Returns the names and types of columns as a list.
fn columns(schema: &Schema) -> String {
    let columns = schema.fields().iter().map(|field| {
        let null = if field.is_nullable() { ", with nulls" } else { "" };
        format!("{:?} ({}{null})", field.name(), field.data_type())
    });
    let columns = columns.collect::<Vec<_>>();
    if columns.is_empty() { "no column".to_owned() } else { columns.join(", ") }
}

fn missing(name: &str) -> Error {
    Error::new(ErrorKind::SchemaMismatch, format!("the column {name:?} did not come"))
        .help("open the data set again, whose columns have changed")
}

/// Returns the positions of columns by name; of columns with the same name, the first.
fn positions(schema: &Schema) -> HashMap<&str, usize> {
    schema.fields().iter().enumerate().rev().map(|(at, field)| (field.name().as_str(), at)).collect()
}

/// Conversion of batches that are read to batches of a request.
struct ColumnsChange {
    /// The columns to read.
    read: SchemaRef,
    projection: Projection,
    /// The function, where a column that it makes is asked for.
    made: Option<Arc<MadeColumns>>,
}

impl ColumnsChange {
    fn apply(&self, batch: Batch) -> Result<Batch> {
        if self.projection.read().is_empty() {
            return Ok(batch);
        }
        let made = self.made.as_ref().map(|made| made.of(&batch)).transpose().map_err(|error| {
            if error.position().record.is_some() {
                return error;
            }
            let row = error.position().row.unwrap_or(0);
            batch.locate(error.at(Position::new().row(row)))
        })?;
        let of_made = made.as_ref().map(|made| positions(made.schema_ref())).unwrap_or_default();
        let of_batch = positions(batch.columns().schema_ref());
        let columns = self.read.fields().iter().map(|field| {
            let name = field.name().as_str();
            let own = made.as_ref().and_then(|made| made.columns().get(*of_made.get(name)?));
            let other = || batch.columns().columns().get(*of_batch.get(name)?);
            own.or_else(other).cloned().ok_or_else(|| missing(name))
        });
        let columns = columns.collect::<Result<Vec<ArrayRef>>>()?;
        let read = RecordBatch::try_new(Arc::clone(&self.read), columns)?;
        Ok(Batch::new(self.projection.pick(&read)?, batch.origins().clone()))
    }
}
