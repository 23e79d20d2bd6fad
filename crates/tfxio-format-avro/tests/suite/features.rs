//! Tensors of records in memory.

use std::collections::BTreeMap;

use tfxio_core::{Cancel, ErrorKind, LocalStore};
use tfxio_formats::avro_path::AvroSchema;
use tfxio_formats::avro_path::container::Codec;
use tfxio_formats::tensor_repr::{FeatureSpec, feature_specs_from_json};
use tfxio_formats::{AvroFeatures, AvroRecords};

use crate::test_files::{BOTH, SCHEMA, TestFiles, container};

/// The serialized records of some numbers.
fn serialized(numbers: std::ops::Range<i64>) -> Vec<Vec<u8>> {
    let made = TestFiles::new().file(numbers.start, &container(false, Codec::Null, numbers, 1000));
    let mut records = AvroRecords::open(&LocalStore, &made.files[0], None, &Cancel::new()).unwrap();
    let batch = records.next_batch(usize::MAX).unwrap().unwrap();
    batch.iter().map(|record| record.unwrap().to_vec()).collect()
}

fn specs() -> BTreeMap<String, FeatureSpec> {
    let specs = r#"{"n": {"kind": "FixedLen", "shape": [], "dtype": "int64"},
        "text": {"kind": "FixedLen", "shape": [], "dtype": "string", "default": "-"}}"#;
    feature_specs_from_json(specs).unwrap()
}

#[test]
fn a_decoder_is_used_for_many_batches() {
    let schema = AvroSchema::parse(SCHEMA).unwrap();
    let features = AvroFeatures::builder(&schema, &specs()).build().unwrap();
    assert_eq!(format!("{features:?}"), r#"{"n": "dense int64 [?]", "text": "dense string [?]"}"#);
    let mut decoder = features.decoder();
    let all = serialized(0..100);
    for size in [1, 7, 100] {
        let mut n = 0;
        for records in all.chunks(size) {
            let tensors = features.tensors(&mut decoder, records).unwrap();
            let numbers = tensors.dense("n").unwrap().values().as_slice::<i64>().unwrap().to_vec();
            assert_eq!(numbers, (n..).take(records.len()).collect::<Vec<_>>());
            n += i64::try_from(records.len()).unwrap();
        }
    }
    assert_eq!(features.columns(&mut decoder, &[] as &[&[u8]]).unwrap().num_rows(), 0);
}

#[test]
fn records_of_another_schema_are_resolved() {
    let (written, schema) = (AvroSchema::parse(SCHEMA).unwrap(), AvroSchema::parse(BOTH).unwrap());
    let features = AvroFeatures::builder(&schema, &specs()).writer(&written).build().unwrap();
    let tensors = features.tensors(&mut features.decoder(), &serialized(3..5)).unwrap();
    assert_eq!(tensors.dense("n").unwrap().values().as_slice::<i64>(), Some(&[3, 4][..]));
}

#[test]
fn an_error_names_the_record_and_leaves_the_decoder_empty() {
    let schema = AvroSchema::parse(SCHEMA).unwrap();
    let spec = r#"{"below[*]": {"kind": "FixedLen", "shape": [3], "dtype": "int32"}}"#;
    let features = AvroFeatures::builder(&schema, &feature_specs_from_json(spec).unwrap()).build().unwrap();
    let mut decoder = features.decoder();
    let error = features.tensors(&mut decoder, &serialized(2..5)).unwrap_err();
    assert_eq!((error.position().record, error.position().row), (Some(0), None));
    assert_eq!(error.position().tensor.as_deref(), Some("below[*]"));

    let mut records = serialized(3..6);
    records[2].pop();
    let error = features.tensors(&mut decoder, &records).unwrap_err();
    assert_eq!((error.position().record, decoder.rows()), (Some(2), 0));
    assert_eq!(features.columns(&mut decoder, &records[..2]).unwrap().num_rows(), 2);
}

#[test]
fn what_does_not_fit_the_schema_is_refused_at_once() {
    let schema = AvroSchema::parse(SCHEMA).unwrap();
    for (spec, tensor) in [
        (r#"{"m": {"kind": "FixedLen", "shape": [], "dtype": "int64"}}"#, "m"),
        (r#"{"n": {"kind": "FixedLen", "shape": [], "dtype": "int32"}}"#, "n"),
        (r#"{"below[*]": {"kind": "VarLen", "dtype": "int32", "rank": 2}}"#, "below[*]"),
    ] {
        let specs = feature_specs_from_json(spec).unwrap();
        let error = AvroFeatures::builder(&schema, &specs).build().unwrap_err();
        assert_eq!(error.position().tensor.as_deref(), Some(tensor), "{error}");
    }
    let none = AvroFeatures::builder(&schema, &BTreeMap::new()).build().unwrap_err();
    assert_eq!(none.kind(), ErrorKind::InvalidArgument);
}
