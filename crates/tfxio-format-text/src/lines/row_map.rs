//! Offsets of the rows of a file.

use tfxio_core::Result;

use super::reader::RowReader;

/// Bytes between two rows whose offsets are kept.
const APART: u64 = 64 << 10;

/// Maximum number of offsets that are kept: beyond it every second is dropped.
const MOST: usize = 1 << 20;

/// Offsets of some of the rows of a file, found by reading all of it.
#[derive(Debug)]
pub(super) struct RowMap {
    /// Offset and number of a record each, in order; the first record of the file is one of them.
    marks: Vec<(u64, u64)>,
    /// Number of all records.
    pub(super) records: u64,
}

impl RowMap {
    /// Reads a file, which the reader is at the beginning of.
    pub(super) fn read(mut reader: RowReader) -> Result<Self> {
        let (mut marks, mut apart): (Vec<(u64, u64)>, u64) = (Vec::new(), APART);
        loop {
            let next = marks.last().map_or(0, |(offset, _)| offset.saturating_add(apart));
            reader.pass_over(u64::MAX, |offset| offset < next)?;
            let (offset, number) = (reader.begins(), reader.record());
            if reader.next_row()?.is_none() {
                break;
            }
            if marks.len() >= MOST {
                marks = marks.into_iter().step_by(2).collect();
                apart = apart.saturating_mul(2);
            }
            marks.push((offset, number));
        }
        Ok(Self { marks, records: reader.record() })
    }

    /// Returns the last known row that begins at an offset or before it.
    pub(super) fn before_offset(&self, offset: u64) -> Option<(u64, u64)> {
        let after = self.marks.partition_point(|(begins, _)| *begins <= offset);
        self.marks.get(after.checked_sub(1)?).copied()
    }

    /// Returns the last known row at or before a record.
    pub(super) fn before_record(&self, record: u64) -> Option<(u64, u64)> {
        let after = self.marks.partition_point(|(_, number)| *number <= record);
        self.marks.get(after.checked_sub(1)?).copied()
    }

    /// Returns the offset and the number of each known row.
    pub(super) fn marks(&self) -> &[(u64, u64)] {
        &self.marks
    }
}
