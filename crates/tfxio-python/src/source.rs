//! What is read one item after the other, from Python and from libraries that Python calls.

use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tfxio::{Cancel, Error, ErrorKind, Result};

use crate::errors::OrRaise;
use crate::waiting;

/// An item that takes longer is waited for beside another thread, so that Ctrl-C ends it.
const QUICK: Duration = Duration::from_millis(20);

/// Returns one item after the other.
pub(crate) type Next<T> = Box<dyn FnMut() -> Result<Option<T>> + Send>;

/// Items, one after the other, until the end or the first error. Clones are the same source.
pub(crate) struct Source<T>(Arc<Inner<T>>);

struct Inner<T> {
    cancel: Cancel,
    /// Whether an item takes about as long as the one before it: it is made of local files, and nothing read is left out.
    is_steady: bool,
    process: u32,
    state: Mutex<State<T>>,
    /// The thread that holds the state.
    holder: Mutex<Option<ThreadId>>,
}

struct State<T> {
    next: Option<Next<T>>,
    /// How long the last item took.
    last: Option<Duration>,
}

impl<T> Clone for Source<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Send + 'static> Source<T> {
    pub(crate) fn new(cancel: Cancel, is_steady: bool, next: Next<T>) -> Self {
        let state = Mutex::new(State { next: Some(next), last: None });
        Self(Arc::new(Inner { cancel, is_steady, process: process::id(), state, holder: Mutex::new(None) }))
    }

    /// Returns the next item, on the thread of the caller.
    pub(crate) fn next_here(&self) -> Result<Option<T>> {
        let mut state = self.hold()?;
        let Some(next) = &mut state.next else { return Ok(None) };
        let begun = Instant::now();
        *lock(&self.0.holder) = Some(thread::current().id());
        let item = next();
        *lock(&self.0.holder) = None;
        state.last = Some(begun.elapsed());
        // What has failed or ended stays so, and what it holds is released.
        if !matches!(item, Ok(Some(_))) {
            state.next = None;
        }
        item
    }

    /// Waits for another thread that reads. What is read cannot be waited for by what it is made of.
    fn hold(&self) -> Result<MutexGuard<'_, State<T>>> {
        match self.0.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
            Err(TryLockError::WouldBlock) if *lock(&self.0.holder) == Some(thread::current().id()) => {
                let what =
                    "this reader waits for a data set written in Python that reads from the reader itself";
                let error = Error::new(ErrorKind::InvalidArgument, what);
                Err(error.help("make another reader in the data set"))
            }
            Err(TryLockError::WouldBlock) => Ok(lock(&self.0.state)),
        }
    }

    /// Returns whether the next item is expected so soon that nobody needs to look for signals meanwhile.
    pub(crate) fn is_quick(&self) -> bool {
        self.0.is_steady
            && self.0.state.try_lock().is_ok_and(|state| state.last.is_some_and(|last| last < QUICK))
    }

    /// Returns the next item, with the lock of the interpreter released; Ctrl-C ends the wait.
    pub(crate) fn next(&self, py: Python<'_>) -> PyResult<Option<T>> {
        self.check_process()?;
        if self.is_quick() {
            return py.detach(|| self.next_here()).or_raise(py);
        }
        let own = self.clone();
        waiting::wait(py, &self.0.cancel, move || own.next_here())?.or_raise(py)
    }

    /// Returns whether this is the process in which the source was made.
    pub(crate) fn is_in_its_process(&self) -> bool {
        self.0.process == process::id()
    }

    /// Returns an error in a process that was forked after the source was made.
    pub(crate) fn check_process(&self) -> PyResult<()> {
        check_process(self.0.process)
    }

    /// Ends the source, a wait in another thread included, and releases what it holds.
    pub(crate) fn close(&self, py: Python<'_>) {
        self.0.cancel.cancel();
        py.detach(|| {
            let held = self.0.state.try_lock().ok().and_then(|mut state| state.next.take());
            drop(held);
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns an error unless this is the given process.
pub(crate) fn check_process(made_in: u32) -> PyResult<()> {
    if made_in == process::id() {
        return Ok(());
    }
    let what = "this reader was made before the process forked, and its threads are not in the fork: \
        make it in the process that uses it (a data set can be used in both)";
    Err(PyRuntimeError::new_err(what))
}
