//! `statistics`: statistics of shards, merged.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tfxio::stats;

use super::Bytes;
use super::status::of_sketch;

/// Merges encoded `DatasetFeatureStatistics` into a list.
#[pyclass(module = "tfxio.compat.tfx_bsl_extension.statistics")]
pub(crate) struct DatasetListAccumulator(stats::DatasetListAccumulator);

#[pymethods]
impl DatasetListAccumulator {
    /// `target_version` has no effect.
    #[new]
    #[pyo3(signature = (target_version=0, include_empty_placeholder=true))]
    fn new(target_version: i64, include_empty_placeholder: bool) -> Self {
        let _ = target_version;
        let accumulator = stats::DatasetListAccumulator::new();
        Self(accumulator.include_empty_placeholder(include_empty_placeholder))
    }

    #[pyo3(name = "MergeDatasetFeatureStatistics")]
    fn merge(&mut self, serialized: Bytes) -> PyResult<()> {
        self.0.merge(serialized.as_ref()).map_err(|error| of_sketch(&error))
    }

    #[pyo3(name = "Get")]
    fn get<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.clone().finish())
    }
}
