//! Row numbers of a scan, including batches without origins.

use std::sync::Arc;

use tfxio_core::{Batch, Origins, Partition, Result, Scan, ScanCounts, Seek};

/// A scan whose batches have the origins of all rows. In batches without origins, rows are counted from the first record of the partition.
pub(super) struct Numbered {
    scan: Box<dyn Scan>,
    file: Arc<str>,
    /// Number of the next row, for batches without origins.
    next: u64,
}

impl Numbered {
    /// Returns the scan of a partition, of all its rows.
    pub(super) fn new(scan: Box<dyn Scan>, partition: &Partition) -> Self {
        Self { scan, file: Arc::clone(&partition.file), next: partition.first_read().unwrap_or(0) }
    }

    pub(super) fn scan(&self) -> &dyn Scan {
        &*self.scan
    }

    pub(super) fn counts(&self) -> ScanCounts {
        self.scan.counts()
    }

    pub(super) fn next_batch(&mut self) -> Result<Option<Batch>> {
        let Some(batch) = self.scan.next_batch()? else { return Ok(None) };
        let rows = batch.num_rows();
        let first = self.next;
        if batch.origins().runs().map(|(_, _, rows)| rows).sum::<usize>() == rows {
            if let Some(last) = rows.checked_sub(1).and_then(|last| batch.origins().get(last)) {
                self.next = last.record.saturating_add(1);
            }
            return Ok(Some(batch));
        }
        self.next = first.saturating_add(rows as u64);
        let mut origins = Origins::default();
        origins.push_run(Arc::clone(&self.file), first, &[], rows);
        Ok(Some(Batch::new(batch.into_columns(), origins)))
    }

    pub(super) fn try_split(&mut self, fraction: f64) -> Result<Option<Partition>> {
        self.scan.try_split(fraction)
    }

    pub(super) fn seek(&mut self, record: u64) -> Result<Seek> {
        let seek = self.scan.seek(record)?;
        if seek != Seek::NotOffered {
            self.next = record;
        }
        Ok(seek)
    }

    pub(super) fn seek_to_byte(&mut self, record: u64, byte: u64) -> Result<Seek> {
        let seek = self.scan.seek_to_byte(record, byte)?;
        if seek != Seek::NotOffered {
            self.next = record;
        }
        Ok(seek)
    }
}
