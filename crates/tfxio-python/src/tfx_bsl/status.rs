//! Errors as tfx-bsl raises them: `RuntimeError`, with the words that programs look for.

use std::fmt;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tfxio::Error;
use tfxio::stats::Kind as SketchKind;
use tfxio::tensor_repr::Kind as ArrayKind;

/// Returns the exception of a message.
pub(super) fn runtime(message: impl fmt::Display) -> PyErr {
    PyRuntimeError::new_err(message.to_string())
}

/// Returns the exception of an array whose type a function does not take.
pub(super) fn unimplemented(array: &Bound<'_, PyAny>) -> PyErr {
    match array.getattr("type").and_then(|data_type| data_type.str()) {
        Ok(name) => runtime(format!("UNIMPLEMENTED: {name}")),
        Err(error) => error,
    }
}

/// Returns the exception of an array that a kernel of Arrow does not cast.
pub(super) fn unimplemented_cast(array: &Bound<'_, PyAny>, to: &str) -> PyErr {
    match array.getattr("type").and_then(|data_type| data_type.str()) {
        Ok(name) => {
            runtime(format!("UNIMPLEMENTED: Unsupported cast from {name} to {to} using function cast_{to}"))
        }
        Err(error) => error,
    }
}

/// Returns the exception of what Arrow refuses.
pub(super) fn invalid(why: impl fmt::Display) -> PyErr {
    runtime(format!("INTERNAL: Arrow error Invalid : {why}"))
}

/// Returns the exception of a function of one array.
pub(super) fn of_array(error: &Error, array: &Bound<'_, PyAny>) -> PyErr {
    match error.detail::<ArrayKind>() {
        Some(ArrayKind::TypeMismatch | ArrayKind::Unsupported) => unimplemented(array),
        _ => runtime(format!("INVALID_ARGUMENT: {error}")),
    }
}

/// Returns the exception of a sketch, or of merged statistics.
pub(super) fn of_sketch(error: &Error) -> PyErr {
    match error.detail::<SketchKind>().and_then(SketchKind::tfx_bsl_status) {
        Some(status) => runtime(status),
        None => runtime(format!("INVALID_ARGUMENT: {error}")),
    }
}

/// Returns the exception of a sketch that was given an array.
pub(super) fn of_values(error: &Error, array: &Bound<'_, PyAny>) -> PyErr {
    match error.detail::<SketchKind>() {
        Some(SketchKind::UnsupportedType(_)) => unimplemented(array),
        _ => of_sketch(error),
    }
}
