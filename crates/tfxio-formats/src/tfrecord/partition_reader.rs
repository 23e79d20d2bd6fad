//! The records of one partition.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use tfrecord_io::frame::Verify;
use tfrecord_io::salvage::SalvageReader;
use tfxio_core::{
    Cancel, Error, ErrorKind, Input, Limits, Partition, Position, Result, ScanCounts, ScanRequest, Skip,
};

use super::base::Base;
use super::chunk::Chunk;
use super::cut::{self, Exact};
use super::data::Data;
use super::salvage;

/// Maximum bytes of records that gather before they are decoded. A batch may consist of several chunks.
const CHUNK_BYTES: usize = 16 << 20;

/// Number of records up to which a run of unknown length is read through a small buffer, and the bytes of that.
const SHORT_RUN: u64 = 64;
const SHORT_BUFFER: usize = 16 << 10;

/// Maximum number of records that are read at a time to be passed over.
const SKIPPED_AT_ONCE: u64 = 1024;

/// How the records of partitions are read.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub(super) limits: Limits,
    pub(super) skip: Option<Skip>,
    pub(super) cancel: Cancel,
}

impl Reading {
    /// Returns what a request says. It ends with the request, which it does not end.
    pub(super) fn of(request: &ScanRequest) -> Self {
        let skip = request.on_error.skip().cloned();
        Self { limits: request.limits, skip, cancel: request.cancel.child() }
    }
}

/// An input that ends early.
struct Source {
    input: Box<dyn Input>,
    left: u64,
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(out.len());
        let count = self.input.read(out.get_mut(..most).unwrap_or_default())?;
        if self.left < u64::MAX {
            self.left = self.left.saturating_sub(count as u64);
        }
        Ok(count)
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.input.seek(to)
    }
}

enum Reader {
    Records(Box<tfrecord_io::Reader<Source>>),
    Salvage(Box<SalvageReader<Source>>),
}

/// Reads the records of one partition.
pub(super) struct PartitionReader {
    reader: Reader,
    base: Arc<Base>,
    /// Number of records that are still to be passed over.
    skip: u64,
    /// Number of records that are still to be given.
    left: u64,
    /// Number of records that were read, those passed over included.
    read: u64,
    /// Offset at which the records must end.
    ends_at: Option<u64>,
    /// Number of records that the gzip members of the partition say they hold.
    holds: Option<u64>,
    unchecked: bool,
    report: Option<Skip>,
    /// Offset in the uncompressed file up to which records were read.
    at: u64,
    /// Whether the file is not compressed, and read in ranges.
    is_range: bool,
    /// Whether the compression that was stated is one.
    is_stated_compressed: bool,
    counts: ScanCounts,
}

impl PartitionReader {
    /// Opens the file of a partition and finds its first record. Takes over the input of the reader before, if that read a
    /// range of the same file.
    pub(super) fn open(
        data: &Data,
        partition: Partition,
        reading: &Reading,
        before: Option<Self>,
    ) -> Result<Self> {
        reading.cancel.check()?;
        // An index that contradicts its file is said before anything is read.
        let index = data.index(&partition.file)?;
        let (left, skip) = (partition.records.unwrap_or(u64::MAX), partition.skip);
        let mut opened = Self {
            reader: Reader::Records(Box::new(tfrecord_io::Reader::new(Source {
                input: Box::new(Nothing),
                left: 0,
            }))),
            base: Arc::new(Base { partition, record: 0, byte: 0, stored_byte: 0 }),
            skip,
            left,
            read: 0,
            ends_at: None,
            holds: None,
            unchecked: reading.skip.is_none() && data.settings.verify == Verify::All,
            report: reading.skip.clone(),
            at: 0,
            is_range: false,
            is_stated_compressed: data
                .settings
                .compression
                .is_some_and(|compression| compression != tfrecord_io::Compression::None),
            counts: ScanCounts::default(),
        };
        let partition = opened.base.partition.clone();
        if partition.is_whole() || cut::member_offset(&partition).is_some() {
            opened.open_stream(data, partition, reading)?;
        } else {
            let exact = data.exact(&partition, index.as_deref(), reading)?;
            opened.open_range(data, partition, exact, reading, before)?;
        }
        Ok(opened)
    }

    /// Opens a whole file, or whole gzip members of one.
    fn open_stream(&mut self, data: &Data, partition: Partition, reading: &Reading) -> Result<()> {
        let input = data.files.open_with(&partition, &reading.cancel)?;
        let left = if partition.end == u64::MAX { u64::MAX } else { partition.end - partition.start };
        let base = Base {
            record: partition.first_record.unwrap_or(0),
            byte: cut::member_offset(&partition).unwrap_or(0),
            stored_byte: partition.start,
            partition,
        };
        self.at = base.byte;
        self.holds = cut::members_hold(&base.partition).filter(|_| reading.skip.is_none());
        self.reader = self.reader_of(Source { input, left }, &base, data, reading);
        self.base = Arc::new(base);
        Ok(())
    }

