//! Opening partitions: whole files, gzip members, and ranges of files that are not compressed.

use std::ops::Range;
use std::sync::Arc;

use tfrecord_io::Compression;
use tfrecord_io::salvage::SalvageReader;
use tfxio_core::{Input, Partition, Result, ScanCounts};

use super::bounded_input::BoundedInput;
use super::{CHUNK_BYTES, PartitionReader, ReadOptions, Reader, SKIPPED_AT_ONCE, Stream};
use crate::chunk::Chunk;
use crate::cut::{self, Exact};
use crate::data::Data;
use crate::indexes::Kind;
use crate::inflated::Inflated;
use crate::partition_offsets::PartitionOffsets;

/// Number of records up to which a run of unknown length is read through a small buffer, and the bytes of that.
const SHORT_RUN: u64 = 64;
const SHORT_BUFFER: usize = 16 << 10;

/// Returns where reading of a file can start. An object is only looked at if its name implies that it may have members, since a look takes
/// as long as reading its first bytes.
fn kind_of(data: &Data, file: &Arc<str>, options: &ReadOptions) -> Result<Option<Kind>> {
    let is_local = data.files.store().local_path(file).is_some();
    if is_local || file.ends_with(".gz") {
        data.kind(file, &options.limits).map(Some)
    } else {
        Ok(data.known_kind(file))
    }
}

impl PartitionReader {
    /// Opens a whole file, or whole gzip members of one.
    pub(super) fn open_stream(
        &mut self,
        data: &Arc<Data>,
        partition: Partition,
        options: &ReadOptions,
    ) -> Result<()> {
        let input = data.files.open_with(&partition, &options.cancel)?;
        let left = if partition.end == u64::MAX { u64::MAX } else { partition.end - partition.start };
        let offsets = PartitionOffsets {
            record: partition.first_record.unwrap_or(0),
            byte: cut::member_offset(&partition).unwrap_or(0),
            stored_byte: partition.start,
            partition,
        };
        self.at = offsets.byte;
        self.holds = cut::members_hold(&offsets.partition).filter(|_| options.skip.is_none());
        let threading = options.inflates.as_ref().filter(|_| options.skip.is_none());
        if let Some(threading) = threading
            && let Some(Kind::Members(members)) = kind_of(data, &offsets.partition.file, options)?
        {
            let of_range = offsets.partition.start..offsets.partition.end;
            let first = members.partition_point(|member| member.stored_offset < of_range.start);
            let after = members.partition_point(|member| member.stored_offset < of_range.end);
            let members = members.get(first..after).unwrap_or_default();
            if members.len() > 1 {
                let stream = Stream { data: Arc::clone(data), options: options.clone() };
                let inflated = Inflated::new(input, members, &options.limits, threading)?;
                let source = BoundedInput { input: Box::new(inflated), left: u64::MAX };
                let builder =
                    data.settings.reader(source, &options.limits).compression(Some(Compression::None));
                let builder = builder.name(Arc::clone(&offsets.partition.file));
                self.reader = Reader::Records(Box::new(builder.build()));
                (self.stream, self.offsets) = (Some(stream), Arc::new(offsets));
                return Ok(());
            }
        }
        self.reader = self.reader_of(BoundedInput { input, left }, &offsets, data, options);
        self.offsets = Arc::new(offsets);
        Ok(())
    }

    /// Reads the part that several threads could not inflate as one stream, from the first record that was not read.
    pub(super) fn read_as_stream(
        &mut self,
        stream: Stream,
        chunk: &mut Chunk,
        most: usize,
        bytes: usize,
    ) -> Result<usize> {
        let Stream { data, mut options } = stream;
        options.cancel.check()?;
        options.inflates = None;
        let (read, at, counts) = (self.read, self.at, self.counts);
        self.read = 0;
        self.open_stream(&data, self.offsets.partition.clone(), &options)?;
        while self.read < read {
            let left = usize::try_from((read - self.read).min(SKIPPED_AT_ONCE)).unwrap_or(usize::MAX);
            if self.fill(chunk, left, CHUNK_BYTES)? == 0 {
                break;
            }
        }
        (self.at, self.counts) = (at, counts);
        self.fill(chunk, most, bytes)
    }

