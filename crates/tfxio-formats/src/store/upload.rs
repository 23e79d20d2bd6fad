//! Objects that are written: whole, or not at all.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use object_store::path::Path;
use object_store::{
    Error as StoreError, MultipartUpload, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload,
};
use tfrecord_io::store::store_error;
use tfxio_base::{Cancel, Error, ErrorKind, Upload};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::runtime::Runtime;

/// Bytes of each of the first thousand parts. Those of the next thousand have twice as many, and so on: an object may have
/// 10,000 parts, and so become as large as any store allows.
const PART_BYTES: usize = 8 << 20;
const PARTS_OF_ONE_SIZE: u64 = 1000;
/// Parts of all uploads together that may be under way.
pub(super) const MOST_PARTS: usize = 8;
/// How long to wait for parts under way, and for the store, when an upload is given up.
const ABORT: Duration = Duration::from_secs(10);

/// An object that is being written. Up to one part it is one request, and nothing is sent before it is whole.
#[derive(Debug)]
pub(super) struct ObjectUpload {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) path: Path,
    pub(super) runtime: Arc<Runtime>,
    /// Of all uploads.
    pub(super) permits: Arc<Semaphore>,
    /// What was not sent yet.
    buffer: Vec<u8>,
    parts: u64,
    /// Begun with the second part.
    upload: Option<Box<dyn MultipartUpload>>,
    under_way: VecDeque<JoinHandle<Result<(), StoreError>>>,
}

impl ObjectUpload {
    pub(super) fn new(
        store: Arc<dyn ObjectStore>,
        path: Path,
        runtime: Arc<Runtime>,
        permits: Arc<Semaphore>,
    ) -> Self {
        let (buffer, under_way) = (Vec::new(), VecDeque::new());
        Self { store, path, runtime, permits, buffer, parts: 0, upload: None, under_way }
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
        self.runtime.wait(&Cancel::default(), future)
    }

    fn part_bytes(&self) -> usize {
        let doublings = u32::try_from(self.parts / PARTS_OF_ONE_SIZE).unwrap_or(u32::MAX);
        PART_BYTES.saturating_mul(1usize.checked_shl(doublings).unwrap_or(usize::MAX))
    }

    /// Sends what is in the buffer as a part, once fewer are under way.
    fn send_part(&mut self) -> Result<(), Error> {
        let mut upload = match self.upload.take() {
            Some(upload) => upload,
            None => {
                let (store, path) = (Arc::clone(&self.store), self.path.clone());
                let begun = self.wait(async move { store.put_multipart(&path).await })?;
                begun.map_err(|error| store_error(error, "beginning the upload"))?
            }
        };
        let part = upload.put_part(PutPayload::from(std::mem::take(&mut self.buffer)));
        self.upload = Some(upload);
        self.parts += 1;
        let permits = Arc::clone(&self.permits);
        let permit = self.wait(async move { permits.acquire_owned().await })?;
        self.under_way.push_back(self.runtime.spawn(async move {
            let _permit = permit;
            part.await
        }));
        // An error ends the writing soon.
        while self.under_way.front().is_some_and(JoinHandle::is_finished) {
            self.finish_part()?;
        }
        Ok(())
    }

    /// Waits for the part that was sent first.
    fn finish_part(&mut self) -> Result<(), Error> {
        let Some(part) = self.under_way.pop_front() else { return Ok(()) };
        match self.wait(part)? {
            Ok(sent) => sent.map_err(|error| store_error(error, "writing the object")),
            Err(error) => {
                let what = "writing the object failed: a request was given up";
                Err(Error::new(ErrorKind::Io, what).because(error))
            }
        }
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
}

impl Write for ObjectUpload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() >= self.part_bytes() {
            self.send_part()?;
        }
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
        if self.upload.is_some() && !self.buffer.is_empty() {
            self.send_part()?;
        }
        while !self.under_way.is_empty() {
            self.finish_part()?;
        }
        Ok(())
    }

    fn publish(&mut self, overwrite: bool) -> Result<(), Error> {
        if self.upload.is_none() {
            return self.put(overwrite);
        }
        if !overwrite {
            self.refuse_existing()?;
        }
        let Some(mut upload) = self.upload.take() else { return Ok(()) };
        // Given back: what cannot be completed is given up.
        let (completed, upload) = self.wait(async move { (upload.complete().await, upload) })?;
        match completed {
            Ok(_) => Ok(()),
            Err(error) => {
                self.upload = Some(upload);
                Err(store_error(error, "completing the upload"))
            }
        }
    }

    fn abort(&mut self) {
        let parts = std::mem::take(&mut self.under_way);
        self.buffer = Vec::new();
        let Some(mut upload) = self.upload.take() else { return };
        let aborted = async move {
            // A part that arrives after the upload was aborted would stay.
            let _ = tokio::time::timeout(ABORT, futures::future::join_all(parts)).await;
            tokio::time::timeout(ABORT, upload.abort()).await.is_ok()
        };
        // Nobody could be told if this failed.
        let _ = self.wait(aborted);
    }
}
