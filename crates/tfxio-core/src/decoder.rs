//! Decoders of records.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use crate::{Error, Origin};

/// A push decoder: records in, record batches out, no I/O.
///
/// [`push`](Self::push) appends one row or, on an error, leaves the decoder as it was before that
/// row, so that a caller may skip the record and go on. [`flush`](Self::flush) hands out what has
/// gathered and remembers the sizes, so that the next batch allocates once.
///
/// File readers, asynchronous readers and loaders are short loops around it. A decoder with its
/// buffers belongs to one thread; what it was built from may be shared.
pub trait RecordDecoder {
    /// Returns the schema of the batches, or `None` while it is inferred from each batch.
    fn schema(&self) -> Option<SchemaRef>;

    /// Appends a record as one row.
    ///
    /// # Errors
    /// When the record is malformed, does not fit the schema, or would exceed a limit. The decoder
    /// is then as it was before the call.
    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error>;

    /// Rows gathered since the last flush.
    fn rows(&self) -> usize;

    /// Hands out the gathered rows as a batch, which may have none.
    ///
    /// # Errors
    /// When the gathered columns do not make a batch; the rows are then gone.
    fn flush(&mut self) -> Result<RecordBatch, Error>;
}
