//! Reader of one split.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::sync::Arc;

use super::{Split, Splitter};
use crate::BatchSize;
use crate::reader::{Reader, ReaderBuilder, Record, RecordBuffer};
use crate::{Error, ErrorKind, Kind, Result};

/// Reads the records of an uncompressed file whose headers start in a range of bytes, wherever the range begins.
///
/// The offsets of the records count from the start of the file; their numbers start at 0 with the first record of the
/// split. [`splits`](crate::splits) has an example and tells when this is exact. If it is not, the reader's last call
/// is an error. Whatever the file holds, the reader never returns a record whose header is outside the range.
#[derive(Debug)]
pub struct SplitReader<R> {
    reader: Reader<R>,
    split: Split,
    /// Offset from which on headers belong to the next split: the split's end, unless the first record is after it.
    end: u64,
    /// Offset at which the records of this split must end, because the next split begins there.
    next: u64,
    name: Option<Arc<str>>,
}

impl SplitReader<File> {
    /// Opens a file and reads a split of it with default settings.
    ///
    /// # Errors
    ///
    /// The file is missing, is a directory, or may not be read; and as [`Splitter::first_record`].
    pub fn open(path: impl AsRef<Path>, split: Split) -> Result<Self> {
        let path = path.as_ref();
        let builder = ReaderBuilder::default().name(path.to_string_lossy());
        Self::from_splitter(Splitter::open(path)?, split, builder)
    }
}

impl<R: Read + Seek> SplitReader<R> {
    /// Reads a split of `source` with default settings.
    ///
    /// # Errors
    ///
    /// As [`Splitter::first_record`].
    pub fn new(source: R, split: Split) -> Result<Self> {
        Self::from_splitter(Splitter::new(source)?, split, ReaderBuilder::default())
    }

    /// Reads a split of the splitter's source, with the settings of `builder` for the records. Its compression is
    /// ignored: only uncompressed files can be split.
    ///
    /// # Errors
    ///
    /// - As [`Splitter::first_record`].
    /// - [`ErrorKind::InvalidArgument`]: the split ends before it starts.
    pub fn from_splitter(mut splitter: Splitter<R>, split: Split, builder: ReaderBuilder) -> Result<Self> {
        check_order(split)?;
        let first = splitter.first_record(split.start)?;
        let next = splitter.first_record(split.end)?;
        Self::between(builder.source(splitter.into_inner()), split, first, next)
    }

    /// Reads a split whose first record and whose next split's first record are known: from a [`Splitter`] that has
    /// planned all splits, or from an index. If they are wrong, the reader reports an error and gives no wrong record.
    ///
    /// # Errors
    ///
    /// - Seeking fails.
    /// - [`ErrorKind::InvalidArgument`]: `split` ends before it starts.
    pub fn planned(builder: ReaderBuilder<R>, split: Split) -> Result<Self> {
        check_order(split)?;
        Self::between(builder, split, split.start, split.end)
    }

    fn between(builder: ReaderBuilder<R>, split: Split, first: u64, next: u64) -> Result<Self> {
        // Not `next`: after a damage that may lie far beyond the split.
        let end = split.end.max(first);
        let reader = builder.build_range(first..end)?;
        let name = reader.file_name().cloned();
        Ok(Self { reader, split, end, next, name })
    }

    /// Returns the split, as it was given.
    pub fn split(&self) -> Split {
        self.split
    }

    /// Returns the offset of the next record's header.
    pub fn offset(&self) -> u64 {
        self.reader.offset()
    }

    /// Returns the number of records read so far.
    pub fn records_read(&self) -> u64 {
        self.reader.records_read()
    }

    /// Returns the next record, or `None` at the end of the split.
    ///
    /// # Errors
    ///
    /// - As [`Reader::next_record`].
    /// - [`Kind::SplitMismatch`], instead of `None`: the records of this split do not end where the next split begins.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>> {
        let offset = self.reader.offset();
        if offset < self.end
            && let Some(record) = self.reader.next_record()?
        {
            return Ok(Some(record));
        }
        check_end(self.split, offset, self.next, self.name.as_ref()).map(|()| None)
    }

    /// Fills `batch` with the next records, as [`Reader::read_batch`] does; 0 at the end of the split.
    ///
    /// # Errors
    ///
    /// As [`next_record`](Self::next_record).
    pub fn read_batch(&mut self, batch: &mut RecordBuffer, size: BatchSize) -> Result<usize> {
        match self.reader.read_batch(batch, size)? {
            0 if size.records > 0 => {
                check_end(self.split, self.reader.offset(), self.next, self.name.as_ref()).map(|()| 0)
            }
            count => Ok(count),
        }
    }
}

fn check_order(split: Split) -> Result<()> {
    if split.start <= split.end {
        return Ok(());
    }
    let what = format!("the split ends at byte {}, before it starts at {}", split.end, split.start);
    Err(Error::new(ErrorKind::InvalidArgument, what))
}

/// Returns an error unless the records of `split`, which end at `offset`, end where the next split begins.
pub(crate) fn check_end(split: Split, offset: u64, next: u64, name: Option<&Arc<str>>) -> Result<()> {
    // The end of the file is the end of everything, also for a split that was said to reach farther.
    if offset == next || next == u64::MAX {
        return Ok(());
    }
    let what = format!(
        "the records of the split {split} end here, but the next split begins with a record at byte {next}"
    );
    Err(Error::new(Kind::SplitMismatch, what)
        .help(
            "either the file is damaged between the two, or its payloads hold TFRecord data themselves; \
             split it by hopping or by an index, which is always exact",
        )
        .at_byte(offset)
        .in_file_if_known(name))
}
