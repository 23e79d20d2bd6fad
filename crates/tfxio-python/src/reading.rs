//! Sources that wait for a thread: a data set written in Python that reads from its own reader would wait for itself.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tfxio::{Cancel, Spawn, Threads};

thread_local! {
    /// The sources that wait for what this thread does.
    static WAITING: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Number and cancellation of a source, shared by all that works for it.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    number: u64,
    pub(crate) cancel: Cancel,
}

impl Reading {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { number: NEXT.fetch_add(1, Ordering::Relaxed), cancel: Cancel::new() }
    }

    /// Returns the reading of work that is cancelled together with its input.
    pub(crate) fn ending_with(cancel: Cancel) -> Self {
        Self { cancel, ..Self::new() }
    }

    /// Does work that the source waits for.
    pub(crate) fn work<T>(&self, work: impl FnOnce() -> T) -> T {
        let mut waiting = waiting();
        waiting.push(self.number);
        for_sources(waiting, work)
    }

    /// Returns whether the source waits for what this thread does.
    pub(crate) fn is_waiting_for_this_thread(&self) -> bool {
        WAITING.with_borrow(|waiting| waiting.contains(&self.number))
    }

    /// Returns the spawner of threads that work for the source.
    pub(crate) fn spawn(&self) -> Arc<dyn Spawn> {
        Arc::new(Workers(self.number))
    }
}

/// Spawner of threads that work for a source, and for the sources that wait for the thread that starts them.
#[derive(Debug)]
struct Workers(u64);

impl Spawn for Workers {
    fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        let mut waiting = waiting();
        if !waiting.contains(&self.0) {
            waiting.push(self.0);
        }
        Threads.spawn(Box::new(move || for_sources(waiting, task)));
    }

    fn may_wait(&self) -> bool {
        Threads.may_wait()
    }
}

/// Returns work of this thread that another one does, while this one waits.
pub(crate) fn handed_over<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let waiting = waiting();
    move || for_sources(waiting, work)
}

fn waiting() -> Vec<u64> {
    WAITING.with_borrow(Vec::clone)
}

/// Does work that sources wait for.
fn for_sources<T>(waiting: Vec<u64>, work: impl FnOnce() -> T) -> T {
    /// Puts back what was there, after a panic too.
    struct Before(Vec<u64>);
    impl Drop for Before {
        fn drop(&mut self) {
            WAITING.set(std::mem::take(&mut self.0));
        }
    }
    let _before = Before(WAITING.replace(waiting));
    work()
}
