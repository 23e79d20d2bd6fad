//! The records of several splits, one after the other.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tfrecord_io::{RecordBuffer, RecordReader, SplitReader};
use tfxio_core::{Error, Split};

use super::files;
use super::options::RecordOptions;
use super::{errors, from_tfrecord_error};

/// The most bytes of records that gather before they are decoded. A batch may consist of several such parts.
const PART_BYTES: usize = 16 << 20;

/// A file that says how much was read of it.
#[derive(Debug)]
pub(crate) struct Counted {
    file: File,
    read: Arc<AtomicU64>,
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

/// An open split.
#[derive(Debug)]
enum Open {
    Whole(Box<RecordReader<Counted>>),
    Range(Box<SplitReader<Counted>>),
}

/// Reads the records of splits in order.
#[derive(Debug)]
pub(crate) struct Queue {
    splits: VecDeque<Split>,
    options: RecordOptions,
    open: Option<(Open, Split)>,
    read: Arc<AtomicU64>,
}

impl Queue {
    /// Opens the first split, so that its errors come early.
    pub(crate) fn new(
        splits: impl IntoIterator<Item = Split>,
        options: &RecordOptions,
    ) -> Result<Self, Error> {
        let splits = splits.into_iter().collect();
        let mut queue = Self { splits, options: options.clone(), open: None, read: Arc::default() };
        queue.open_next()?;
        Ok(queue)
    }

    /// Counts the bytes that are read from files, before decompression.
    pub(crate) fn bytes_read(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.read)
    }

    /// Fills `buffer` with records of one file, at most `most`. The file's name, or `None` after the last record.
    pub(crate) fn read(&mut self, buffer: &mut RecordBuffer, most: usize) -> Result<Option<Arc<str>>, Error> {
        loop {
            let Some((open, split)) = &mut self.open else {
                buffer.clear();
                return Ok(None);
            };
            let count = match open {
                Open::Whole(reader) => reader.read_batch(buffer, most, PART_BYTES),
                Open::Range(reader) => reader.read_batch(buffer, most, PART_BYTES),
            };
            let count = count.map_err(|error| errors::in_split(from_tfrecord_error(error), split))?;
            if count > 0 {
                return Ok(Some(Arc::clone(&split.file)));
            }
            self.open_next()?;
        }
    }

    /// Says of an error of decoding that its record is counted from the beginning of the split, where that is so.
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
        let file = Counted { file: files::open(&split.file)?, read: Arc::clone(&self.read) };
        let builder = self.options.reader().name(Arc::clone(&split.file));
        let open = if split.is_whole() {
            Open::Whole(Box::new(builder.from_reader(file)))
        } else {
            let splitter = files::splitter(file, &split.file, &self.options)?;
            let range = tfrecord_io::Split::new(split.start, split.end);
            let reader = SplitReader::build(splitter, range, builder).map_err(from_tfrecord_error)?;
            Open::Range(Box::new(reader))
        };
        self.open = Some((open, split));
        Ok(())
    }
}
