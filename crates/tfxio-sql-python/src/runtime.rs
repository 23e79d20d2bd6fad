//! The runtime on which tables are read.
//!
//! Each library that is loaded has a tokio of its own, so that the runtime of the package datafusion is not one that the code here
//! can use.

use std::process;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::runtime::{Builder, Handle, Runtime};

/// The runtime, and the process that has made it: a fork has none of its threads.
static RUNTIME: Mutex<Option<(u32, &'static Runtime)>> = Mutex::new(None);

/// Returns the runtime of this process, which is made when it is first asked for and stays.
///
/// It is asked for with the interpreter attached, and nothing here detaches it, so that no process is forked while another thread
/// holds the lock.
pub(crate) fn handle() -> PyResult<Handle> {
    let mut kept = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    let own = process::id();
    if let Some((process, runtime)) = *kept
        && process == own
    {
        return Ok(runtime.handle().clone());
    }
    // Reads block, and are done by threads for that; the worker has little to do.
    let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("tfxio-sql").build();
    let runtime =
        runtime.map_err(|error| PyRuntimeError::new_err(format!("no thread can be started: {error}")))?;
    let runtime: &'static Runtime = Box::leak(Box::new(runtime));
    *kept = Some((own, runtime));
    Ok(runtime.handle().clone())
}
