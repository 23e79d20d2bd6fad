//! Jobs that several threads work on, and whose results come in order.
//!
//! There are three parties. The *consumer* takes results. A *task* is what a [`Spawn`](crate::Spawn) runs: it works as long
//! as there is something to do and returns then; it does not wait for the consumer, so that a pool that is shared with others
//! is not blocked. Only where [it may](crate::Spawn::may_wait) does it wait for a while, so that a thread is not started for
//! every few results of a slow consumer. A *worker* is the state that a job needs, such as a decoder and its buffers: whoever
//! works takes one and puts it back, so buffers stay with the scan that made them.
//!
//! The consumer works too. It sleeps only when the result that it wants is being made by somebody else and there is
//! nothing left that it could do instead. Hence no task is ever needed for progress, and `threads` counts the consumer: at
//! most `threads - 1` tasks are asked for.
//!
//! All parties share one state under one lock, which nobody holds while reading or working. Why no wake-up is lost:
//!
//! - The consumer sleeps on `news`, having set `waits` under the lock. Whoever adds the result that it waits for, or gives
//!   back the source, does so under the lock and notifies if `waits` asks for it.
//! - A task sleeps on `turn` in two cases. Either another party has the source, which gives it back, or ends, without
//!   needing anybody; or the window of jobs is full, until the consumer takes one. Both parties wake one task if there is
//!   something to do, and that task wakes the next one if there is more.
//! - Dropping the consumer, and [`Cancel`](crate::Cancel), wake everybody. Both set a flag first, which is asked for under the lock
//!   before each sleep.

mod nested;
mod state;
mod threading;
mod work;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Weak};

pub use self::nested::Nested;
use self::state::{Find, Waits};
pub use self::threading::Threading;
use self::work::Shared;
use crate::{CancelGuard, Error};

/// The work on jobs, and the state that a thread needs for it. Each thread has a worker of its own.
///
/// A job begins with [`read`](Self::read), which takes its input from the source, and goes on with [`next`](Self::next)
/// until that returns `None`. A worker that has paused between two results may go on on another thread.
pub trait Work: Send + 'static {
    /// Source of the jobs: a file, a list. One worker has it at a time.
    type Source: Send + 'static;
    /// A result.
    type Output: Send + 'static;
    /// Error of a job. It also represents panics and cancellation.
    type Error: From<Error> + Send + 'static;

    /// Takes the input of the next job from the source and returns whether there was one.
    ///
    /// Calls do not overlap and are in the order of the results, so this should be the small part of the work.
    ///
    /// # Errors
    ///
    /// When the source fails: after the results of the jobs before it, the error is the last result.
    fn read(&mut self, source: &mut Self::Source) -> Result<bool, Self::Error>;

    /// Returns the next result of the job, or `None` when it is done. Jobs may have any number of results.
    ///
    /// # Errors
    ///
    /// When the job fails: after the results before it, the error is the last result.
    fn next(&mut self) -> Result<Option<Self::Output>, Self::Error>;

    /// Returns whether the job has no more results, where that is known without a call of [`next`](Self::next), which is
    /// then not made. Asked after each result.
    ///
    /// Default: not known.
    fn is_done(&self) -> bool {
        false
    }

    /// Returns about how many bytes a result holds. A job pauses while 4 MiB of its results wait for the consumer.
    ///
    /// Default: 64 KiB.
    fn weight(result: &Self::Output) -> u64 {
        let _ = result;
        64 << 10
    }
}

/// The results of jobs that several threads work on, in the order of the jobs.
///
/// The results and their order do not depend on the number of threads. At most two jobs for each thread, or
/// [`Threading::ahead`], are begun and not taken. After an error nothing follows. Dropping the iterator stops the work: no job goes on beyond its next result.
///
/// ```
/// use tfxio_base::{Error, Ordered, Threading, Work};
///
/// /// Squares chunks of numbers.
/// #[derive(Default)]
/// struct Squares(Vec<u64>);
///
/// impl Work for Squares {
///     type Source = std::vec::IntoIter<Vec<u64>>;
///     type Output = u64;
///     type Error = Error;
///
///     fn read(&mut self, chunks: &mut Self::Source) -> Result<bool, Error> {
///         let chunk = chunks.next();
///         self.0 = chunk.iter().flatten().rev().copied().collect();
///         Ok(chunk.is_some())
///     }
///
///     fn next(&mut self) -> Result<Option<u64>, Error> {
///         Ok(self.0.pop().map(|number| number * number))
///     }
/// }
///
/// let chunks = vec![vec![1, 2], vec![], vec![3]].into_iter();
/// let squares = Ordered::new(chunks, &Threading::new().threads(2), || Ok(Squares::default()))?;
/// assert_eq!(squares.collect::<Result<Vec<_>, _>>()?, [1, 4, 9]);
/// # Ok::<(), Error>(())
/// ```
pub struct Ordered<W: Work> {
    shared: Arc<Shared<W>>,
    /// Results that were taken together.
    ready: VecDeque<Result<W::Output, W::Error>>,
    ended: bool,
    _wake: CancelGuard,
}

