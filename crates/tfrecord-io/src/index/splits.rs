//! Splits that begin at records.

use std::ops::Range;

use super::Index;
use crate::compression::Compression;
use crate::splits::{Split, share};

/// A part of a file that holds whole records, from an index.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordSplit {
    /// The bytes in the uncompressed stream, from the first record to the end of the last.
    pub bytes: Split,
    /// The numbers of the records.
    pub records: Range<u64>,
}

impl Index {
    /// Returns splits of about `target_bytes` of the uncompressed stream each, balanced, none empty. For a compressed file they
    /// begin at members; one without described members is a single split.
    ///
    /// ```
    /// use tfrecord_io::{Index, frame, index::Stamp};
    /// let mut file = Vec::new();
    /// for _ in 0..10 {
    ///     frame::append(&mut file, &[0; 84]);
    /// }
    /// let index = Index::from_reader(&file[..], Stamp::new(file.len() as u64))?;
    /// let splits = index.splits(500);
    /// assert_eq!(splits.len(), 2);
    /// assert_eq!(splits[1].records, 5..10);
    /// # Ok::<(), tfrecord_io::Error>(())
    /// ```
    pub fn splits(&self, target_bytes: u64) -> Vec<RecordSplit> {
        let bytes = self.uncompressed_bytes();
        let count = bytes.div_ceil(target_bytes.max(1));
        let mut splits = Vec::new();
        let mut start = 0;
        while start < self.len() {
            let part = part_after(self.offset_of(start).unwrap_or(bytes), bytes, count);
            let cut = share(bytes, part, count);
            let end = self.offsets.partition_point(|&start| start < cut) as u64;
            let end = self.unit_start(end.max(start + 1));
            let (Some(from), Some(to)) = (self.offset_of(start), self.offset_of(end)) else { break };
            splits.push(RecordSplit { bytes: Split::new(from, to), records: start..end });
            start = end;
        }
        splits
    }

    /// Returns the first record of the next part of the file that can be read alone, from `record` on.
    fn unit_start(&self, record: u64) -> u64 {
        if self.compression == Compression::None {
            return record.min(self.len());
        }
        let next = self.members.partition_point(|member| member.first_record < record);
        self.members.get(next).map_or(self.len(), |member| member.first_record)
    }
}

/// Returns the first of `parts` equal parts of `whole` that begins after `offset`.
fn part_after(offset: u64, whole: u64, parts: u64) -> u64 {
    let part = u128::from(offset) * u128::from(parts) / u128::from(whole.max(1)) + 1;
    u64::try_from(part).unwrap_or(parts)
}
