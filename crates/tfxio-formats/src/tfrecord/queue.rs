//! The records of several splits, one after the other.

mod members;

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tfrecord_io::frame::Verify;
use tfrecord_io::salvage::SalvageReader;
use tfrecord_io::{Reader, SplitReader};
use tfxio_base::{Nested, Threading};
use tfxio_core::{Error, ErrorKind, Split};

use super::files;
use super::input::InputFile;
use super::options::RecordOptions;
use super::part::Part;
use super::{errors, salvage};
use members::MembersReader;

/// The most bytes of records that gather before they are decoded. A batch may consist of several such parts.
const PART_BYTES: usize = 16 << 20;

/// A file that says how much was read of it.
#[derive(Debug)]
pub(crate) struct Counted {
    file: InputFile,
    read: Arc<AtomicU64>,
}

impl Counted {
    /// Adds the bytes that are read to `read`.
    pub(crate) fn new(file: InputFile, read: Arc<AtomicU64>) -> Self {
        Self { file, read }
    }
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[cfg(feature = "avro")]
impl tfxio_core::Input for Counted {}

/// An open split.
#[derive(Debug)]
enum Open {
    Whole(Box<Reader<Counted>>),
    Members(Box<MembersReader>),
    Range(Box<SplitReader<Counted>>),
    Salvage(Box<SalvageReader<Counted>>),
}

/// Reads the records of splits in order.
#[derive(Debug)]
pub(crate) struct Queue {
    splits: VecDeque<Split>,
    options: RecordOptions,
    open: Option<(Open, Split)>,
    read: Arc<AtomicU64>,
    pool: Option<(Threading, Nested)>,
}

impl Queue {
    /// Opens the first split, so that its errors come early. What the queue does on several threads, such as inflating
    /// members, it does on those of the options.
    #[cfg(feature = "example")]
    pub(crate) fn new(
        splits: impl IntoIterator<Item = Split>,
        options: &RecordOptions,
    ) -> Result<Self, Error> {
        Self::open(splits, options.clone())
    }

    /// As `new`, for the source of a pool, which takes its threads with [`take_pool`](Self::take_pool).
    pub(crate) fn for_pool(
        splits: impl IntoIterator<Item = Split>,
        options: &RecordOptions,
    ) -> Result<Self, Error> {
        let nested = Nested::new();
        let mut threading = options.threading.clone();
        // It ends with the reader, which does not end others.
        threading.cancel = threading.cancel.child();
        let mut options = options.clone();
        options.threading = nested.threading(&threading);
        let mut queue = Self::open(splits, options)?;
        queue.pool = Some((threading, nested));
        Ok(queue)
    }

    /// The threads of the pool whose source this is, and what they do where they would wait for it.
    pub(super) fn take_pool(&mut self) -> (Threading, Nested) {
        self.pool.take().unwrap_or_default()
    }

    fn open(splits: impl IntoIterator<Item = Split>, options: RecordOptions) -> Result<Self, Error> {
        let splits = splits.into_iter().collect();
        let mut queue = Self { splits, options, open: None, read: Arc::default(), pool: None };
        queue.open_next()?;
        Ok(queue)
    }

    /// Counts the bytes that are read from files, before decompression.
    #[cfg(feature = "example")]
    pub(crate) fn bytes_read(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.read)
    }

    /// Fills `part` with records of one file, at most `most`. The file's name, or `None` after the last record.
    pub(crate) fn read(&mut self, part: &mut Part, most: usize) -> Result<Option<Arc<str>>, Error> {
        part.clear();
        loop {
            let Some((open, split)) = &mut self.open else { return Ok(None) };
            let count = match open {
                Open::Whole(reader) => reader.read_batch(&mut part.buffer, most, PART_BYTES),
                Open::Members(reader) => reader.read_batch(&mut part.buffer, most, PART_BYTES),
                Open::Range(reader) => reader.read_batch(&mut part.buffer, most, PART_BYTES),
                Open::Salvage(reader) => part.salvage(reader, most, PART_BYTES),
            };
            let count = count.map_err(|error| errors::in_split(error, split))?;
            if let (Open::Salvage(reader), Some(skip)) = (&mut *open, self.options.skip()) {
                let damages = reader.take_damages();
                salvage::add(skip, &split.file, &damages, reader.report().unlisted)?;
                if count == 0 {
                    let found = reader.report();
                    let framed = found.records.saturating_mul(16).saturating_add(found.payload_bytes);
                    let all = framed.saturating_add(found.lost_bytes);
                    skip.end_of_file(&split.file, found.lost_bytes, all)?;
                }
                part.skip = Some(skip.clone());
            }
            if count > 0 {
                // The others have compared them.
                let unchecked = matches!(open, Open::Whole(_) | Open::Range(_));
                part.unchecked = (unchecked && self.options.verify == Verify::All).then(|| split.clone());
                return Ok(Some(Arc::clone(&split.file)));
            }
            if let (Open::Salvage(reader), Some(salvage)) = (open, &self.options.salvage)
                && let Some(take) = &salvage.on_report
            {
                take(reader.report());
            }
            self.open_next()?;
        }
    }

