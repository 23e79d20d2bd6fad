//! Batches of a known size from pieces.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;
use tfxio_core::Error;

/// Gathers the pieces of a batch.
pub(super) struct Pieces {
    schema: SchemaRef,
    gathered: Vec<RecordBatch>,
    rows: usize,
}

impl Pieces {
    pub(super) fn new(schema: SchemaRef) -> Self {
        Self { schema, gathered: Vec::new(), rows: 0 }
    }

    /// The rows that have gathered.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn push(&mut self, piece: RecordBatch) {
        if piece.num_rows() > 0 {
            self.rows += piece.num_rows();
            self.gathered.push(piece);
        }
    }

    /// What has gathered, if there is anything. A single piece is not copied.
    pub(super) fn take(&mut self) -> Result<Option<RecordBatch>, Error> {
        self.rows = 0;
        let mut pieces = std::mem::take(&mut self.gathered);
        match (pieces.pop(), pieces.is_empty()) {
            (None, _) => Ok(None),
            (Some(piece), true) => Ok(Some(piece)),
            (Some(last), false) => {
                pieces.push(last);
                Ok(Some(concat_batches(&self.schema, &pieces)?))
            }
        }
    }
}
