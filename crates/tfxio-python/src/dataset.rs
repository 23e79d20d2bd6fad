//! Data sets.

use std::collections::BTreeMap;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use tfxio::prelude::*;
use tfxio::store::Stores;
use tfxio::{Batches, DatasetSpec, OnError, SkipBudget, ValueOptions};
use tfxio::{Cancel, Result};

use crate::custom::Custom;
use crate::errors::{OrRaise, exported};
use crate::mapped::mapped;
use crate::options::{Options, not_json};
use crate::partition::Partition;
use crate::reader::BatchReader;
use crate::reading::Reading;
use crate::request::{Request, is_steady, thread_count};
use crate::schema::Schema;
use crate::skipped::{self, Skipped};
use crate::tensors::{Description, Tensors};
use crate::value_columns::ValueColumns;
use crate::waiting;

/// A data set that is open. `tfxio.Dataset` is what a user sees.
#[pyclass(frozen, module = "tfxio._lib")]
pub(crate) struct Dataset {
    dataset: Arc<dyn tfxio::Dataset>,
    /// Whether all files are local ones, which are read without waiting for anybody.
    is_local: bool,
    /// Options of the stores, for processes that fork.
    stores: Stores,
    /// Whether damaged records are skipped by default, unless a request overrides it.
    skips: bool,
    /// In a process that was forked: the same data set, opened again, where the connections of the first are not there.
    reopened: Mutex<Option<(u32, Arc<dyn tfxio::Dataset>)>>,
    process: u32,
}

/// Opens files. Returns the data set.
#[pyfunction]
#[pyo3(signature = (paths, *, format=None, options, storage_options, on_error="fail", threads=0))]
pub(crate) fn open(
    py: Python<'_>,
    paths: Vec<String>,
    format: Option<String>,
    options: Options,
    storage_options: BTreeMap<String, String>,
    on_error: &str,
    threads: usize,
) -> PyResult<Dataset> {
    let stores = stores(storage_options);
    let on_error = skipped::on_error(on_error)?;
    let skips = on_error.skip().is_some();
    let cancel = Cancel::new();
    let notes = Arc::new(Mutex::new(Vec::new()));
    let (noted, of_open, of_stores) = (Arc::clone(&notes), cancel.clone(), stores.clone());
    let opened = waiting::wait(py, &cancel, move || {
        let mut open = OpenOptions::new()
            .stores(of_stores)
            .cancel(of_open)
            .threads(thread_count(threads))
            .on_error(on_error)
            .on_note(move |note| lock(&noted).push(note.to_owned()));
        if let Some(format) = format {
            open = open.format(format);
        }
        for (key, value) in options {
            open = open.set(&key, value.0)?;
        }
        let dataset = open.open(&paths)?;
        let is_local = is_local(&*dataset);
        Ok((dataset, is_local))
    })?;
    for note in std::mem::take(&mut *lock(&notes)) {
        warn(py, &note)?;
    }
    let (dataset, is_local) = Result::or_raise(opened, py)?;
    Ok(Dataset::new(dataset, is_local, stores).skips_damage(skips))
}

/// Opens the data set that a description names.
#[pyfunction]
#[pyo3(signature = (spec, storage_options, on_error="fail"))]
pub(crate) fn open_spec(
    py: Python<'_>,
    spec: &str,
    storage_options: BTreeMap<String, String>,
    on_error: &str,
) -> PyResult<Dataset> {
    let skips = skipped::on_error(on_error)?.skip().is_some();
    let spec = serde_json::from_str::<DatasetSpec>(spec).map_err(|error| not_json(&error))?;
    let stores = stores(storage_options);
    let cancel = Cancel::new();
    let (of_open, of_stores) = (cancel.clone(), stores.clone());
    let opened = waiting::wait(py, &cancel, move || {
        let dataset = OpenOptions::new().stores(of_stores).cancel(of_open).open_spec(&spec)?;
        let is_local = is_local(&*dataset);
        Ok((dataset, is_local))
    })?;
    let (dataset, is_local) = Result::or_raise(opened, py)?;
    Ok(Dataset::new(dataset, is_local, stores).skips_damage(skips))
}

/// Returns the data set that an object of Python is: one with `schema`, `partitions` and `scan`.
#[pyfunction]
pub(crate) fn wrap(object: Bound<'_, PyAny>) -> PyResult<Dataset> {
    Ok(Dataset::new(Arc::new(Custom::new(object)?), false, Stores::default()))
}

