//! Functions over features, as sessions of the package datafusion take them.

use std::sync::Arc;

use datafusion_ffi::udf::FFI_ScalarUDF;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tfxio::sql::datafusion::logical_expr::ScalarUDF;

use crate::session;

/// A function of SQL: `datafusion.udf` takes it.
#[pyclass(frozen, module = "tfxio_sql._sql")]
#[derive(Debug)]
pub(crate) struct Function(Arc<ScalarUDF>);

#[pymethods]
impl Function {
    /// The name by which statements call it.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// Returns the function as a session takes it.
    fn __datafusion_scalar_udf__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        session::check_package(py)?;
        PyCapsule::new_with_value(py, FFI_ScalarUDF::from(Arc::clone(&self.0)), c"datafusion_scalar_udf")
    }

    fn __repr__(&self) -> String {
        format!("Function({})", self.0.name())
    }
}

/// Returns the functions over features.
#[pyfunction]
pub(crate) fn functions() -> Vec<Function> {
    tfxio::sql::functions().into_iter().map(|function| Function(Arc::new(function))).collect()
}
