//! Objects that are written: whole, or not at all.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use futures::channel::oneshot;
use object_store::path::Path;
use object_store::{
    Error as StoreError, MultipartUpload, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload,
};
use tfrecord_io::store::store_error;
use tfxio_base::{Cancel, Error, ErrorKind, Upload};
use tokio::sync::{Mutex, OwnedMutexGuard, Semaphore};
use tokio::task::JoinHandle;

use super::runtime::Runtime;

/// Bytes of each of the first thousand parts. Those of the next thousand have twice as many, and so on: an object may have
/// 10,000 parts, and so become as large as any store allows.
const PART_BYTES: usize = 8 << 20;
const PARTS_OF_ONE_SIZE: u64 = 1000;
/// Parts of all uploads together that may be under way.
pub(super) const MOST_PARTS: usize = 8;
/// Maximum wait when an upload is given up: for parts under way, and for the store.
const ABORT: Duration = Duration::from_secs(10);

/// An object that is being written. Up to one part it is one request, and nothing is sent before it is whole.
#[derive(Debug)]
pub(super) struct ObjectUpload {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) path: Path,
    pub(super) runtime: Arc<Runtime>,
    /// Permits for the parts of all uploads.
    pub(super) permits: Arc<Semaphore>,
    /// Bytes that were not sent yet.
    buffer: Vec<u8>,
    parts: u64,
    /// Whether it is an upload of several parts; begun with the second one.
    is_begun: bool,
    /// Locked by the request that begins or completes it, so that giving it up waits for that one.
    upload: Arc<Mutex<Option<Box<dyn MultipartUpload>>>>,
    under_way: VecDeque<Part>,
    /// Ends all waits except the ones for giving it up, and is cancelled by that: nothing is sent any more then.
    cancel: Cancel,
    /// Whether a request failed, so that the object can never be whole.
    failed: bool,
}

#[derive(Debug)]
struct Part {
    task: JoinHandle<()>,
    /// Nothing after a wait that was cancelled.
    sent: Option<oneshot::Receiver<Result<(), StoreError>>>,
}

impl ObjectUpload {
    pub(super) fn new(
        store: Arc<dyn ObjectStore>,
        path: Path,
        runtime: Arc<Runtime>,
        permits: Arc<Semaphore>,
    ) -> Self {
        Self {
            store,
            path,
            runtime,
            permits,
            buffer: Vec::new(),
            parts: 0,
            is_begun: false,
            upload: Arc::default(),
            under_way: VecDeque::new(),
            cancel: Cancel::new(),
            failed: false,
        }
    }

    /// Refuses to go on if there is an object of the name.
    pub(super) fn refuse_existing(&self) -> Result<(), Error> {
        let (store, path) = (Arc::clone(&self.store), self.path.clone());
        match self.wait(async move { store.head(&path).await })? {
            Ok(_) => {
                let error = Error::new(ErrorKind::AlreadyExists, "the output file exists already");
                Err(error.help("remove it, choose another name, or allow overwriting"))
            }
            Err(StoreError::NotFound { .. }) => Ok(()),
            Err(error) => Err(store_error(error, "looking for the object")),
        }
    }

