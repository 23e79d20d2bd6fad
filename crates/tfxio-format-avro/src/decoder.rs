//! Decoding of the records of a block to rows.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use avro_path::container::Block;
use avro_path::program::KeyOptions;
use avro_path::record::{RecordOptions, RecordPlan};
use avro_path::{AvroDecoder, AvroSchema, BlockCursor, Key, KeyProgram, Result};
use tfxio_core::Limits;
use tfxio_scan::filter::TwoSteps;

use super::prefilter::Prefilter;

/// Compiled decoding of data of the data set's schema. Clones share it.
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

    /// Returns what decodes all columns that are read, and their order.
    fn decoder(&self) -> (AvroDecoder, Option<Order>) {
        match self {
            Self::Keys(program, ..) => (program.decoder(), None),
            Self::Records(plan, _, order) => (plan.decoder(), order.clone()),
        }
    }

    /// The same for data that were written with another schema.
    pub(super) fn resolved(&self, writer: &AvroSchema, reader: &AvroSchema) -> Result<Self> {
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

/// Filter of records, with the program that decodes its columns.
#[derive(Clone, Debug)]
pub(super) struct Filtering {
    pub(super) steps: TwoSteps,
    pub(super) first: Program,
}

/// Plan of making batches of records.
#[derive(Clone, Debug)]
pub(super) struct BatchPlan {
    /// Program of the columns; `None` where records are only counted.
    pub(super) program: Option<Program>,
    /// Filter of the records that become rows, if not all do.
    pub(super) filtering: Option<Filtering>,
    /// Schema of the batches.
    pub(super) schema: SchemaRef,
}

/// Makes decoders for the data of a split.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub(super) program: Program,
    pub(super) filtering: Option<Filtering>,
    pub(super) limits: Limits,
}

impl Recipe {
    pub(super) fn decoder(&self) -> Decoder {
        let (decoder, order) = self.program.decoder();
        let prefilter = self.filtering.as_ref().map(|filtering| {
            Prefilter::new(filtering.steps.clone(), filtering.first.decoder().0.limits(self.limits))
        });
        Decoder { decoder: decoder.limits(self.limits), order, prefilter }
    }
}

/// Decodes the records of a split.
pub(super) struct Decoder {
    decoder: AvroDecoder,
    order: Option<Order>,
    prefilter: Option<Prefilter>,
}

impl Decoder {
    /// Returns the number of records that have gathered, including the ones that do not satisfy the filter.
    pub(super) fn records(&self) -> usize {
        self.prefilter.as_ref().map_or_else(|| self.decoder.rows(), Prefilter::records)
    }

    /// Returns whether a record was refused for the rows before it alone.
    pub(super) fn is_full(&self) -> bool {
        self.decoder.is_full()
    }

    /// Decodes records of the block until it ends or there are `most`. Returns whether it ended.
    pub(super) fn decode(
        &mut self,
        block: &Block<'_>,
        cursor: &mut BlockCursor,
        most: usize,
    ) -> Result<bool> {
        match &mut self.prefilter {
            Some(prefilter) => prefilter.decode(&mut self.decoder, block, cursor, most),
            None => cursor.decode(block, &mut self.decoder, most),
        }
    }

    /// Returns the rows, and whether each record is one, where there is a filter.
    pub(super) fn flush(&mut self) -> Result<(RecordBatch, Option<Vec<bool>>)> {
        let mut batch = self.decoder.flush()?;
        if let Some(order) = &self.order {
            // The indices are those of columns that exist.
            batch = batch.project(&order.indices).unwrap_or(batch);
        }
        match &mut self.prefilter {
            Some(prefilter) => prefilter.finish(batch).map(|(batch, kept)| (batch, Some(kept))),
            None => Ok((batch, None)),
        }
    }
}
