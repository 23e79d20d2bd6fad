//! From the records of a block to rows.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use avro_path::container::Block;
use avro_path::program::KeyOptions;
use avro_path::record::{RecordOptions, RecordPlan};
use avro_path::{AvroDecoder, BlockCursor, Key, KeyProgram, Result, Schema};
use tfxio_core::Limits;

/// What is made of data of the data set's schema. Clones share it.
#[derive(Clone, Debug)]
pub(super) enum Program {
    /// A column a key expression, with its name.
    Keys(KeyProgram, Arc<[(Arc<str>, Key)]>, KeyOptions),
    /// A column a field.
    Records(RecordPlan, RecordOptions, Option<Order>),
}

/// Columns in another order than that of the schema: the index of each, and what comes out.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) indices: Arc<[usize]>,
    pub(super) schema: SchemaRef,
}

impl Program {
    pub(super) fn arrow_schema(&self) -> SchemaRef {
        match self {
            Self::Keys(program, ..) => program.arrow_schema(),
            Self::Records(_, _, Some(order)) => Arc::clone(&order.schema),
            Self::Records(plan, _, None) => plan.arrow_schema(),
        }
    }

    /// The same for data that were written with another schema.
    pub(super) fn resolved(&self, writer: &Schema, reader: &Schema) -> Result<Self> {
        Ok(match self {
            Self::Keys(_, keys, options) => {
                let named = keys.iter().map(|(name, key)| (&**name, key));
                let program = KeyProgram::builder(reader, named).writer(writer).options(*options).build()?;
                Self::Keys(program, Arc::clone(keys), *options)
            }
            Self::Records(_, options, order) => {
                let plan = RecordPlan::builder(reader).writer(writer).options(options.clone()).build()?;
                Self::Records(plan, options.clone(), order.clone())
            }
        })
    }
}

/// Makes decoders for the data of a split.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub(super) program: Program,
    pub(super) limits: Limits,
}

impl Recipe {
    pub(super) fn decoder(&self) -> Decoder {
        let (decoder, order) = match &self.program {
            Program::Keys(program, ..) => (program.decoder(), None),
            Program::Records(plan, _, order) => (plan.decoder(), order.clone()),
        };
        Decoder { decoder: decoder.limits(self.limits), order }
    }
}

/// Decodes the records of a split.
pub(super) struct Decoder {
    decoder: AvroDecoder,
    order: Option<Order>,
}

impl Decoder {
    pub(super) fn rows(&self) -> usize {
        self.decoder.rows()
    }

    /// Decodes records of the block until it ends or there are `most` rows. Returns whether it ended.
    pub(super) fn decode(
        &mut self,
        block: &Block<'_>,
        cursor: &mut BlockCursor,
        most: usize,
    ) -> Result<bool> {
        cursor.decode(block, &mut self.decoder, most)
    }

    pub(super) fn flush(&mut self) -> Result<RecordBatch> {
        let batch = self.decoder.flush()?;
        match &self.order {
            // The indices are those of columns that exist.
            Some(order) => Ok(batch.project(&order.indices).unwrap_or(batch)),
            None => Ok(batch),
        }
    }
}
