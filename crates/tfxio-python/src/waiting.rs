//! Waits that Ctrl-C ends.
//!
//! Python runs the handlers of signals on its main thread, between two instructions of its own. A wait on that thread
//! is therefore done beside the work, which runs on another thread, and looks for signals again and again.

use std::process;
use std::sync::mpsc::{
    self, Receiver, RecvTimeoutError, SendError, Sender, SyncSender, TryRecvError, TrySendError,
};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use tfxio::Cancel;

use crate::{ending, logging, reading};

/// Interval at which a wait looks for signals.
const TURN: Duration = Duration::from_millis(30);
/// Time for which cancelled work may go on before it is left to itself.
const GRACE: Duration = Duration::from_millis(30);
/// Time for which cancelled work that writes may go on, to remove unfinished files.
const WRITING_GRACE: Duration = Duration::from_secs(5);

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
    wait_for(py, cancel, GRACE, work)
}

/// As [`wait`], for work that writes files: it is given time to remove what is not whole when it is cancelled.
pub(crate) fn wait_for_writing<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    wait_for(py, cancel, WRITING_GRACE, work)
}

/// Runs work that writes what code of Python gives, which is called on the thread of the caller: what is bound to a thread, such as a
/// connection to a data base, can be given. What it raises cancels the work, and is raised again when that has ended.
pub(crate) fn feed<I: Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    mut next: impl FnMut(Python<'_>) -> PyResult<Option<I>>,
    work: impl FnOnce(Receiver<Option<I>>) -> T + Send + 'static,
) -> PyResult<T> {
    let (give, taken) = mpsc::sync_channel(AHEAD);
    let (end, mut done) = mpsc::channel();
    let work = reading::handed_over(move || work(taken));
    start(Box::new(move || {
        // Whoever waited may be gone.
        let _ = end.send(work());
    }));
    let mut pending = None;
    let raised = loop {
        let item = match pending.take() {
            Some(item) => item,
            None => match next(py) {
                Ok(item) => item,
                Err(raised) => break raised,
            },
        };
        let is_last = item.is_none();
        match py.detach(|| give_to(&give, item)) {
            Given::Taken if is_last => match finish(py, &mut done) {
                Ok(ended) => return ended,
                Err(raised) => break raised,
            },
            Given::Taken => {}
            // It has failed, and says why.
            Given::Unwanted => match finish(py, &mut done) {
                Ok(ended) => return ended,
                Err(raised) => break raised,
            },
            Given::Pending(item) => pending = Some(item),
        }
        if let Err(raised) = py.check_signals() {
            break raised;
        }
    };
    cancel.cancel();
    drop(give);
    let _ = py.detach(|| receive(&mut done, WRITING_GRACE));
    Err(raised)
}

/// Runs work that writes, and calls code of Python again and again meanwhile, on the thread of the caller. What that raises cancels
/// the work, and is raised again when it has ended.
pub(crate) fn wait_and_tell<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    mut tell: impl FnMut(Python<'_>) -> PyResult<()>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (end, mut done) = mpsc::channel();
    let work = reading::handed_over(work);
    start(Box::new(move || {
        // Whoever waited may be gone.
        let _ = end.send(work());
    }));
    loop {
        match py.detach(|| receive(&mut done, TELLING)) {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the work has ended without a result"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(raised) = py.check_signals().and_then(|()| tell(py)) {
            cancel.cancel();
            let _ = py.detach(|| receive(&mut done, WRITING_GRACE));
            return Err(raised);
        }
    }
}

/// Interval of progress reports.
const TELLING: Duration = Duration::from_millis(100);

/// Items that wait to be taken.
const AHEAD: usize = 2;

/// Result of giving an item.
enum Given<I> {
    Taken,
    /// Nobody takes any more.
    Unwanted,
    /// The channel is full.
    Pending(I),
}

/// Gives an item. Where the channel is full, it waits for at most a turn.
fn give_to<I>(give: &SyncSender<I>, item: I) -> Given<I> {
    let begun = Instant::now();
    let mut item = item;
    loop {
        match give.try_send(item) {
            Ok(()) => return Given::Taken,
            Err(TrySendError::Disconnected(_)) => return Given::Unwanted,
            Err(TrySendError::Full(back)) if begun.elapsed() >= TURN => return Given::Pending(back),
            Err(TrySendError::Full(back)) => {
                item = back;
                thread::sleep(SHORT);
            }
        }
    }
}

/// Sleep of a giver between two attempts.
const SHORT: Duration = Duration::from_micros(200);

/// Waits for the end of work that has all it needs. The inner error is that of a thread that could not be had; the outer one was
/// raised by the handler of a signal.
fn finish<T: Send>(py: Python<'_>, done: &mut Receiver<T>) -> Result<PyResult<T>, PyErr> {
    loop {
        match py.detach(|| receive(done, TURN)) {
            Ok(value) => return Ok(Ok(value)),
            Err(RecvTimeoutError::Disconnected) => {
                return Ok(Err(PyRuntimeError::new_err("the work has ended without a result")));
            }
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
        }
    }
}

fn wait_for<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    grace: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let ended = wait_without_logging(py, cancel, grace, work);
    logging::log(py);
    ended
}

fn wait_without_logging<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    grace: Duration,
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
            let _ = py.detach(|| receive(&mut done, grace));
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

/// Runs a job, and the jobs that come after it.
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
