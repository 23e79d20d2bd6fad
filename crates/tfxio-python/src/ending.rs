//! The end of the interpreter, which code of Python on other threads does not outlive.
//!
//! Python ends such threads where they take its lock again, and the end of a thread below functions of Rust is that of the
//! process, by a signal. So what calls data sets and file objects of Python is counted. When Python ends, after the threads
//! that it joins, nothing more is called, and what was called is waited for.

use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::exceptions::PySystemExit;
use pyo3::prelude::*;
use tfxio::{Error, ErrorKind, Result};

/// Longest wait for calls that go on. A call that blocks longer is left to its thread.
const GRACE: Duration = Duration::from_secs(1);
const TURN: Duration = Duration::from_millis(1);

/// The calls that go on, in the lower half; the process that they are of, in the upper one: a fork has none of them.
static CALLS: AtomicU64 = AtomicU64::new(0);
/// The process that ends, and the thread that ends it.
static ENDING: OnceLock<(u32, ThreadId)> = OnceLock::new();

/// Calls Python from any thread.
///
/// # Errors
/// The interpreter ends. As an exception this is `SystemExit`, which ends a thread without a word.
pub(crate) fn attach<T>(call: impl FnOnce(Python<'_>) -> T) -> Result<T> {
    let _call = Call::begin();
    if has_begun_elsewhere() {
        let error = Error::new(ErrorKind::Cancelled, "the interpreter ends");
        return Err(error.because(PySystemExit::new_err(())));
    }
    Ok(Python::attach(call))
}

/// Returns whether the interpreter ends: other threads cannot call it any more.
pub(crate) fn has_begun() -> bool {
    ENDING.get().is_some_and(|(process, _)| *process == process::id())
}

fn has_begun_elsewhere() -> bool {
    ENDING
        .get()
        .is_some_and(|(process, thread)| *process == process::id() && *thread != thread::current().id())
}

/// Stops a thread of Python that is in the midst of another library, which would make a loud error of the quiet one. Python itself
/// stops such threads sooner or later.
pub(crate) fn stop_if_begun(py: Python<'_>) {
    py.detach(|| {
        while has_begun_elsewhere() {
            thread::park();
        }
    });
}

/// A call that goes on.
struct Call;

impl Call {
    fn begin() -> Self {
        change(|calls| calls + 1);
        Self
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        change(|calls| calls.saturating_sub(1));
    }
}

fn change(change: impl Fn(u64) -> u64) {
    let process = u64::from(process::id()) << 32;
    let changed = |all| Some(process | change(of_process(all)));
    // It always changes.
    let _ = CALLS.fetch_update(Ordering::SeqCst, Ordering::SeqCst, changed);
}

/// Returns the number of calls of this process.
fn of_process(all: u64) -> u64 {
    if all >> 32 == u64::from(process::id()) { all & u64::from(u32::MAX) } else { 0 }
}

/// Refuses further calls from other threads, and waits for the calls that go on.
#[pyfunction]
fn end(py: Python<'_>) {
    let _ = ENDING.set((process::id(), thread::current().id()));
    py.detach(|| {
        let begun = Instant::now();
        while of_process(CALLS.load(Ordering::SeqCst)) > 0 && begun.elapsed() < GRACE {
            thread::sleep(TURN);
        }
    });
}

/// Sees to it that the end is noticed.
pub(crate) fn register(py: Python<'_>) -> PyResult<()> {
    let end = wrap_pyfunction!(end, py)?;
    py.import("atexit")?.call_method1("register", (end,))?;
    Ok(())
}
