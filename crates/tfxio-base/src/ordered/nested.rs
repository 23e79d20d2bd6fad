//! A pool whose consumer is the source of another.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::{fmt, mem};

use super::Threading;
use crate::Spawn;

/// Tasks of a pool that runs on the threads of another, which reads from it: so both have the threads of one.
///
/// The threads of the outer pool run these tasks where they would wait for their source.
///
/// ```
/// use tfxio_base::{Error, Nested, Ordered, Threading, Work};
///
/// /// Doubles numbers that come from anywhere.
/// struct Double<I>(Option<u64>, std::marker::PhantomData<fn(I)>);
///
/// impl<I: Iterator<Item = Result<u64, Error>> + Send + 'static> Work for Double<I> {
///     type Source = I;
///     type Output = u64;
///     type Error = Error;
///
///     fn read(&mut self, numbers: &mut I) -> Result<bool, Error> {
///         self.0 = numbers.next().transpose()?;
///         Ok(self.0.is_some())
///     }
///
///     fn next(&mut self) -> Result<Option<u64>, Error> {
///         Ok(self.0.take().map(|number| 2 * number))
///     }
/// }
///
/// let threading = Threading::new().threads(8);
/// let nested = Nested::new();
/// let make = || Ok(Double(None, std::marker::PhantomData));
/// let inner = Ordered::new((0..100).map(Ok), &nested.threading(&threading), make)?;
/// let make = || Ok(Double(None, std::marker::PhantomData));
/// // Eight threads in all.
/// let outer = Ordered::over(inner, &threading, nested, make)?;
/// assert_eq!(outer.last().transpose()?, Some(396));
/// # Ok::<(), Error>(())
/// ```
#[derive(Default)]
pub struct Nested(Arc<Queue>);

type Task = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    tasks: Mutex<Tasks>,
    on_spawn: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

#[derive(Default)]
struct Tasks {
    waiting: VecDeque<Task>,
    closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Tasks> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Nested {
    /// Returns a queue without tasks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the threads of the inner pool: the threads of `outer`, which is the pool that is given this queue.
    #[must_use]
    pub fn threading(&self, outer: &Threading) -> Threading {
        outer.clone().spawn(Arc::new(Inside(Arc::downgrade(&self.0))))
    }

    pub(super) fn on_spawn(&self, wake: impl Fn() + Send + Sync + 'static) {
        // It is called once, by the pool that owns this.
        let _ = self.0.on_spawn.set(Box::new(wake));
    }

    pub(super) fn pop(&self) -> Option<Task> {
        self.0.lock().waiting.pop_front()
    }

    /// Drops all tasks, and those to come.
    pub(super) fn close(&self) {
        let mut tasks = self.0.lock();
        tasks.closed = true;
        let left = mem::take(&mut tasks.waiting);
        drop(tasks);
        drop(left);
    }
}

impl fmt::Debug for Nested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nested").field("waiting", &self.0.lock().waiting.len()).finish()
    }
}

/// Gives tasks to the outer pool, as long as there is one.
#[derive(Debug)]
struct Inside(Weak<Queue>);

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").finish_non_exhaustive()
    }
}

impl Spawn for Inside {
    fn spawn(&self, task: Task) {
        let Some(queue) = self.0.upgrade() else { return };
        let mut tasks = queue.lock();
        if tasks.closed {
            drop(tasks);
            // Dropped without the lock.
            drop(task);
            return;
        }
        tasks.waiting.push_back(task);
        drop(tasks);
        if let Some(wake) = queue.on_spawn.get() {
            wake();
        }
    }
}
