//! Runners of tasks: threads, or the pool of another library.

use std::fmt;
use std::thread;

/// Runs tasks that may take long, somewhere else: on threads, on rayon's pool, on tokio's, on that of an engine.
///
/// Everything that takes a `Spawn` makes progress when a task runs late or never: a caller that would wait for a task
/// that has not begun does its work itself. So a task may be queued after any other work, or be dropped, as a pool does
/// that is shut down.
///
/// The default is [`Threads`]. Others are a few lines:
///
/// ```
/// use tfxio_base::Spawn;
///
/// #[derive(Debug)]
/// struct Rayon;
///
/// impl Spawn for Rayon {
///     fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
///         rayon::spawn(task);
///     }
/// }
///
/// /// The blocking pool of a runtime: tasks compute and read files.
/// #[derive(Debug)]
/// struct Tokio(tokio::runtime::Handle);
///
/// impl Spawn for Tokio {
///     fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
///         self.0.spawn_blocking(task);
///     }
/// }
/// ```
///
/// The last task may end after its consumer and drop the `Spawn` on one of its own threads: hold a handle of a pool that must
/// not be dropped there, as above, and not the pool.
pub trait Spawn: Send + Sync + fmt::Debug {
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
