//! The asynchronous reader.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use futures::Stream;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};

use super::bytes::StoreBytes;
use super::fetch::{Object, Retry};
use super::parts::Parts;
use crate::compression::Compression;
use crate::frame::Verify;
use crate::reader::{ReaderBuilder, RecordBuffer, RecordReader};
use crate::{Error, ErrorKind, Limits, Result};

/// Sets up a [`StoreReader`].
#[derive(Clone, Debug, Default)]
pub struct StoreReaderBuilder {
    reader: ReaderBuilder,
    name: Option<Arc<str>>,
    retry: Retry,
    part_bytes: Option<u64>,
    read_ahead_bytes: Option<u64>,
}

impl StoreReaderBuilder {
    /// The default of [`part_bytes`](Self::part_bytes): 4 MiB.
    pub const DEFAULT_PART_BYTES: u64 = 4 << 20;
    /// The default of [`read_ahead_bytes`](Self::read_ahead_bytes): 32 MiB, which is eight requests at a time.
    pub const DEFAULT_READ_AHEAD_BYTES: u64 = 32 << 20;

    /// The defaults of [`ReaderBuilder`], of [`Retry`], and of this type.
    pub fn new() -> Self {
        Self::default()
    }

    /// As [`ReaderBuilder::compression`].
    pub fn compression(mut self, compression: Option<Compression>) -> Self {
        self.reader = self.reader.compression(compression);
        self
    }

    /// As [`ReaderBuilder::verify`].
    pub fn verify(mut self, verify: Verify) -> Self {
        self.reader = self.reader.verify(verify);
        self
    }

    /// As [`ReaderBuilder::limits`].
    pub fn limits(mut self, limits: Limits) -> Self {
        self.reader = self.reader.limits(limits);
        self
    }

    /// Chooses how requests are repeated. Default: [`Retry::default`].
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// How many bytes one request asks for. Default: 4 MiB.
    pub fn part_bytes(mut self, bytes: u64) -> Self {
        self.part_bytes = Some(bytes.max(1));
        self
    }

    /// How many bytes may be under way or waiting. Default: 32 MiB. One part is requested in any case.
    pub fn read_ahead_bytes(mut self, bytes: u64) -> Self {
        self.read_ahead_bytes = Some(bytes);
        self
    }

    /// Names the object in errors. Default: its path in the store.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Reads a whole object.
    ///
    /// # Errors
    ///
    /// The object is missing or may not be read, or the store goes on failing.
    pub async fn open(self, store: Arc<dyn ObjectStore>, path: Path) -> Result<StoreReader> {
        self.open_range(store, path, 0..u64::MAX).await
    }

    /// Reads the records of an *uncompressed* object whose headers start in `range`, as
    /// [`ReaderBuilder::from_range`] does. `0..u64::MAX` is the whole object, which may be compressed.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open); and the range ends before it starts.
    pub async fn open_range(
        self,
        store: Arc<dyn ObjectStore>,
        path: Path,
        range: Range<u64>,
    ) -> Result<StoreReader> {
        if range.end < range.start {
            let Range { start, end } = range;
            let what = format!("the range of bytes ends at {end}, before it starts at {start}");
            let name = self.name.unwrap_or_else(|| path.as_ref().into());
            return Err(Error::new(ErrorKind::InvalidArgument, what).in_file(Arc::clone(&name)));
        }
        let (object, meta) = self.object(store, path).await?;
        let name = Arc::clone(&object.name);
        let (part_bytes, read_ahead_bytes) = self.bytes_ahead();
        let parts = Parts::new(object, meta.size, range.clone(), part_bytes, read_ahead_bytes);
        let reader = self.reader.name(name).build_positioned(Fed::default(), range.start, range.end);
        Ok(StoreReader { meta, parts, reader, batch: RecordBuffer::new(), from: None })
    }

