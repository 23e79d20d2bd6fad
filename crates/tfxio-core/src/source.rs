//! Decoders of records and sources of batches.

use arrow_array::{RecordBatch, RecordBatchReader};
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
    /// The schema of the batches, or `None` while it is inferred from each batch.
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

/// Anything that yields record batches of one schema, one after the other.
pub trait BatchSource: Send {
    /// The schema of every batch.
    fn schema(&self) -> SchemaRef;

    /// The next batch, or `None` after the last.
    ///
    /// # Errors
    /// Whatever the source meets; a source that has failed stays at its end.
    fn next_batch(&mut self) -> Result<Option<RecordBatch>, Error>;
}

/// A [`BatchSource`] over any of arrow's `RecordBatchReader`s.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{RecordBatch, RecordBatchIterator};
/// use arrow_schema::Schema;
/// use tfxio_core::{BatchSource, ReaderSource};
///
/// let schema = Arc::new(Schema::empty());
/// let reader = RecordBatchIterator::new([Ok(RecordBatch::new_empty(schema.clone()))], schema);
/// let mut source = ReaderSource::new(reader);
/// assert!(source.next_batch()?.is_some());
/// assert!(source.next_batch()?.is_none());
/// # Ok::<(), tfxio_core::Error>(())
/// ```
#[derive(Debug)]
pub struct ReaderSource<R> {
    reader: Option<R>,
    schema: SchemaRef,
}

impl<R: RecordBatchReader + Send> ReaderSource<R> {
    /// Takes over a reader.
    pub fn new(reader: R) -> Self {
        let schema = reader.schema();
        Self { reader: Some(reader), schema }
    }
}

impl<R: RecordBatchReader + Send> BatchSource for ReaderSource<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, Error> {
        let Some(reader) = &mut self.reader else { return Ok(None) };
        match reader.next() {
            Some(Ok(batch)) => Ok(Some(batch)),
            Some(Err(error)) => {
                self.reader = None;
                Err(error.into())
            }
            None => {
                self.reader = None;
                Ok(None)
            }
        }
    }
}
