//! The asynchronous reader.

use std::future::poll_fn;
use std::io::Cursor;
use std::ops::Range;
use std::sync::Arc;
use std::task::Poll;

use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};

use super::budget::Budget;
use super::bytes::StoreBytes;
use super::fetch::Object;
use super::pace::Pace;
use super::retry::Retry;
use super::split;
use crate::BatchSize;
use crate::compression::Compression;
use crate::frame::Verify;
use crate::reader::push::{PushDecoder, PushStep};
use crate::reader::{ReaderBuilder, RecordBuffer, check_range};
use crate::splits::{Split, check_end};
use crate::{Limits, Result};

/// Maximum bytes of a part, which is memory that is taken before anything comes.
const MOST_PART_BYTES: u64 = 1 << 30;
/// Decoded bytes after which other tasks run.
const YIELD_BYTES: usize = 256 << 10;

/// Sets up a [`StoreReader`] over an object. Made by [`StoreReader::builder`].
#[derive(Clone, Debug)]
pub struct StoreReaderBuilder {
    object: Object,
    reader: ReaderBuilder,
    part_bytes: u64,
    read_ahead_bytes: u64,
    pace: Pace,
    budget: Budget,
    meta: Option<ObjectMeta>,
}

impl StoreReaderBuilder {
    /// As [`ReaderBuilder::compression`].
    pub fn compression(mut self, compression: impl Into<Option<Compression>>) -> Self {
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
        self.object.retry = retry;
        self
    }

    /// Sets how many bytes one request asks for, 1 GiB at most. Default: 4 MiB.
    pub fn part_bytes(mut self, bytes: u64) -> Self {
        self.part_bytes = bytes.clamp(1, MOST_PART_BYTES);
        self
    }

    /// Sets how many bytes may be under way or waiting at most. Default: 64 MiB. As many are used as make reading faster; one part
    /// is requested in any case.
    pub fn read_ahead_bytes(mut self, bytes: u64) -> Self {
        self.read_ahead_bytes = bytes;
        self
    }

    /// Shares the learned read-ahead with other readers. Default: not shared.
    pub fn pace(mut self, pace: &Pace) -> Self {
        self.pace = pace.clone();
        self
    }

    /// Shares the memory of requests under way and of parts that wait with other readers. Default: not shared, and
    /// limited only by [`read_ahead_bytes`](Self::read_ahead_bytes).
    pub fn budget(mut self, budget: &Budget) -> Self {
        self.budget = budget.clone();
        self
    }

    /// Sets size, time and ETag of the object from a listing, so that the store is not asked again. If the object has
    /// changed since, reading it is an error. Default: the store is asked.
    pub fn meta(mut self, meta: ObjectMeta) -> Self {
        self.meta = Some(meta);
        self
    }

    /// Names the object in errors. Default: its path in the store.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.object.name = name.into();
        self
    }

    /// Reads a whole object.
    ///
    /// # Errors
    ///
    /// The object is missing or may not be read, or the store goes on failing.
    pub async fn open(self) -> Result<StoreReader> {
        self.open_range(0..u64::MAX).await
    }

    /// Reads the records of an *uncompressed* object whose headers start in `range`, as
    /// [`ReaderBuilder::build_range`] does. `0..u64::MAX` is the whole object, which may be compressed.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open); and the range ends before it starts.
    pub async fn open_range(self, range: Range<u64>) -> Result<StoreReader> {
        let name = Arc::clone(&self.object.name);
        check_range(&range).map_err(|error| error.in_file(Arc::clone(&name)))?;
        let mut bytes = self.clone().open_bytes().await?;
        bytes.start_records(range.clone());
        // All of an object may be compressed.
        let range = Some(range).filter(|range| *range != (0..u64::MAX));
        let push = self.reader.name(name).push_decoder(range);
        let (part, batch) = (Cursor::default(), RecordBuffer::new());
        Ok(StoreReader { bytes, push, part, batch, is_begun: false, yielded_at: 0, split: None })
    }

    /// Reads the records of an *uncompressed* object whose headers start in a split, wherever it begins: the first of them is searched for,
    /// as [`splits`](crate::splits) describes. If it is not the right one, the last batch is an error.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use tfrecord_io::store::StoreReader;
    /// use tfrecord_io::store::object_store::{ObjectStoreExt, memory::InMemory, path::Path};
    /// use tfrecord_io::{BatchSize, RecordBuffer, frame, splits};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut file = Vec::new();
    /// (0..100u32).for_each(|i| frame::append(&mut file, &i.to_le_bytes()));
    /// let (store, path, size) = (Arc::new(InMemory::new()), Path::from("train.tfrecord"), file.len() as u64);
    /// store.put(&path, file.into()).await?;
    ///
    /// let (mut batch, mut records) = (RecordBuffer::new(), 0);
    /// // Each could be read on another machine.
    /// for split in splits::cut(size, 500) {
    ///     let mut reader = StoreReader::builder(store.clone(), path.clone()).open_split(split).await?;
    ///     while reader.read_batch(&mut batch, BatchSize::records(10)).await? > 0 {
    ///         records += batch.len();
    ///     }
    /// }
    /// assert_eq!(records, 100);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open) and [`Splitter::first_record`](crate::Splitter::first_record); and the split ends before it starts.
    pub async fn open_split(mut self, split: Split) -> Result<StoreReader> {
        check_range(&(split.start..split.end))
            .map_err(|error| error.in_file(Arc::clone(&self.object.name)))?;
        let meta = match self.meta.take() {
            Some(meta) => meta,
            None => self.object.head().await?,
        };
        let mut object = self.object.clone();
        object.meta = Some(Arc::new(meta.clone()));
        let (first, next) = split::ends(&object, meta.size, split, self.reader.record_bytes()).await?;
        let mut reader = self.meta(meta).open_range(first..split.end.max(first)).await?;
        reader.split = Some((split, next));
        Ok(reader)
    }

    /// Reads the bytes of an object as they are stored, from its beginning on.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub async fn open_bytes(self) -> Result<StoreBytes> {
        let Self { mut object, reader: _, part_bytes, read_ahead_bytes, pace, budget, meta } = self;
        let meta = match meta {
            Some(meta) => meta,
            None => object.head().await?,
        };
        object.meta = Some(Arc::new(meta.clone()));
        Ok(StoreBytes::new(object, meta, part_bytes, read_ahead_bytes, pace, budget))
    }
}