fn stores(options: BTreeMap<String, String>) -> Stores {
    options.into_iter().fold(Stores::default(), |stores, (key, value)| stores.option(key, value))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn warn(py: Python<'_>, note: &str) -> PyResult<()> {
    let category = py.get_type::<PyUserWarning>();
    py.import("warnings")?.call_method1("warn", (note, category, 3))?;
    Ok(())
}

/// Returns whether every file is one of the local file system that has a size, so that no read waits for a writer.
fn is_local(dataset: &dyn tfxio::Dataset) -> bool {
    let Ok(spec) = dataset.local_spec() else { return false };
    spec.files
        .iter()
        .all(|file| !tfxio::is_url(file) && std::fs::metadata(&**file).is_ok_and(|file| file.is_file()))
}

impl Dataset {
    pub(crate) fn new(dataset: Arc<dyn tfxio::Dataset>, is_local: bool, stores: Stores) -> Self {
        Self { dataset, is_local, stores, skips: false, reopened: Mutex::new(None), process: process::id() }
    }

    /// Sets whether damaged records are skipped by default.
    fn skips_damage(mut self, skips: bool) -> Self {
        self.skips = skips;
        self
    }

    /// Returns whether damaged records are skipped by default.
    pub(crate) fn skips(&self) -> bool {
        self.skips
    }

    /// Returns whether all files are of this machine.
    pub(crate) fn is_local(&self) -> bool {
        self.is_local
    }

    /// Returns a data set that is derived from this one.
    fn view(&self, dataset: Arc<dyn tfxio::Dataset>) -> Self {
        Self::new(dataset, self.is_local, self.stores.clone()).skips_damage(self.skips)
    }

    /// Returns the data set for use in this process.
    fn own(&self, py: Python<'_>) -> PyResult<Arc<dyn tfxio::Dataset>> {
        let process = process::id();
        if process == self.process || self.is_local || self.dataset.spec().is_err() {
            return Ok(Arc::clone(&self.dataset));
        }
        let mut reopened = lock(&self.reopened);
        if let Some((of, dataset)) = &*reopened
            && *of == process
        {
            return Ok(Arc::clone(dataset));
        }
        let spec = self.dataset.spec().or_raise(py)?;
        let dataset = OpenOptions::new().stores(self.stores.clone()).open_spec(&spec).or_raise(py)?;
        *reopened = Some((process, Arc::clone(&dataset)));
        Ok(dataset)
    }

    /// Does work on the data set that Ctrl-C ends as far as it asks its token.
    fn wait<T: Send + 'static>(
        &self,
        py: Python<'_>,
        cancel: &Cancel,
        work: impl FnOnce(Arc<dyn tfxio::Dataset>) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let dataset = self.own(py)?;
        waiting::wait(py, cancel, move || work(dataset))?.or_raise(py)
    }

    fn reader(
        &self,
        py: Python<'_>,
        request: &Request,
        read: impl FnOnce(Arc<dyn tfxio::Dataset>, ScanRequest) -> Result<Batches> + Send + 'static,
    ) -> PyResult<BatchReader> {
        let reading = Reading::new();
        let request = request.of_reader(&reading, self.skips);
        let skipped = Skipped::of(&request);
        let is_steady = self.is_local && is_steady(&request);
        let mut batches = self.wait(py, &reading.cancel, move |dataset| read(dataset, request))?;
        let schema = batches.schema().clone();
        let reader = BatchReader::new(schema, reading, is_steady, Box::new(move || batches.next_batch()));
        Ok(reader.skipped(skipped))
    }
}

