//! A scan of some records of a file.

use std::ops::Range;

use arrow_schema::SchemaRef;
use tfxio_core::{Batch, Partition, Result, Scan, ScanCounts, Seek};

use crate::views::numbered::Numbered;

/// The rows of a scan whose records have some numbers.
pub(super) struct RangedScan {
    scan: Numbered,
    records: Range<u64>,
    /// Number of rows until the limit.
    left: u64,
    is_at_end: bool,
}

impl RangedScan {
    /// Enters a scan of all rows of a partition at the first of the records.
    pub(super) fn new(
        scan: Box<dyn Scan>,
        partition: &Partition,
        records: Range<u64>,
        left: u64,
    ) -> Result<Self> {
        let mut scan = Numbered::new(scan, partition);
        if records.start > partition.first_read().unwrap_or(0) {
            // Where it cannot be entered, what precedes is read and dropped.
            scan.seek(records.start)?;
        }
        Ok(Self { scan, records, left, is_at_end: false })
    }

    /// Returns the rows of a batch that are in the range.
    fn within(&mut self, batch: &Batch) -> Batch {
        let (mut first, mut end) = (None, 0);
        for (row, origin, rows) in batch.origins().runs() {
            let before = self.records.start.saturating_sub(origin.record);
            let until = self.records.end.saturating_sub(origin.record);
            let limit = |records: u64| usize::try_from(records).unwrap_or(usize::MAX).min(rows);
            let (before, until) = (limit(before), limit(until));
            if before < until {
                first = first.or(Some(row.saturating_add(before)));
                end = row.saturating_add(until);
            }
            if origin.record.saturating_add(rows as u64) >= self.records.end {
                self.is_at_end = true;
                break;
            }
        }
        let first = first.unwrap_or(end);
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        let rows = end.saturating_sub(first).min(left);
        self.left = self.left.saturating_sub(rows as u64);
        if rows == batch.num_rows() { batch.clone() } else { batch.slice(first, rows) }
    }
}

impl Scan for RangedScan {
    fn schema(&self) -> &SchemaRef {
        self.scan.scan().schema()
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        while self.left > 0 && !self.is_at_end {
            let Some(batch) = self.scan.next_batch()? else { break };
            let batch = self.within(&batch);
            if batch.num_rows() > 0 {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn seek(&mut self, record: u64) -> Result<Seek> {
        self.is_at_end = false;
        self.scan.seek(record.max(self.records.start))
    }

    fn seek_to_byte(&mut self, record: u64, byte: u64) -> Result<Seek> {
        match record < self.records.start {
            true => self.seek(record),
            false => {
                self.is_at_end = false;
                self.scan.seek_to_byte(record, byte)
            }
        }
    }

    fn counts(&self) -> ScanCounts {
        self.scan.counts()
    }
}
