//! Errors of tfxio as exceptions of Python: the classes of `tfxio.exceptions`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use tfxio::{Error, ErrorKind};

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

/// Returns the exception of an error.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    build(py, error).unwrap_or_else(|failed| failed)
}

fn build(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let class = py.import("tfxio.exceptions")?.getattr(class_name(error.kind()))?.cast_into::<PyType>()?;
    let position = error.position();
    let fields = PyDict::new(py);
    fields.set_item("path", position.file.as_deref().or(position.path.as_deref()))?;
    fields.set_item("byte_offset", position.byte)?;
    fields.set_item("record", position.record)?;
    fields.set_item("column", position.column.as_deref().or(position.tensor.as_deref()))?;
    fields.set_item("hint", error.hint())?;
    Ok(PyErr::from_value(class.call((error.to_string(),), Some(&fields))?))
}