    /// Opens a range of a file that is not compressed.
    fn open_range(
        &mut self,
        data: &Data,
        partition: Partition,
        exact: Exact,
        reading: &Reading,
        before: Option<Self>,
    ) -> Result<()> {
        let Exact { start, end, next, first_record } = exact;
        let file = Arc::clone(&partition.file);
        let input = match before.and_then(|before| before.into_input(&file)) {
            Some(input) => input,
            None => {
                data.files.open_with(&Partition::range(Arc::clone(&file), start, end), &reading.cancel)?
            }
        };
        (self.at, self.is_range) = (start, true);
        // Errors show the partition as it was asked for.
        let mut partition = partition;
        partition.first_record = partition.first_record.or(first_record);
        let record = partition.first_record.unwrap_or(0);
        if self.report.is_some() {
            let base = Base { partition, record, byte: start, stored_byte: 0 };
            let left = if next == u64::MAX { u64::MAX } else { next.saturating_sub(start) };
            self.reader = self.reader_of(Source { input, left }, &base, data, reading);
            self.base = Arc::new(base);
            return Ok(());
        }
        self.base = Arc::new(Base { partition, record, byte: 0, stored_byte: 0 });
        self.ends_at = Some(next).filter(|next| *next < u64::MAX);
        let source = Source { input, left: u64::MAX };
        let mut builder = data.settings.reader(source, &reading.limits).name(Arc::clone(&file));
        if end == u64::MAX && self.left < SHORT_RUN {
            builder = builder.buffer_bytes(SHORT_BUFFER);
        } else if let Ok(bytes) = usize::try_from(end.saturating_sub(start)) {
            builder = builder.buffer_bytes(bytes.min(tfrecord_io::ReaderBuilder::DEFAULT_BUFFER_BYTES));
        }
        self.reader = Reader::Records(Box::new(builder.build_range(start..end)?));
        Ok(())
    }

    fn reader_of(&self, source: Source, base: &Base, data: &Data, reading: &Reading) -> Reader {
        let name = Arc::clone(&base.partition.file);
        if self.report.is_none() {
            let builder = data.settings.reader(source, &reading.limits).name(name);
            return Reader::Records(Box::new(builder.build()));
        }
        let builder = SalvageReader::builder(source)
            .compression(data.settings.compression)
            .limits(reading.limits)
            .name(name);
        Reader::Salvage(Box::new(builder.build()))
    }

    /// Returns the input, if it is one that ranges of this file can be read from.
    fn into_input(self, file: &Arc<str>) -> Option<Box<dyn Input>> {
        match self.reader {
            Reader::Records(reader) if self.is_range && self.base.partition.file == *file => {
                Some(reader.into_inner().input)
            }
            _ => None,
        }
    }

    /// Fills `chunk` with the next records, at most `most`, and about `bytes` of them, and returns their number; 0 at the end.
    pub(super) fn read(&mut self, chunk: &mut Chunk, most: usize, bytes: usize) -> Result<usize> {
        while self.skip > 0 {
            let some = usize::try_from(self.skip.min(SKIPPED_AT_ONCE)).unwrap_or(usize::MAX);
            match self.fill(chunk, some, CHUNK_BYTES)? {
                0 => return Ok(0),
                count => self.skip = self.skip.saturating_sub(count as u64),
            }
        }
        let most = most.min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if most == 0 {
            // Members that are read whole must not hold more than they say.
            return if self.left == 0 && self.holds == Some(self.read) {
                self.fill(chunk, 1, CHUNK_BYTES)
            } else {
                Ok(0)
            };
        }
        let count = self.fill(chunk, most, bytes.min(CHUNK_BYTES))?;
        self.left = self.left.saturating_sub(count as u64);
        Ok(count)
    }

    /// Passes over records without giving them.
    pub(super) fn pass_over(&mut self, records: u64) {
        self.skip = self.skip.saturating_add(records);
        self.left = if self.left == u64::MAX { u64::MAX } else { self.left.saturating_sub(records) };
    }

    /// Returns the number of records that were read, those passed over included.
    pub(super) fn records_read(&self) -> u64 {
        self.read
    }

    /// Returns what was read.
    pub(super) fn counts(&self) -> ScanCounts {
        self.counts
    }

