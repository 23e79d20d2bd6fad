//! Data of a writer's schema in the columns of a reader's.

use avro_path::record::RecordPlan;
use avro_path::{AvroSchema, Kind, Result};
use serde_json::{Value, json};
use tfxio_core::Origin;

use crate::records::render;

fn record(fields: &str) -> String {
    format!(r#"{{"type": "record", "name": "r", "fields": [{fields}]}}"#)
}

fn read(writer: &str, reader: &str, data: &[&[u8]]) -> Result<Vec<Value>> {
    let (writer, reader) = (AvroSchema::parse(writer).unwrap(), AvroSchema::parse(reader).unwrap());
    let plan = RecordPlan::builder(&reader).writer(&writer).options(render::plain()).build()?;
    let mut decoder = plan.decoder();
    for datum in data {
        decoder.push(datum, Origin::record(0))?;
    }
    Ok(render::rows(&decoder.flush()?))
}

#[test]
fn fields_move_vanish_appear_and_are_renamed() {
    let writer = record(
        r#"{"name": "id", "type": "int"}, {"name": "old", "type": "string"}, {"name": "x", "type": "boolean"}"#,
    );
    let reader = record(
        r#"{"name": "x", "type": "boolean"},
           {"name": "rank", "type": {"type": "array", "items": "string"}, "default": ["d", ""]},
           {"name": "number", "type": ["null", "double"], "aliases": ["id"]},
           {"name": "twice", "type": "long", "aliases": ["id"]}"#,
    );
    let rows = read(&writer, &reader, &[&[4, 2, b'x', 1], &[5, 0, 0]]).unwrap();
    assert_eq!(
        rows,
        [
            json!({"x": true, "rank": ["d", ""], "number": 2.0, "twice": 2}),
            json!({"x": false, "rank": ["d", ""], "number": -3.0, "twice": -3}),
        ]
    );
}

#[test]
fn promotions() {
    for (writer, reader, datum, expected) in [
        ("int", "long", &[3][..], json!(-2)),
        ("int", "float", &[3], json!(-2.0)),
        ("int", "double", &[3], json!(-2.0)),
        ("long", "float", &[3], json!(-2.0)),
        ("long", "double", &[3], json!(-2.0)),
        ("float", "double", &[0, 0, 0, 0x3f], json!(0.5)),
        ("string", "bytes", &[2, b'a'], json!("a")),
        ("bytes", "string", &[2, b'a'], json!("a")),
    ] {
        let quoted = |name| format!("\"{name}\"");
        let rows = read(&quoted(writer), &quoted(reader), &[datum]).unwrap();
        assert_eq!(rows, [json!({"value": expected})], "{writer} {reader}");
    }
}

#[test]
fn unions_on_either_side() {
    // A union for one type: other branches are errors when they occur.
    let error = read(r#"["int", "string"]"#, "\"long\"", &[&[0, 4], &[2, 0]]).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::Resolution));
    assert_eq!(
        error.to_string(),
        "record 0, byte of the record 1, at :string: string was written, which cannot be read as long"
    );
    let rows = read(r#"["int", "string"]"#, "\"long\"", &[&[0, 4]]).unwrap();
    assert_eq!(rows, [json!({"value": 2})]);
    // One type for a union, and branches in another order.
    assert_eq!(read("\"int\"", r#"["null", "long"]"#, &[&[4]]).unwrap(), [json!({"value": 2})]);
    let rows =
        read(r#"["int", "string", "null"]"#, r#"["null", "string", "double"]"#, &[&[0, 4], &[2, 0], &[4]]);
    assert_eq!(
        rows.unwrap(),
        [
            json!({"value": {"string": null, "double": 2.0}}),
            json!({"value": {"string": "", "double": null}}),
            json!({"value": null}),
        ]
    );
}

#[test]
fn symbols_by_name_and_by_default() {
    let symbols = |symbols: &str| format!(r#"{{"type": "enum", "name": "e", "symbols": [{symbols}]}}"#);
    let (writer, reader) = (symbols(r#""a", "b", "c""#), symbols(r#""c", "a""#));
    let rows = read(&writer, &reader, &[&[0], &[4]]).unwrap();
    assert_eq!(rows, [json!({"value": "a"}), json!({"value": "c"})]);
    let error = read(&writer, &reader, &[&[2]]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "record 0, byte of the record 1: the enum e of the reader has no symbol \"b\" and no default"
    );
    let reader = r#"{"type": "enum", "name": "e", "symbols": ["z", "a"], "default": "z"}"#;
    assert_eq!(read(&writer, reader, &[&[2]]).unwrap(), [json!({"value": "z"})]);
}

#[test]
fn schemas_that_do_not_fit_are_errors_of_the_plan() {
    let writer = record(r#"{"name": "a", "type": "string"}"#);
    let error = read(&writer, &record(r#"{"name": "a", "type": "int"}"#), &[]).unwrap_err();
    assert_eq!(error.to_string(), "at a: string was written, which cannot be read as int");
    let error = read(&writer, &record(r#"{"name": "b", "type": "int"}"#), &[]).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::Resolution));
}

#[test]
fn chosen_fields_of_resolved_records() {
    let writer = AvroSchema::parse(&record(
        r#"{"name": "a", "type": "int"}, {"name": "b", "type": "string"}, {"name": "c", "type": "int"}"#,
    ));
    let reader = AvroSchema::parse(&record(
        r#"{"name": "c", "type": "double"}, {"name": "d", "type": "int", "default": 1}, {"name": "b", "type": "string"}"#,
    ));
    let (writer, reader) = (writer.unwrap(), reader.unwrap());
    let options = render::plain().fields(["c"]);
    let mut decoder =
        RecordPlan::builder(&reader).writer(&writer).options(options.clone()).build().unwrap().decoder();
    decoder.push(&[2, 2, b'b', 8], Origin::record(0)).unwrap();
    assert_eq!(render::rows(&decoder.flush().unwrap()), [json!({"c": 4.0})]);
}
