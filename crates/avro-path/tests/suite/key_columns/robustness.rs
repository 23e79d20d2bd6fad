//! Damaged data: an error, no panic, and the decoder as it was before.

use avro_path::datum::write;
use avro_path::{AvroDecoder, AvroSchema, ErrorKind, Key, KeyProgram, Kind};
use proptest::prelude::*;
use tfxio_core::{Limits, Origin};

use crate::key_columns::{person, render};

const KEYS: [&str; 9] = [
    "name.first",
    "age",
    "friends[*].address[*].street",
    "friends[-1].name.first",
    "friends[name.first=@name.first].name.initial",
    "friends[age!=null].jobs[*].coworkers[gender='unknown'].name.first",
    "cars['nickname'].color",
    "cars[*].engine.power",
    "friends[0].cars[color='red'].engine.id",
];

fn decoder() -> AvroDecoder {
    let keys = KEYS.map(|key| Key::parse(key).unwrap());
    KeyProgram::new(&person::schema(), &keys).unwrap().decoder()
}

fn flushed(decoder: &mut AvroDecoder) -> Vec<Vec<serde_json::Value>> {
    decoder.flush().unwrap().columns().iter().map(render::rows).collect()
}

#[test]
fn a_datum_cut_at_any_byte_is_an_error_and_leaves_nothing() {
    let data = person::data();
    let mut decoder = decoder();
    for datum in &data {
        decoder.push(datum, Origin::record(0)).unwrap();
    }
    let expected = flushed(&mut decoder);
    let mut decoder = self::decoder();
    for datum in &data {
        for cut in 0..datum.len() {
            let error = decoder.push(&datum[..cut], Origin::new("a.avro", 5, 8)).unwrap_err();
            let position = error.position();
            assert_eq!((position.file.as_deref(), position.record), (Some("a.avro"), Some(8)));
            assert!(position.record_byte.is_some_and(|byte| byte <= cut as u64), "{error}");
        }
        decoder.push(datum, Origin::record(0)).unwrap();
        assert!(decoder.push(&[datum.as_slice(), b"\0"].concat(), Origin::record(0)).is_err());
    }
    assert_eq!(decoder.rows(), data.len());
    assert_eq!(flushed(&mut decoder), expected);
}

proptest! {
    #[test]
    fn changed_bytes_never_panic_and_leave_nothing(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let data = person::data();
        let mut decoder = decoder();
        decoder.push(&data[1], Origin::record(0)).unwrap();
        let expected = flushed(&mut decoder);
        let mut damaged = data[0].clone();
        for (at, byte) in &changes {
            let at = at.index(damaged.len());
            damaged[at] = *byte;
        }
        if decoder.push(&damaged, Origin::record(0)).is_err() {
            decoder.push(&data[1], Origin::record(1)).unwrap();
            prop_assert_eq!(flushed(&mut decoder), expected);
        } else {
            decoder.push(&data[1], Origin::record(1)).unwrap();
            for (column, expected) in flushed(&mut decoder).iter().zip(&expected) {
                prop_assert_eq!(&column[1], &expected[0]);
            }
        }
    }
}

/// Returns an `array` of items without bytes, of which a few bytes claim any number.
fn many_nulls(count: i64) -> Vec<u8> {
    let mut datum = Vec::new();
    write::long(&mut datum, count);
    write::long(&mut datum, 0);
    datum
}

