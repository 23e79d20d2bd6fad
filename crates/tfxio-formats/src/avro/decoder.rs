//! From the records of a block to rows.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use avro_path::container::Block;
use avro_path::datum::DatumReader;
use avro_path::record::{RecordOptions, RecordPlan};
use avro_path::{AvroDecoder, KeyDecoder, KeyProgram, Resolution, Result, Schema};
use tfxio_core::{Limits, Origin};

/// What is made of data of the data set's schema. Clones share it.
#[derive(Clone, Debug)]
pub(super) enum Program {
    /// A column a key expression.
    Keys(KeyProgram),
    /// A column a field.
    Records(RecordPlan, RecordOptions, Option<Order>),
}

/// Columns in another order than that of the schema: the place of each, and what comes out.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) places: Arc<[usize]>,
    pub(super) schema: SchemaRef,
}

impl Program {
    pub(super) fn arrow_schema(&self) -> SchemaRef {
        match self {
            Self::Keys(program) => program.arrow_schema(),
            Self::Records(_, _, Some(order)) => Arc::clone(&order.schema),
            Self::Records(plan, _, None) => plan.arrow_schema(),
        }
    }

    /// The same for data that were written with another schema.
    pub(super) fn resolved(
        &self,
        writer: &Schema,
        reader: &Schema,
        limits: &Limits,
    ) -> Result<(Self, Option<Arc<Resolution>>)> {
        match self {
            Self::Keys(_) => {
                let resolution = Resolution::with_limits(writer, reader, limits)?;
                Ok((self.clone(), (!resolution.is_identity()).then(|| Arc::new(resolution))))
            }
            Self::Records(_, options, order) => {
                let plan = RecordPlan::with_resolution(writer, reader, options)?;
                Ok((Self::Records(plan, options.clone(), order.clone()), None))
            }
        }
    }
}

/// Makes decoders for the data of a split.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub(super) program: Program,
    /// What the records have to go through first.
    pub(super) resolution: Option<Arc<Resolution>>,
    pub(super) limits: Limits,
}

impl Recipe {
    pub(super) fn decoder(&self) -> Decoder {
        let columns = match &self.program {
            Program::Keys(program) => Columns::Keys(program.decoder().with_limits(self.limits)),
            Program::Records(plan, _, order) => {
                Columns::Records(Box::new(plan.decoder().with_limits(self.limits)), order.clone())
            }
        };
        Decoder { columns, resolution: self.resolution.clone(), resolved: Vec::new() }
    }
}

/// Decodes the records of a split.
pub(super) struct Decoder {
    columns: Columns,
    resolution: Option<Arc<Resolution>>,
    /// A record as one of the data set's schema.
    resolved: Vec<u8>,
}

enum Columns {
    Keys(KeyDecoder),
    Records(Box<AvroDecoder>, Option<Order>),
}

impl Columns {
    #[inline]
    fn push_first(&mut self, bytes: &[u8]) -> Result<usize> {
        // The block, which knows better, says where an error is.
        match self {
            Self::Keys(decoder) => decoder.push_first(bytes, Origin::default()),
            Self::Records(decoder, _) => decoder.push_first(bytes, Origin::default()),
        }
    }
}

impl Decoder {
    pub(super) fn rows(&self) -> usize {
        match &self.columns {
            Columns::Keys(decoder) => decoder.rows(),
            Columns::Records(decoder, _) => decoder.rows(),
        }
    }

    pub(super) fn flush(&mut self) -> Result<RecordBatch> {
        let (batch, order) = match &mut self.columns {
            Columns::Keys(decoder) => (decoder.flush()?, &None),
            Columns::Records(decoder, order) => (decoder.flush()?, &*order),
        };
        match order {
            // The places are those of columns that there are.
            Some(order) => Ok(batch.project(&order.places).unwrap_or(batch)),
            None => Ok(batch),
        }
    }

    /// Appends the record at the beginning of some bytes. How many it has.
    fn push_first(&mut self, bytes: &[u8]) -> Result<usize> {
        let Some(resolution) = &self.resolution else { return self.columns.push_first(bytes) };
        let mut reader = DatumReader::new(bytes);
        self.resolved.clear();
        resolution.apply(&mut reader, &mut self.resolved)?;
        self.columns.push_first(&self.resolved)?;
        Ok(reader.position())
    }
}

/// How far a block was decoded.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    records: u64,
    bytes: usize,
}

impl Progress {
    /// The records that were decoded.
    pub(super) fn records(&self) -> u64 {
        self.records
    }

    /// The bytes of the block that were decoded.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Goes on after a record of so many bytes without decoding it.
    pub(super) fn pass_over(&mut self, bytes: usize) {
        self.records += 1;
        self.bytes += bytes;
    }

    /// Decodes records of the block until it ends or the decoder has `most` rows. Whether it ended.
    pub(super) fn decode(&mut self, block: &Block<'_>, decoder: &mut Decoder, most: usize) -> Result<bool> {
        while self.records < block.count() {
            if decoder.rows() >= most {
                return Ok(false);
            }
            let rest = block.bytes().get(self.bytes..).unwrap_or_default();
            let read = decoder.push_first(rest).map_err(|error| block.locate(error, self.records, 0))?;
            self.bytes += read;
            self.records += 1;
        }
        let mut reader = DatumReader::new(block.bytes());
        reader.fixed(self.bytes)?;
        block.finish(&reader)?;
        Ok(true)
    }
}
