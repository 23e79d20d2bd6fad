//! Batches as TFRecord files.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tfrecord_io::writer::{GzipMember, MemberEncoder};
use tfrecord_io::{FileWriter, frame};
use tfxio_core::{FormatOptions, RecordEncoder, RecordFormat, Result, Sink};
use tfxio_store::row_sink::{Block, BlockFile, EncodeRows, EncodedRows, Make, Pack, RowFormat, row_sink};

use super::plan;
use super::settings::{self, create};

/// Returns a sink that writes a file, or the shards of a pattern.
pub(super) fn sink(output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn Sink>> {
    let members = settings::members(output, options);
    let (columns, record_options) = (Arc::clone(schema), options.clone());
    let format = RowFormat {
        encoder: Arc::new(move || encoder(&columns, &record_options).map(Frames)),
        packer: packer(members.map(|(_, level)| level)),
        block_len: members.map(|(bytes, _)| bytes),
        packs_apart: members.is_some(),
        head_len: 0,
    };
    // What cannot be encoded creates no file.
    (format.encoder)()?;
    row_sink(output, format, create(output, options)?)
}

/// Returns an encoder of the format that is named, or else of the first that takes the columns.
pub(super) fn encoder(schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn RecordEncoder>> {
    let of = |format: &dyn RecordFormat| format.encoder(schema, &plan::of_format(format, options)?);
    let formats = plan::known(options);
    if let Some(name) = options.text("records") {
        return of(&**formats.record_format(name)?);
    }
    let mut refused = None;
    for format in formats.records().iter().rev().filter(|format| format.encodes(schema, options)) {
        match plan::of_format(&**format, options) {
            Ok(options) => return format.encoder(schema, &options),
            // Options of another format say that it is that one.
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    Err(refused.unwrap_or_else(plan::not_known))
}

/// Makes frames of rows.
struct Frames(Box<dyn RecordEncoder>);

impl EncodeRows for Frames {
    fn encode(&mut self, batch: &RecordBatch, rows: &mut EncodedRows) -> Result<()> {
        let encoded = self.0.encode(batch, &mut |record| {
            rows.push(|out| {
                frame::append(out, record);
                Ok(())
            })
        });
        encoded.map_err(|mut error| {
            // An encoder counts the rows of its batch, which knows what records they were.
            let position = error.position_mut();
            if position.file.is_none() && position.row.is_none() {
                position.row = position.record.take();
            }
            error
        })
    }
}

/// Compresses blocks, where each is a member.
pub(super) struct Packer(Option<MemberEncoder>);

/// Returns what makes packers, of members of a level or of frames as they are.
pub(super) fn packer(level: Option<u32>) -> Make<Packer> {
    Arc::new(move || Ok(Packer(level.map(MemberEncoder::new))))
}

pub(super) enum Packed {
    Frames(Block),
    Member(GzipMember),
}

impl Pack for Packer {
    type Packed = Packed;

    fn pack(&mut self, block: Block) -> Result<Packed> {
        match &mut self.0 {
            Some(encoder) => encoder.encode(&block.bytes, block.rows).map(Packed::Member),
            None => Ok(Packed::Frames(block)),
        }
    }
}

impl BlockFile<Packed> for FileWriter {
    fn write_block(&mut self, block: Packed) -> Result<()> {
        match block {
            Packed::Frames(block) => self.write_frames(&block.bytes, block.rows),
            Packed::Member(member) => self.write_member(&member),
        }
    }
}
