//! Containers made for tests, and their contents.

use avro_path::container::{Codec, ContainerReader, ContainerWriter};
use avro_path::datum::{DatumReader, SkipPlan, write, write_json};
use avro_path::{AvroSchema, Error, Limits, Result};

/// Returns the codecs that this build has.
pub fn codecs() -> impl Iterator<Item = Codec> {
    Codec::ALL.into_iter().filter(|codec| codec.is_supported())
}

/// Returns the bits of a byte to flip: all, or one if blocks are compressed, because decompression is slow without
/// optimization.
pub fn bits(codec: Codec, byte: usize) -> impl Iterator<Item = usize> {
    let one = byte % 8;
    if codec == Codec::Null { 0..8 } else { one..one + 1 }
}

pub fn row_schema() -> AvroSchema {
    let text = r#"{"type": "record", "name": "row", "fields": [
        {"name": "i", "type": "long"}, {"name": "s", "type": "string"}]}"#;
    AvroSchema::parse(text).unwrap()
}

pub fn push_row(out: &mut Vec<u8>, number: u32) {
    write::long(out, i64::from(number) * 1000);
    write::string(out, &format!("row {number} of some rows of text"));
}

/// Rows, `per_block` in a block.
pub fn rows(codec: Codec, rows: u32, per_block: u32) -> Vec<u8> {
    let builder =
        ContainerWriter::builder(Vec::new(), &row_schema()).codec(codec).sync_marker(*b"0123456789abcdef");
    let mut writer: ContainerWriter<Vec<u8>> = builder.build().unwrap();
    for number in 0..rows {
        writer
            .write_with(|out| {
                push_row(out, number);
                Ok(())
            })
            .unwrap();
        if (number + 1) % per_block == 0 {
            writer.end_block().unwrap();
        }
    }
    writer.finish().unwrap()
}

/// Returns every record as JSON, up to the first error.
pub fn read_json(file: &[u8], limits: Limits) -> (Vec<String>, Option<Error>) {
    let mut out = Vec::new();
    let error = read_into(file, limits, &mut out).err();
    (out, error)
}

fn read_into(file: &[u8], limits: Limits, out: &mut Vec<String>) -> Result<()> {
    let mut reader = ContainerReader::builder(file).limits(limits).name("x.avro").build()?;
    let schema = reader.header().schema().clone();
    while let Some(block) = reader.next_block()? {
        let mut records = DatumReader::new(block.bytes());
        for number in 0..block.count() {
            let start = records.position();
            let mut json = Vec::new();
            write_json(&schema, &mut records, &limits, &mut json)
                .map_err(|error| block.locate(error, number, start))?;
            out.push(String::from_utf8(json).unwrap());
        }
        block.finish(&records)?;
    }
    Ok(())
}

/// Returns the number of each record, taken from its first field.
pub fn numbers(file: &[u8]) -> Result<Vec<i64>> {
    let mut reader = ContainerReader::new(file)?;
    let schema = reader.header().schema().clone();
    let plan = SkipPlan::new(&schema);
    let mut out = Vec::new();
    while let Some(block) = reader.next_block()? {
        for record in block.records(&schema, &plan) {
            out.push(DatumReader::new(record?).long()? / 1000);
        }
    }
    Ok(out)
}
