//! Conversions from and to Avro.

use std::sync::{Arc, Mutex};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use tfxio::avro_path::AvroSchema;
use tfxio::avro_path::container::{Codec, ContainerReader, ContainerWriter};
use tfxio::convert::{Conversion, Phase};
use tfxio::prelude::*;

use crate::avro::test_files::{SCHEMA, file, rows, text};

/// All rows, with plain columns.
fn read(name: &str) -> RecordBatch {
    let dataset = OpenOptions::new().set("layout", "plain").unwrap().open(name).unwrap();
    let mut batches = dataset.read(ScanRequest::new().batch_rows(1 << 20)).unwrap();
    let batch = batches.next().unwrap().unwrap();
    assert!(batches.next().is_none());
    batch
}

#[test]
fn rows_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let name = file(&folder, "a.avro", &rows(Codec::Snappy, 0..500, 300));
    let original = read(&name);
    for between in ["b.parquet", "b.arrow"] {
        let between = folder.path().join(between);
        for threads in [1, 3] {
            let request = ScanRequest::new().batch_rows(64).threads(threads);
            let conversion = Conversion::builder([name.as_str()], &between).request(request).build().unwrap();
            assert_eq!((conversion.input_format().name(), conversion.bytes_in() > 1000), ("avro", true));
            let last = Arc::new(Mutex::new(None));
            let said = Arc::clone(&last);
            let summary = conversion.run(move |progress| *said.lock().unwrap() = Some(progress)).unwrap();
            let last = last.lock().unwrap().unwrap();
            assert_eq!((summary.records, last.records, last.phase), (500, 500, Phase::Records));
            assert_eq!(last.bytes_read, summary.bytes_in);
        }
        let back = folder.path().join("back.avro");
        let conversion =
            Conversion::builder([text(&between)], &back).set("codec", "null").unwrap().build().unwrap();
        let summary = conversion.run(|_| {}).unwrap();
        assert_eq!((summary.records, summary.bytes_out), (500, std::fs::metadata(&back).unwrap().len()));
        let back = read(&text(&back));
        assert_eq!(back.columns(), original.columns(), "{between:?}");
        assert_eq!(
            ContainerReader::open(folder.path().join("back.avro")).unwrap().header().codec(),
            Codec::Null
        );
    }
}

#[test]
fn files_of_several_schemas_are_copied_into_one() {
    let folder = tempfile::tempdir().unwrap();
    let first = file(&folder, "a.avro", &rows(Codec::Null, 0..5, 60));
    let other = AvroSchema::parse(
        r#"{"type": "record", "name": "row", "fields": [{"name": "below", "type": {"type": "array", "items": "int"}},
            {"name": "text", "type": "string"}, {"name": "n", "type": "int"}]}"#,
    )
    .unwrap();
    let mut writer = ContainerWriter::builder(Vec::new(), &other).build().unwrap();
    writer.write(&[0, 4, b'h', b'i', 10]).unwrap();
    let second = file(&folder, "b.avro", &writer.finish().unwrap());
    let output = folder.path().join("all.avro");
    let summary =
        Conversion::builder([first.as_str(), &second], &output).build().unwrap().run(|_| {}).unwrap();
    assert_eq!(summary.records, 6);
    let header = ContainerReader::open(&output).unwrap();
    assert_eq!((header.header().codec(), header.header().schema().text()), (Codec::Deflate, SCHEMA));
    let batch = read(&text(&output));
    assert_eq!(batch.column(0).as_primitive::<Int64Type>().values(), &[0, 1, 2, 3, 4, 5]);
    assert_eq!(batch.column(1).as_string::<i64>().value(5), "hi");

    // A long is no int, and an int is a long.
    let summary =
        Conversion::builder([second.as_str(), &first], &output).build().unwrap().run(|_| {}).unwrap();
    assert_eq!(summary.records, 6);
    let batch = read(&text(&output));
    let n = batch.column_by_name("n").unwrap();
    assert_eq!(n.as_primitive::<Int64Type>().values(), &[5, 0, 1, 2, 3, 4]);
    // A field that one of them has is not left out.
    let more = AvroSchema::parse(
        r#"{"type": "record", "name": "row", "fields": [{"name": "n", "type": "long"}, {"name": "more", "type": "int"}]}"#,
    );
    let mut writer = ContainerWriter::builder(Vec::new(), &more.unwrap()).build().unwrap();
    writer.write(&[10, 2]).unwrap();
    let third = file(&folder, "c.avro", &writer.finish().unwrap());
    let error =
        Conversion::builder([first.as_str(), &third], &output).build().unwrap().run(|_| {}).unwrap_err();
    assert_eq!(error.kind(), tfxio::ErrorKind::SchemaMismatch);
    assert_eq!(read(&text(&output)).num_rows(), 6, "what was there is there");
}

#[test]
fn lists_for_examples_and_a_layout_of_ones_own() {
    let folder = tempfile::tempdir().unwrap();
    let name = file(&folder, "a.avro", &rows(Codec::Null, 0..5, 60));
    let examples = folder.path().join("o.tfrecord");
    assert_eq!(
        Conversion::builder([name.as_str()], &examples).build().unwrap().run(|_| {}).unwrap().records,
        5
    );
    let dataset = tfxio::open(text(&examples)).unwrap();
    // The integers of arrays had 32 bits.
    let types = dataset.schema().fields().iter().map(|f| f.data_type().to_string()).collect::<Vec<_>>();
    assert_eq!(types, ["LargeList(Int64)", "LargeList(Int64)", "LargeList(LargeBinary)"]);
    let conversion = Conversion::builder([name.as_str()], &examples);
    let conversion = conversion.request(ScanRequest::new().columns(["n", "text"])).build().unwrap();
    assert_eq!(conversion.run(|_| {}).unwrap().records, 5);
    let conversion = Conversion::builder([name.as_str()], folder.path().join("o.avro"));
    let conversion = conversion.set("layout", "structured").unwrap().build().unwrap();
    assert_eq!(conversion.run(|_| {}).unwrap().records, 5);
    let lists = read(&text(&folder.path().join("o.avro")));
    assert_eq!(lists.column(0).as_list::<i64>().value(4).as_primitive::<Int64Type>().values(), &[4]);
}
