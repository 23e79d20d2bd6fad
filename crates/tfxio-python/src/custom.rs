//! Data sets that are written in Python.

use std::fmt;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema as ArrowSchema, SchemaRef};
use pyo3::prelude::*;
use tfxio::tfxio_core::suggest;
use tfxio::{
    Batch, Error, ErrorKind, Estimate, Origins, PartitionStatistics, Result, Scan, ScanRequest, Seek,
};

use crate::batch::RecordBatch as OwnBatch;
use crate::ending;
use crate::errors::{OrRaise, raised};
use crate::imported::{GivenBatch, GivenSchema, GivenStream};
use crate::partition::Partition;
use crate::request::Request;

/// An object with `schema`, `partitions(target_bytes)` and `scan(partition, request)`.
pub(crate) struct Custom {
    object: Py<PyAny>,
    name: String,
    schema: SchemaRef,
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Custom").field("class", &self.name).finish_non_exhaustive()
    }
}

impl Custom {
    pub(crate) fn new(object: Bound<'_, PyAny>) -> PyResult<Self> {
        let schema = object.getattr("schema")?.extract::<GivenSchema>()?.0;
        Ok(Self { name: object.get_type().name()?.to_string(), object: object.unbind(), schema })
    }

    /// Returns the indices of the columns of a request, which an object of Python need not look at.
    fn projection(&self, request: &ScanRequest) -> Result<Option<Vec<usize>>> {
        let Some(columns) = &request.columns else { return Ok(None) };
        let index = |column: &tfxio::Column| match column.path.steps() {
            [name] => self.schema.index_of(name).map_err(|_| self.no_column(name)),
            _ => {
                let what =
                    format!("the column {} is nested, and {} has whole columns only", column.path, self.name);
                Err(Error::new(ErrorKind::Unsupported, what))
            }
        };
        columns.iter().map(index).collect::<Result<Vec<_>>>().map(Some)
    }

    fn no_column(&self, name: &str) -> Error {
        let names = self.schema.fields().iter().map(|field| field.name().as_str());
        let what = format!("{} has no column {name:?}", self.name);
        Error::new(ErrorKind::InvalidArgument, what).help(suggest::hint(name, names, "columns"))
    }

    fn failed(&self, error: PyErr, method: &str) -> Error {
        raised(error, &format!("{}.{method} failed", self.name))
    }
}

impl tfxio::Dataset for Custom {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn partitions(&self, target_bytes: u64) -> Result<Vec<tfxio::Partition>> {
        ending::attach(|py| {
            let planned = self.object.call_method1(py, "partitions", (target_bytes,))?;
            let planned = planned.bind(py).try_iter()?.map(|part| Ok(part?.extract::<Partition>()?.0));
            planned.collect::<PyResult<Vec<_>>>()
        })?
        .map_err(|error| self.failed(error, "partitions"))
    }

    fn take_in_file(
        &self,
        file: &tfxio::Partition,
        runs: &[tfxio::RecordRun],
        request: &ScanRequest,
    ) -> Result<Box<dyn Scan>> {
        tfxio::tfxio_core::take_in_file_by_seeking(self, file, runs, request)
    }

    fn statistics(&self, partition: &tfxio::Partition) -> Result<PartitionStatistics> {
        Ok(statistics(partition))
    }

    fn scan(&self, partition: &tfxio::Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let projection = self.projection(request)?;
        let schema = match &projection {
            None => Arc::clone(&self.schema),
            Some(columns) => Arc::new(self.schema.project(columns)?),
        };
        let mut scan = CustomScan {
            object: ending::attach(|py| self.object.clone_ref(py))?,
            name: self.name.clone(),
            whole: Arc::clone(&self.schema),
            schema,
            projection,
            partition: partition.clone(),
            request: request.clone().into(),
            batches: None,
            pending: None,
            drop: 0,
            read: 0,
            left: request.limit.filter(|_| request.filter.is_none()).unwrap_or(u64::MAX),
            has_ended: false,
        };
        scan.start(partition.skip)?;
        Ok(Box::new(scan))
    }
}

/// Returns the statistics of a partition: the number of its records, if it has that.
fn statistics(partition: &tfxio::Partition) -> PartitionStatistics {
    let mut known = PartitionStatistics::default();
    if let Some(records) = partition.records {
        known.rows = Estimate::Exact(records.saturating_sub(partition.skip));
    }
    known
}

/// Scan over the iterable of batches that `scan` of a Python object returns.
struct CustomScan {
    object: Py<PyAny>,
    name: String,
    whole: SchemaRef,
    schema: SchemaRef,
    projection: Option<Vec<usize>>,
    partition: tfxio::Partition,
    request: Request,
    batches: Option<Py<PyAny>>,
    /// The rest of a batch that was larger than requested.
    pending: Option<RecordBatch>,
    /// Rows that are left out before the next one.
    drop: u64,
    /// Rows that came before the next one.
    read: u64,
    left: u64,
    has_ended: bool,
}

