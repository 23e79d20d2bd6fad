//! Scans whose columns are scalars and text.

use arrow_schema::SchemaRef;
use tfxio_core::{Batch, Partition, Result, Scan, ScanCounts, Seek};

use super::shapes::Plan;

/// Changes the columns of the batches of a scan.
pub(super) struct ValuedScan {
    scan: Box<dyn Scan>,
    plan: Plan,
    has_failed: bool,
}

impl ValuedScan {
    pub(super) fn new(scan: Box<dyn Scan>, plan: Plan) -> Self {
        Self { scan, plan, has_failed: false }
    }
}

impl Scan for ValuedScan {
    fn schema(&self) -> &SchemaRef {
        self.plan.schema()
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        if self.has_failed {
            return Ok(None);
        }
        let Some(batch) = self.scan.next_batch()? else { return Ok(None) };
        let batch = self.plan.apply(batch);
        self.has_failed = batch.is_err();
        batch.map(Some)
    }

    fn try_split(&mut self, fraction: f64) -> Result<Option<Partition>> {
        self.scan.try_split(fraction)
    }

    fn remaining(&self) -> Option<Partition> {
        self.scan.remaining()
    }

    fn seek(&mut self, record: u64) -> Result<Seek> {
        self.scan.seek(record)
    }

    fn seek_to_byte(&mut self, record: u64, byte: u64) -> Result<Seek> {
        self.scan.seek_to_byte(record, byte)
    }

    fn counts(&self) -> ScanCounts {
        self.scan.counts()
    }
}
