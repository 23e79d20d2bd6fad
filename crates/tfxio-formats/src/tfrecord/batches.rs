//! From records to batches: the loop around a decoder.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use tfxio_core::{BoxedBatchReader, Error, Origin, RecordDecoder, Split};

use super::errors;
use super::part::Part;
use super::queue::Queue;
use super::threads::ThreadedReader;

/// Makes a decoder for each thread.
pub(crate) trait MakeDecoder: Send + Sync + 'static {
    type Decoder: RecordDecoder + Send + 'static;

    fn make(&self) -> Result<Self::Decoder, Error>;
}

impl<D: RecordDecoder + Send + 'static, F: Fn() -> Result<D, Error> + Send + Sync + 'static> MakeDecoder
    for F
{
    type Decoder = D;

    fn make(&self) -> Result<D, Error> {
        self()
    }
}

/// A reader of the queue's records as batches of `schema`, which every decoder's batches have.
pub(crate) fn reader(
    queue: Queue,
    schema: SchemaRef,
    batch_size: usize,
    threads: usize,
    decoders: impl MakeDecoder,
) -> Result<BoxedBatchReader, Error> {
    let batch_size = batch_size.max(1);
    if threads > 1 {
        return Ok(Box::new(ThreadedReader::start(queue, schema, batch_size, threads, &decoders)?));
    }
    let decoder = decoders.make()?;
    Ok(Box::new(BatchReader { queue: Some(queue), decoder, schema, batch_size, part: Part::new() }))
}

/// Reads and decodes on the thread that asks for a batch.
struct BatchReader<D> {
    /// Nothing after the end or an error.
    queue: Option<Queue>,
    decoder: D,
    schema: SchemaRef,
    batch_size: usize,
    part: Part,
}

impl<D: RecordDecoder> BatchReader<D> {
    fn fill(&mut self) -> Result<Option<RecordBatch>, Error> {
        let Some(queue) = &mut self.queue else { return Ok(None) };
        while self.decoder.rows() < self.batch_size {
            match queue.read(&mut self.part, self.batch_size - self.decoder.rows())? {
                Some(file) => push(&mut self.decoder, &self.part, &file, queue.place().as_ref())?,
                None => break,
            }
        }
        if self.decoder.rows() == 0 { Ok(None) } else { self.decoder.flush().map(Some) }
    }
}

impl<D: RecordDecoder> Iterator for BatchReader<D> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.fill();
        if !matches!(next, Ok(Some(_))) {
            self.queue = None;
        }
        next.map_err(ArrowError::from).transpose()
    }
}

impl<D: RecordDecoder> RecordBatchReader for BatchReader<D> {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
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