    /// Says of an error of decoding that its record is counted from the beginning of the split, where that is so.
    #[cfg(feature = "example")]
    pub(crate) fn in_split(&self, error: Error) -> Error {
        match &self.open {
            Some((_, split)) => errors::in_split(error, split),
            None => error,
        }
    }

    /// The split that is being read.
    pub(crate) fn place(&self) -> Option<Split> {
        self.open.as_ref().map(|(_, split)| split.clone())
    }

    fn open_next(&mut self) -> Result<(), Error> {
        self.open = None;
        let Some(split) = self.splits.pop_front() else { return Ok(()) };
        // An index that contradicts its file is said before anything is read.
        files::index_beside(&split.file, &self.options)?;
        if split.is_whole()
            && self.options.salvage.is_none()
            && files::is_regular(&split.file)
            && let Some(reader) = MembersReader::open(&split.file, &self.options, &self.read)
        {
            self.open = Some((Open::Members(Box::new(reader)), split));
            return Ok(());
        }
        #[cfg_attr(not(feature = "object-store"), allow(unused_mut, reason = "only objects are prepared"))]
        let mut file = InputFile::open(&split.file, &self.options)?;
        let is_exact =
            split.is_whole() || self.options.salvage.is_none() && is_indexed(&split, &self.options)?;
        // While records are searched for at the cuts, nothing is read ahead.
        #[cfg(feature = "object-store")]
        let ahead = file.object().map(|object| {
            object.set_cancel(self.options.threading.cancel.clone());
            object.read_ahead(if is_exact { split.end } else { 0 }, is_exact)
        });
        let file = Counted::new(file, Arc::clone(&self.read));
        let builder = self.options.reader(()).name(Arc::clone(&split.file));
        // Payloads are checked where they are used: see `Part`.
        let builder =
            if self.options.verify == Verify::All { builder.verify(Verify::Headers) } else { builder };
        let open = if let Some(salvage) = &self.options.salvage {
            if !split.is_whole() {
                let message = format!("the split {split} cannot be salvaged: files are salvaged whole");
                return Err(Error::new(ErrorKind::InvalidArgument, message));
            }
            let builder = SalvageReader::builder(file)
                .policy(salvage.policy)
                .budget(salvage.budget)
                .compression(self.options.compression)
                .limits(self.options.limits)
                .name(Arc::clone(&split.file));
            Open::Salvage(Box::new(builder.build()))
        } else if split.is_whole() {
            Open::Whole(Box::new(builder.source(file).build()))
        } else {
            let range = tfrecord_io::Split::new(split.start, split.end);
            let reader = if is_exact {
                SplitReader::planned(builder.source(file), range)
            } else {
                let splitter = files::splitter(file, &split.file, &self.options)?;
                SplitReader::from_splitter(splitter, range, builder)
            };
            Open::Range(Box::new(reader?))
        };
        #[cfg(feature = "object-store")]
        if let Some(ahead) = ahead {
            ahead.set(split.end);
        }
        self.open = Some((open, split));
        Ok(())
    }
}

/// Whether the file's index says that records begin where the split begins and where the next one does; then no search
/// is needed, and none can be deceived.
fn is_indexed(split: &Split, options: &RecordOptions) -> Result<bool, Error> {
    let Some(index) = files::index(&split.file, options)? else { return Ok(false) };
    let is_record = |at: u64| index.record_at(at).and_then(|record| index.offset(record)) == Some(at);
    Ok(is_record(split.start) && (split.end == index.uncompressed_bytes() || is_record(split.end)))
}
