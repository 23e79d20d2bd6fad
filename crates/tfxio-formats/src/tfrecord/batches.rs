//! From records to batches: the work around a decoder, on one thread or several.
//!
//! The threads take turns at reading the records of a batch, which is a small part of the work, and compare the checksums
//! of the payloads and decode what they have read at the same time. So batches are cut as one thread would cut them, and
//! every record keeps its number. A compressed file gains because one thread inflates while others decode; of gzip in
//! members, those that would wait for records inflate.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use tfxio_base::{Cancel, Ordered, Work};
use tfxio_core::{BoxedBatchReader, Error, Origin, RecordDecoder, Split};

use super::errors;
use super::part::Part;
use super::queue::Queue;
use crate::lent::Lent;

/// Returns the queue's records as batches of `schema`, which every decoder's batches have.
pub(crate) fn reader<D: RecordDecoder + Send + 'static>(
    mut queue: Queue,
    schema: SchemaRef,
    batch_size: usize,
    decoders: impl Fn() -> Result<D, Error> + Send + Sync + 'static,
) -> Result<BoxedBatchReader, Error> {
    let (threading, nested) = queue.take_pool();
    let shared = threading.threads > 1;
    let make = move || {
        Ok(Decode {
            decoder: decoders()?,
            part: Part::new(),
            last: None,
            batch_size: batch_size.max(1),
            lent: shared.then(Lent::default),
        })
    };
    let cancel = threading.cancel.clone();
    let batches = Ordered::over(queue, &threading, nested, make)?;
    Ok(Box::new(BatchReader { batches, schema, cancel }))
}

struct BatchReader<D: RecordDecoder + Send + 'static> {
    batches: Ordered<Decode<D>>,
    schema: SchemaRef,
    /// Of this reader alone.
    cancel: Cancel,
}

impl<D: RecordDecoder + Send + 'static> Iterator for BatchReader<D> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batches.next().map(|batch| batch.map_err(ArrowError::from))
    }
}

impl<D: RecordDecoder + Send + 'static> RecordBatchReader for BatchReader<D> {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl<D: RecordDecoder + Send + 'static> Drop for BatchReader<D> {
    fn drop(&mut self) {
        // A thread may wait for a store.
        self.cancel.cancel();
    }
}

/// Decodes batches, each of which is a job: records of which those that cannot be decoded may be skipped.
struct Decode<D> {
    decoder: D,
    part: Part,
    /// The file and the split of `part`, if that is not decoded yet.
    last: Option<(Arc<str>, Option<Split>)>,
    batch_size: usize,
    /// Of several threads.
    lent: Option<Lent>,
}

impl<D: RecordDecoder + Send + 'static> Work for Decode<D> {
    type Source = Queue;
    type Output = RecordBatch;
    type Error = Error;

    fn read(&mut self, queue: &mut Queue) -> Result<bool, Error> {
        loop {
            let missing = self.batch_size - self.decoder.rows();
            let Some(file) = queue.read(&mut self.part, missing)? else { return Ok(self.decoder.rows() > 0) };
            let split = queue.place();
            if self.part.len() == missing {
                // The batch is complete: others may read while this one decodes.
                self.last = Some((file, split));
                return Ok(true);
            }
            push(&mut self.decoder, &self.part, &file, split.as_ref())?;
        }
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, Error> {
        if let Some(lent) = &mut self.lent {
            lent.take_back();
        }
        if let Some((file, split)) = self.last.take() {
            push(&mut self.decoder, &self.part, &file, split.as_ref())?;
        }
        // All records of the batch may have been skipped.
        let batch = (self.decoder.rows() > 0).then(|| self.decoder.flush()).transpose()?;
        if let (Some(lent), Some(batch)) = (&mut self.lent, &batch) {
            lent.lend(batch);
        }
        Ok(batch)
    }

    fn is_done(&self) -> bool {
        true
    }
}

/// Decodes all records of a part.
pub(crate) fn push(
    decoder: &mut impl RecordDecoder,
    part: &Part,
    file: &str,
    split: Option<&Split>,
) -> Result<(), Error> {
    part.try_for_each(|record| {
        let origin = Origin::new(file, record.offset, record.index);
        let pushed = decoder.push(record.data, origin).map_err(|error| match split {
            Some(split) => errors::in_split(error, split),
            None => error,
        });
        pushed.or_else(|error| part.skip(error, &record, file))
    })
}