    /// Reads the bytes of an object as they are stored, from its beginning on.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub async fn open_bytes(self, store: Arc<dyn ObjectStore>, path: Path) -> Result<StoreBytes> {
        StoreBytes::open(&self, store, path).await
    }

    /// The object at the version that it has now.
    pub(super) async fn object(
        &self,
        store: Arc<dyn ObjectStore>,
        path: Path,
    ) -> Result<(Object, ObjectMeta)> {
        let name = self.name.clone().unwrap_or_else(|| path.as_ref().into());
        let mut object = Object { store, path, name, e_tag: None, retry: self.retry };
        let meta = object.head().await?;
        object.e_tag = meta.e_tag.clone();
        Ok((object, meta))
    }

    /// The bytes of a request, and those that may be under way.
    pub(super) fn bytes_ahead(&self) -> (u64, u64) {
        let part = self.part_bytes.unwrap_or(Self::DEFAULT_PART_BYTES);
        (part, self.read_ahead_bytes.unwrap_or(Self::DEFAULT_READ_AHEAD_BYTES))
    }
}

/// Reads the records of an object in a store.
#[derive(Debug)]
pub struct StoreReader {
    meta: ObjectMeta,
    parts: Parts,
    reader: RecordReader<Fed>,
    /// The batch being filled, kept here so that a call that is dropped while it waits loses nothing.
    batch: RecordBuffer,
    /// Where in it decoding goes on, if there is one.
    from: Option<usize>,
}

impl StoreReader {
    /// What the store said of the object when it was opened: size, time, ETag.
    pub fn meta(&self) -> &ObjectMeta {
        &self.meta
    }

    /// How many records were read.
    pub fn records_read(&self) -> u64 {
        self.reader.records_read()
    }

    /// As [`RecordReader::read_batch`]. What was in `batch` is lost, its memory is used again. A call may be dropped
    /// while it waits; the next one goes on where it was, and should ask for the same sizes.
    ///
    /// # Errors
    ///
    /// As [`RecordReader::read_batch`], and what the store says after all retries.
    pub async fn read_batch(
        &mut self,
        batch: &mut RecordBuffer,
        max_records: usize,
        max_bytes: usize,
    ) -> Result<usize> {
        if max_records == 0 {
            batch.clear();
            return Ok(0);
        }
        let mut from = match self.from {
            Some(from) => from,
            None => self.reader.begin_batch(&mut self.batch)?,
        };
        let result = loop {
            self.from = Some(from);
            let result = self.reader.extend_batch(&mut self.batch, &mut from, max_records, max_bytes);
            self.from = Some(from);
            match result {
                Err(error) if error.is_io_kind(io::ErrorKind::WouldBlock) => {}
                other => break other,
            }
            match self.parts.next().await {
                Ok(Some(part)) => self.reader.source_mut().feed(part),
                Ok(None) => self.reader.source_mut().end(),
                Err(error) => break Err(error.at_record(self.reader.records_read())),
            }
        };
        self.from = None;
        let count = self.reader.end_batch(&mut self.batch, from, result);
        std::mem::swap(batch, &mut self.batch);
        count
    }

    /// A stream of batches of up to `max_records` records and `max_bytes` bytes of frames, each in a buffer of its
    /// own; it ends after the first error. [`read_batch`](Self::read_batch) reuses one buffer instead.
    pub fn into_batches(
        self,
        max_records: usize,
        max_bytes: usize,
    ) -> impl Stream<Item = Result<RecordBuffer>> {
        let state = Some(self);
        futures::stream::unfold(state, move |state| async move {
            let mut reader = state?;
            let mut batch = RecordBuffer::new();
            match reader.read_batch(&mut batch, max_records.max(1), max_bytes).await {
                Ok(0) => None,
                Ok(_) => Some((Ok(batch), Some(reader))),
                Err(error) => Some((Err(error), None)),
            }
        })
    }
}

/// A source that has what it was fed, and "would block" otherwise.
#[derive(Debug, Default)]
struct Fed {
    parts: VecDeque<io::Cursor<Vec<u8>>>,
    ended: bool,
}

impl Fed {
    fn feed(&mut self, part: Vec<u8>) {
        self.parts.push_back(io::Cursor::new(part));
    }

    fn end(&mut self) {
        self.ended = true;
    }
}

impl Read for Fed {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while let Some(part) = self.parts.front_mut() {
            let count = part.read(out)?;
            if count > 0 || out.is_empty() {
                return Ok(count);
            }
            self.parts.pop_front();
        }
        if self.ended { Ok(0) } else { Err(io::ErrorKind::WouldBlock.into()) }
    }
}
