//! Distinct values.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use tfxio::stats::Kmv;

use super::super::Bytes;
use super::super::arrays::given;
use super::super::status::{of_sketch, of_values};
use super::{count, made};

/// Estimates how many distinct values there are.
#[pyclass(module = "tfxio.compat.tfx_bsl_extension.sketches")]
pub(crate) struct KmvSketch(Option<Kmv>);

#[pymethods]
impl KmvSketch {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        Self(None)
    }

    fn __init__(&mut self, num_buckets: i64) -> PyResult<()> {
        self.0 = Some(Kmv::new(count(num_buckets)).map_err(|error| of_sketch(&error))?);
        Ok(())
    }

    #[pyo3(name = "AddValues")]
    fn add_values(&mut self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let (array, sketch) = (given(values)?, made(self.0.as_mut())?);
        values.py().detach(|| sketch.add(&array)).map_err(|error| of_values(&error, values))
    }

    #[pyo3(name = "Merge")]
    fn merge(&mut self, other: &Bound<'_, Self>) -> PyResult<()> {
        // Of itself it adds nothing.
        let Ok(other) = other.try_borrow() else { return Ok(()) };
        made(self.0.as_mut())?.merge(made(other.0.as_ref())?).map_err(|error| of_sketch(&error))
    }

    #[pyo3(name = "Estimate")]
    fn estimate(&self) -> PyResult<u64> {
        Ok(made(self.0.as_ref())?.estimate())
    }

    #[pyo3(name = "Serialize")]
    fn serialize<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &made(self.0.as_ref())?.to_bytes()))
    }

    #[staticmethod]
    #[pyo3(name = "Deserialize")]
    fn deserialize(serialized: Bytes) -> PyResult<Self> {
        let sketch = Kmv::from_bytes(serialized.as_ref()).map_err(|error| of_sketch(&error))?;
        Ok(Self(Some(sketch)))
    }

    fn __getstate__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.serialize(py)
    }

    fn __setstate__(&mut self, state: Bytes) -> PyResult<()> {
        *self = Self::deserialize(state)?;
        Ok(())
    }
}
