//! Records that are decoded only if all of them can be read.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tfxio_core::{Error, Origin, RecordDecoder};

use super::format::InferSchema;

/// A decoder that refuses what the inference of a schema has refused before, whatever columns it decodes: where damage is
/// skipped, both passes skip the same records, and for the same reason.
pub(crate) struct WholeRecords<D, I> {
    pub(crate) decoder: D,
    pub(crate) inference: Option<I>,
}

impl<D: RecordDecoder, I: InferSchema> RecordDecoder for WholeRecords<D, I> {
    fn schema(&self) -> Option<SchemaRef> {
        self.decoder.schema()
    }

    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        if let Some(inference) = &mut self.inference {
            inference.push(record, origin)?;
        }
        self.decoder.push(record, origin)
    }

    fn rows(&self) -> usize {
        self.decoder.rows()
    }

    fn flush(&mut self) -> Result<RecordBatch, Error> {
        self.decoder.flush()
    }
}