impl CustomScan {
    /// Begins again, `skip` rows after the first one of the partition.
    fn start(&mut self, skip: u64) -> Result<()> {
        let (partition, request) = (Partition(self.partition.clone()), self.request.clone());
        let begun = ending::attach(|py| {
            let batches = self.object.call_method1(py, "scan", (partition, request))?;
            PyResult::Ok(batches.bind(py).try_iter()?.into_any().unbind())
        })?;
        self.batches = Some(begun.map_err(|error| self.failed(error))?);
        (self.pending, self.drop, self.read, self.has_ended) = (None, skip, skip, false);
        Ok(())
    }

    fn failed(&self, error: PyErr) -> Error {
        raised(error, &format!("{}.scan failed", self.name)).in_file(Arc::clone(&self.partition.file))
    }

    /// Returns the next batch as the object gives it.
    fn take(&mut self) -> Result<Option<RecordBatch>> {
        if let Some(pending) = self.pending.take() {
            return Ok(Some(pending));
        }
        let Some(batches) = &self.batches else { return Ok(None) };
        let next = ending::attach(|py| match batches.bind(py).call_method0("__next__") {
            Ok(batch) => batch_of(&batch).map(Some),
            Err(end) if end.is_instance_of::<pyo3::exceptions::PyStopIteration>(py) => Ok(None),
            Err(error) => Err(error),
        })?;
        let batch = next.map_err(|error| self.failed(error))?;
        batch.map(|batch| self.checked(&batch)).transpose()
    }

    /// Returns the columns that were asked for of a batch that has them, or all of them.
    fn checked(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let is = |schema: &ArrowSchema| types(batch.schema_ref()) == types(schema);
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let columns = match &self.projection {
            Some(columns) if is(&self.whole) => {
                columns.iter().map(|&at| Arc::clone(batch.column(at))).collect()
            }
            _ if is(&self.schema) => batch.columns().to_vec(),
            _ => {
                let what = format!(
                    "{}.scan returned a batch of {}, and its schema is {}",
                    self.name,
                    batch.schema_ref(),
                    self.whole
                );
                return Err(
                    Error::new(ErrorKind::SchemaMismatch, what).in_file(Arc::clone(&self.partition.file))
                );
            }
        };
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &rows)?)
    }
}

fn types(schema: &ArrowSchema) -> Vec<(&String, &arrow_schema::DataType)> {
    schema.fields().iter().map(|field| (field.name(), field.data_type())).collect()
}

/// Returns a batch of ours, or of any library of the Arrow PyCapsule interface.
fn batch_of(batch: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    if batch.is_instance_of::<OwnBatch>() || batch.hasattr("__arrow_c_array__")? {
        return Ok(batch.extract::<GivenBatch>()?.0);
    }
    // A table, of which the batches are put together.
    let mut stream = batch.extract::<GivenStream>()?;
    let mut batches = Vec::new();
    while let Some(batch) = stream.next().or_raise(batch.py())? {
        batches.push(batch);
    }
    let joined = arrow_select::concat::concat_batches(&stream.schema(), &batches);
    joined.map_err(Error::from).or_raise(batch.py())
}

impl Scan for CustomScan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        while !self.has_ended && self.left > 0 {
            self.request.scan.cancel.check()?;
            let Some(batch) = self.take()? else { break };
            let rows = batch.num_rows();
            let dropped = usize::try_from(self.drop).unwrap_or(usize::MAX).min(rows);
            self.drop -= dropped as u64;
            let kept = (rows - dropped).min(self.request.scan.batch_rows.max(1));
            let kept = kept.min(usize::try_from(self.left).unwrap_or(usize::MAX));
            if dropped + kept < rows {
                self.pending = Some(batch.slice(dropped + kept, rows - dropped - kept));
            }
            if kept == 0 {
                continue;
            }
            let mut origins = Origins::default();
            match self.partition.first_record {
                Some(first) => {
                    origins.push_run(
                        Arc::clone(&self.partition.file),
                        first.saturating_add(self.read),
                        &[],
                        kept,
                    );
                }
                None => origins.push_unknown(kept),
            }
            self.read = self.read.saturating_add(kept as u64);
            self.left -= kept as u64;
            return Ok(Some(Batch::new(batch.slice(dropped, kept), origins)));
        }
        self.has_ended = true;
        self.batches = None;
        Ok(None)
    }

    fn remaining(&self) -> Option<tfxio::Partition> {
        let mut partition = self.partition.clone();
        partition.skip = self.read;
        Some(partition)
    }

    fn seek(&mut self, record: u64) -> Result<Seek> {
        let first = match self.partition.first_record {
            Some(first) => first,
            None if self.partition.start == 0 => 0,
            None => return Ok(Seek::NotOffered),
        };
        let Some(skip) = record.checked_sub(first) else { return Ok(Seek::NotOffered) };
        if skip >= self.read && !self.has_ended {
            let more = skip - self.read;
            (self.drop, self.read) = (self.drop.saturating_add(more), skip);
            return Ok(Seek::Read(more));
        }
        self.start(skip)?;
        Ok(Seek::Read(skip))
    }
}
