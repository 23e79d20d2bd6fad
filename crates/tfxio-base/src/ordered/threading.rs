//! The threads of a pool.

use std::sync::Arc;

use crate::{Cancel, Spawn, Threads};

/// Threading of a pool: the number of threads, their origin, and their cancellation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Threading {
    /// Threads that work at the same time, the one that takes the results included. 0 is taken as 1. Default: 1.
    pub threads: usize,
    /// Jobs that may be begun and not taken. 0 is taken as 1. Default, `None`: two for each thread.
    pub ahead: Option<usize>,
    /// Whether one job is begun at first, and one more with each that was taken, so that little is made that nobody asks
    /// for. Default: no.
    pub slow_start: bool,
    /// Runs all but one of them. Default: [`Threads`].
    pub spawn: Arc<dyn Spawn>,
    /// Ends the work and the waits. Default: never.
    pub cancel: Cancel,
}

impl Default for Threading {
    fn default() -> Self {
        Self {
            threads: 1,
            ahead: None,
            slow_start: false,
            spawn: Arc::new(Threads),
            cancel: Cancel::default(),
        }
    }
}

impl Threading {
    /// Returns a single thread, that of the caller.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of threads, the caller's included.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets how many jobs may be begun and not taken.
    #[must_use]
    pub fn ahead(mut self, jobs: usize) -> Self {
        self.ahead = Some(jobs);
        self
    }

    /// Begins one job at first, and one more with each that was taken.
    #[must_use]
    pub fn slow_start(mut self) -> Self {
        self.slow_start = true;
        self
    }

    /// Sets what runs the tasks.
    #[must_use]
    pub fn spawn(mut self, spawn: Arc<dyn Spawn>) -> Self {
        self.spawn = spawn;
        self
    }

    /// Sets the token that ends the work.
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }
}
