//! Batches as a reader of Arrow.

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use tfxio_base::Result;

/// An iterator of batches as a [`RecordBatchReader`] of Arrow: for streams of the C data interface, writers of Parquet, and other code that
/// takes one. An error is that of tfxio in an [`ArrowError::ExternalError`]; `tfxio_core::Error::from` gives it back.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch, RecordBatchReader};
/// use tfxio_core::BatchReader;
///
/// let column = Arc::new(Int64Array::from(vec![1, 2])) as ArrayRef;
/// let batch = RecordBatch::try_from_iter([("a", column)])?;
/// let reader = BatchReader::new(batch.schema(), [Ok(batch)].into_iter());
/// let boxed: Box<dyn RecordBatchReader + Send> = Box::new(reader);
/// assert_eq!(boxed.map(|batch| batch.map(|batch| batch.num_rows())).sum::<Result<usize, _>>()?, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BatchReader<I> {
    schema: SchemaRef,
    batches: I,
}

impl<I: Iterator<Item = Result<RecordBatch>>> BatchReader<I> {
    /// Returns a reader of batches, which must all have the schema.
    pub fn new(schema: SchemaRef, batches: I) -> Self {
        Self { schema, batches }
    }
}

impl<I: Iterator<Item = Result<RecordBatch>>> Iterator for BatchReader<I> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batches.next().map(|batch| batch.map_err(ArrowError::from))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.batches.size_hint()
    }
}

impl<I: Iterator<Item = Result<RecordBatch>>> RecordBatchReader for BatchReader<I> {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }
}
