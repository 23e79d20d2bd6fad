//! Batches made for tests, and what comes of them.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema as ArrowSchema};
use avro_path::container::{ContainerReader, ContainerWriter};
use avro_path::datum::{DatumReader, write_json};
use avro_path::encode::{EncodeOptions, EncodePlan};
use avro_path::record::{Layout, RecordOptions, RecordPlan};
use avro_path::{AvroSchema, Limits, Result};
use serde_json::Value;
use tfxio_core::Origin;

/// Returns a batch of columns that are nullable if the name ends with `?`.
pub fn batch(columns: impl IntoIterator<Item = (&'static str, ArrayRef)>) -> RecordBatch {
    let (fields, arrays): (Vec<_>, Vec<_>) = columns
        .into_iter()
        .map(|(name, array)| {
            let field = match name.strip_suffix('?') {
                Some(name) => Field::new(name, array.data_type().clone(), true),
                None => Field::new(name, array.data_type().clone(), false),
            };
            (field, array)
        })
        .unzip();
    RecordBatch::try_new(Arc::new(ArrowSchema::new(fields)), arrays).unwrap()
}

/// Returns the batch as an object container, each of whose records was checked against the schema.
pub fn container(plan: &EncodePlan, batch: &RecordBatch) -> Result<Vec<u8>> {
    let mut writer = ContainerWriter::builder(Vec::new(), plan.avro_schema())
        .block_bytes(100)
        .sync_marker([7; 16])
        .build()?;
    let rows = plan.rows(batch)?;
    assert_eq!(rows.is_empty(), batch.num_rows() == 0);
    for row in 0..rows.len() {
        writer.write_with(|out| rows.append(row, out))?;
    }
    writer.finish()
}

/// Returns the records of a container as JSON.
pub fn json(file: &[u8]) -> Vec<Value> {
    let mut reader = ContainerReader::new(file).unwrap();
    let schema = reader.header().schema().clone();
    let mut records = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        let mut datums = DatumReader::new(block.bytes());
        for _ in 0..block.count() {
            let mut json = Vec::new();
            write_json(&schema, &mut datums, &Limits::default(), &mut json).unwrap();
            records.push(serde_json::from_slice(&json).unwrap());
        }
        block.finish(&datums).unwrap();
    }
    records
}

/// Returns the records of a container as plain columns.
pub fn decoded(file: &[u8]) -> RecordBatch {
    let mut reader = ContainerReader::new(file).unwrap();
    let options = RecordOptions::default().layout(Layout::Plain).large_offsets(false);
    let mut decoder =
        RecordPlan::builder(reader.header().schema()).options(options.clone()).build().unwrap().decoder();
    while let Some(block) = reader.next_block().unwrap() {
        let mut rest = block.bytes();
        for number in 0..block.count() {
            let read = decoder.push_first(rest, Origin::record(number)).unwrap();
            rest = &rest[read..];
        }
        assert!(rest.is_empty());
    }
    decoder.flush().unwrap()
}

/// Returns the rows of a batch as the JSON of the records that they become with a derived schema.
pub fn rows(batch: &RecordBatch) -> Vec<Value> {
    let plan = EncodePlan::builder(&batch.schema()).build().unwrap();
    json(&container(&plan, batch).unwrap())
}

/// Returns the rows of a batch written with a schema.
pub fn rows_with(batch: &RecordBatch, schema: &str) -> Result<Vec<Value>> {
    let options = EncodeOptions::default().schema(AvroSchema::parse(schema).unwrap());
    let plan = EncodePlan::builder(&batch.schema()).options(options.clone()).build()?;
    Ok(json(&container(&plan, batch)?))
}

/// Returns the Avro schema that is derived.
pub fn derived(batch: &RecordBatch) -> Value {
    let plan = EncodePlan::builder(&batch.schema()).build().unwrap();
    serde_json::from_str(plan.avro_schema().text()).unwrap()
}
