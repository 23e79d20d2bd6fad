//! The thread that drives requests, and waiting for them on another.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

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
    #[cfg(feature = "cloud")]
    pub(super) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        let _context = self.handle.enter();
        work()
    }

    /// Waits for a future on this thread, whether or not it belongs to another runtime; its requests run on the
    /// runtime's. An error when it was cancelled.
    pub(super) fn wait<F: Future>(&self, cancel: &Cancel, future: F) -> Result<F::Output, Error> {
        let _context = self.handle.enter();
        let thread = thread::current();
        let waker = Waker::from(Arc::new(Unpark(thread.clone())));
        // An unpark that comes before the park is not lost.
        let _wake = cancel.on_cancel(move || thread.unpark());
        let mut context = Context::from_waker(&waker);
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return Ok(output);
            }
            cancel.check()?;
            thread::park();
        }
    }
}

/// Wakes a thread that is parked.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
