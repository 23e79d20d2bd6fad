//! Sessions of the package datafusion, from which a table is asked for.

use std::sync::Arc;

use datafusion_ffi::execution::FFI_TaskContextProvider;
use datafusion_ffi::proto::logical_extension_codec::FFI_LogicalExtensionCodec;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tfxio::sql::SessionContextExt as _;
use tfxio::sql::datafusion::execution::{TaskContext, TaskContextProvider};
use tfxio::sql::datafusion::prelude::SessionContext;

/// Returns the major version of DataFusion that tables fit.
#[pyfunction]
pub(crate) fn datafusion_version() -> u64 {
    datafusion_ffi::version()
}

/// Functions of a session by name, which a table needs to understand expressions.
pub(crate) struct Known {
    session: FFI_TaskContextProvider,
    /// Default context with our functions, for frames that outlive their session.
    default: Arc<TaskContext>,
}

impl Known {
    /// Asks a session.
    pub(crate) fn of(session: &Bound<'_, PyAny>) -> PyResult<Self> {
        check_version(session)?;
        let provider = capsule(session, "__datafusion_task_context_provider__")?;
        let name = c"datafusion_task_context_provider";
        let provider = provider.pointer_checked(Some(name))?.cast::<FFI_TaskContextProvider>();
        // SAFETY: a capsule of this name holds this structure (the name is checked), of the same major version of DataFusion
        // (which is checked, too), and keeps it for as long as it lives itself, which is longer than this function.
        let session = unsafe { provider.as_ref() }.clone();
        let default = SessionContext::new();
        default.register_functions();
        Ok(Self { session, default: default.task_ctx() })
    }
}

impl TaskContextProvider for Known {
    fn task_ctx(&self) -> Arc<TaskContext> {
        (&self.session).try_into().unwrap_or_else(|_| Arc::clone(&self.default))
    }
}

/// Looks at the version of DataFusion on the other side.
fn check_version(session: &Bound<'_, PyAny>) -> PyResult<()> {
    check_package(session.py())?;
    let codec = capsule(session, "__datafusion_logical_extension_codec__")?;
    let name = c"datafusion_logical_extension_codec";
    let codec = codec.pointer_checked(Some(name))?.cast::<FFI_LogicalExtensionCodec>();
    // SAFETY: as in `Known::of`. The function is one of the library that has made the structure; it takes nothing.
    let version = unsafe { (codec.as_ref().version)() };
    if version == datafusion_ffi::version() {
        Ok(())
    } else {
        Err(other_version(&format!("the session is of version {version}")))
    }
}

/// Checks the version of the package datafusion. The layout of structures belongs to a major version, so it is compared
/// before a structure is given or read.
pub(crate) fn check_package(py: Python<'_>) -> PyResult<()> {
    let package = py.import("datafusion")?.getattr("__version__")?.extract::<String>()?;
    let major = package.split('.').next().and_then(|major| major.parse::<u64>().ok());
    if major == Some(datafusion_ffi::version()) {
        return Ok(());
    }
    Err(other_version(&format!("{package} is installed")))
}

/// Returns what a method of a session does.
fn capsule<'py>(session: &Bound<'py, PyAny>, method: &str) -> PyResult<Bound<'py, PyCapsule>> {
    let method = session.getattr(method).map_err(|_| {
        let found = session.get_type().to_string();
        PyTypeError::new_err(format!("a table is asked for by a datafusion.SessionContext, not by {found}"))
    })?;
    Ok(method.call0()?.cast_into::<PyCapsule>()?)
}

fn other_version(found: &str) -> PyErr {
    let own = datafusion_ffi::version();
    let next = own.saturating_add(1);
    PyRuntimeError::new_err(format!(
        "this build of tfxio-sql is for version {own} of datafusion, and {found}: pip install 'datafusion>={own},<{next}'"
    ))
}
