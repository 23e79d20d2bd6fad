//! Results of several threads on their way to a consumer, in order.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::{Error, ErrorKind, Result};

/// Bytes after decompression whose results may wait for the consumer, of each run.
const WAITING: u64 = 4 << 20;

/// The results of all runs on their way to the consumer.
#[derive(Debug)]
pub(super) struct Order<T> {
    state: Mutex<State<T>>,
    /// There are results, or there will be none.
    made: Condvar,
    /// Results were taken, or nobody wants any more.
    taken: Condvar,
    /// Runs that may be there at once.
    window: u64,
}

#[derive(Debug)]
struct State<T> {
    /// The number of the run whose results the consumer takes next: that of the first of `runs`.
    wanted: u64,
    runs: VecDeque<Results<T>>,
    /// There are no runs behind these.
    ended: bool,
    stopped: bool,
    panicked: bool,
}

impl<T> State<T> {
    /// Leaves behind the runs of which nothing more comes. Whether there was one.
    fn pass_on(&mut self) -> bool {
        let before = self.wanted;
        while self.runs.front().is_some_and(|run| run.done && run.waiting.is_empty()) {
            self.runs.pop_front();
            self.wanted += 1;
        }
        self.wanted > before
    }

    /// Whether the consumer has something to take, or the end to see.
    fn has_news(&self) -> bool {
        self.runs.front().map_or(self.ended, |run| !run.waiting.is_empty())
    }
}

/// The results of one run that wait.
#[derive(Debug)]
struct Results<T> {
    waiting: VecDeque<Result<T>>,
    bytes: u64,
    done: bool,
}

impl<T> Order<T> {
    pub(super) fn new(window: u64) -> Self {
        let state = State { wanted: 0, runs: VecDeque::new(), ended: false, stopped: false, panicked: false };
        Self { state: Mutex::new(state), made: Condvar::new(), taken: Condvar::new(), window }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        lock(&self.state)
    }

    /// The next results, of which there are none at the end.
    pub(super) fn take(&self, out: &mut VecDeque<Result<T>>) {
        let mut state = self.lock();
        loop {
            if state.panicked {
                out.push_back(Err(died()));
                return;
            }
            if let Some(run) = state.runs.front_mut().filter(|run| !run.waiting.is_empty()) {
                std::mem::swap(&mut run.waiting, out);
                run.bytes = 0;
                state.pass_on();
                self.taken.notify_all();
                return;
            }
            if state.runs.is_empty() && state.ended {
                return;
            }
            state = self.made.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until there may be another run. The number that it will have; `None` when nobody wants one.
    pub(super) fn wait_for_room(&self) -> Option<u64> {
        let mut state = self.lock();
        while !state.stopped && state.runs.len() as u64 >= self.window {
            state = self.taken.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        (!state.stopped).then(|| state.wanted + state.runs.len() as u64)
    }

    /// Adds a run, or what stands where one should: an error, or the end.
    pub(super) fn begin(&self, first: Option<Result<T>>, goes_on: bool) {
        let mut state = self.lock();
        if goes_on || first.is_some() {
            let waiting = first.into_iter().collect();
            state.runs.push_back(Results { waiting, bytes: 0, done: !goes_on });
        }
        state.ended = !goes_on;
        if state.has_news() {
            self.made.notify_all();
        }
    }

    /// Hands results of a run over when there is room for them. Whether anybody wants more.
    pub(super) fn hand_over(
        &self,
        number: u64,
        results: &mut VecDeque<Result<T>>,
        bytes: u64,
        done: bool,
    ) -> bool {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return false;
            }
            let wanted = state.wanted;
            let place = usize::try_from(number.saturating_sub(wanted)).unwrap_or(usize::MAX);
            let Some(run) = state.runs.get_mut(place) else { return false };
            if run.waiting.is_empty() || run.bytes.saturating_add(bytes) <= WAITING {
                run.waiting.append(results);
                run.bytes = run.bytes.saturating_add(bytes);
                run.done = done;
                if number == wanted {
                    if state.pass_on() {
                        self.taken.notify_all();
                    }
                    if state.has_news() {
                        self.made.notify_all();
                    }
                }
                return true;
            }
            state = self.taken.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn stop(&self) {
        self.lock().stopped = true;
        self.taken.notify_all();
    }
}

/// Notes that a thread panics.
pub(super) struct Watch<'a, T>(pub(super) &'a Order<T>);

impl<T> Drop for Watch<'_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().panicked = true;
            self.0.made.notify_all();
            self.0.stop();
        }
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panics is noticed by itself; the data behind its locks are whole at every moment.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn died() -> Error {
    Error::new(ErrorKind::Io, "a thread that works on blocks has panicked")
}