    /// Opens a range of a file that is not compressed.
    pub(super) fn open_range(
        &mut self,
        data: &Data,
        partition: Partition,
        exact: Exact,
        options: &ReadOptions,
        coming: &[Range<u64>],
    ) -> Result<()> {
        let Exact { start, end, next, .. } = exact;
        let whole = Partition::range(Arc::clone(&partition.file), start, end);
        let mut input = data.files.open_with(&whole, &options.cancel)?;
        input.will_read(coming);
        let mut offsets = self.enter_range(partition, exact);
        if self.report.is_some() {
            offsets.byte = start;
            let left = if next == u64::MAX { u64::MAX } else { next.saturating_sub(start) };
            self.reader = self.reader_of(BoundedInput { input, left }, &offsets, data, options);
            self.offsets = Arc::new(offsets);
            return Ok(());
        }
        self.offsets = Arc::new(offsets);
        self.reader =
            reader_of_range(input, start..end, self.left, data, options, &self.offsets.partition.file)?;
        Ok(())
    }

    /// Goes on with another range of the same file, through the same reader.
    pub(crate) fn go_on(mut self, data: &Data, partition: Partition, options: &ReadOptions) -> Result<Self> {
        options.cancel.check()?;
        let index =
            if cut::is_exact(&partition) == (true, true) { None } else { data.index(&partition.file)? };
        let exact = data.exact(&partition, index.as_deref(), options)?;
        (self.left, self.skip, self.read) = (partition.records.unwrap_or(u64::MAX), partition.skip, 0);
        self.counts = ScanCounts::default();
        let offsets = self.enter_range(partition, exact);
        self.offsets = Arc::new(offsets);
        let range = exact.start..exact.end;
        self.reader = match self.reader {
            Reader::Records(mut reader) if range.end < u64::MAX => {
                reader.next_range(range)?;
                Reader::Records(reader)
            }
            // How much is read at a time depends on the number of records.
            Reader::Records(reader) => {
                let input = reader.into_inner().input;
                reader_of_range(input, range, self.left, data, options, &self.offsets.partition.file)?
            }
            salvage @ Reader::Salvage(_) => salvage,
        };
        Ok(self)
    }

    /// Sets the state to the known offsets of a range, and returns the base of its numbers.
    fn enter_range(&mut self, mut partition: Partition, exact: Exact) -> PartitionOffsets {
        let Exact { start, next, first_record, .. } = exact;
        (self.at, self.is_range) = (start, true);
        self.ends_at = Some(next).filter(|next| *next < u64::MAX && self.report.is_none());
        // Errors show the partition as it was asked for.
        partition.first_record = partition.first_record.or(first_record);
        let record = partition.first_record.unwrap_or(0);
        PartitionOffsets { partition, record, byte: 0, stored_byte: 0 }
    }

    fn reader_of(
        &self,
        source: BoundedInput,
        offsets: &PartitionOffsets,
        data: &Data,
        options: &ReadOptions,
    ) -> Reader {
        let name = Arc::clone(&offsets.partition.file);
        if self.report.is_none() {
            let builder = data.settings.reader(source, &options.limits).name(name);
            return Reader::Records(Box::new(match &options.inflates {
                Some(threading) => builder.build_threaded(threading),
                None => builder.build(),
            }));
        }
        let builder = SalvageReader::builder(source)
            .compression(data.settings.compression)
            .limits(options.limits)
            .name(name);
        Reader::Salvage(Box::new(builder.build()))
    }
}

/// Returns a reader of a range with this number of records, or `u64::MAX` where that is not known.
fn reader_of_range(
    input: Box<dyn Input>,
    range: Range<u64>,
    records: u64,
    data: &Data,
    options: &ReadOptions,
    file: &Arc<str>,
) -> Result<Reader> {
    let source = BoundedInput { input, left: u64::MAX };
    let mut builder = data.settings.reader(source, &options.limits).name(Arc::clone(file));
    if range.end == u64::MAX && records < SHORT_RUN {
        builder = builder.buffer_bytes(SHORT_BUFFER);
    }
    Ok(Reader::Records(Box::new(builder.build_range(range)?)))
}