    fn wait<T: Send + 'static>(&self, future: impl Future<Output = T> + Send + 'static) -> Result<T, Error> {
        self.runtime.wait(&self.cancel, future)
    }

    /// Does what sends something, unless it was given up or something failed before.
    fn sending<T>(&mut self, send: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        self.cancel.check()?;
        if self.failed {
            let error = Error::new(ErrorKind::Io, "the upload failed before, and can never be whole");
            return Err(error.help("write the object again"));
        }
        let sent = send(self);
        self.failed = sent.is_err();
        sent
    }

    fn part_bytes(&self) -> usize {
        let doublings = u32::try_from(self.parts / PARTS_OF_ONE_SIZE).unwrap_or(u32::MAX);
        PART_BYTES.saturating_mul(1usize.checked_shl(doublings).unwrap_or(usize::MAX))
    }

    /// Locks the upload, which no request has any more that went well.
    fn upload(&self) -> Result<OwnedMutexGuard<Option<Box<dyn MultipartUpload>>>, Error> {
        Arc::clone(&self.upload).try_lock_owned().map_err(|error| broken_off().because(error))
    }

    fn begin(&mut self) -> Result<(), Error> {
        let (store, path) = (Arc::clone(&self.store), self.path.clone());
        let mut upload = self.upload()?;
        self.is_begun = true;
        // Goes on when the wait is cancelled: the upload must be known to be given up.
        let begun = self.runtime.spawn(async move {
            *upload = Some(store.put_multipart(&path).await?);
            Ok::<_, StoreError>(())
        });
        match self.wait(begun)? {
            Ok(begun) => begun.map_err(|error| store_error(error, "beginning the upload")),
            Err(error) => Err(broken_off().because(error)),
        }
    }

    /// Sends what is in the buffer as a part, once fewer are under way.
    fn send_part(&mut self) -> Result<(), Error> {
        if !self.is_begun {
            self.begin()?;
        }
        let payload = PutPayload::from(std::mem::take(&mut self.buffer));
        let part = match self.upload()?.as_mut() {
            Some(upload) => upload.put_part(payload),
            None => return Err(broken_off()),
        };
        self.parts += 1;
        let permits = Arc::clone(&self.permits);
        let permit = self.wait(async move { permits.acquire_owned().await })?;
        let (done, sent) = oneshot::channel();
        let task = self.runtime.spawn(async move {
            let _permit = permit;
            // Nobody listens after a wait that was cancelled.
            drop(done.send(part.await));
        });
        self.under_way.push_back(Part { task, sent: Some(sent) });
        // An error ends the writing soon.
        while self.under_way.front().is_some_and(|part| part.task.is_finished()) {
            self.finish_part()?;
        }
        Ok(())
    }

    /// Waits for the part that was sent first, which stays under way if the wait is cancelled.
    fn finish_part(&mut self) -> Result<(), Error> {
        let sent = self.under_way.front_mut().and_then(|part| part.sent.take()).ok_or_else(broken_off)?;
        let sent = self.wait(sent)?;
        self.under_way.pop_front();
        match sent {
            Ok(sent) => sent.map_err(|error| store_error(error, "writing the object")),
            Err(error) => Err(broken_off().because(error)),
        }
    }

    fn finish_parts(&mut self) -> Result<(), Error> {
        if self.is_begun && !self.buffer.is_empty() {
            self.send_part()?;
        }
        while !self.under_way.is_empty() {
            self.finish_part()?;
        }
        Ok(())
    }

    /// Writes an object of one part.
    fn put(&mut self, overwrite: bool) -> Result<(), Error> {
        let mode = if overwrite { PutMode::Overwrite } else { PutMode::Create };
        let payload = PutPayload::from(std::mem::take(&mut self.buffer));
        let (store, path) = (Arc::clone(&self.store), self.path.clone());
        let put = async move { store.put_opts(&path, payload, PutOptions::from(mode)).await };
        match self.wait(put)? {
            Ok(_) => Ok(()),
            Err(error) => Err(store_error(error, "writing the object")),
        }
    }

    /// Lets the object of several parts appear.
    fn complete(&mut self, overwrite: bool) -> Result<(), Error> {
        if !overwrite {
            self.refuse_existing()?;
        }
        let mut upload = self.upload()?;
        let complete = async move {
            let Some(begun) = upload.as_mut() else { return Ok(false) };
            begun.complete().await?;
            // What cannot be completed stays, and is given up.
            *upload = None;
            Ok(true)
        };
        match self.wait(complete)? {
            Ok(true) => Ok(()),
            Ok(false) => Err(broken_off()),
            Err(error) => Err(store_error(error, "completing the upload")),
        }
    }
}

fn broken_off() -> Error {
    Error::new(ErrorKind::Io, "writing the object failed: a request was given up")
}

impl Write for ObjectUpload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_full = self.buffer.len() >= self.part_bytes();
        self.sending(|upload| if is_full { upload.send_part() } else { Ok(()) })?;
        let room = self.part_bytes().saturating_sub(self.buffer.len());
        let part = bytes.get(..room).unwrap_or(bytes);
        self.buffer.extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Upload for ObjectUpload {
    fn close(&mut self) -> Result<(), Error> {
        self.sending(Self::finish_parts)
    }

    fn publish(&mut self, overwrite: bool) -> Result<(), Error> {
        self.sending(
            |upload| if upload.is_begun { upload.complete(overwrite) } else { upload.put(overwrite) },
        )
    }

    fn abort(&mut self) {
        self.cancel.cancel();
        self.buffer = Vec::new();
        let parts = std::mem::take(&mut self.under_way);
        if !self.is_begun {
            return;
        }
        let upload = Arc::clone(&self.upload);
        let aborted = async move {
            let end = tokio::time::Instant::now() + ABORT;
            // A part that arrives after the upload was aborted would stay; half of the time is for the store.
            let parts = parts.into_iter().map(|part| part.task);
            let _ = tokio::time::timeout(ABORT / 2, futures::future::join_all(parts)).await;
            let abort = async {
                match &mut *upload.lock().await {
                    Some(upload) => upload.abort().await.is_ok(),
                    None => true,
                }
            };
            tokio::time::timeout_at(end, abort).await
        };
        // Nobody could be told if this failed.
        let _ = self.runtime.wait(&Cancel::default(), aborted);
    }

    fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }
}

#[cfg(test)]
mod tests;
