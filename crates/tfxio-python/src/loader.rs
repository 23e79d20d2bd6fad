//! The batch loader.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tfxio::Result;
use tfxio::batch_loader::{Batch, LoadPlan, StatsHandle};
use tfxio::tensor_repr::TensorSpec;

use crate::dataset::Dataset;
use crate::errors::OrRaise;
use crate::loader_config::{How, Validation};
use crate::loading::{Loading, State, counted};
use crate::reading::Reading;
use crate::skipped::Skipped;
use crate::source::Source;
use crate::tensors::{DenseTensor, specs};
use crate::waiting;

/// Shuffled, windowed, padded batches.
#[pyclass(frozen, module = "tfxio._lib")]
pub(crate) struct BatchLoader {
    /// Batches, each with the state after it.
    batches: Source<(Batch, State)>,
    /// The state after the end.
    end: Arc<OnceLock<State>>,
    stats: Vec<StatsHandle>,
    inputs: Vec<String>,
    targets: Vec<String>,
    /// The tensors, which no batch changes: the loader itself may be at work.
    specs: Vec<(Arc<str>, TensorSpec)>,
    /// The state after the batch that came out last: the loader itself may be at work on the next one.
    state: Mutex<State>,
    plan: Option<LoadPlan>,
}

/// An anomaly, and the file, number and byte of its first record.
type Anomaly = (String, &'static str, String, String, u64, (String, u64, Option<u64>));

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl BatchLoader {
    /// Builds a loader of the data sets, or of what the configuration names. `config` is JSON, or a file of it.
    #[new]
    #[pyo3(signature = (config, datasets, *, inputs, targets, batch_size=None, base_dir=None, seed=None, shard=None, threads=0, validate=None, skipped=None, elastic=None, states=Vec::new()))]
    #[expect(clippy::too_many_arguments, reason = "keywords of the class in Python above it")]
    fn new(
        py: Python<'_>,
        config: &str,
        datasets: Vec<(PyRef<'_, Dataset>, f64)>,
        inputs: Vec<String>,
        targets: Vec<String>,
        batch_size: Option<usize>,
        base_dir: Option<String>,
        seed: Option<u64>,
        shard: Option<(u32, u32)>,
        threads: usize,
        validate: Option<Validation>,
        skipped: Option<PyRef<'_, Skipped>>,
        elastic: Option<u32>,
        states: Vec<String>,
    ) -> PyResult<Self> {
        let reading = Reading::new();
        let skipped = skipped.map(|skipped| skipped.clone());
        let how = How { batch_size, base_dir, seed, shard, threads, validate, skipped };
        let (builder, is_whole) = how.builder(py, config, &datasets, &reading)?;
        // A configuration may name files of a store, and a filter may leave out any number of rows.
        let is_steady =
            is_whole && !datasets.is_empty() && datasets.iter().all(|(dataset, _)| dataset.is_local());
        let builder =
            builder.inputs(inputs.iter().map(String::as_str)).targets(targets.iter().map(String::as_str));
        let build = move || Loading::build(builder, elastic, &states);
        let mut loader = waiting::wait(py, &reading.cancel, build)?.or_raise(py)?;
        let state = Mutex::new(loader.state());
        let specs = loader.specs().to_vec();
        let (stats, plan, end) = (loader.stats_handles(), loader.plan(), Arc::new(OnceLock::new()));
        let ended = Arc::clone(&end);
        let next = move || -> Result<_> {
            let batch = loader.next_batch()?;
            if batch.is_none() {
                // There is one end.
                let _ = ended.set(loader.state());
            }
            Ok(batch.map(|batch| (batch, loader.state())))
        };
        let batches = Source::new(reading, is_steady, Box::new(next));
        Ok(Self { batches, end, stats, inputs, targets, specs, state, plan })
    }

    /// Counts the batches of all epochs before any is loaded; `None` without an end. The arguments are the same as a
    /// loader's.
    #[staticmethod]
    #[pyo3(signature = (config, datasets, *, inputs, targets, batch_size=None, base_dir=None, seed=None, shard=None, threads=0, validate=None, elastic=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of the class in Python above it")]
    fn count(
        py: Python<'_>,
        config: &str,
        datasets: Vec<(PyRef<'_, Dataset>, f64)>,
        inputs: Vec<String>,
        targets: Vec<String>,
        batch_size: Option<usize>,
        base_dir: Option<String>,
        seed: Option<u64>,
        shard: Option<(u32, u32)>,
        threads: usize,
        validate: Option<Validation>,
        elastic: Option<u32>,
    ) -> PyResult<Option<u64>> {
        let reading = Reading::new();
        let how = How { batch_size, base_dir, seed, shard, threads, validate, skipped: None };
        let (builder, _) = how.builder(py, config, &datasets, &reading)?;
        let builder = builder.inputs(inputs).targets(targets);
        let count = move || match elastic {
            Some(parts) => builder.length_of_parts(parts),
            None => builder.length(),
        };
        let length = waiting::wait(py, &reading.cancel, count)?.or_raise(py)?;
        Ok(length.batches)
    }

    /// The names of the inputs.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        self.inputs.clone()
    }

    /// The names of the targets.
    #[getter]
    fn targets(&self) -> Vec<String> {
        self.targets.clone()
    }

    /// The kind, dtype and shape of each tensor, by name.
    #[getter]
    fn specs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        specs(py, &self.specs)
    }

    /// The seed of this run.
    #[getter]
    fn seed(&self) -> u64 {
        lock(&self.state).seed()
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<LoadedBatch>> {
        let (batch, state) = match self.batches.next(py)? {
            Some((batch, state)) => (Some(batch), Some(state)),
            None => (None, self.end.get().cloned()),
        };
        if let Some(state) = state {
            *lock(&self.state) = state;
        }
        Ok(batch.map(LoadedBatch))
    }

    /// Returns what the loader does, as JSON, and what of it costs more than one may expect.
    fn plan(&self) -> (String, Vec<String>, String) {
        let Some(plan) = &self.plan else { return Default::default() };
        (plan.to_json(), plan.warnings(), plan.to_string())
    }

    /// Returns how many batches have come out.
    fn batches(&self) -> u64 {
        lock(&self.state).batches()
    }

    /// Returns the state after the batch that came out last, as JSON.
    fn state(&self) -> String {
        lock(&self.state).to_json()
    }

    /// Returns the schema violations until the batch that came out last: feature, kind, expected value, value in the
    /// first record, number of records, and the file, number and byte of the first record.
    fn anomalies(&self) -> Vec<Anomaly> {
        let state = lock(&self.state);
        let anomaly = |of: &tfxio::batch_loader::Anomaly| {
            let first = (of.file.to_string(), of.record, of.byte);
            (of.feature.clone(), of.kind.name(), of.expected.clone(), of.found.clone(), of.count, first)
        };
        state.anomalies().iter().map(anomaly).collect()
    }

    /// Returns what was counted since the loader was built.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = counted(&self.stats);
        let counts = PyDict::new(py);
        for (name, count) in [
            ("batches", stats.batches),
            ("examples", stats.examples),
            ("epoch", stats.epoch),
            ("records_framed", stats.records_framed),
            ("bytes_framed", stats.bytes_framed),
            ("records_parsed", stats.records_parsed),
            ("records_filtered", stats.records_filtered),
            ("records_skipped", stats.records_skipped),
            ("examples_truncated", stats.examples_truncated),
            ("examples_dropped", stats.examples_dropped),
        ] {
            counts.set_item(name, count)?;
        }
        for (name, time) in [
            ("reading", stats.reading),
            ("inflating", stats.inflating),
            ("parsing", stats.parsing),
            ("planning", stats.planning),
            ("assembling", stats.assembling),
            ("waiting_for_input", stats.waiting_for_input),
            ("waiting_for_consumer", stats.waiting_for_consumer),
        ] {
            counts.set_item(name, time.as_secs_f64())?;
        }
        Ok(counts)
    }

    /// Ends the loader and its threads.
    fn close(&self, py: Python<'_>) {
        self.batches.close(py);
    }
}

/// A batch of a loader: its tensors by name.
#[pyclass(frozen, mapping, module = "tfxio")]
pub(crate) struct LoadedBatch(Batch);

impl LoadedBatch {
    /// Returns the names of all tensors, the inputs first, each once.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in self.0.inputs().chain(self.0.targets()) {
            if !names.contains(&&**name) {
                names.push(name);
            }
        }
        names
    }
}

