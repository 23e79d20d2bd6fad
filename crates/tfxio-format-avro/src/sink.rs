//! Batches as Avro records.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use avro_path::container::{BlockEncoder, EncodedBlock};
use avro_path::encode::EncodePlan;
use tfxio_core::{FormatOptions, Result, Sink};
use tfxio_store::row_sink::{Block, BlockFile, EncodeRows, EncodedRows, Pack, RowFormat, row_sink};

use super::output::{AvroFile, create};
use super::settings;

/// Returns a sink that writes a file, or the shards of a pattern.
pub(super) fn sink(output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn Sink>> {
    let plan = Arc::new(EncodePlan::builder(schema).options(settings::encoding(options)?).build()?);
    let writer = settings::writer(options)?;
    // A plan writes nothing else than data of its schema.
    let files = create(output, writer.clone(), plan.avro_schema(), options)?;
    let format = RowFormat {
        encoder: Arc::new(move || Ok(Data(Arc::clone(&plan)))),
        block_len: Some(writer.block_len()),
        packs_apart: writer.is_compressed(),
        packer: Arc::new(move || writer.block_encoder().map(Packer)),
        head_len: 0,
    };
    row_sink(output, format, files)
}

/// Makes data of rows.
struct Data(Arc<EncodePlan>);

impl EncodeRows for Data {
    fn encode(&mut self, batch: &RecordBatch, rows: &mut EncodedRows) -> Result<()> {
        let data = self.0.rows(batch)?;
        (0..data.len()).try_for_each(|row| {
            rows.push(|out| data.append(row, out)).map_err(|mut error| {
                // Which record it was, the batch knows.
                let position = error.position_mut();
                (position.record, position.row) = (None, Some(row as u64));
                error
            })
        })
    }
}

/// Compresses blocks.
struct Packer(BlockEncoder);

impl Pack for Packer {
    type Packed = EncodedBlock;

    fn pack(&mut self, block: Block) -> Result<EncodedBlock> {
        self.0.encode(&block.bytes, block.rows)
    }
}

impl BlockFile<EncodedBlock> for AvroFile {
    fn write_block(&mut self, block: EncodedBlock) -> Result<()> {
        self.0.write_block(&block)
    }
}
