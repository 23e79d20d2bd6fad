//! Decoding in two steps: the columns of a filter, and then the requested columns of the records that satisfy it.

use std::ops::Range;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfrecord_io::Record;
use tfxio_core::{Batch, Error, Origin, RecordDecoder, RecordPlan, Result, ScanRequest};
use tfxio_scan::filter::{Share, TwoSteps};

use super::chunk::Chunk;

type Decoder = dyn RecordDecoder + Send;

/// Decodes the columns of a filter, and decides for which records the requested columns are decoded.
///
/// Whether a chunk is decoded in one or two steps depends on its records alone, and affects neither rows nor errors.
pub(super) struct Prefilter {
    steps: TwoSteps,
    /// Decodes the columns of the filter.
    first: Box<Decoder>,
    /// Whether rows have gathered to which the filter is to be applied.
    is_mixed: bool,
}

/// The first record that fails, by its position in the chunk.
type Failed = (usize, Error);

impl Prefilter {
    /// Returns a decoder of the columns of a request and of its filter, and the prefilter that selects its records; nothing where the
    /// filter is not applied.
    ///
    /// # Errors
    /// When a column does not exist, or the filter does not fit the types of columns.
    pub(super) fn new(plan: &dyn RecordPlan, request: &ScanRequest) -> Result<Option<(Box<Decoder>, Self)>> {
        let make = |request: &ScanRequest| {
            let decoder = plan.decoder(request)?;
            let schema = decoder.schema().unwrap_or_else(|| Arc::clone(plan.schema()));
            Ok((decoder, schema))
        };
        let made = TwoSteps::new(request, plan.schema(), make)?;
        Ok(made.map(|(steps, decoder, first)| (decoder, Self { steps, first, is_mixed: false })))
    }

    /// Returns the schema of the batches, where it is not that of the decoder.
    pub(super) fn schema(&self) -> Option<&SchemaRef> {
        self.steps.schema()
    }

    /// Gives the records of a chunk to a decoder, and the records that were decoded to `take`. Returns how many were decoded, or did not
    /// satisfy the filter, before one that failed.
    pub(super) fn decode(
        &mut self,
        decoder: &mut Decoder,
        chunk: &Chunk,
        take: &mut dyn FnMut(&Record<'_>),
    ) -> (usize, Result<()>) {
        match self.decode_all(decoder, chunk, take) {
            Ok(()) => (chunk.len(), Ok(())),
            Err((position, error)) => (position, Err(chunk.locate(error))),
        }
    }

    fn decode_all(
        &mut self,
        decoder: &mut Decoder,
        chunk: &Chunk,
        take: &mut dyn FnMut(&Record<'_>),
    ) -> Result<(), Failed> {
        let records = chunk.len();
        if self.steps.is_all() {
            return self.at_once(decoder, chunk, 0..records, take);
        }
        let sampled = Share::sample(records);
        let share = self.in_two_steps(decoder, chunk, 0..sampled, take)?;
        if share.is_large() {
            self.at_once(decoder, chunk, sampled..records, take)
        } else {
            self.in_two_steps(decoder, chunk, sampled..records, take).map(drop)
        }
    }

    /// Decodes the columns of the filter, and then all of the records that satisfy it.
    fn in_two_steps(
        &mut self,
        decoder: &mut Decoder,
        chunk: &Chunk,
        range: Range<usize>,
        take: &mut dyn FnMut(&Record<'_>),
    ) -> Result<Share, Failed> {
        if range.is_empty() {
            return Ok(Share::default());
        }
        let (start, records) = (range.start, range.len());
        let mut failed = None;
        for position in range {
            let Some(record) = chunk.get(position) else { break };
            let pushed = chunk.check(position).and_then(|()| push(&mut *self.first, chunk, &record));
            if let Err(error) = pushed {
                failed = Some((position, error));
                break;
            }
        }
        let holds = self.first.flush().and_then(|columns| self.steps.hold(&columns));
        let holds = holds.map_err(|error| (start, error))?;
        let mut passed = 0;
        for row in holds.set_indices() {
            let position = start.saturating_add(row);
            let Some(record) = chunk.get(position) else { break };
            push(decoder, chunk, &record).map_err(|error| (position, error))?;
            take(&record);
            passed += 1;
        }
        failed.map_or(Ok(Share { passed, records }), Err)
    }

    /// Decodes all columns. The filter is applied to the batch.
    fn at_once(
        &mut self,
        decoder: &mut Decoder,
        chunk: &Chunk,
        range: Range<usize>,
        take: &mut dyn FnMut(&Record<'_>),
    ) -> Result<(), Failed> {
        self.is_mixed |= !range.is_empty();
        for position in range {
            let Some(record) = chunk.get(position) else { break };
            chunk.check(position).map_err(|error| (position, error))?;
            match push(decoder, chunk, &record) {
                Ok(()) => take(&record),
                // A record that does not satisfy the filter is read for its columns only.
                Err(error) if self.passes(chunk, &record).map_err(|error| (position, error))? => {
                    return Err((position, error));
                }
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Returns whether a record satisfies the filter.
    fn passes(&mut self, chunk: &Chunk, record: &Record<'_>) -> Result<bool> {
        push(&mut *self.first, chunk, record)?;
        let columns = self.first.flush()?;
        Ok(self.steps.hold(&columns)?.count_set_bits() > 0)
    }

    /// Returns the rows of a batch of the decoder that satisfy the filter, with the columns that are asked for.
    pub(super) fn finish(&mut self, batch: Batch) -> Result<Batch> {
        if std::mem::take(&mut self.is_mixed) {
            return self.steps.apply(batch);
        }
        let (columns, origins) = batch.into_parts();
        Ok(Batch::new(self.steps.project(columns)?, origins))
    }
}

fn push(decoder: &mut Decoder, chunk: &Chunk, record: &Record<'_>) -> Result<()> {
    let origin = match chunk.file() {
        Some(file) => Origin::new(file, record.offset, record.index),
        None => Origin::record(record.index),
    };
    decoder.push(record.data, origin)
}
