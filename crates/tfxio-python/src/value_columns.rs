//! Columns that are scalars, or text, from objects of Python.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// Columns that are scalars, or text: `True` for all that can be, or a list of names.
pub(crate) struct ValueColumns(pub(crate) tfxio::ValueColumns);

impl<'py> FromPyObject<'_, 'py> for ValueColumns {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(found) = value.extract::<bool>() {
            return Ok(Self(found.into()));
        }
        if let Ok(names) = value.extract::<Vec<String>>() {
            return Ok(Self(names.into()));
        }
        let found = value.get_type().name()?;
        Err(PyTypeError::new_err(format!("columns are True, False or a list of str, not {found}")))
    }
}
