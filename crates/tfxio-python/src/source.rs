//! Source of items that are read one after the other, by Python and by libraries that Python calls.

use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tfxio::{Cancel, Error, ErrorKind, Result};

use crate::errors::OrRaise;
use crate::reading::Reading;
use crate::{logging, waiting};

/// An item that takes longer is waited for beside another thread, so that Ctrl-C ends it.
const QUICK: Duration = Duration::from_millis(20);

/// Returns one item after the other.
pub(crate) type Next<T> = Box<dyn FnMut() -> Result<Option<T>> + Send>;

/// Items, one after the other, until the end or the first error. Clones are the same source.
pub(crate) struct Source<T>(Arc<Inner<T>>);

struct Inner<T> {
    reading: Reading,
    /// Whether an item takes about as long as the one before it: it is made of local files, and nothing read is left out.
    is_steady: bool,
    process: u32,
    state: Mutex<State<T>>,
}

struct State<T> {
    next: Option<Next<T>>,
    /// Time that the last item took.
    last: Option<Duration>,
}

impl<T> Clone for Source<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Send + 'static> Source<T> {
    pub(crate) fn new(reading: Reading, is_steady: bool, next: Next<T>) -> Self {
        let state = Mutex::new(State { next: Some(next), last: None });
        Self(Arc::new(Inner { reading, is_steady, process: process::id(), state }))
    }

    /// Returns the next item, on the thread of the caller.
    pub(crate) fn next_here(&self) -> Result<Option<T>> {
        let mut state = self.hold()?;
        let Some(next) = &mut state.next else { return Ok(None) };
        let begun = Instant::now();
        let item = self.0.reading.work(next);
        state.last = Some(begun.elapsed());
        // What has failed or ended stays so, and what it holds is released.
        if !matches!(item, Ok(Some(_))) {
            state.next = None;
        }
        item
    }

    /// Waits for another thread that reads. What is read cannot be waited for by what it is made of.
    fn hold(&self) -> Result<MutexGuard<'_, State<T>>> {
        if self.0.reading.is_waiting_for_this_thread() {
            let what = "this reader waits for a data set written in Python that reads from the reader itself";
            let error = Error::new(ErrorKind::InvalidArgument, what);
            return Err(error.help("make another reader in the data set"));
        }
        Ok(self.0.state.lock().unwrap_or_else(PoisonError::into_inner))
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
            let item = py.detach(|| self.next_here());
            logging::log(py);
            return item.or_raise(py);
        }
        let own = self.clone();
        waiting::wait(py, &self.0.reading.cancel, move || own.next_here())?.or_raise(py)
    }

    /// Returns what ends the source.
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.0.reading.cancel
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
        self.0.reading.cancel.cancel();
        py.detach(|| {
            let held = self.0.state.try_lock().ok().and_then(|mut state| state.next.take());
            drop(held);
        });
    }
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
