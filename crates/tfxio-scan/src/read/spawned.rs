//! Work on another thread, as a future.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tfxio_core::{Cancel, Error, ErrorKind, Result, Spawn};

/// A function and its surroundings.
type Work<T> = Box<dyn FnOnce() -> Result<T> + Send>;

/// Result of work on another thread. Nothing begins before it is polled; dropping it cancels the work.
#[must_use = "futures do nothing unless polled"]
pub struct Spawned<T> {
    state: Arc<Mutex<State<T>>>,
    spawn: Arc<dyn Spawn>,
    cancel: Cancel,
}

/// State of the work.
enum State<T> {
    Idle(Work<T>),
    /// A task does it, and wakes this one.
    Running(Waker),
    /// The task was dropped before it ran.
    Refused(Work<T>),
    Done(Result<T>),
    Taken,
}

impl<T: Send + 'static> Spawned<T> {
    /// Returns the future of work that ends early where the token is cancelled.
    pub fn new(
        spawn: Arc<dyn Spawn>,
        cancel: Cancel,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Self {
        Self { state: Arc::new(Mutex::new(State::Idle(Box::new(work)))), spawn, cancel }
    }
}

fn lock<T>(state: &Mutex<State<T>>) -> MutexGuard<'_, State<T>> {
    // The state is whole at every moment.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The work, on its way to another thread.
struct Task<T> {
    state: Arc<Mutex<State<T>>>,
    work: Option<Work<T>>,
}

impl<T> Task<T> {
    fn run(mut self) {
        if let Some(work) = self.work.take() {
            let done = work();
            self.set(State::Done(done));
        }
    }

    fn set(&self, after: State<T>) {
        let before = std::mem::replace(&mut *lock(&self.state), after);
        if let State::Running(waker) = before {
            waker.wake();
        }
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        if let Some(work) = self.work.take() {
            self.set(State::Refused(work));
        } else if matches!(*lock(&self.state), State::Running(_)) && std::thread::panicking() {
            self.set(State::Done(Err(Error::new(ErrorKind::Other, "the task has panicked"))));
        }
    }
}

impl<T: Send + 'static> Future for Spawned<T> {
    type Output = Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        loop {
            let mut state = lock(&self.state);
            match std::mem::replace(&mut *state, State::Taken) {
                State::Idle(work) => {
                    *state = State::Running(context.waker().clone());
                    drop(state);
                    let task = Task { state: Arc::clone(&self.state), work: Some(work) };
                    self.spawn.spawn(Box::new(move || task.run()));
                    // It may be done, or refused, by now.
                    if matches!(*lock(&self.state), State::Running(_)) {
                        return Poll::Pending;
                    }
                }
                State::Running(_) => {
                    *state = State::Running(context.waker().clone());
                    return Poll::Pending;
                }
                State::Refused(work) => *state = State::Done(work()),
                State::Done(result) => return Poll::Ready(result),
                State::Taken => {
                    let what = "the result of the work was taken before";
                    return Poll::Ready(Err(Error::new(ErrorKind::Other, what)));
                }
            }
        }
    }
}

impl<T> Drop for Spawned<T> {
    fn drop(&mut self) {
        // What was taken may go on reading.
        if !matches!(*lock(&self.state), State::Taken) {
            self.cancel.cancel();
        }
    }
}

impl<T> fmt::Debug for Spawned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spawned").finish_non_exhaustive()
    }
}
