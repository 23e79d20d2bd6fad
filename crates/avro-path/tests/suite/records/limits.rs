//! Limits of a datum and of a batch, and memory that is used again.

use arrow_array::Array;
use avro_path::datum::write;
use avro_path::record::{AvroDecoder, RecordOptions, RecordPlan};
use avro_path::{AvroSchema, ErrorKind, Kind, Limits};
use tfxio_core::{Origin, RecordDecoder};

use crate::records::render;

fn decoder(schema: &str, limits: Limits) -> AvroDecoder {
    let plan = RecordPlan::builder(&AvroSchema::parse(schema).unwrap())
        .options(RecordOptions::default().layout(avro_path::record::Layout::Structured))
        .build()
        .unwrap();
    plan.decoder().limits(limits)
}

/// Returns a block of `count` items without bytes.
fn many(count: i64) -> Vec<u8> {
    let mut datum = Vec::new();
    write::long(&mut datum, count);
    write::long(&mut datum, 0);
    datum
}

#[test]
fn items_without_bytes_are_limited() {
    let limits = Limits::default().list_items(1000);
    let empty = r#"{"type": "record", "name": "e", "fields": []}"#;
    for items in ["\"null\"", empty, r#"{"type": "fixed", "name": "f", "size": 0}"#] {
        let mut decoder = decoder(&format!(r#"{{"type": "array", "items": {items}}}"#), limits);
        decoder.push(&many(1000), Origin::record(0)).unwrap();
        for count in [1001, i64::MAX] {
            let error = decoder.push(&many(count), Origin::record(1)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::LimitExceeded);
            assert_eq!(
                error.to_string(),
                "record 1: the datum has more list items than the limit allows; raise Limits::list_items if this is meant"
            );
        }
        assert_eq!(decoder.flush().unwrap().num_rows(), 1);
    }
}

#[test]
fn items_without_bytes_are_limited_over_a_batch() {
    let limits = Limits::default().empty_items(1000);
    let empty = r#"{"type": "record", "name": "e", "fields": []}"#;
    for items in ["\"null\"", empty, r#"{"type": "fixed", "name": "f", "size": 0}"#] {
        let array = format!(r#"{{"type": "array", "items": {items}}}"#);
        let record =
            format!(r#"{{"type": "record", "name": "r", "fields": [{{"name": "a", "type": {array}}}]}}"#);
        let mut decoder = decoder(&record, limits);
        for _ in 0..2 {
            decoder.push(&many(600), Origin::record(6)).unwrap();
            let error = decoder.push(&many(401), Origin::record(7)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::LimitExceeded);
            assert_eq!(
                error.to_string(),
                "record 7, at a: the rows of the batch have more array items without bytes (nulls, records without \
                 fields) than the limit allows; the file may be damaged here; raise Limits::empty_items or read smaller \
                 batches if this is meant"
            );
            // What failed does not count, and every batch begins anew.
            decoder.push(&many(400), Origin::record(7)).unwrap();
            assert_eq!(decoder.flush().unwrap().num_rows(), 2);
        }
    }
}

#[test]
fn counts_that_cannot_be_true_are_errors() {
    let mut decoder = decoder(r#"{"type": "array", "items": "long"}"#, Limits::default());
    for count in [1 << 40, i64::MAX, i64::MIN, -5] {
        let error = decoder.push(&many(count), Origin::record(0)).unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::Malformed), "{error}");
    }
    // A block of one item whose writer says that it has two bytes.
    let mut datum = Vec::new();
    for number in [-1, 2, 5, 0] {
        write::long(&mut datum, number);
    }
    let error = decoder.push(&datum, Origin::record(0)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "record 0, byte of the record 3: a block of an array or map claims to have 2 bytes, its items have 1"
    );
}

#[test]
fn limits_of_a_datum_and_of_a_batch() {
    let schema = r#"{"type": "array", "items": "string"}"#;
    let mut datum = vec![2];
    write::string(&mut datum, &"x".repeat(100));
    datum.push(0);
    let mut small = decoder(schema, Limits::default().record_bytes(50));
    let error = small.push(&datum, Origin::record(0)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "record 0: the datum has 104 bytes, the limit is 50; raise Limits::record_bytes if this is meant"
    );
    let mut decoder = decoder(schema, Limits::default().batch_bytes(300));
    decoder.push(&datum, Origin::record(0)).unwrap();
    decoder.push(&datum, Origin::record(1)).unwrap();
    let error = decoder.push(&datum, Origin::record(2)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "record 2: the batch has more than 300 bytes; flush before, or raise Limits::batch_bytes"
    );
    assert_eq!(decoder.flush().unwrap().num_rows(), 2);
    decoder.push(&datum, Origin::record(2)).unwrap();
    assert_eq!(decoder.flush().unwrap().num_rows(), 1);
}

#[test]
fn a_batch_is_measured_also_where_the_data_have_few_bytes() {
    // Each datum is one byte and fills a hundred columns.
    let fields = (0..100).map(|at| {
        format!(r#"{{"name": "f{at}", "type": {{"type": "fixed", "name": "x{at}", "size": 100}}}}"#)
    });
    let record =
        format!(r#"{{"type": "record", "name": "r", "fields": [{}]}}"#, fields.collect::<Vec<_>>().join(","));
    let schema = AvroSchema::parse(&format!(r#"["null", {record}]"#)).unwrap();
    let limits = Limits::default().batch_bytes(1_000_000);
    let mut decoder =
        RecordPlan::builder(&schema).options(render::plain()).build().unwrap().decoder().limits(limits);
    let mut rows = 0;
    let error = loop {
        match decoder.push(&[0], Origin::record(rows)) {
            Ok(()) => rows += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert!((90..=100).contains(&rows), "{rows}");
}

#[test]
fn a_dropped_batch_gives_its_memory_to_a_later_one() {
    let mut decoder = decoder(r#"{"type": "array", "items": "long"}"#, Limits::default());
    let mut addresses = Vec::new();
    for _ in 0..4 {
        for _ in 0..100 {
            decoder.push(&[6, 2, 4, 6, 0], Origin::record(0)).unwrap();
        }
        let batch = decoder.flush().unwrap();
        let items = batch.column(0).to_data().child_data()[0].clone();
        addresses.push(items.buffers()[0].as_ptr());
    }
    assert_eq!(addresses[0], addresses[2]);
}

#[test]
fn the_decoder_is_a_record_decoder() {
    let plan =
        RecordPlan::builder(&AvroSchema::parse("\"int\"").unwrap()).options(render::plain()).build().unwrap();
    let mut decoder: Box<dyn RecordDecoder> = Box::new(plan.decoder());
    assert_eq!(decoder.schema(), Some(plan.arrow_schema()));
    decoder.push(&[2], Origin::record(0)).unwrap();
    let error = decoder.push(&[2, 2], Origin::new("a.avro", 5, 8)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a.avro, byte 5, record 8, byte of the record 1: 1 byte is left after the datum; the data may have been \
         written with another schema"
    );
    assert_eq!(decoder.rows(), 1);
    assert_eq!(decoder.flush().unwrap().num_rows(), 1);
}
