//! Waits that Ctrl-C ends.
//!
//! Python runs the handlers of signals on its main thread, between two instructions of its own. A wait on that thread
//! is therefore done beside the work, which runs on another thread, and looks for signals again and again.

use std::process;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SendError, Sender, TryRecvError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use tfxio::Cancel;

use crate::{ending, reading};

/// How often a wait looks for signals.
const TURN: Duration = Duration::from_millis(30);
/// How long cancelled work may take to end before it is left to itself.
const GRACE: Duration = Duration::from_millis(30);

/// Threads that are kept for the next wait.
const KEPT: usize = 2;

type Job = Box<dyn FnOnce() + Send>;

/// Threads that have nothing to do, and the process that started them: a fork has none of them.
static IDLE: Mutex<(u32, Vec<Sender<Job>>)> = Mutex::new((0, Vec::new()));

/// Returns whether this is the thread on which signals are handled.
fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    static THREADS: PyOnceLock<(Py<PyAny>, u64)> = PyOnceLock::new();
    let (own, main) = THREADS.get_or_try_init(py, || {
        let module = py.import("threading")?;
        let main = module.call_method0("main_thread")?.getattr("ident")?.extract::<u64>()?;
        PyResult::Ok((module.getattr("get_ident")?.unbind(), main))
    })?;
    Ok(own.call0(py)?.extract::<u64>(py)? == *main)
}

/// Runs work without the interpreter's lock. Signals that arrive meanwhile are handled; if their handler raises, as that of
/// Ctrl-C does, the work is cancelled and the exception returned.
///
/// Work that does not end when it is cancelled, because it reads from something that blocks, is left to its thread.
pub(crate) fn wait<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    // While the interpreter ends, no other thread can call it.
    if !is_main_thread(py)? || ending::has_begun() {
        return Ok(py.detach(work));
    }
    let (give, mut done) = mpsc::channel();
    let work = reading::handed_over(work);
    start(Box::new(move || {
        // Whoever waited may be gone.
        let _ = give.send(work());
    }));
    loop {
        match py.detach(|| receive(&mut done, TURN)) {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the work has ended without a result"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(raised) = py.check_signals() {
            cancel.cancel();
            let _ = py.detach(|| receive(&mut done, GRACE));
            return Err(raised);
        }
    }
}

/// As `recv_timeout`, but looks first whether the value has come: work is often done at once.
fn receive<T>(done: &mut Receiver<T>, time: Duration) -> Result<T, RecvTimeoutError> {
    match done.try_recv() {
        Ok(value) => Ok(value),
        Err(TryRecvError::Disconnected) => Err(RecvTimeoutError::Disconnected),
        Err(TryRecvError::Empty) => done.recv_timeout(time),
    }
}

/// Runs a job on a thread that waits for one, or on a new one.
fn start(mut job: Job) {
    if let Some(worker) = idle_worker() {
        match worker.send(job) {
            Ok(()) => return,
            Err(SendError(back)) => job = back,
        }
    }
    // Where the system has no thread left, the job is dropped, and the one who waits told so.
    let _ = thread::Builder::new().name("tfxio-wait".to_owned()).spawn(move || serve(job));
}

fn idle_worker() -> Option<Sender<Job>> {
    // Not `lock`: a process that was forked while another thread held it would wait for ever.
    let mut idle = IDLE.try_lock().ok()?;
    if idle.0 == process::id() { idle.1.pop() } else { None }
}

/// Runs a job, and those that come after it.
fn serve(mut job: Job) {
    loop {
        job();
        let (give, next) = mpsc::channel();
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.0 != process::id() {
            *idle = (process::id(), Vec::new());
        }
        if idle.1.len() >= KEPT {
            return;
        }
        idle.1.push(give);
        drop(idle);
        match next.recv() {
            Ok(next) => job = next,
            Err(_) => return,
        }
    }
}
