//! Stopping threads that wait for a store.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

/// Ends the waiting of all threads that were given a clone, now and from now on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    raised: bool,
    waiting: Vec<Thread>,
}

impl Interrupt {
    /// Whoever waits stops waiting.
    pub(crate) fn raise(&self) {
        let mut state = self.lock();
        state.raised = true;
        state.waiting.drain(..).for_each(|thread| thread.unpark());
    }

    /// Notes that this thread is going to park. False when it must not wait any more.
    pub(super) fn wait(&self) -> bool {
        let mut state = self.lock();
        let this = thread::current();
        if !state.raised && state.waiting.iter().all(|thread| thread.id() != this.id()) {
            state.waiting.push(this);
        }
        !state.raised
    }

    /// This thread waits no more.
    pub(super) fn leave(&self) {
        let this = thread::current().id();
        self.lock().waiting.retain(|thread| thread.id() != this);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
