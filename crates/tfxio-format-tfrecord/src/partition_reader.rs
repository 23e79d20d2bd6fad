//! The records of one partition.

mod bounded_input;
mod ends;
mod open;

use std::ops::Range;
use std::sync::Arc;

use tfrecord_io::frame::Verify;
use tfrecord_io::salvage::SalvageReader;
use tfrecord_io::{BatchSize, Compression};
use tfxio_core::{Cancel, Limits, Partition, Result, ScanCounts, ScanRequest, Skip, Threading};

use self::bounded_input::BoundedInput;
use self::ends::report;
use super::chunk::Chunk;
use super::cut;
use super::data::Data;
use super::partition_offsets::PartitionOffsets;

/// Maximum bytes of records that gather before they are decoded. A batch may consist of several chunks.
const CHUNK_BYTES: usize = 16 << 20;

/// Maximum number of records that are read at a time to be passed over.
const SKIPPED_AT_ONCE: u64 = 1024;

/// Options for reading the records of partitions.
#[derive(Clone, Debug)]
pub(super) struct ReadOptions {
    pub(super) limits: Limits,
    pub(super) skip: Option<Skip>,
    pub(super) cancel: Cancel,
    /// Threads that may inflate, where there are several: gzip members, or one stream ahead of its records.
    pub(super) inflates: Option<Threading>,
}

impl ReadOptions {
    /// Returns the options of a request. Reading ends with the request, which it does not end.
    pub(super) fn of(request: &ScanRequest) -> Self {
        let (skip, cancel) = (request.on_error.skip().cloned(), request.cancel.child());
        let inflates = (request.threads > 1).then(|| request.threading().cancel(cancel.clone()));
        Self { limits: request.limits, skip, cancel, inflates }
    }
}

enum Reader {
    Records(Box<tfrecord_io::Reader<BoundedInput>>),
    Salvage(Box<SalvageReader<BoundedInput>>),
}

/// Sequential reading of a partition as one stream.
struct Stream {
    data: Arc<Data>,
    options: ReadOptions,
}

/// Reads the records of one partition.
pub(super) struct PartitionReader {
    reader: Reader,
    offsets: Arc<PartitionOffsets>,
    /// Number of records that are still to be passed over.
    skip: u64,
    /// Number of records that are still to be given.
    left: u64,
    /// Number of records that were read, including the ones passed over.
    read: u64,
    /// Offset at which the records must end.
    ends_at: Option<u64>,
    /// Number of records that the gzip members of the partition declare.
    holds: Option<u64>,
    unchecked: bool,
    report: Option<Skip>,
    /// Offset in the uncompressed file up to which records were read.
    at: u64,
    /// Sequential fallback where several threads inflate: it reports the errors of their data.
    stream: Option<Stream>,
    /// Whether the file is not compressed, and read in ranges.
    is_range: bool,
    /// Whether the compression that was stated is one.
    is_stated_compressed: bool,
    counts: ScanCounts,
}

/// Returns whether a partition is a whole file or gzip members, and not a range of a file that is not compressed.
fn is_stream(partition: &Partition) -> bool {
    partition.is_whole() || cut::member_offset(partition).is_some()
}

impl PartitionReader {
    /// Opens the file of a partition and finds its first record. `coming` are ranges of the file that are read next, this one
    /// included.
    pub(super) fn open(
        data: &Arc<Data>,
        partition: Partition,
        options: &ReadOptions,
        coming: &[Range<u64>],
    ) -> Result<Self> {
        options.cancel.check()?;
        let is_stream = is_stream(&partition);
        // An index that contradicts its file is said before anything is read; one of an object is asked for where it is needed.
        let needs_index = !is_stream && cut::is_exact(&partition) != (true, true);
        let index = if needs_index || data.files.store().local_path(&partition.file).is_some() {
            data.index(&partition.file)?
        } else {
            None
        };
        let (left, skip) = (partition.records.unwrap_or(u64::MAX), partition.skip);
        let mut opened = Self {
            reader: Reader::Records(Box::new(tfrecord_io::Reader::new(BoundedInput {
                input: Box::new(std::io::empty()),
                left: 0,
            }))),
            offsets: Arc::new(PartitionOffsets { partition, record: 0, byte: 0, stored_byte: 0 }),
            skip,
            left,
            read: 0,
            ends_at: None,
            holds: None,
            unchecked: options.skip.is_none() && data.settings.verify == Verify::All,
            // What is damaged, checksums say.
            report: options.skip.clone().filter(|_| data.settings.verify != Verify::None),
            at: 0,
            stream: None,
            is_range: false,
            is_stated_compressed: data
                .settings
                .compression
                .is_some_and(|compression| compression != Compression::None),
            counts: ScanCounts::default(),
        };
        let partition = opened.offsets.partition.clone();
        if is_stream {
            opened.open_stream(data, partition, options)?;
        } else {
            let exact = data.exact(&partition, index.as_deref(), options)?;
            opened.open_range(data, partition, exact, options, coming)?;
        }
        Ok(opened)
    }

    /// Returns whether the reader can go on with this partition: both are ranges of one file.
    pub(super) fn goes_on_with(&self, partition: &Partition) -> bool {
        self.is_range
            && matches!(self.reader, Reader::Records(_))
            && !is_stream(partition)
            && self.offsets.partition.file == partition.file
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

    /// Returns the number of records that were read, including the ones passed over.
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
                let count = reader.read_batch(&mut chunk.buffer, BatchSize::records(most).and_bytes(bytes));
                if count.is_err()
                    && let Some(stream) = self.stream.take()
                {
                    return self.read_as_stream(stream, chunk, most, bytes);
                }
                let count = count.map_err(|error| self.offsets.locate(error))?;
                if count == 0 {
                    let end = reader.offset();
                    self.check_end(end)?;
                }
                count
            }
            Reader::Salvage(reader) => {
                let count = chunk.salvage(reader, most, bytes);
                let count = count.map_err(|error| self.offsets.locate(error))?;
                report(reader, self.report.as_ref(), &self.offsets, count == 0)?;
                count
            }
        };
        self.read = self.read.saturating_add(count as u64);
        if let Some(holds) = self.holds
            && self.read > holds
        {
            return Err(self.wrong_members(holds));
        }
        chunk.offsets = Some(Arc::clone(&self.offsets));
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

    /// Returns whether the file is compressed; known once something was read.
    pub(super) fn is_compressed(&mut self) -> bool {
        match &mut self.reader {
            Reader::Records(_) if self.stream.is_some() => true,
            Reader::Records(reader) => {
                reader.compression().is_ok_and(|compression| compression != Compression::None)
            }
            // Not asked for: salvaged files of any compression are resumed by counting.
            Reader::Salvage(_) => {
                self.offsets.byte == 0 || cut::member_offset(&self.offsets.partition).is_some()
            }
        }
    }
}