#[pymethods]
impl Dataset {
    /// The names and types of the columns.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.dataset.schema().clone())
    }

    /// Reads the rows after the first `after`, in order.
    #[pyo3(signature = (request, after=0))]
    fn read(&self, py: Python<'_>, request: &Request, after: u64) -> PyResult<BatchReader> {
        self.reader(py, request, move |dataset, request| match after {
            0 => dataset.read(request),
            after => dataset.read_after(after, request),
        })
    }

    /// Reads the last rows.
    fn tail(&self, py: Python<'_>, request: &Request, rows: u64) -> PyResult<BatchReader> {
        self.reader(py, request, move |dataset, request| dataset.tail(rows, request))
    }

    /// Reads rows that are drawn at random.
    fn sample(&self, py: Python<'_>, request: &Request, rows: u64, seed: u64) -> PyResult<BatchReader> {
        self.reader(py, request, move |dataset, request| dataset.sample(rows, seed, request))
    }

    /// Reads one record.
    fn record(&self, py: Python<'_>, request: &Request, number: u64) -> PyResult<BatchReader> {
        self.reader(py, request, move |dataset, request| dataset.record(number, request))
    }

    /// Returns the number of rows.
    fn count(&self, py: Python<'_>) -> PyResult<u64> {
        let cancel = Cancel::new();
        if !self.skips {
            return self.wait(py, &cancel, |dataset| dataset.count());
        }
        // Only what decodes the records tells which of them are left.
        let request = ScanRequest::new().cancel(cancel.clone()).on_error(Some(SkipBudget::default()).into());
        let skipped = Skipped::of(&request);
        let counted = self.wait(py, &cancel, move |dataset| {
            let mut batches = dataset.read(request)?;
            let mut rows = 0u64;
            while let Some(batch) = batches.next_batch()? {
                rows = rows.saturating_add(batch.num_rows() as u64);
            }
            Ok(rows)
        })?;
        skipped.warn(py)?;
        Ok(counted)
    }

    /// Plans parts of about `target_bytes` bytes.
    fn partitions(&self, py: Python<'_>, target_bytes: u64) -> PyResult<Vec<Partition>> {
        let planned = self.wait(py, &Cancel::new(), move |dataset| dataset.partitions(target_bytes))?;
        Ok(planned.into_iter().map(Partition).collect())
    }

    /// Reads a partition. The filter of the request may be used to skip rows; rows that do not satisfy it may be returned.
    fn scan(&self, py: Python<'_>, partition: &Partition, request: &Request) -> PyResult<BatchReader> {
        let reading = Reading::new();
        let (request, partition) = (request.of_reader(&reading, self.skips), partition.0.clone());
        let skipped = Skipped::of(&request);
        let is_steady = self.is_local && is_steady(&request);
        let scan = self.wait(py, &reading.cancel, move |dataset| dataset.scan(&partition, &request))?;
        Ok(BatchReader::of_scan(scan, reading, is_steady).skipped(skipped))
    }

    /// Returns the data set with columns as scalars and text: all columns that can be, or the named ones.
    fn values(&self, py: Python<'_>, scalars: ValueColumns, text: ValueColumns) -> PyResult<Self> {
        let cancel = Cancel::new();
        let options = self.options_of_values(&cancel).scalars(scalars.0).text(text.0);
        let dataset = self.wait(py, &cancel, move |dataset| dataset.values(&options))?;
        Ok(Self::new(dataset, self.is_local, self.stores.clone()).skips_damage(self.skips))
    }

    /// Returns some of the columns, each of a new name and the name that it has.
    fn select(&self, py: Python<'_>, columns: Vec<(String, String)>) -> PyResult<Self> {
        Ok(self.view(self.own(py)?.select(columns).or_raise(py)?))
    }

    /// Returns the rows that satisfy a condition.
    fn filter(&self, py: Python<'_>, condition: &str) -> PyResult<Self> {
        let condition = condition.parse::<tfxio::Predicate>().or_raise(py)?;
        Ok(self.view(self.own(py)?.filter(condition).or_raise(py)?))
    }

    /// Returns the rows with numbers from `first` on; those before `end`, where it is given.
    #[pyo3(signature = (first, end=None))]
    fn rows(&self, py: Python<'_>, first: u64, end: Option<u64>) -> PyResult<Self> {
        Ok(self.view(self.own(py)?.rows(first..end.unwrap_or(u64::MAX))))
    }

    /// Returns one of `count` parts of the rows.
    fn shard(&self, py: Python<'_>, index: u64, count: u64) -> PyResult<Self> {
        Ok(self.view(self.own(py)?.shard(index, count)))
    }

    /// Returns the rows of this data set, followed by the rows of others.
    fn concat(&self, py: Python<'_>, others: Vec<PyRef<'_, Self>>) -> PyResult<Self> {
        let owned = others.iter().map(|other| other.own(py)).collect::<PyResult<Vec<_>>>()?;
        let dataset = self.own(py)?.concat(owned).or_raise(py)?;
        let is_local = self.is_local && others.iter().all(|other| other.is_local);
        Ok(Self::new(dataset, is_local, self.stores.clone()).skips_damage(self.skips))
    }

    /// Returns the rows of this data set, each beside one of another.
    fn zip(&self, py: Python<'_>, other: PyRef<'_, Self>) -> PyResult<Self> {
        let dataset = self.own(py)?.zip(&other.own(py)?).or_raise(py)?;
        let is_local = self.is_local && other.is_local;
        Ok(Self::new(dataset, is_local, self.stores.clone()).skips_damage(self.skips))
    }

    /// Returns the data set with columns whose values are cast to types of these names.
    fn cast(&self, py: Python<'_>, casts: Vec<(String, String)>) -> PyResult<Self> {
        let of = |(name, to): (String, String)| Ok((name, to.parse::<tfxio::convert::CastType>()?));
        let casts = casts.into_iter().map(of).collect::<Result<Vec<_>>>().or_raise(py)?;
        Ok(self.view(self.own(py)?.cast(casts).or_raise(py)?))
    }

    /// Returns the data set with the columns of a schema, which a function makes of others, batch by batch.
    fn mapped(
        &self,
        py: Python<'_>,
        function: Py<PyAny>,
        takes: Vec<String>,
        schema: &Schema,
    ) -> PyResult<Self> {
        let mapped = mapped(&self.own(py)?, function, takes, &schema.0).or_raise(py)?;
        Ok(Self::new(mapped, false, self.stores.clone()).skips_damage(self.skips))
    }

    /// Returns the names of the columns that would be scalars, and text, by the first records of files of this machine.
    fn find_values(&self, py: Python<'_>, records: u64) -> PyResult<(Vec<String>, Vec<String>)> {
        if !self.is_local {
            return Ok(Default::default());
        }
        let cancel = Cancel::new();
        let options = self.options_of_values(&cancel).scalars(true).text(true);
        let options = options.infer_records(records).infer_bytes(16 << 20);
        let found = self.wait(py, &cancel, move |dataset| dataset.find_values(&options))?;
        Ok((found.scalars, found.text))
    }

    /// Returns what reading loses, as far as that was seen when the data set was opened: names of columns, each with what is lost.
    fn losses(&self) -> Vec<(String, String)> {
        self.dataset.losses().into_iter().map(|loss| (loss.column, loss.what)).collect()
    }

    /// Returns the description by which another process opens the same data set without looking at the data, as JSON.
    fn spec(&self, py: Python<'_>) -> PyResult<String> {
        let spec = self.dataset.spec().or_raise(py)?;
        serde_json::to_string(&spec).map_err(|error| not_json(&error))
    }

    /// Returns the representations of the tensors that the data set knows of, as JSON by name.
    fn representations(&self, py: Python<'_>) -> PyResult<String> {
        Ok(tfxio::tensor_repr::json::representations_to_json(&self.dataset.representations().or_raise(py)?))
    }

    /// Returns the columns as tensors: by the descriptions, by a group of the schema, or by the data set's own
    /// representations.
    #[pyo3(signature = (descriptions=None, group=None))]
    fn tensors(
        &self,
        py: Python<'_>,
        descriptions: Option<Vec<(String, Description)>>,
        group: Option<&str>,
    ) -> PyResult<Tensors> {
        let dataset = self.own(py)?;
        let tensors = match (descriptions, group) {
            (Some(descriptions), _) => {
                let named = |(name, of): (String, Description)| {
                    Ok((name.clone(), of.representation(&name, dataset.schema())?))
                };
                let representations = descriptions.into_iter().map(named).collect::<Result<Vec<_>>>();
                representations.and_then(|representations| dataset.tensors(representations))
            }
            (None, Some(group)) => dataset.tensors_of_group(group),
            (None, None) => dataset.representations().and_then(|known| dataset.tensors(known)),
        };
        Ok(Tensors::new(tensors.or_raise(py)?, self.is_local, self.skips))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyCapsule>> {
        exported(py, pyo3_arrow::ffi::to_schema_pycapsule(py, self.dataset.schema().as_ref()))
    }
}

impl Dataset {
    /// Returns how records are read that are looked at for scalars and text.
    fn options_of_values(&self, cancel: &Cancel) -> ValueOptions {
        let on_error = if self.skips { Some(SkipBudget::default()).into() } else { OnError::default() };
        ValueOptions::new().request(ScanRequest::new().cancel(cancel.clone()).on_error(on_error))
    }

    /// Returns the data set for a loader.
    pub(crate) fn shared(&self, py: Python<'_>) -> PyResult<Arc<dyn tfxio::Dataset>> {
        self.own(py)
    }
}
