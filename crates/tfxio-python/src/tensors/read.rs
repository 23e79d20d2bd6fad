//! Reading tensors.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tfxio::TensorBatches;
use tfxio::tensor_repr::{TensorBatch, TensorSpec};

use super::by_name;
use crate::errors::OrRaise;
use crate::partition::Partition;
use crate::reading::Reading;
use crate::request::{Request, is_steady};
use crate::skipped::Skipped;
use crate::source::Source;
use crate::waiting;

/// Columns of a data set as tensors.
#[pyclass(frozen, module = "tfxio")]
pub(crate) struct Tensors {
    tensors: tfxio::Tensors,
    is_local: bool,
    /// Whether the data set was opened to skip damaged records.
    skips: bool,
}

impl Tensors {
    pub(crate) fn new(tensors: tfxio::Tensors, is_local: bool, skips: bool) -> Self {
        Self { tensors, is_local, skips }
    }
}

/// The kind, dtype, shape and number of ragged dimensions of a tensor. `None` in a shape is a size that differs.
fn spec<'py>(py: Python<'py>, spec: &TensorSpec) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    let kind = match spec {
        TensorSpec::Dense { .. } => "dense",
        TensorSpec::Sparse { .. } => "sparse",
        TensorSpec::Ragged { ragged_rank, row_splits, .. } => {
            fields.set_item("ragged_rank", ragged_rank)?;
            let is_narrow = *row_splits == tfxio::tensor_repr::RowSplitsDType::Int32;
            fields.set_item("row_splits", if is_narrow { "int32" } else { "int64" })?;
            "ragged"
        }
        _ => "structured",
    };
    fields.set_item("kind", kind)?;
    fields.set_item("dtype", spec.dtype().map(|dtype| dtype.name()))?;
    fields.set_item("shape", spec.shape())?;
    Ok(fields)
}

/// Returns specs by name.
pub(crate) fn specs<'py>(py: Python<'py>, specs: &[(Arc<str>, TensorSpec)]) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for (name, of) in specs {
        all.set_item(&**name, spec(py, of)?)?;
    }
    Ok(all)
}

#[pymethods]
impl Tensors {
    /// The kind, dtype and shape of each tensor, by name.
    #[getter]
    fn specs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        specs(py, self.tensors.specs())
    }

    /// The paths of the columns that are read.
    #[getter]
    fn columns(&self) -> Vec<Vec<String>> {
        let steps = |column: &tfxio::Column| column.path.steps().iter().map(ToString::to_string).collect();
        self.tensors.request(tfxio::ScanRequest::new()).columns.iter().flatten().map(steps).collect()
    }

    /// Reads batches of tensors.
    fn read(&self, py: Python<'_>, request: &Request) -> PyResult<TensorReader> {
        let reading = Reading::new();
        let request = request.of_reader(&reading, self.skips);
        let skipped = Skipped::of(&request);
        let is_steady = self.is_local && is_steady(&request);
        let tensors = self.tensors.clone();
        let batches = waiting::wait(py, &reading.cancel, move || tensors.read(request))?.or_raise(py)?;
        Ok(TensorReader::new(batches, reading, is_steady, skipped))
    }

    /// Reads batches of tensors of a partition.
    fn scan(&self, py: Python<'_>, partition: &Partition, request: &Request) -> PyResult<TensorReader> {
        let reading = Reading::new();
        let request = request.of_reader(&reading, self.skips);
        let skipped = Skipped::of(&request);
        let is_steady = self.is_local && is_steady(&request);
        let (tensors, partition) = (self.tensors.clone(), partition.0.clone());
        let batches =
            waiting::wait(py, &reading.cancel, move || tensors.scan(&partition, &request))?.or_raise(py)?;
        Ok(TensorReader::new(batches, reading, is_steady, skipped))
    }

    /// Returns some of the tensors, whose columns alone are read.
    fn select(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Self> {
        Ok(Self { tensors: self.tensors.select(names).or_raise(py)?, ..*self })
    }

    fn __repr__(&self) -> String {
        let lines = self.tensors.specs().iter().map(|(name, spec)| format!("{name}: {spec}"));
        format!("Tensors\n{}", lines.collect::<Vec<_>>().join("\n"))
    }
}

/// Batches of tensors, one after the other: dictionaries by name.
#[pyclass(frozen, module = "tfxio")]
pub(crate) struct TensorReader {
    source: Source<TensorBatch>,
    skipped: Skipped,
}

impl TensorReader {
    fn new(mut batches: TensorBatches, reading: Reading, is_steady: bool, skipped: Skipped) -> Self {
        let source = Source::new(reading, is_steady, Box::new(move || batches.next().transpose()));
        Self { source, skipped }
    }
}

#[pymethods]
impl TensorReader {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let batch = self.source.next(py)?;
        if batch.is_none() {
            self.skipped.warn(py)?;
        }
        batch.map(|batch| by_name(py, batch)).transpose()
    }

    /// Returns what was skipped so far because it was damaged (`on_error="skip"`).
    fn skip_report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.skipped.report(py)
    }

    /// Ends the reader and releases what it holds.
    fn close(&self, py: Python<'_>) {
        self.source.close(py);
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, py: Python<'_>, _error: &Bound<'_, PyAny>) {
        self.close(py);
    }
}
