//! Batches of a known size from chunks of rows.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;
use tfxio_core::Error;

/// Gathers the chunks of a batch.
pub(super) struct Gathered {
    schema: SchemaRef,
    chunks: Vec<RecordBatch>,
    rows: usize,
}

impl Gathered {
    pub(super) fn new(schema: SchemaRef) -> Self {
        Self { schema, chunks: Vec::new(), rows: 0 }
    }

    /// The rows that have gathered.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn push(&mut self, chunk: RecordBatch) {
        if chunk.num_rows() > 0 {
            self.rows += chunk.num_rows();
            self.chunks.push(chunk);
        }
    }

    /// A batch without rows.
    pub(super) fn empty(&self) -> RecordBatch {
        RecordBatch::new_empty(Arc::clone(&self.schema))
    }

    /// What has gathered, if there is anything. A single chunk is not copied.
    pub(super) fn take(&mut self) -> Result<Option<RecordBatch>, Error> {
        self.rows = 0;
        let mut chunks = std::mem::take(&mut self.chunks);
        match (chunks.pop(), chunks.is_empty()) {
            (None, _) => Ok(None),
            (Some(chunk), true) => Ok(Some(chunk)),
            (Some(last), false) => {
                chunks.push(last);
                Ok(Some(concat_batches(&self.schema, &chunks)?))
            }
        }
    }
}
