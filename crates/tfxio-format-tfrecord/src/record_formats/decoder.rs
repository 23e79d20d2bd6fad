//! Decoders of messages with the columns of a request.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tfxio_core::{Error, ErrorKind, Origin, RecordDecoder, Result, suggest};

use super::format::{Format, InferSchema as _};

/// A decoder of messages whose columns are in the order of a request.
pub(super) struct MessageDecoder<F: Format> {
    format: F,
    decoder: F::Decoder,
    /// Refuses what the inference of a schema has refused before, whatever columns are decoded: where damage is skipped, both
    /// passes skip the same records, and for the same reason.
    inference: Option<F::Inference>,
    /// For each column its index in the batches of the decoder; and the schema.
    order: Option<(Vec<usize>, SchemaRef)>,
}

impl<F: Format> MessageDecoder<F> {
    pub(super) fn new(
        format: F,
        decoder: F::Decoder,
        inference: Option<F::Inference>,
        order: Option<&[Arc<str>]>,
    ) -> Result<Self> {
        let order = match (order, decoder.schema()) {
            (Some(names), Some(schema)) => {
                let of_schema = schema.fields().iter().enumerate().rev();
                let by_name = of_schema.map(|(index, field)| (field.name().as_str(), index));
                let by_name = by_name.collect::<HashMap<_, _>>();
                let index = |name: &Arc<str>| {
                    by_name.get(&**name).copied().ok_or_else(|| {
                        let names = schema.fields().iter().map(|field| field.name().as_str());
                        let hint = suggest::hint(name, names, "columns");
                        let what = format!("there is no column {name:?} in the data set");
                        Error::new(ErrorKind::InvalidArgument, what).help(hint)
                    })
                };
                let order = names.iter().map(index).collect::<Result<Vec<_>>>()?;
                let schema = Arc::new(schema.project(&order)?);
                Some((order, schema))
            }
            _ => None,
        };
        Ok(Self { format, decoder, inference, order })
    }
}

impl<F: Format> RecordDecoder for MessageDecoder<F> {
    fn schema(&self) -> Option<SchemaRef> {
        match &self.order {
            Some((_, schema)) => Some(Arc::clone(schema)),
            None => self.decoder.schema(),
        }
    }

    #[inline]
    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<()> {
        let seen = self.inference.as_mut().map_or(Ok(()), |inference| inference.push(record, origin));
        let pushed = seen.and_then(|()| self.decoder.push(record, origin));
        pushed.map_err(|error| self.format.explain(record, error))
    }

    fn rows(&self) -> usize {
        self.decoder.rows()
    }

    fn flush(&mut self) -> Result<RecordBatch> {
        let batch = self.decoder.flush()?;
        match &self.order {
            Some((order, _)) => Ok(batch.project(order)?),
            None => Ok(batch),
        }
    }
}
