//! Projections, which may name the column of sequence features and the columns beside the features.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tfxio_core::{Error, ErrorKind, Origin, RecordDecoder};

use super::format::{Format, Selection};

/// What a decoder is asked for by a projection: features, then the raw record, then the source.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    pub(super) selection: Option<Selection>,
    pub(super) raw_record: Option<Arc<str>>,
    pub(super) source: Option<Arc<str>>,
    /// The names in the order asked for, where the decoder's is another.
    order: Option<Vec<Arc<str>>>,
}

impl Columns {
    /// All columns of a data set that reads these features, or all of its schema.
    pub(super) fn all(
        selection: Option<&Selection>,
        raw_record: Option<Arc<str>>,
        source: Option<Arc<str>>,
    ) -> Self {
        Self { selection: selection.cloned(), raw_record, source, order: None }
    }

    /// These columns of it.
    pub(super) fn project<F: Format>(
        self,
        format: &F,
        schema: &F::Schema,
        names: &[Arc<str>],
    ) -> Result<Self, Error> {
        let sequence = format.sequence_column(schema);
        let is_extra =
            |name: &Arc<str>| Some(name) == self.raw_record.as_ref() || Some(name) == self.source.as_ref();
        let is_feature = |name: &&Arc<str>| !is_extra(name) && Some(*name) != sequence;
        let columns = names.iter().filter(is_feature).cloned().collect::<Vec<_>>();
        if let Some(all) = &self.selection
            && let Some(unknown) = columns.iter().find(|name| !all.columns.contains(name))
        {
            let message = format!("there is no column {unknown:?} in the projected data set");
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        // The decoder's order is: features, sequence features, others.
        let order = (columns.len() < names.len()).then(|| names.to_vec());
        let has_sequence = sequence.is_some_and(|name| names.contains(name));
        let sequence = match &self.selection {
            _ if !has_sequence => Vec::new(),
            Some(all) => all.sequence.clone(),
            None => F::features(schema).sequence,
        };
        let asked = |name: &Option<Arc<str>>| name.clone().filter(|name| names.contains(name));
        Ok(Self {
            raw_record: asked(&self.raw_record),
            source: asked(&self.source),
            selection: Some(Selection { columns, sequence }),
            order,
        })
    }

    pub(super) fn order(&self) -> Option<&[Arc<str>]> {
        self.order.as_deref()
    }
}

/// A decoder whose columns are put into another order.
#[derive(Debug)]
pub(crate) struct Ordered<D> {
    decoder: D,
    /// For each column, its place in the decoder's batches; and the schema.
    order: Option<(Vec<usize>, SchemaRef)>,
}

impl<D: RecordDecoder> Ordered<D> {
    pub(crate) fn new(decoder: D, order: Option<&[Arc<str>]>) -> Result<Self, Error> {
        let order = match (order, decoder.schema()) {
            (Some(names), Some(schema)) => {
                let place = |name: &Arc<str>| {
                    let known = schema.fields().iter().position(|field| *field.name() == **name);
                    known.ok_or_else(|| {
                        let message = format!("there is no column {name:?} in the data set");
                        Error::new(ErrorKind::InvalidArgument, message)
                    })
                };
                let places = names.iter().map(place).collect::<Result<Vec<_>, _>>()?;
                let schema = Arc::new(schema.project(&places)?);
                Some((places, schema))
            }
            _ => None,
        };
        Ok(Self { decoder, order })
    }
}

impl<D: RecordDecoder> RecordDecoder for Ordered<D> {
    fn schema(&self) -> Option<SchemaRef> {
        match &self.order {
            Some((_, schema)) => Some(schema.clone()),
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
