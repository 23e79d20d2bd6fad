//! Some records of one file.

use std::ops::Range;

use tfrecord_io::salvage::SalvageReader;
use tfrecord_io::{Record, RecordBuffer};
use tfxio_core::{Error, Skip, SkippedRange, Split};

use super::errors;
use super::salvage::{self, is_damage};

/// Bytes of a record's frame.
const FRAME: u64 = 16;

/// Some records of one file, in memory that is used again.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(super) buffer: RecordBuffer,
    /// The split whose records were read without comparing the checksums of their payloads: this is done where the
    /// records are used, which several threads may do at once.
    pub(super) unchecked: Option<Split>,
    salvaged: Salvaged,
    /// Where records are to be reported that cannot be decoded, if they are to be skipped.
    pub(super) skip: Option<Skip>,
}

/// Records that were copied one by one, because there were damaged ones between them.
#[derive(Debug, Default)]
struct Salvaged {
    bytes: Vec<u8>,
    /// Offset and number of each, and where it stands in `bytes`.
    records: Vec<(u64, u64, Range<usize>)>,
}

impl Part {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn len(&self) -> usize {
        self.buffer.len() + self.salvaged.records.len()
    }

    /// Passes over a record that cannot be decoded, where damage is skipped.
    pub(super) fn skip(&self, error: Error, record: &Record<'_>, file: &str) -> Result<(), Error> {
        let Some(skip) = self.skip.as_ref().filter(|_| is_damage(&error)) else { return Err(error) };
        let bytes = (record.data.len() as u64).saturating_add(FRAME);
        let end = record.offset.saturating_add(bytes);
        skip.add(SkippedRange::new(file, record.offset, end, salvage::reason(&error)).records(1))
    }

    /// As [`skip`](Self::skip), for who only looks at the records: whoever reads them after that reports it.
    #[cfg(feature = "example")]
    pub(crate) fn ignore(&self, error: Error) -> Result<(), Error> {
        if self.skip.is_some() && is_damage(&error) { Ok(()) } else { Err(error) }
    }

    pub(super) fn clear(&mut self) {
        self.skip = None;
        self.buffer.clear();
        self.unchecked = None;
        self.salvaged.bytes.clear();
        self.salvaged.records.clear();
    }

    /// Gives every record to `take`, until that fails or a payload is damaged.
    pub(crate) fn try_for_each(
        &self,
        mut take: impl FnMut(Record<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for (position, record) in self.buffer.iter().enumerate() {
            if let Some(split) = &self.unchecked {
                let checked = self.buffer.check_payload(position);
                checked.map_err(|error| errors::in_split(error, split))?;
            }
            take(record)?;
        }
        for (offset, index, range) in &self.salvaged.records {
            let data = self.salvaged.bytes.get(range.clone()).unwrap_or_default();
            take(Record { offset: *offset, index: *index, data })?;
        }
        Ok(())
    }

    /// Fills itself with good records; how many there are.
    pub(super) fn salvage<R: std::io::Read>(
        &mut self,
        reader: &mut SalvageReader<R>,
        most: usize,
        most_bytes: usize,
    ) -> Result<usize, Error> {
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
