//! Data sets with columns that a function of Python makes of others.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Schema as ArrowSchema, SchemaRef};
use pyo3::prelude::*;
use tfxio::tfxio_core::ChangedScan;
use tfxio::{
    Batch, Error, ErrorKind, Partition, PartitionStatistics, Position, Projection, Result, Scan, ScanRequest,
};

use crate::batch::RecordBatch as OwnBatch;
use crate::ending;
use crate::errors::raised;

/// The rows of a data set, each with further columns, or with others of the same name.
pub(crate) struct Mapped {
    dataset: Arc<dyn tfxio::Dataset>,
    schema: SchemaRef,
    made: Arc<Made>,
}

/// The function, and its columns.
struct Made {
    /// Takes a batch, and returns one of the same number of rows.
    function: Py<PyAny>,
    /// The columns that it takes.
    takes: Vec<String>,
    /// The columns that it returns.
    schema: SchemaRef,
    names: HashSet<String>,
}

impl fmt::Debug for Mapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapped").field("dataset", &self.dataset).finish_non_exhaustive()
    }
}

impl Mapped {
    /// # Errors
    /// `InvalidArgument` for a column that is taken and does not exist.
    pub(crate) fn new(
        dataset: Arc<dyn tfxio::Dataset>,
        function: Py<PyAny>,
        takes: Vec<String>,
        made: &SchemaRef,
    ) -> Result<Self> {
        Projection::new(dataset.schema(), &ScanRequest::new().columns(takes.iter().map(String::as_str)))?;
        let (of_made, known) = (positions(made), dataset.schema());
        let of_known = positions(known);
        let kept = known.fields().iter().map(|field| {
            let replaced = of_made.get(field.name().as_str()).and_then(|at| made.fields().get(*at));
            Arc::clone(replaced.unwrap_or(field))
        });
        let new = made.fields().iter().filter(|field| !of_known.contains_key(field.name().as_str())).cloned();
        let schema =
            ArrowSchema::new_with_metadata(kept.chain(new).collect::<Vec<_>>(), known.metadata().clone());
        let names = of_made.keys().map(|name| (*name).to_owned()).collect();
        let made = Made { function, takes, schema: Arc::clone(made), names };
        Ok(Self { dataset, schema: Arc::new(schema), made: Arc::new(made) })
    }

    /// Returns the names of the columns that a request needs: the columns that the function makes, and the others.
    fn needed(&self, projection: &Projection) -> (Vec<String>, Vec<String>) {
        let names = projection.read().iter().map(|at| self.schema.field(*at).name().clone());
        names.partition(|name| self.made.names.contains(name))
    }
}

impl tfxio::tfxio_core::ChangedDataset for Mapped {
    fn below(&self) -> &Arc<dyn tfxio::Dataset> {
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
            let is_made = |path: &&tfxio::ColumnPath| {
                path.steps().first().is_some_and(|name| self.made.names.contains(&**name))
            };
            if columns.iter().any(is_made) {
                inner.filter = None;
            }
        }
        Ok(inner)
    }

    fn change(&self, scan: Box<dyn Scan>, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let projection = Projection::new(&self.schema, request)?;
        let made = (!self.needed(&projection).0.is_empty()).then(|| Arc::clone(&self.made));
        let (schema, read) = (Arc::clone(projection.schema()), self.schema.project(projection.read())?);
        let change = Change { read: Arc::new(read), projection, made };
        Ok(Box::new(ChangedScan::new(scan, schema, move |batch| change.apply(batch))))
    }

    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        Ok(Arc::clone(Projection::new(&self.schema, request)?.schema()))
    }

    fn applies_filter(&self, _request: &ScanRequest) -> bool {
        false
    }

    /// The columns that are made have none.
    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        let mut statistics = self.dataset.statistics(partition)?;
        statistics
            .columns
            .retain(|(path, _)| path.steps().first().is_some_and(|name| !self.made.names.contains(&**name)));
        Ok(statistics)
    }
}

impl Made {
    /// Calls the function.
    fn of(&self, batch: &Batch) -> Result<RecordBatch> {
        let known = positions(batch.columns().schema_ref());
        let indices =
            self.takes.iter().map(|name| known.get(name.as_str()).copied().ok_or_else(|| missing(name)));
        let indices = indices.collect::<Result<Vec<_>>>()?;
        let taken = Batch::new(batch.columns().project(&indices)?, batch.origins().clone());
        let made = ending::attach(|py| {
            let made = self.function.call1(py, (OwnBatch::from(taken),))?;
            PyResult::Ok(made.bind(py).extract::<PyRef<'_, OwnBatch>>()?.batch.clone())
        })?;
        let made = made.map_err(|error| raised(error, "map failed"))?;
        if made.num_rows() != batch.num_rows() {
            let what = format!("map returned {} rows of {}", made.num_rows(), batch.num_rows());
            let error = Error::new(ErrorKind::SchemaMismatch, what);
            return Err(error.help("return a value for each row; leave rows out by a filter"));
        }
        if made.schema_ref().fields() != self.schema.fields() {
            let what = format!("map returned {}, and before {}", made.schema_ref(), self.schema);
            let error = Error::new(ErrorKind::SchemaMismatch, what);
            return Err(error.help("return the same types for all rows, or say them by schema=…"));
        }
        Ok(made)
    }
}

fn missing(name: &str) -> Error {
    Error::new(ErrorKind::SchemaMismatch, format!("the column {name:?} did not come"))
        .help("open the data set again, whose columns have changed")
}

/// Returns the positions of columns by name; of columns with the same name, the first.
fn positions(schema: &ArrowSchema) -> HashMap<&str, usize> {
    schema.fields().iter().enumerate().rev().map(|(at, field)| (field.name().as_str(), at)).collect()
}

/// Conversion of batches that are read to batches of a request.
struct Change {
    /// The columns to read.
    read: SchemaRef,
    projection: Projection,
    /// The function, where a column that it makes is asked for.
    made: Option<Arc<Made>>,
}

impl Change {
    fn apply(&self, batch: Batch) -> Result<Batch> {
        if self.projection.read().is_empty() {
            return Ok(batch);
        }
        let made = self.made.as_ref().map(|made| made.of(&batch)).transpose().map_err(|error| {
            if error.position().record.is_none() {
                batch.locate(error.at(Position::new().row(0)))
            } else {
                error
            }
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