#[test]
fn items_without_bytes_are_limited_where_they_are_kept() {
    let schema = AvroSchema::parse(r#"{"type": "array", "items": "null"}"#).unwrap();
    let decoder = |key: &str| {
        let limits = Limits::default().list_items(1000);
        KeyProgram::new(&schema, &[Key::parse(key).unwrap()]).unwrap().decoder().limits(limits)
    };
    let mut all = decoder("[*]");
    all.push(&many_nulls(1000), Origin::record(0)).unwrap();
    let error = all.push(&many_nulls(1001), Origin::record(1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert_eq!(
        error.to_string(),
        "record 1: the datum has more list items than the limit allows; raise Limits::list_items if this is meant"
    );
    assert_eq!(all.flush().unwrap().num_rows(), 1);
    // Over the rows of a batch there is another limit.
    let limits = Limits::default().empty_items(1500);
    let mut all = KeyProgram::new(&schema, &[Key::parse("[*]").unwrap()]).unwrap().decoder().limits(limits);
    for _ in 0..2 {
        all.push(&many_nulls(1000), Origin::record(0)).unwrap();
        assert_eq!(
            all.push(&many_nulls(501), Origin::record(1)).unwrap_err().kind(),
            ErrorKind::LimitExceeded
        );
        all.push(&many_nulls(500), Origin::record(1)).unwrap();
        assert_eq!(all.flush().unwrap().num_rows(), 2);
    }
    // An index goes straight to its item.
    let mut one = decoder("[4611686018427387903]");
    one.push(&many_nulls(i64::MAX), Origin::record(0)).unwrap();
    let mut last = decoder("[-1]");
    last.push(&many_nulls(i64::MAX), Origin::record(0)).unwrap();
}

#[test]
fn counts_that_cannot_be_true_are_errors() {
    let schema = AvroSchema::parse(r#"{"type": "array", "items": "long"}"#).unwrap();
    let key = Key::parse("[*]").unwrap();
    let mut decoder = KeyProgram::new(&schema, &[key]).unwrap().decoder();
    for count in [1 << 40, i64::MAX, i64::MIN, -5] {
        let error = decoder.push(&many_nulls(count), Origin::record(0)).unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::Malformed), "{error}");
    }
    // A block of one item whose writer says that it has two bytes.
    let mut datum = Vec::new();
    write::long(&mut datum, -1);
    write::long(&mut datum, 2);
    write::long(&mut datum, 5);
    write::long(&mut datum, 0);
    let error = decoder.push(&datum, Origin::record(0)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "record 0, byte of the record 3: a block of an array or map claims to have 2 bytes, its items have 1"
    );
}

#[test]
fn limits_of_a_datum_and_of_a_batch() {
    let schema = AvroSchema::parse(r#"{"type": "array", "items": "string"}"#).unwrap();
    let program = KeyProgram::new(&schema, &[Key::parse("[*]").unwrap()]).unwrap();
    let mut datum = Vec::new();
    write::long(&mut datum, 1);
    write::string(&mut datum, &"x".repeat(100));
    write::long(&mut datum, 0);
    let mut decoder = program.decoder().limits(Limits::default().record_bytes(50));
    let error = decoder.push(&datum, Origin::record(0)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    let mut decoder = program.decoder().limits(Limits::default().batch_bytes(300));
    decoder.push(&datum, Origin::record(0)).unwrap();
    decoder.push(&datum, Origin::record(1)).unwrap();
    let error = decoder.push(&datum, Origin::record(2)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "record 2: the batch has more than 300 bytes; flush before, or raise Limits::batch_bytes"
    );
    assert_eq!(decoder.flush().unwrap().num_rows(), 2);
    decoder.push(&datum, Origin::record(2)).unwrap();
}

#[test]
fn what_a_batch_holds_is_never_taken_for_less() {
    let symbol = "S".repeat(1000);
    let text = format!(
        r#"{{"type": "record", "name": "r", "fields": [
        {{"name": "symbol", "type": {{"type": "enum", "name": "e", "symbols": ["{symbol}"]}}}},
        {{"name": "list", "type": {{"type": "array", "items": ["null", "string"]}}}},
        {{"name": "none", "type": ["null", "double"]}}]}}"#
    );
    let schema = AvroSchema::parse(&text).unwrap();
    let datum = [0, 6, 0, 2, 2, b'x', 0, 0, 0];
    for keys in [&["symbol"][..], &["list[*]", "@list[*]", "list[-2]", "list[0]"], &["none", "list[1]"]] {
        let program =
            KeyProgram::new(&schema, &keys.iter().map(|key| Key::parse(key).unwrap()).collect::<Vec<_>>());
        let limits = Limits::default().batch_bytes(5000);
        let mut decoder = program.unwrap().decoder().limits(limits);
        let error = (0..5000).find_map(|record| decoder.push(&datum, Origin::record(record)).err());
        assert_eq!(error.unwrap().kind(), ErrorKind::LimitExceeded);
        let batch = decoder.flush().unwrap();
        let buffers =
            |data: &arrow_data::ArrayData| data.buffers().iter().map(|buffer| buffer.len()).sum::<usize>();
        let bytes = |column: &arrow_array::ArrayRef| {
            let data = arrow_array::Array::to_data(column);
            data.child_data().iter().map(buffers).sum::<usize>() + buffers(&data)
        };
        let held = batch.columns().iter().map(bytes).sum::<usize>();
        assert!((1000..=5000).contains(&held), "{keys:?}: {held} bytes in {} rows", batch.num_rows());
    }
}

#[test]
fn a_dropped_batch_gives_its_memory_to_a_later_one() {
    use arrow_array::Array as _;
    let data = person::data();
    let mut decoder = decoder();
    let mut addresses = Vec::new();
    for _ in 0..4 {
        for datum in &data {
            decoder.push(datum, Origin::record(0)).unwrap();
        }
        let batch = decoder.flush().unwrap();
        let names = batch.column(0).to_data();
        assert_eq!(names.buffers()[0].as_ptr().align_offset(64), 0);
        addresses.push(names.buffers()[0].as_ptr());
    }
    assert_eq!(addresses[0], addresses[2]);
}
