//! Work that blocks, where DataFusion has no asynchronous call.

use tfxio_core::{Error, ErrorKind, Result};
use tokio::runtime::Handle;

/// Runs work on the blocking pool of the runtime, and waits: a store may need the runtime itself.
pub(crate) fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let Ok(handle) = Handle::try_current() else { return Ok(work()) };
    let (send, receive) = std::sync::mpsc::sync_channel(1);
    handle.spawn_blocking(move || drop(send.send(work())));
    receive.recv().map_err(|_| Error::new(ErrorKind::Other, "the task that opened files has ended early"))
}
