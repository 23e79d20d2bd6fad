//! Errors of tfxio as exceptions of Python, and errors that only this module meets.

use arrow_schema::ArrowError;
use pyo3::prelude::*;
use pyo3_arrow::error::{PyArrowError, PyArrowResult};
use tfxio::{Error, ErrorKind};
pub(crate) use tfxio_python_errors::{OrRaise, exception};

/// Returns what leaves by the C data interface of Arrow, or what it cannot hold as an exception.
pub(crate) fn exported<T>(py: Python<'_>, result: PyArrowResult<T>) -> PyResult<T> {
    result.map_err(|error| match error {
        PyArrowError::ArrowError(ArrowError::CDataInterface(why)) => {
            let what = format!("the C data interface of Arrow cannot hold this: {why}");
            exception(py, &Error::new(ErrorKind::Unsupported, what))
        }
        PyArrowError::ArrowError(error) => exception(py, &error.into()),
        error => error.into(),
    })
}

/// Returns what code of Python has raised as an error, to be raised again above.
pub(crate) fn raised(error: PyErr, what: &str) -> Error {
    Error::new(ErrorKind::Other, format!("{what}: {error}")).because(error)
}