#[pymethods]
impl LoadedBatch {
    /// Returns the tensor of a name.
    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<DenseTensor> {
        match self.0.get(name) {
            Ok(tensor) => Ok(tensor.clone().into()),
            Err(error) => {
                Err(PyKeyError::new_err(crate::errors::exception(py, &error).value(py).to_string()))
            }
        }
    }

    fn __len__(&self) -> usize {
        self.names().len()
    }

    fn __contains__(&self, name: &str) -> bool {
        self.names().contains(&name)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        PyList::new(py, self.names())?.call_method0("__iter__")
    }

    /// Returns the names of the tensors.
    fn keys(&self) -> Vec<&str> {
        self.names()
    }

    /// Returns the tensors.
    fn values(&self, py: Python<'_>) -> PyResult<Vec<DenseTensor>> {
        self.names().into_iter().map(|name| self.__getitem__(py, name)).collect()
    }

    /// Returns the tensors by their names.
    fn items(&self, py: Python<'_>) -> PyResult<Vec<(String, DenseTensor)>> {
        let item = |name: &str| Ok((name.to_owned(), self.__getitem__(py, name)?));
        self.names().into_iter().map(item).collect()
    }

    /// Returns the tensor of a name, or another value where there is none.
    #[pyo3(signature = (name, default=None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.__contains__(name) {
            true => Ok(Some(Bound::new(py, self.__getitem__(py, name)?)?.into_any())),
            false => Ok(default),
        }
    }

    /// The number of rows of each tensor.
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.len()
    }

    /// Returns the tensors of the inputs, by name.
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tensors = PyDict::new(py);
        for (name, tensor) in self.0.inputs() {
            tensors.set_item(&**name, Bound::new(py, DenseTensor::from(tensor.clone()))?)?;
        }
        Ok(tensors)
    }

    /// Returns the tensors of the targets, by name.
    fn targets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tensors = PyDict::new(py);
        for (name, tensor) in self.0.targets() {
            tensors.set_item(&**name, Bound::new(py, DenseTensor::from(tensor.clone()))?)?;
        }
        Ok(tensors)
    }

    /// Returns where each example comes from: row of the batch, file, number of the first record, number of records.
    fn origins(&self) -> Vec<(usize, String, u64, u64)> {
        let origin =
            |of: tfxio::batch_loader::RowOrigin<'_>| (of.row, of.file.to_string(), of.record, of.records);
        self.0.origins().map(origin).collect()
    }

    fn __repr__(&self) -> String {
        let tensor = |name: &str| {
            self.0.get(name).map(|tensor| format!("{name}: {} {:?}", tensor.dtype(), tensor.shape()))
        };
        let lines = self.names().into_iter().filter_map(|name| tensor(name).ok()).collect::<Vec<_>>();
        format!("LoadedBatch({} rows)\n{}", self.0.len(), lines.join("\n"))
    }
}
