//! Projections that may name the columns beside the features.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tfxio_core::{Error, Origin, RecordDecoder};

use super::builder::ExampleTfxIoBuilder;

/// What a decoder is asked for by a projection: features, then the raw record, then the source.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    features: Option<Vec<Arc<str>>>,
    raw_record: Option<Arc<str>>,
    source: Option<Arc<str>>,
    /// The names in the order asked for, where the decoder's is another.
    order: Option<Vec<Arc<str>>>,
}

impl Columns {
    pub(super) fn new(options: &ExampleTfxIoBuilder, projection: Option<&[Arc<str>]>) -> Self {
        let (raw_record, source) = (options.raw_record_column.clone(), options.source_column.clone());
        let Some(names) = projection else {
            return Self { features: None, raw_record, source, order: None };
        };
        let is_extra = |name: &Arc<str>| Some(name) == raw_record.as_ref() || Some(name) == source.as_ref();
        let features = names.iter().filter(|name| !is_extra(name)).cloned().collect::<Vec<_>>();
        let asked = |name: Option<Arc<str>>| name.filter(|name| names.contains(name));
        let order = (features.len() < names.len()).then(|| names.to_vec());
        Self {
            raw_record: asked(raw_record.clone()),
            source: asked(source.clone()),
            features: Some(features),
            order,
        }
    }

    pub(super) fn features(&self) -> Option<&[Arc<str>]> {
        self.features.as_deref()
    }

    pub(super) fn raw_record(&self) -> Option<Arc<str>> {
        self.raw_record.clone()
    }

    pub(super) fn source(&self) -> Option<Arc<str>> {
        self.source.clone()
    }

    pub(super) fn order(&self) -> Option<&[Arc<str>]> {
        self.order.as_deref()
    }
}

/// A decoder whose columns are put into another order.
#[derive(Debug)]
pub(super) struct Ordered<D> {
    decoder: D,
    /// For each column, its place in the decoder's batches; and the schema.
    order: Option<(Vec<usize>, Option<SchemaRef>)>,
}

impl<D: RecordDecoder> Ordered<D> {
    pub(super) fn new(decoder: D, order: Option<&[Arc<str>]>) -> Result<Self, Error> {
        let order = match (order, decoder.schema()) {
            (Some(names), Some(schema)) => {
                let places = names.iter().map(|name| schema.index_of(name)).collect::<Result<Vec<_>, _>>()?;
                let schema = schema.project(&places)?;
                Some((places, Some(Arc::new(schema))))
            }
            _ => None,
        };
        Ok(Self { decoder, order })
    }
}

impl<D: RecordDecoder> RecordDecoder for Ordered<D> {
    fn schema(&self) -> Option<SchemaRef> {
        match &self.order {
            Some((_, schema)) => schema.clone(),
            None => self.decoder.schema(),
        }
    }

    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        self.decoder.push(record, origin)
    }

    fn rows(&self) -> usize {
        self.decoder.rows()
    }

    fn flush(&mut self) -> Result<RecordBatch, Error> {
        let batch = self.decoder.flush()?;
        match &self.order {
            Some((places, _)) => Ok(batch.project(places)?),
            None => Ok(batch),
        }
    }
}
