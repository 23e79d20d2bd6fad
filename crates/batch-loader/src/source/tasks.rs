//! Tasks of scans, which the parsing threads of a loader run.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tfxio_core::Spawn;

type Task = Box<dyn FnOnce() + Send>;

/// Tasks that wait for a thread. Those that none ever takes are done by the scans themselves.
#[derive(Default)]
pub(crate) struct Tasks {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Task>,
    /// Wakes a thread.
    wake: Option<Arc<dyn Fn() + Send + Sync>>,
    closed: bool,
}

impl Tasks {
    /// Sets what wakes a thread when a task comes.
    pub(crate) fn on_spawn(&self, wake: impl Fn() + Send + Sync + 'static) {
        self.lock().wake = Some(Arc::new(wake));
    }

    /// Takes the task that has waited longest.
    pub(crate) fn pop(&self) -> Option<Task> {
        self.lock().waiting.pop_front()
    }

    /// Drops all tasks, those that are still to come included.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let left = (std::mem::take(&mut state.waiting), state.wake.take());
        drop(state);
        // What they drop may lock what waits for this.
        drop(left);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Spawn for Tasks {
    fn spawn(&self, task: Task) {
        let mut state = self.lock();
        if state.closed {
            drop(state);
            drop(task);
            return;
        }
        state.waiting.push_back(task);
        let wake = state.wake.clone();
        drop(state);
        if let Some(wake) = wake {
            wake();
        }
    }
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tasks")
    }
}
