//! Records as they are serialized.

use tfxio_core::{Cancel, ErrorKind, LocalStore, Result};
use tfxio_formats::AvroRecords;
use tfxio_formats::avro_path::AvroSchema;
use tfxio_formats::avro_path::container::{Codec, ContainerReader};
use tfxio_formats::avro_path::datum::SkipPlan;

use crate::test_files::{BOTH, OTHER, TestFiles, container};

/// All records of a file, and what ends them too early.
fn read(file: &str, schema: Option<&AvroSchema>, bytes: usize) -> (Vec<Vec<u8>>, Result<()>) {
    let mut records = AvroRecords::open(&LocalStore, file, schema, &Cancel::new()).unwrap();
    let mut all = Vec::new();
    loop {
        match records.next_batch(bytes) {
            Ok(Some(batch)) => {
                assert!(!batch.value_data().is_empty());
                all.extend(batch.iter().map(|record| record.unwrap().to_vec()));
            }
            Ok(None) => return (all, Ok(())),
            Err(error) => return (all, Err(error)),
        }
    }
}

#[test]
fn batches_of_any_size_have_every_record_once() {
    for (codec, numbers) in [(Codec::Null, 0..200), (Codec::Deflate, 0..200), (Codec::Null, 0..0)] {
        let bytes = container(false, codec, numbers, 100);
        let made = TestFiles::new().file(0, &bytes);
        let mut reader = ContainerReader::new(&bytes[..]).unwrap();
        let schema = reader.header().schema().clone();
        let plan = SkipPlan::new(&schema);
        let mut expected = Vec::new();
        while let Some(block) = reader.next_block().unwrap() {
            expected.extend(block.records(&schema, &plan).map(|record| record.unwrap().to_vec()));
        }
        for bytes in [0, 1, 40, 1000, usize::MAX] {
            let (records, end) = read(&made.files[0], None, bytes);
            end.unwrap();
            assert_eq!(records, expected);
        }
    }
}

#[test]
fn records_have_the_schema_that_is_given() {
    let (one, other) = (container(false, Codec::Null, 1..3, 100), container(true, Codec::Null, 1..3, 100));
    let made = TestFiles::new().file(0, &one).file(0, &other);
    let schema = AvroSchema::parse(BOTH).unwrap();
    for file in &made.files {
        let mut records = AvroRecords::open(&LocalStore, file, Some(&schema), &Cancel::new()).unwrap();
        assert_eq!(records.schema().text(), BOTH);
        let batch = records.next_batch(1000).unwrap().unwrap();
        assert_eq!(batch.value(0), b"\x02\x02\x0arow 1");
    }
    let wrong = AvroSchema::parse(
        r#"{"type": "record", "name": "row", "fields": [{"name": "n", "type": "string"}]}"#,
    );
    let opened = AvroRecords::open(&LocalStore, &made.files[0], Some(&wrong.unwrap()), &Cancel::new());
    assert_eq!(opened.unwrap_err().kind(), ErrorKind::SchemaMismatch);
}

#[test]
fn an_error_comes_after_the_records_before_it() {
    let whole = container(false, Codec::Null, 0..60, 100);
    let made = TestFiles::new().file(0, &whole);
    let complete = read(&made.files[0], None, 50).0;
    for cut in [whole.len() - 1, whole.len() / 2, 400] {
        std::fs::write(&*made.files[0], &whole[..cut]).unwrap();
        for bytes in [1, 1 << 20] {
            let (records, end) = read(&made.files[0], None, bytes);
            assert!(end.unwrap_err().to_string().contains("0.avro"));
            assert!(records.len() < 60 && complete.starts_with(&records));
        }
    }
    // The text of the first record is null, and the other schema has none.
    std::fs::write(&*made.files[0], whole).unwrap();
    let schema = AvroSchema::parse(&OTHER.replace("\"int\"", "\"long\"")).unwrap();
    let (records, end) = read(&made.files[0], Some(&schema), 64);
    assert_eq!((records.len(), end.unwrap_err().position().record), (0, Some(0)));
}
