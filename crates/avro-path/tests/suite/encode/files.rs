//! Files of other writers, read as columns and written again with their own schema: the same records.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use avro_path::container::{Codec, ContainerReader};
use avro_path::encode::{EncodeOptions, EncodePlan};
use avro_path::record::{Layout, RecordOptions, RecordPlan};
use avro_path::{AvroSchema, ErrorKind};
use serde_json::Value;
use tfxio_core::Origin;

use crate::encode::test_data::{container, json};

/// Set `TFXIO_GOLDEN_DIR` to the folder that has `avro-files`.
#[test]
fn files_of_the_manifest_come_back() {
    let Some(folder) = std::env::var_os("TFXIO_GOLDEN_DIR").filter(|folder| !folder.is_empty()) else {
        println!("left out: TFXIO_GOLDEN_DIR is not set");
        return;
    };
    let folder = PathBuf::from(folder).join("avro-files");
    let manifest = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
    let entries: Vec<Value> = serde_json::from_str(&manifest).unwrap();
    let (mut back, mut recursive) = (0, 0);
    for entry in entries.iter().filter(|entry| entry["expected"]["records"].is_array()) {
        let codec = entry["codec"].as_str().unwrap_or("null").parse::<Codec>();
        if codec.is_ok_and(|codec| !codec.is_supported()) {
            continue;
        }
        let name = entry["file"].as_str().unwrap();
        let file = std::fs::read(folder.join(name)).unwrap();
        let Some((schema, batch)) = columns(&file) else {
            recursive += 1;
            println!("{name}: left out, its schema is recursive");
            continue;
        };
        let options = EncodeOptions::default().schema(schema);
        let plan = EncodePlan::builder(&batch.schema())
            .options(options.clone())
            .build()
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let written = container(&plan, &batch).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(json(&written), json(&file), "{name}");
        back += 1;
    }
    println!("{back} files came back, {recursive} have recursive schemas");
    assert!(back > 12 && recursive < 12, "{back} files came back, {recursive} have recursive schemas");
}

/// Returns the records as plain columns; `None` if a record contains itself.
fn columns(file: &[u8]) -> Option<(AvroSchema, RecordBatch)> {
    let mut reader = ContainerReader::new(file).unwrap();
    let schema = reader.header().schema().clone();
    let plan =
        match RecordPlan::builder(&schema).options(RecordOptions::default().layout(Layout::Plain)).build() {
            Err(error) if error.is(ErrorKind::InvalidArgument) => return None,
            plan => plan.unwrap(),
        };
    let mut decoder = plan.decoder();
    while let Some(block) = reader.next_block().unwrap() {
        let mut rest = block.bytes();
        for number in 0..block.count() {
            let read = decoder.push_first(rest, Origin::record(number)).unwrap();
            rest = &rest[read..];
        }
    }
    Some((schema, decoder.flush().unwrap()))
}
