//! Options of formats, and JSON, from objects of Python.

use std::collections::BTreeMap;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use tfxio::OptionValue;

/// Options by name. A value is text, a number, a truth value or a list of texts.
pub(crate) type Options = BTreeMap<String, Given>;

/// The value of an option.
#[derive(Clone, Debug)]
pub(crate) struct Given(pub(crate) OptionValue);

impl<'py> FromPyObject<'_, 'py> for Given {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // A truth value is a number, too.
        if let Ok(value) = value.extract::<bool>() {
            return Ok(Self(value.into()));
        }
        if let Ok(value) = value.extract::<u64>() {
            return Ok(Self(value.into()));
        }
        if let Ok(value) = value.extract::<String>() {
            return Ok(Self(value.into()));
        }
        if let Ok(value) = value.extract::<Vec<String>>() {
            return Ok(Self(value.into()));
        }
        let found = value.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "an option is a str, an int that is not negative, a bool or a list of str, not {found}"
        )))
    }
}

/// The exception for JSON that is not what it has to be.
pub(crate) fn not_json(error: &serde_json::Error) -> PyErr {
    PyValueError::new_err(format!("not the JSON that is needed here: {error}"))
}
