//! Batches that are held in memory, as a scan.

use std::collections::VecDeque;

use arrow_schema::SchemaRef;
use tfxio_core::{Batch, Result, Scan};

/// Batches that were read already.
pub(super) struct BufferedScan {
    pub(super) schema: SchemaRef,
    pub(super) batches: VecDeque<Batch>,
}

impl Scan for BufferedScan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        Ok(self.batches.pop_front())
    }
}