    fn fill(&mut self, chunk: &mut Chunk, most: usize, bytes: usize) -> Result<usize> {
        chunk.clear();
        let count = match &mut self.reader {
            Reader::Records(reader) => {
                let count = reader.read_batch(&mut chunk.buffer, most, bytes);
                let count = count.map_err(|error| self.base.locate(error))?;
                if count == 0 {
                    let end = reader.offset();
                    self.check_end(end)?;
                }
                count
            }
            Reader::Salvage(reader) => {
                let count = chunk.salvage(reader, most, bytes);
                let count = count.map_err(|error| self.base.locate(error))?;
                report(reader, self.report.as_ref(), &self.base, count == 0)?;
                count
            }
        };
        self.read = self.read.saturating_add(count as u64);
        if let Some(holds) = self.holds
            && self.read > holds
        {
            return Err(self.wrong_members(holds));
        }
        chunk.base = Some(Arc::clone(&self.base));
        chunk.unchecked = self.unchecked;
        chunk.skip.clone_from(&self.report);
        self.count(count, chunk.end());
        Ok(count)
    }

    fn count(&mut self, records: usize, end: Option<u64>) {
        let Some(end) = end else { return };
        let bytes = end.saturating_sub(self.at);
        self.at = end;
        let inflates = match &self.reader {
            Reader::Records(_) => self.is_compressed(),
            Reader::Salvage(_) => self.is_stated_compressed,
        };
        let more = ScanCounts::default().records(records as u64).bytes(bytes);
        self.counts = self.counts.plus(if inflates { more.decompressed(bytes) } else { more });
    }

    /// Refuses an end that is not that of the partition.
    fn check_end(&self, offset: u64) -> Result<()> {
        let wanted = self.base.partition.records;
        if self.is_range && wanted.is_some() && self.left > 0 {
            let partition = &self.base.partition;
            let record = self.base.record.saturating_add(self.read);
            let what = format!("the file ends before record {record}");
            let position = Position::new().file(Arc::clone(&partition.file)).byte(offset);
            return Err(Error::new(ErrorKind::Malformed, what)
                .help("take the numbers and offsets from the file as it is now")
                .at(position));
        }
        if let Some(holds) = self.holds
            && self.read != holds
        {
            return Err(self.wrong_members(holds));
        }
        let Some(next) = self.ends_at.filter(|next| *next != offset) else { return Ok(()) };
        let partition = &self.base.partition;
        let what = format!(
            "the records of the partition {partition} end here, but the next partition begins with a record at byte {next}"
        );
        let help = "either the file is damaged between the two, or its payloads hold TFRecord data themselves; partition it \
                    by an index, which is always exact";
        let position = Position::new().file(Arc::clone(&partition.file)).byte(offset);
        Err(Error::new(ErrorKind::Malformed, what).help(help).at(position))
    }

    fn wrong_members(&self, holds: u64) -> Error {
        let partition = &self.base.partition;
        let what = format!(
            "the gzip members say that they hold {holds} records, and they hold {} {}",
            if self.read > holds { "at least" } else { "" },
            self.read
        );
        let position = Position::new().file(Arc::clone(&partition.file)).stored_byte(partition.start);
        Error::new(ErrorKind::Malformed, what.replace("  ", " "))
            .help("the file is damaged; copy it again, or read it whole")
            .at(position)
    }

    /// Returns whether the file is compressed; known once something was read.
    pub(super) fn is_compressed(&mut self) -> bool {
        match &mut self.reader {
            Reader::Records(reader) => {
                reader.compression().is_ok_and(|compression| compression != tfrecord_io::Compression::None)
            }
            // Not asked for: salvaged files of any compression are resumed by counting.
            Reader::Salvage(_) => self.base.byte == 0 || cut::member_offset(&self.base.partition).is_some(),
        }
    }
}

/// Reports the damage that a reader has met.
fn report(reader: &mut SalvageReader<Source>, skip: Option<&Skip>, base: &Base, at_end: bool) -> Result<()> {
    let Some(skip) = skip else { return Ok(()) };
    let mut damages = reader.take_damages();
    for damage in &mut damages {
        let added = if damage.compressed { base.stored_byte } else { base.byte };
        damage.start = damage.start.saturating_add(added);
        damage.end = damage.end.saturating_add(added);
    }
    let file = &base.partition.file;
    salvage::add(skip, file, &damages, reader.report().unlisted)?;
    if at_end {
        let found = reader.report();
        let framed = found.records.saturating_mul(16).saturating_add(found.payload_bytes);
        skip.end_of_file(file, found.lost_bytes, framed.saturating_add(found.lost_bytes))?;
    }
    Ok(())
}

/// An input without bytes.
struct Nothing;

impl Read for Nothing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }
}

impl Seek for Nothing {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Ok(0)
    }
}

impl Input for Nothing {}
