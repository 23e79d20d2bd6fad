//! Opening partitions: whole files, gzip members, and ranges of files that are not compressed.

use std::ops::Range;
use std::sync::Arc;

use tfrecord_io::salvage::SalvageReader;
use tfrecord_io::{Compression, ReaderBuilder};
use tfxio_core::{Input, Partition, Result};

use super::source::Source;
use super::{CHUNK_BYTES, PartitionReader, Reader, Reading, SKIPPED_AT_ONCE, Stream};
use crate::tfrecord::base::Base;
use crate::tfrecord::chunk::Chunk;
use crate::tfrecord::cut::{self, Exact};
use crate::tfrecord::data::Data;
use crate::tfrecord::indexes::Kind;
use crate::tfrecord::inflated::Inflated;

/// Number of records up to which a run of unknown length is read through a small buffer, and the bytes of that.
const SHORT_RUN: u64 = 64;
const SHORT_BUFFER: usize = 16 << 10;

/// Returns how a file can be entered. An object is looked at where its name says that it may have members: a look takes as long as
/// its first bytes.
fn kind_of(data: &Data, file: &Arc<str>, reading: &Reading) -> Result<Option<Kind>> {
    let is_local = data.files.store().local_path(file).is_some();
    if is_local || file.ends_with(".gz") {
        data.kind(file, &reading.limits).map(Some)
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
        reading: &Reading,
    ) -> Result<()> {
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
        let threading = reading.inflates.as_ref().filter(|_| reading.skip.is_none());
        if let Some(threading) = threading
            && let Some(Kind::Members(members)) = kind_of(data, &base.partition.file, reading)?
        {
            let of_range = base.partition.start..base.partition.end;
            let first = members.partition_point(|member| member.stored_offset < of_range.start);
            let after = members.partition_point(|member| member.stored_offset < of_range.end);
            let members = members.get(first..after).unwrap_or_default();
            if members.len() > 1 {
                let stream = Stream { data: Arc::clone(data), reading: reading.clone() };
                let inflated = Inflated::new(input, members, &reading.limits, threading)?;
                let source = Source { input: Box::new(inflated), left: u64::MAX };
                let builder =
                    data.settings.reader(source, &reading.limits).compression(Some(Compression::None));
                let builder = builder.name(Arc::clone(&base.partition.file));
                self.reader = Reader::Records(Box::new(builder.build()));
                (self.stream, self.base) = (Some(stream), Arc::new(base));
                return Ok(());
            }
        }
        self.reader = self.reader_of(Source { input, left }, &base, data, reading);
        self.base = Arc::new(base);
        Ok(())
    }

    /// Reads as one stream what several threads could not inflate, from the record after those that were read.
    pub(super) fn read_as_stream(
        &mut self,
        stream: Stream,
        chunk: &mut Chunk,
        most: usize,
        bytes: usize,
    ) -> Result<usize> {
        let Stream { data, mut reading } = stream;
        reading.cancel.check()?;
        reading.inflates = None;
        let (read, at, counts) = (self.read, self.at, self.counts);
        self.read = 0;
        self.open_stream(&data, self.base.partition.clone(), &reading)?;
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
        reading: &Reading,
        before: Option<Self>,
        coming: &[Range<u64>],
    ) -> Result<()> {
        let Exact { start, end, next, first_record } = exact;
        let file = Arc::clone(&partition.file);
        let input = match before.and_then(|before| before.into_input(&file)) {
            Some(input) => input,
            None => {
                let whole = Partition::range(Arc::clone(&file), start, end);
                let mut input = data.files.open_with(&whole, &reading.cancel)?;
                input.will_read(coming);
                input
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
            builder = builder.buffer_bytes(bytes.min(ReaderBuilder::DEFAULT_BUFFER_BYTES));
        }
        self.reader = Reader::Records(Box::new(builder.build_range(start..end)?));
        Ok(())
    }

    fn reader_of(&self, source: Source, base: &Base, data: &Data, reading: &Reading) -> Reader {
        let name = Arc::clone(&base.partition.file);
        if self.report.is_none() {
            let builder = data.settings.reader(source, &reading.limits).name(name);
            return Reader::Records(Box::new(match &reading.inflates {
                Some(threading) => builder.build_threaded(threading),
                None => builder.build(),
            }));
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
}
