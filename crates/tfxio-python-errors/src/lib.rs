//! Errors of tfxio as exceptions of Python: the classes of `tfxio.exceptions`, with path, byte, record, column and hint.
//!
//! The native modules of the packages `tfxio` and `tfxio-sql` share it, so that both raise the same.

use std::error::Error as StdError;
use std::io;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};
use tfxio_base::{Error, ErrorKind};

/// Turns what has failed into an exception.
pub trait OrRaise<T> {
    /// Returns the value, or the error as an exception.
    ///
    /// # Errors
    /// The error.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for tfxio_base::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}

/// Returns the exception of an error. An exception that code of Python has raised below is returned as it was raised.
#[must_use]
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let mut source = StdError::source(error);
    while let Some(cause) = source {
        // An error of input and output does not count what it was made of among its sources.
        let within = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let raised =
            cause.downcast_ref::<PyErr>().or_else(|| within.and_then(|error| error.downcast_ref::<PyErr>()));
        if let Some(raised) = raised {
            return raised.clone_ref(py);
        }
        source = cause.source();
    }
    build(py, error).unwrap_or_else(|failed| failed)
}

/// Returns the name of the class of a kind in `tfxio.exceptions`.
fn class_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "NotFoundError",
        ErrorKind::PermissionDenied => "PermissionDeniedError",
        ErrorKind::IsDirectory => "DirectoryError",
        ErrorKind::AlreadyExists => "ExistsError",
        ErrorKind::Io | ErrorKind::StorageFull => "ReadWriteError",
        ErrorKind::Malformed => "MalformedError",
        ErrorKind::SchemaMismatch => "SchemaMismatchError",
        ErrorKind::SchemaRequired => "SchemaRequiredError",
        ErrorKind::LimitExceeded => "LimitExceededError",
        ErrorKind::InvalidArgument => "InvalidArgumentError",
        ErrorKind::Unsupported => "UnsupportedError",
        ErrorKind::Cancelled => "CancelledError",
        _ => "TfxioError",
    }
}

fn build(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("tfxio.exceptions").map(Bound::unbind))?.bind(py);
    let class = module.getattr(class_name(error.kind()))?.cast_into::<PyType>()?;
    let position = error.position();
    let fields = PyDict::new(py);
    fields.set_item("path", position.file.as_deref().or(position.path.as_deref()))?;
    fields.set_item("byte_offset", position.byte)?;
    fields.set_item("record", position.record)?;
    fields.set_item("column", position.column.as_deref().or(position.tensor.as_deref()))?;
    fields.set_item("hint", error.hint())?;
    Ok(PyErr::from_value(class.call((error.to_string(),), Some(&fields))?))
}
