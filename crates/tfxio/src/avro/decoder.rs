//! From the records of a block to rows.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use avro_path::container::Block;
use avro_path::datum::DatumReader;
use avro_path::{KeyDecoder, KeyProgram, Resolution, Result};
use tfxio_core::{Limits, Origin};

/// What is made of data of the data set's schema. Clones share it.
#[derive(Clone, Debug)]
pub(super) enum Program {
    /// A column a key expression.
    Keys(KeyProgram),
}

impl Program {
    pub(super) fn arrow_schema(&self) -> SchemaRef {
        match self {
            Self::Keys(program) => program.arrow_schema(),
        }
    }

    pub(super) fn decoder(&self, limits: Limits) -> Decoder {
        let columns = match self {
            Self::Keys(program) => Columns::Keys(program.decoder().with_limits(limits)),
        };
        Decoder { columns, resolution: None, resolved: Vec::new() }
    }
}

/// Decodes records of files whose schemas may differ.
pub(super) struct Decoder {
    columns: Columns,
    resolution: Option<Arc<Resolution>>,
    /// A record as one of the data set's schema.
    resolved: Vec<u8>,
}

enum Columns {
    Keys(KeyDecoder),
}

impl Decoder {
    /// Sets what the records that follow have to go through.
    pub(super) fn set_resolution(&mut self, resolution: Option<Arc<Resolution>>) {
        self.resolution = resolution;
    }

    pub(super) fn rows(&self) -> usize {
        match &self.columns {
            Columns::Keys(decoder) => decoder.rows(),
        }
    }

    pub(super) fn flush(&mut self) -> Result<RecordBatch> {
        match &mut self.columns {
            Columns::Keys(decoder) => decoder.flush(),
        }
    }

    /// Appends the record at the beginning of some bytes. How many it has.
    fn push_first(&mut self, bytes: &[u8]) -> Result<usize> {
        // The block, which knows better, says where an error is.
        let origin = Origin::default();
        let Some(resolution) = &self.resolution else {
            return match &mut self.columns {
                Columns::Keys(decoder) => decoder.push_first(bytes, origin),
            };
        };
        let mut reader = DatumReader::new(bytes);
        self.resolved.clear();
        resolution.apply(&mut reader, &mut self.resolved)?;
        match &mut self.columns {
            Columns::Keys(decoder) => decoder.push(&self.resolved, origin)?,
        }
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
