//! Some records of one partition.

use std::ops::Range;
use std::sync::Arc;

use tfrecord_io::salvage::SalvageReader;
use tfrecord_io::{Record, RecordBuffer};
use tfxio_core::{Error, LostRange, Result, Skip};
use tfxio_scan::damage::{is_damage, reason};

use super::partition_offsets::PartitionOffsets;

/// Bytes of the frame of a record.
pub(super) const FRAME: u64 = 16;

/// Some records of one partition, in memory that is used again, with their numbers and offsets in the file.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub(super) buffer: RecordBuffer,
    /// Whether the checksums of payloads were not compared when they were read: this is done where the records are used,
    /// which several threads may do at once.
    pub(super) unchecked: bool,
    salvaged: Salvaged,
    /// Base that is added to numbers and offsets, with the partition for errors.
    pub(super) offsets: Option<Arc<PartitionOffsets>>,
    /// Report of records that cannot be decoded, if they are to be skipped.
    pub(super) skip: Option<Skip>,
}

/// Records that were copied one by one, because there were damaged ones between them.
#[derive(Debug, Default)]
struct Salvaged {
    bytes: Vec<u8>,
    /// Offset and number of each, and its range in `bytes`.
    records: Vec<(u64, u64, Range<usize>)>,
}

impl Chunk {
    pub(super) fn clear(&mut self) {
        self.skip = None;
        self.offsets = None;
        self.unchecked = false;
        self.buffer.clear();
        self.salvaged.bytes.clear();
        self.salvaged.records.clear();
    }

    /// Returns the file of the records.
    pub(super) fn file(&self) -> Option<&Arc<str>> {
        self.offsets.as_ref().map(|offsets| &offsets.partition.file)
    }

    /// Returns the offset of the record after the last one in the uncompressed file.
    pub(super) fn end(&self) -> Option<u64> {
        let end = |offset: u64, len: usize| offset.saturating_add(len as u64).saturating_add(FRAME);
        let salvaged = self.salvaged.records.last().map(|(offset, _, range)| end(*offset, range.len()));
        let last = self.buffer.len().checked_sub(1).and_then(|last| self.buffer.get(last));
        let end = salvaged.or_else(|| last.map(|record| end(record.offset, record.data.len())))?;
        Some(end.saturating_add(self.offsets.as_ref().map_or(0, |offsets| offsets.byte)))
    }

    /// Gives every record to `take`, until that fails or a payload is damaged.
    pub(super) fn try_for_each(&self, mut take: impl FnMut(Record<'_>) -> Result<()>) -> Result<()> {
        for (position, record) in self.buffer.iter().enumerate() {
            self.check(position)?;
            take(self.based(record.offset, record.index, record.data))?;
        }
        for (offset, index, range) in &self.salvaged.records {
            let data = self.salvaged.bytes.get(range.clone()).unwrap_or_default();
            take(self.based(*offset, *index, data))?;
        }
        Ok(())
    }

    /// Returns the number of records that were read without salvaging.
    pub(super) fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Returns a record by its position among the records that were read without salvaging.
    pub(super) fn get(&self, position: usize) -> Option<Record<'_>> {
        let record = self.buffer.get(position)?;
        Some(self.based(record.offset, record.index, record.data))
    }

    /// Compares the checksum of a payload, if that was not done when it was read.
    pub(super) fn check(&self, position: usize) -> Result<()> {
        if !self.unchecked {
            return Ok(());
        }
        self.buffer.check_payload(position).map_err(|error| match &self.offsets {
            Some(offsets) => offsets.locate(error),
            None => error,
        })
    }

    /// Returns a record with its number and offset in the file.
    fn based<'a>(&self, offset: u64, index: u64, data: &'a [u8]) -> Record<'a> {
        let (byte, record) = self.offsets.as_ref().map_or((0, 0), |offsets| (offsets.byte, offsets.record));
        Record { offset: offset.saturating_add(byte), index: index.saturating_add(record), data }
    }

    /// Returns the error of a record with its position as far as the partition knows it.
    pub(super) fn locate(&self, error: Error) -> Error {
        match &self.offsets {
            Some(offsets) => offsets.partition.locate(error),
            None => error,
        }
    }

    /// Passes over a record that cannot be decoded, where damage is skipped.
    pub(super) fn skip(&self, error: Error, record: &Record<'_>) -> Result<()> {
        let (Some(skip), Some(file)) = (self.skip.as_ref().filter(|_| is_damage(&error)), self.file()) else {
            return Err(error);
        };
        let end = record.offset.saturating_add(record.data.len() as u64).saturating_add(FRAME);
        skip.add(LostRange::new(record.offset, end, reason(&error)).file(Arc::clone(file)).records(1))
    }

    /// As [`skip`](Self::skip), for who only looks at the records: whoever reads them after that reports it.
    pub(super) fn ignore(&self, error: Error) -> Result<()> {
        if self.skip.is_some() && is_damage(&error) { Ok(()) } else { Err(error) }
    }

    /// Fills itself with good records; how many there are.
    pub(super) fn salvage<R: std::io::Read>(
        &mut self,
        reader: &mut SalvageReader<R>,
        most: usize,
        most_bytes: usize,
    ) -> Result<usize> {
        let Salvaged { bytes, records } = &mut self.salvaged;
        while records.len() < most && bytes.len() < most_bytes {
            let Some(record) = reader.next_record()? else { break };
            let start = bytes.len();
            bytes.extend_from_slice(record.data);
            records.push((record.offset, record.index, start..bytes.len()));
        }
        Ok(records.len())
    }
}
