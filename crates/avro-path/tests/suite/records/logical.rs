//! Logical types as Arrow types, or as the types below them.

use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use avro_path::datum::write;
use serde_json::{Value, json};

use crate::records::render;

fn schema(ty: &str) -> String {
    format!(r#"{{"type": "record", "name": "root", "fields": [{{"name": "f", "type": {ty}}}]}}"#)
}

fn value(ty: &str, bytes: &[u8], logical_types: bool) -> (DataType, Value) {
    let options = render::plain().logical_types(logical_types);
    let batch = render::batch(&schema(ty), &options, &[bytes]).unwrap();
    (batch.column(0).data_type().clone(), render::rows(&batch)[0]["f"].take())
}

fn error(ty: &str, bytes: &[u8]) -> String {
    render::batch(&schema(ty), &render::plain(), &[bytes]).unwrap_err().to_string()
}

#[test]
fn numbers_of_days_and_of_seconds() {
    let utc = |unit| DataType::Timestamp(unit, Some("+00:00".into()));
    let local = |unit| DataType::Timestamp(unit, None);
    for (base, logical, expected) in [
        ("int", "date", DataType::Date32),
        ("int", "time-millis", DataType::Time32(TimeUnit::Millisecond)),
        ("long", "time-micros", DataType::Time64(TimeUnit::Microsecond)),
        ("long", "timestamp-millis", utc(TimeUnit::Millisecond)),
        ("long", "timestamp-micros", utc(TimeUnit::Microsecond)),
        ("long", "timestamp-nanos", utc(TimeUnit::Nanosecond)),
        ("long", "local-timestamp-millis", local(TimeUnit::Millisecond)),
        ("long", "local-timestamp-micros", local(TimeUnit::Microsecond)),
        ("long", "local-timestamp-nanos", local(TimeUnit::Nanosecond)),
    ] {
        let ty = format!(r#"{{"type": "{base}", "logicalType": "{logical}"}}"#);
        assert_eq!(value(&ty, &[6], true), (expected.clone(), json!(3)), "{logical}");
        let below = if base == "int" { DataType::Int32 } else { DataType::Int64 };
        assert_eq!(value(&ty, &[6], false), (below, json!(3)), "{logical}");
        // No number is wrapped, or cut to what a calendar has.
        let ends = if base == "int" { [i32::MIN.into(), i32::MAX.into()] } else { [i64::MIN, i64::MAX] };
        for number in ends {
            let mut data = Vec::new();
            write::long(&mut data, number);
            assert_eq!(value(&ty, &data, true), (expected.clone(), json!(number)), "{logical}");
        }
    }
}

/// A logical type that Avro does not define for a type, or not with these properties, is ignored.
#[test]
fn other_logical_types_are_the_types_below_them() {
    let fixed = |properties: &str| format!(r#"{{"type": "fixed", "name": "f", "size": 2, {properties}}}"#);
    for (ty, data, expected) in [
        (r#"{"type": "long", "logicalType": "date"}"#.to_owned(), &[6][..], (DataType::Int64, json!(3))),
        (
            r#"{"type": "int", "logicalType": "timestamp-millis"}"#.to_owned(),
            &[6],
            (DataType::Int32, json!(3)),
        ),
        (r#"{"type": "int", "logicalType": "time-micros"}"#.to_owned(), &[6], (DataType::Int32, json!(3))),
        (r#"{"type": "long", "logicalType": "time-millis"}"#.to_owned(), &[6], (DataType::Int64, json!(3))),
        (r#"{"type": "long", "logicalType": "temperature"}"#.to_owned(), &[6], (DataType::Int64, json!(3))),
        (r#"{"type": "string", "logicalType": "date"}"#.to_owned(), &[2, b'x'], (DataType::Utf8, json!("x"))),
        (
            r#"{"type": "bytes", "logicalType": "uuid"}"#.to_owned(),
            &[2, b'x'],
            (DataType::Binary, json!("x")),
        ),
        (
            r#"{"type": "bytes", "logicalType": "decimal"}"#.to_owned(),
            &[2, b'x'],
            (DataType::Binary, json!("x")),
        ),
        (
            r#"{"type": "bytes", "logicalType": "decimal", "precision": 2, "scale": 3}"#.to_owned(),
            &[2, b'x'],
            (DataType::Binary, json!("x")),
        ),
        (
            r#"{"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": -1}"#.to_owned(),
            &[2, b'x'],
            (DataType::Binary, json!("x")),
        ),
        // Two bytes have four digits.
        (
            fixed(r#""logicalType": "decimal", "precision": 5"#),
            b"xy",
            (DataType::FixedSizeBinary(2), json!("xy")),
        ),
        (fixed(r#""logicalType": "duration""#), b"xy", (DataType::FixedSizeBinary(2), json!("xy"))),
        (fixed(r#""logicalType": "uuid""#), b"xy", (DataType::FixedSizeBinary(2), json!("xy"))),
    ] {
        assert_eq!(value(&ty, data, true), expected, "{ty}");
    }
}

#[test]
fn decimals() {
    let bytes = r#"{"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 2}"#;
    for (data, expected) in [
        (&[4, 0x30, 0x39][..], "123.45"),
        (&[2, 0xff], "-0.01"),
        (&[0], "0.00"),
        // Longer than needed.
        (
            &[
                38, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                0xff, 0xff, 0xff, 0xfe,
            ],
            "-0.02",
        ),
    ] {
        assert_eq!(value(bytes, data, true), (DataType::Decimal128(5, 2), json!(expected)));
    }
    assert_eq!(value(bytes, &[2, b'x'], false), (DataType::Binary, json!("x")));

    let fixed =
        r#"{"type": "fixed", "name": "d", "size": 3, "logicalType": "decimal", "precision": 5, "scale": 0}"#;
    assert_eq!(value(fixed, &[0xfe, 0x79, 0x61], true), (DataType::Decimal128(5, 0), json!("-99999")));
    assert_eq!(
        error(fixed, &[0xfe, 0x79, 0x60]),
        "record 0, byte of the record 0, at f: a decimal of 3 bytes has more than 5 digits"
    );
    let wide = r#"{"type": "bytes", "logicalType": "decimal", "precision": 50, "scale": 1}"#;
    let mut data = vec![40];
    data.extend([1; 20]);
    let (data_type, found) = value(wide, &data, true);
    assert_eq!(data_type, DataType::Decimal256(50, 1));
    assert_eq!(found, json!("573137896992510948315170522633836478296444134.5"));
    // More digits than Arrow has.
    let huge = r#"{"type": "bytes", "logicalType": "decimal", "precision": 77}"#;
    assert_eq!(value(huge, &[2, b'x'], true), (DataType::Binary, json!("x")));
    let long = [&[66, 1][..], &[0; 32]].concat();
    assert_eq!(
        error(wide, &long),
        "record 0, byte of the record 0, at f: a decimal of 33 bytes has more than 50 digits"
    );
}

#[test]
fn uuids() {
    let expected = json!("\u{0}\u{11}\u{22}\u{33}DUfw\u{88}\u{99}\u{aa}\u{bb}\u{cc}\u{dd}\u{ee}\u{ff}");
    let text = r#"{"type": "string", "logicalType": "uuid"}"#;
    let mut data = Vec::new();
    write::string(&mut data, "00112233-4455-6677-8899-aabbccddeeff");
    assert_eq!(value(text, &data, true), (DataType::FixedSizeBinary(16), expected.clone()));
    assert_eq!(value(text, &data, false).0, DataType::Utf8);
    let fixed = r#"{"type": "fixed", "name": "u", "size": 16, "logicalType": "uuid"}"#;
    let bytes = (0..16).map(|at| at * 17).collect::<Vec<u8>>();
    assert_eq!(value(fixed, &bytes, true), (DataType::FixedSizeBinary(16), expected.clone()));
    assert_eq!(value(fixed, &bytes, false), (DataType::FixedSizeBinary(16), expected));
    assert_eq!(
        error(text, &[4, b'n', b'o']),
        "record 0, byte of the record 0, at f: the text \"no\" is not a UUID"
    );
}

#[test]
fn durations() {
    let ty = r#"{"type": "fixed", "name": "d", "size": 12, "logicalType": "duration"}"#;
    let data = [1, 0, 0, 0, 2, 1, 0, 0, 0xff, 0xff, 0xff, 0xff];
    let (data_type, found) = value(ty, &data, true);
    assert_eq!(data_type, DataType::Interval(IntervalUnit::MonthDayNano));
    assert_eq!(found, json!([1, 258, 4_294_967_295_000_000_i64]));
    assert_eq!(value(ty, &data, false).0, DataType::FixedSizeBinary(12));
    assert_eq!(
        error(ty, &[0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0]),
        "record 0, byte of the record 0, at f: a duration has 2147483648 months, Arrow allows 2147483647"
    );
}

#[test]
fn nulls_of_logical_types() {
    for ty in [
        r#"{"type": "bytes", "logicalType": "decimal", "precision": 5}"#,
        r#"{"type": "bytes", "logicalType": "decimal", "precision": 50}"#,
        r#"{"type": "string", "logicalType": "uuid"}"#,
        r#"{"type": "fixed", "name": "d", "size": 12, "logicalType": "duration"}"#,
        r#"{"type": "int", "logicalType": "date"}"#,
        r#"{"type": "enum", "name": "e", "symbols": ["s"]}"#,
    ] {
        assert_eq!(value(&format!(r#"["null", {ty}]"#), &[0], true).1, Value::Null, "{ty}");
    }
}
