//! The thread that drives requests, and waiting for them on another.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::mpsc;
use std::thread;

use futures::FutureExt;
use futures::channel::oneshot;
use tfxio_base::Cancel;
use tfxio_core::{Error, ErrorKind};

/// A runtime on a thread of its own, which ends when this is dropped; requests under way are given up.
#[derive(Debug)]
pub(super) struct Runtime {
    handle: tokio::runtime::Handle,
    /// Dropping it ends the thread.
    _stop: oneshot::Sender<()>,
}

impl Runtime {
    pub(super) fn start() -> Result<Self, Error> {
        let failed = |error: std::io::Error| {
            let message =
                "no thread can be started that reads from object stores; free some resources of the system";
            Error::new(ErrorKind::Io, message).because(error)
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = thread::Builder::new().name("tfxio-store".to_owned());
        let run = move || {
            // The other end is only ever dropped.
            let _ = runtime.block_on(stopped);
            runtime.shutdown_background();
        };
        thread.spawn(run).map_err(failed)?;
        Ok(Self { handle, _stop: stop })
    }

    /// Does what needs to know the runtime.
    pub(super) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        let _context = self.handle.enter();
        work()
    }

    /// Runs a future on the runtime's thread.
    pub(super) fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> tokio::task::JoinHandle<T> {
        self.handle.spawn(future)
    }

    /// Runs a future to its end while this thread waits, whether or not it belongs to another runtime. An error when it was
    /// cancelled; the future is dropped then.
    pub(super) fn wait<T: Send + 'static>(
        &self,
        cancel: &Cancel,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Error> {
        let (done, output) = mpsc::channel();
        let cancelled = done.clone();
        // Nobody may listen any more.
        let _guard = cancel.on_cancel(move || drop(cancelled.send(None)));
        let task = self.handle.spawn(async move {
            let output = AssertUnwindSafe(future).catch_unwind().await.ok();
            drop(done.send(output));
        });
        if let Ok(Some(output)) = output.recv() {
            return Ok(output);
        }
        task.abort();
        cancel.check()?;
        Err(Error::new(ErrorKind::Other, "a request to the object store panicked"))
    }
}
