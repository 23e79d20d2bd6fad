//! Runners of tasks: threads, or the pool of another library.

use std::fmt;
use std::thread;

/// Runs tasks that may take long, somewhere else: on threads, on rayon's pool, on tokio's, on that of an engine.
///
/// Everything that takes a `Spawn` makes progress when a task runs late or never: a caller that would wait for a task
/// that has not begun does its work itself. So a task may be queued after any other work, or be dropped, as a pool does
/// that is shut down.
///
/// The default is [`Threads`]. With the feature `tokio`, a `tokio::runtime::Handle` is one: tasks run on its pool for blocking work. So is
/// any function that accepts a task:
///
/// ```
/// use std::sync::Arc;
/// use tfxio_base::Spawn;
///
/// let rayon: Arc<dyn Spawn> = Arc::new(|task| rayon::spawn(task));
/// ```
///
/// The last task may end after its consumer and drop the `Spawn` on one of its own threads: hold a handle of a pool that must
/// not be dropped there, and not the pool.
pub trait Spawn: Send + Sync {
    /// Accepts a task and returns at once; the task runs later, or not at all.
    ///
    /// A task must not run inside this call: the caller would wait for it, in the midst of its own work.
    fn spawn(&self, task: Box<dyn FnOnce() + Send>);

    /// Returns whether a task may wait for more to do, a second at most, rather than end and be asked for again soon: on
    /// threads that serve nobody else.
    ///
    /// Default: it may not.
    fn may_wait(&self) -> bool {
        false
    }
}

impl fmt::Debug for dyn Spawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Spawn")
    }
}

impl<F: Fn(Box<dyn FnOnce() + Send>) + Send + Sync> Spawn for F {
    fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        self(task);
    }
}

/// Runs tasks on the threads of the runtime that are for blocking work.
#[cfg(feature = "tokio")]
impl Spawn for tokio::runtime::Handle {
    fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        self.spawn_blocking(task);
    }
}

/// Starts a thread for each task. The default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Threads;

impl Spawn for Threads {
    fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        // Where the system has no thread left, the caller does the work.
        let _ = thread::Builder::new().name("tfxio".to_owned()).spawn(task);
    }

    fn may_wait(&self) -> bool {
        true
    }
}
