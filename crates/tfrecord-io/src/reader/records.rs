//! The reader over any `Read`.

use std::fs::File;
use std::io::{Read, Seek};
use std::iter::FusedIterator;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::ahead::ReaderSource;
use super::builder::{check_range, seek};
use super::push::{PushDecoder, PushStep};
use super::{OwnedRecord, ReaderBuilder, Record, RecordBuffer};
use crate::BatchSize;
use crate::compression::Compression;
use crate::{Error, ErrorKind, Result};

/// Reads records from any [`Read`]. Made by a [`ReaderBuilder`]; needs no `BufReader` around its source.
///
/// ```no_run
/// use tfrecord_io::Reader;
///
/// let mut reader = Reader::open("train-00000-of-00016.tfrecord.gz")?;
/// let mut bytes = 0;
/// while let Some(record) = reader.next_record()? {
///     bytes += record.data.len();
/// }
/// println!("{bytes} bytes in {} records", reader.records_read());
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R = File> {
    source: ReaderSource<R>,
    push: PushDecoder,
}

impl Reader<File> {
    /// Opens a file with the defaults of [`ReaderBuilder`].
    ///
    /// # Errors
    ///
    /// As [`ReaderBuilder::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::builder(path).open()
    }

    /// Returns a builder of a reader over `source`: a path or any [`Read`].
    pub fn builder<S>(source: S) -> ReaderBuilder<S> {
        ReaderBuilder::over(source)
    }
}

impl<R: Read> Reader<R> {
    /// Reads `source` from its start with the defaults of [`ReaderBuilder`].
    pub fn new(source: R) -> Self {
        ReaderBuilder::over(source).build()
    }

    pub(super) fn build(source: ReaderSource<R>, push: PushDecoder) -> Self {
        Self { source, push }
    }

    /// Lends the next record; `None` at the end.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the input, with its position; see [`ErrorKind`](crate::ErrorKind). The reader stays where
    /// it is: damage is reported again by the next call, a failed read is tried again.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>> {
        loop {
            match self.push.next()? {
                PushStep::Done(true) => return Ok(Some(self.push.last())),
                PushStep::Done(false) => return Ok(None),
                PushStep::NeedsInput => self.source.feed(&mut self.push)?,
            }
        }
    }

    /// Fills `batch` with the next records, up to a size. Returns how many; 0 at the end.
    ///
    /// Batches and [`next_record`](Self::next_record) may be mixed freely.
    ///
    /// # Errors
    ///
    /// As [`next_record`](Self::next_record). Records before the damage come as a shorter batch first.
    pub fn read_batch(&mut self, batch: &mut RecordBuffer, size: BatchSize) -> Result<usize> {
        if size.records == 0 {
            batch.clear();
            return Ok(0);
        }
        self.push.begin(batch)?;
        let result = loop {
            match self.push.extend(batch, size) {
                Ok(PushStep::Done(())) => break Ok(()),
                Ok(PushStep::NeedsInput) => {}
                Err(error) => break Err(error),
            }
            if let Err(error) = self.source.feed(&mut self.push) {
                break Err(error);
            }
        };
        self.push.end(batch, result)
    }

    /// Iterates over the records, each in an allocation of its own; ends after the first error.
    ///
    /// ```
    /// use tfrecord_io::{Reader, frame};
    ///
    /// let mut file = Vec::new();
    /// frame::append(&mut file, b"one");
    /// let records = Reader::new(&file[..]).into_records().collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(records[0].data, b"one");
    /// # Ok::<(), tfrecord_io::Error>(())
    /// ```
    pub fn into_records(self) -> OwnedRecords<R> {
        OwnedRecords { reader: Some(self) }
    }

    /// Continues with another range of the same *uncompressed* file, as [`ReaderBuilder::build_range`] reads one, in
    /// the memory that it has. Records are numbered from 0 again.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use tfrecord_io::{Reader, frame};
    ///
    /// let mut file = Vec::new();
    /// for payload in ["one", "two", "six"] {
    ///     frame::append(&mut file, payload.as_bytes());
    /// }
    /// let mut reader = Reader::builder(Cursor::new(file)).build_range(38..57)?;
    /// assert_eq!(reader.next_record()?.map(|record| record.data), Some(&b"six"[..]));
    /// reader.next_range(0..19)?;
    /// assert_eq!(reader.next_record()?.map(|record| record.data), Some(&b"one"[..]));
    /// assert_eq!(reader.next_record()?, None);
    /// # Ok::<(), tfrecord_io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The file is compressed, seeking fails, or the range ends before it starts.
    pub fn next_range(&mut self, range: Range<u64>) -> Result<()>
    where
        R: Seek,
    {
        check_range(&range)?;
        let compression = self.compression()?;
        let source = match &mut self.source {
            ReaderSource::Alone(source) if compression == Compression::None => source,
            _ => {
                let what = format!("a range of a file that is compressed with {compression} cannot be read");
                return Err(Error::new(ErrorKind::InvalidArgument, what)
                    .help("read the file from its start")
                    .in_file_if_known(self.push.file()));
            }
        };
        seek(source, range.start, self.push.file())?;
        self.push.restart(range);
        Ok(())
    }

    /// Returns the compression of the source; reads its first bytes if nothing was read before.
    ///
    /// # Errors
    ///
    /// Reading fails, or the bytes contradict a stated compression.
    pub fn compression(&mut self) -> Result<Compression> {
        loop {
            match self.push.compression()? {
                PushStep::Done(compression) => return Ok(compression),
                PushStep::NeedsInput => self.source.feed(&mut self.push)?,
            }
        }
    }

    /// Returns the number of records that were read.
    pub fn records_read(&self) -> u64 {
        self.push.decoder().index()
    }

    /// Returns the offset in the uncompressed stream just past the last record that was read.
    pub fn offset(&self) -> u64 {
        self.push.decoder().offset()
    }

    /// Returns the name of the file, if it is known.
    pub fn file_name(&self) -> Option<&Arc<str>> {
        self.push.file()
    }

    /// Returns the source, at some offset past the last record that was read.
    pub fn into_inner(self) -> R {
        self.source.into_inner()
    }
}

impl<R: Read> IntoIterator for Reader<R> {
    type Item = Result<OwnedRecord>;
    type IntoIter = OwnedRecords<R>;

    fn into_iter(self) -> OwnedRecords<R> {
        self.into_records()
    }
}

/// The records of a reader, each in an allocation of its own: see [`Reader::into_records`].
#[derive(Debug)]
pub struct OwnedRecords<R> {
    /// Nothing after the end or an error.
    reader: Option<Reader<R>>,
}

impl<R: Read> Iterator for OwnedRecords<R> {
    type Item = Result<OwnedRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.reader.as_mut()?.next_record().map(|record| record.map(OwnedRecord::from));
        if !matches!(next, Ok(Some(_))) {
            self.reader = None;
        }
        next.transpose()
    }
}

impl<R: Read> FusedIterator for OwnedRecords<R> {}