/// Reads the records of an object in a store.
#[derive(Debug)]
pub struct StoreReader {
    bytes: StoreBytes,
    push: PushDecoder,
    /// The part of the object that is decoded next.
    part: Cursor<Vec<u8>>,
    /// The batch being filled, kept here so that a call that is dropped while it waits loses nothing.
    batch: RecordBuffer,
    is_begun: bool,
    /// Offset up to which records were decoded when other tasks ran last.
    yielded_at: u64,
    /// The split that is read, and the offset at which the next one begins.
    split: Option<(Split, u64)>,
}

impl StoreReader {
    /// Returns a builder of a reader of the object at `path` of `store`.
    pub fn builder(store: Arc<dyn ObjectStore>, path: Path) -> StoreReaderBuilder {
        let name = path.as_ref().into();
        StoreReaderBuilder {
            object: Object { store, path, name, meta: None, retry: Retry::default() },
            reader: ReaderBuilder::default(),
            part_bytes: 4 << 20,
            read_ahead_bytes: 64 << 20,
            pace: Pace::default(),
            budget: Budget::default(),
            meta: None,
        }
    }

    /// Returns what the store said of the object when it was opened: size, time, ETag.
    pub fn meta(&self) -> &ObjectMeta {
        self.bytes.meta()
    }

    /// Returns the number of records that were read.
    pub fn records_read(&self) -> u64 {
        self.push.decoder().index()
    }

    /// As [`Reader::read_batch`](crate::Reader::read_batch). What was in `batch` is lost, its memory is used again. A call may be dropped
    /// while it waits; the next one goes on where it was, and should ask for the same sizes.
    ///
    /// Other tasks of the runtime run at least every 256 KiB of decoded records, also where nothing has to be waited for.
    ///
    /// # Errors
    ///
    /// As [`Reader::read_batch`](crate::Reader::read_batch), and the error of the store after all retries.
    pub async fn read_batch(&mut self, batch: &mut RecordBuffer, size: BatchSize) -> Result<usize> {
        if size.records == 0 {
            batch.clear();
            return Ok(0);
        }
        if !self.is_begun {
            self.push.begin(&mut self.batch)?;
            self.is_begun = true;
        }
        let result = loop {
            let offset = self.push.decoder().offset();
            if offset.saturating_sub(self.yielded_at) >= YIELD_BYTES as u64 {
                self.yielded_at = offset;
                yield_now().await;
            }
            match self.push.extend_within(&mut self.batch, size, YIELD_BYTES) {
                Ok(Some(PushStep::Done(()))) => break Ok(()),
                Ok(Some(PushStep::NeedsInput)) => {}
                Ok(None) => {
                    self.yielded_at = self.push.decoder().offset();
                    yield_now().await;
                    continue;
                }
                Err(error) => break Err(error),
            }
            if self.part.position() >= self.part.get_ref().len() as u64 {
                match self.bytes.next().await {
                    // At the end of the object, nothing is left to read.
                    Ok(part) => self.part = Cursor::new(part.unwrap_or_default()),
                    Err(error) => break Err(error.at_record(self.records_read())),
                }
            }
            if let Err(error) = self.push.read_from(&mut self.part) {
                break Err(error);
            }
        };
        self.is_begun = false;
        let count = self.push.end(&mut self.batch, result);
        std::mem::swap(batch, &mut self.batch);
        if let (Ok(0), Some((split, next))) = (&count, self.split) {
            check_end(split, self.push.decoder().offset(), next, self.push.file())?;
        }
        count
    }
}

/// Lets other tasks run before the one that waits for it.
async fn yield_now() {
    let mut has_yielded = false;
    poll_fn(|context| {
        if has_yielded {
            return Poll::Ready(());
        }
        has_yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