impl<W: Work> Ordered<W> {
    /// Returns the results of jobs that are read from `source`, with a worker made by `make` for each thread.
    ///
    /// Nothing is read before the first result is asked for. One worker is made at once.
    ///
    /// # Errors
    ///
    /// When the first worker cannot be made.
    pub fn new(
        source: W::Source,
        threading: &Threading,
        make: impl Fn() -> Result<W, W::Error> + Send + Sync + 'static,
    ) -> Result<Self, W::Error> {
        Self::over(source, threading, Nested::new(), make)
    }

    /// As [`new`](Self::new), with threads that serve another pool, from which the source reads, where they would wait for
    /// the source.
    ///
    /// # Errors
    ///
    /// When the first worker cannot be made.
    pub fn over(
        source: W::Source,
        threading: &Threading,
        nested: Nested,
        make: impl Fn() -> Result<W, W::Error> + Send + Sync + 'static,
    ) -> Result<Self, W::Error> {
        let shared = Arc::new(Shared::new(source, make()?, threading.clone(), nested, Box::new(make)));
        let weak = Arc::downgrade(&shared);
        let wake = threading.cancel.on_cancel(move || {
            if let Some(shared) = weak.upgrade() {
                shared.wake_all();
            }
        });
        let weak: Weak<Shared<W>> = Arc::downgrade(&shared);
        shared.nested.on_spawn(move || {
            if let Some(shared) = weak.upgrade() {
                shared.serve_nested();
            }
        });
        Ok(Self { shared, ready: VecDeque::new(), ended: false, _wake: wake })
    }

    /// Asks for a task now, rather than when the first result is asked for.
    pub fn start(&self) {
        let granted = self.shared.lock().grant();
        self.shared.ask_for_task(granted);
    }

    /// Returns whether the next result, or the end, is there, so that [`next`](Iterator::next) does not wait.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.ended || !self.ready.is_empty() || self.shared.lock().has_news()
    }

    /// Fills `ready`; nothing at the end.
    fn fill(&mut self) -> Result<(), Error> {
        let shared = &self.shared;
        let mut state = shared.lock();
        loop {
            shared.threading.cancel.check()?;
            if state.take(&mut self.ready) {
                shared.refill(state);
                return Ok(());
            }
            if state.is_over() {
                return Ok(());
            }
            let waits = match state.find() {
                Find::Resume(number, worker) => {
                    state = shared.work(state, number, worker, true);
                    continue;
                }
                Find::Read(source) => {
                    state = shared.read_and_work(state, source, true);
                    continue;
                }
                Find::Turn => Waits::ForSource,
                Find::Nothing => Waits::ForFirst,
            };
            if waits == Waits::ForSource
                && let Some(task) = shared.nested.pop()
            {
                drop(state);
                task();
                state = shared.lock();
                continue;
            }
            state = shared.wait_for_news(state, waits);
        }
    }

    fn stop(&mut self) {
        self.ended = true;
        self.ready.clear();
        self.shared.stop();
    }
}

impl<W: Work> Iterator for Ordered<W> {
    type Item = Result<W::Output, W::Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ready.is_empty() {
            if self.ended {
                return None;
            }
            if let Err(cancelled) = self.fill() {
                self.stop();
                return Some(Err(cancelled.into()));
            }
        }
        let next = self.ready.pop_front();
        if !matches!(next, Some(Ok(_))) {
            self.stop();
        }
        next
    }
}

impl<W: Work> Drop for Ordered<W> {
    fn drop(&mut self) {
        self.stop();
    }
}

impl<W: Work> fmt::Debug for Ordered<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ordered")
            .field("threading", &self.shared.threading)
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}
