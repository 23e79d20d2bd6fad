//! Files of several schemas in one data set.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_select::concat::concat_batches;
use tfxio::ErrorKind;
use tfxio::avro_path::AvroSchema;
use tfxio::avro_path::container::{Codec, ContainerWriter};
use tfxio::avro_path::datum::write;
use tfxio::prelude::*;

use crate::avro::test_files::{file, open, read, rows};

/// A writer's schema that has the fields in another order, one of them narrower, and one less.
const OTHER: &str = r#"{"type": "record", "name": "row", "fields": [
    {"name": "text", "type": "string"}, {"name": "new", "type": "double"}, {"name": "n", "type": "int"}]}"#;

fn other_rows(numbers: std::ops::Range<i32>) -> Vec<u8> {
    let schema = AvroSchema::parse(OTHER).unwrap();
    let mut writer = ContainerWriter::builder(Vec::new(), &schema).block_bytes(30).build().unwrap();
    for n in numbers {
        writer
            .write_with(|out| {
                write::string(out, &format!("other {n}"));
                write::double(out, f64::from(n) / 2.0);
                write::long(out, i64::from(n));
                Ok(())
            })
            .unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn columns_of_files_of_other_schemas_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        file(&folder, "a.avro", &rows(Codec::Null, 0..50, 60)),
        file(&folder, "b.avro", &other_rows(50..100)),
        file(&folder, "c.avro", &rows(Codec::Deflate, 100..120, 60)),
    ];
    for threads in [1, 3] {
        let request = ScanRequest::new().threads(threads).batch_rows(64);
        let dataset = open(&files[..], &["n", "text"]);
        let batch = concat_batches(dataset.schema(), &read(&dataset, request)).unwrap();
        let numbers = batch.column(0).as_primitive::<Int64Type>().values().to_vec();
        assert_eq!(numbers, (0..120).collect::<Vec<_>>());
        let texts = batch.column(1).as_binary::<i64>();
        assert_eq!((texts.value(49), texts.value(50)), (&b"row 49"[..], &b"other 50"[..]));
    }
    // The arrays of the first are not in the second.
    let error = open(&files[..], &["n", "below[*]"]).read(ScanRequest::new()).map(drop);
    let error = error.and_then(|()| tfxio::open(&files[..])?.read(ScanRequest::new()).map(drop)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
}

#[test]
fn a_reader_schema_is_for_all_files() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        file(&folder, "a.avro", &rows(Codec::Null, 0..50, 60)),
        file(&folder, "b.avro", &other_rows(50..100)),
    ];
    let schema = r#"{"type": "record", "name": "row", "fields": [
        {"name": "new", "type": "double", "default": -1},
        {"name": "text", "type": ["null", "string"]}, {"name": "n", "type": "long"}]}"#;
    let options = OpenOptions::new().keys(["n", "text", "new"]).set("reader_schema", schema).unwrap();
    let dataset = options.open(&files[..]).unwrap();
    for threads in [1, 3] {
        // A batch ends where the files do.
        let batches = read(&dataset, ScanRequest::new().threads(threads));
        let batch = concat_batches(dataset.schema(), &batches).unwrap();
        let numbers = batch.column(0).as_primitive::<Int64Type>().values().to_vec();
        assert_eq!(numbers, (0..100).collect::<Vec<_>>());
        let texts = batch.column(1).as_binary::<i64>();
        assert_eq!((texts.value(49), texts.value(50)), (&b"row 49"[..], &b"other 50"[..]));
        let new = batch.column(2).as_primitive::<Float64Type>().values();
        assert_eq!((new[49], new[99]), (-1.0, 49.5));
    }
}

#[test]
fn a_schema_of_the_same_bytes_costs_nothing_and_names_the_columns() {
    let folder = tempfile::tempdir().unwrap();
    let name = file(&folder, "a.avro", &rows(Codec::Null, 0..5, 60));
    let schema = r#"{"type": "record", "name": "row", "fields": [
            {"name": "number", "aliases": ["n"], "type": "long"}, {"name": "text", "type": ["null", "string"]},
            {"name": "below", "type": {"type": "array", "items": "int"}}]}"#;
    let options = OpenOptions::new().keys(["number"]).set("reader_schema", schema).unwrap();
    let dataset = options.open(&name).unwrap();
    let batches = read(&dataset, ScanRequest::new());
    assert_eq!(batches[0].column(0).as_primitive::<Int64Type>().values(), &[0, 1, 2, 3, 4]);
    assert_eq!(dataset.schema().field(0).name(), "number");
}
