//! Fields that are chosen; the others are passed over.

use arrow_array::cast::AsArray;
use avro_path::record::{RecordOptions, RecordPlan};
use avro_path::{AvroSchema, ErrorKind, Kind};
use serde_json::json;
use tfxio_core::Origin;

use crate::records::render;

const SCHEMA: &str = r#"{"type": "record", "name": "row", "fields": [
    {"name": "a", "type": "int"},
    {"name": "b", "type": {"type": "array", "items": {"type": "record", "name": "item", "fields": [
        {"name": "x", "type": "string"}, {"name": "y", "type": ["null", "float"]}, {"name": "z", "type": "long"}]}}},
    {"name": "c", "type": {"type": "map", "values": {"type": "record", "name": "v", "fields": [
        {"name": "p", "type": "bytes"}, {"name": "q", "type": "boolean"}]}}},
    {"name": "d", "type": ["int", {"type": "record", "name": "u", "fields": [
        {"name": "m", "type": "int"}, {"name": "n", "type": "string"}]}]},
    {"name": "e.f", "type": "double"}]}"#;

const DATUM: [&[u8]; 1] = [&[
    2, // a
    4, 2, b's', 2, 0, 0, 0, 0x3f, 6, 0, 0, 8, 0, // b
    2, 2, b'k', 2, b'p', 1, 0, // c
    2, 10, 2, b'n', // d
    0, 0, 0, 0, 0, 0, 0xe0, 0x3f, // e.f
]];

fn chosen(fields: &[&str]) -> serde_json::Value {
    let options = render::plain().fields(fields.iter().copied());
    render::rows(&render::batch(SCHEMA, &options, &DATUM).unwrap())[0].take()
}

#[test]
fn columns_of_the_fields_that_are_asked_for() {
    let b = json!([{"x": "s", "y": 0.5, "z": 3}, {"x": "", "y": null, "z": 4}]);
    let all = json!({
        "a": 1, "b": b, "c": [{"key": "k", "value": {"p": "p", "q": true}}],
        "d": {"int": null, "u": {"m": 5, "n": "n"}}, "e.f": 0.5,
    });
    let batch = render::batch(SCHEMA, &render::plain(), &DATUM).unwrap();
    assert_eq!(render::rows(&batch)[0], all);
    for name in ["a", "b", "c", "d", "e.f"] {
        assert_eq!(chosen(&[name]), json!({name: all[name]}));
    }
    // In the order of the schema, each once.
    assert_eq!(chosen(&["d", "a", "d"]), json!({"a": 1, "d": all["d"]}));
    assert_eq!(chosen(&["b.y"]), json!({"b": [{"y": 0.5}, {"y": null}]}));
    assert_eq!(chosen(&["b.z", "b.x"]), json!({"b": [{"x": "s", "z": 3}, {"x": "", "z": 4}]}));
    assert_eq!(chosen(&["b.z", "b"]), json!({"b": all["b"]}));
    assert_eq!(chosen(&["c.q"]), json!({"c": [{"key": "k", "value": {"q": true}}]}));
    assert_eq!(chosen(&["d.u.n"]), json!({"d": {"u": {"n": "n"}}}));
    // The branch that the datum has is not asked for.
    assert_eq!(chosen(&["d.int", "a"]), json!({"a": 1, "d": {"int": null}}));
    assert_eq!(chosen(&[]), json!({}));
}

#[test]
fn names_with_dots_stand_in_quotes() {
    let schema = r#"{"type": "record", "name": "row", "fields": [
        {"name": "a", "type": {"type": "record", "name": "inner", "fields": [
            {"name": "b", "type": "int"}, {"name": "b.c", "type": "int"}]}},
        {"name": "a.b", "type": "int"}, {"name": "it's", "type": "int"}, {"name": "d", "type": "int"},
        {"name": "d.e", "type": "int"}]}"#;
    let read = |options: &RecordOptions| render::batch(schema, options, &[&[2, 4, 6, 8, 10, 12]]);
    let row = |options: &RecordOptions| render::rows(&read(options).unwrap())[0].take();
    let chosen = |fields: &[&str]| row(&render::plain().fields(fields.iter().copied()));
    // Without quotes it is every field that it may be.
    assert_eq!(chosen(&["a.b"]), json!({"a": {"b": 1}, "a.b": 3}));
    assert_eq!(chosen(&["'a.b'"]), json!({"a.b": 3}));
    assert_eq!(chosen(&["\"a\".b"]), json!({"a": {"b": 1}}));
    assert_eq!(chosen(&["a.'b.c'"]), json!({"a": {"b.c": 2}}));
    assert_eq!(chosen(&["'d.e'", "'it\\'s'"]), json!({"it's": 4, "d.e": 6}));
    let columns = |names: &[&str]| row(&render::plain().columns(names));
    assert_eq!(columns(&["d.e", "it's", "a.b"]), json!({"a.b": 3, "it's": 4, "d.e": 6}));
    assert_eq!(columns(&["d"]), json!({"d": 5}));

    for (field, expected) in [
        ("d.e", "at d: no field \"e\" in int: it has no fields; ask for the field above it"),
        ("'d.f'", "no field \"d.f\" in record row; did you mean \"d.e\"?"),
        ("'a'b", "no field \"'a'b\" in record row; did you mean \"a.b\"?"),
        ("'a", "no field \"'a\" in record row; did you mean \"a\"?"),
    ] {
        let error = read(&render::plain().fields([field])).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn the_structured_layout_chooses_alike() {
    let options =
        RecordOptions::default().layout(avro_path::record::Layout::Structured).fields(["b.y", "d.u.m"]);
    let batch = render::batch(SCHEMA, &options, &DATUM).unwrap();
    let expected = json!({"b": [{"y": [0.5]}, {"y": null}], "d": [{"u": [{"m": [5]}]}]});
    assert_eq!(render::rows(&batch)[0], expected);
}

#[test]
fn fields_that_there_are_not() {
    for (field, expected) in [
        ("aa", "no field \"aa\" in record row; did you mean \"a\"?"),
        (
            "elephant",
            "no field \"elephant\" in record row; the fields are \"a\", \"b\", \"c\", \"d\", \"e.f\"",
        ),
        ("b.w", "at b: no field \"w\" in record item; the fields are \"x\", \"y\", \"z\""),
        ("a.x", "at a: no field \"x\" in int: it has no fields; ask for the field above it"),
        ("d.string", "at d: no field \"string\" in union of int and u; the fields are \"int\", \"u\""),
    ] {
        let error = render::batch(SCHEMA, &render::plain().fields([field]), &DATUM).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert_eq!(error.to_string(), expected);
    }
}

/// Takes minutes if each name is compared with each field.
#[test]
fn many_of_many_fields() {
    let fields = (0..60_000).map(|field| format!(r#"{{"name": "f{field}", "type": "boolean"}}"#));
    let fields = fields.collect::<Vec<_>>().join(", ");
    let schema = format!(r#"{{"type": "record", "name": "wide", "fields": [{fields}]}}"#);
    let names = (0..30_000).map(|field| format!("f{}", 59_998 - 2 * field));
    let options = render::plain().fields(names);
    let plan =
        RecordPlan::builder(&AvroSchema::parse(&schema).unwrap()).options(options.clone()).build().unwrap();
    let mut decoder = plan.decoder();
    decoder.push(&[1, 0].repeat(30_000), Origin::record(0)).unwrap();
    let batch = decoder.flush().unwrap();
    assert_eq!(batch.num_columns(), 30_000);
    assert!(batch.columns().iter().all(|column| column.as_boolean().value(0)));
}

#[test]
fn what_is_passed_over_is_not_looked_at_and_named_where_it_has_no_end() {
    // The string of `b` is not UTF-8, its boolean in `c` is 2.
    let mut datum = DATUM[0].to_vec();
    datum[3] = 0xff;
    datum[19] = 2;
    let options = render::plain().fields(["a", "e.f"]);
    let rows = render::rows(&render::batch(SCHEMA, &options, &[&datum]).unwrap());
    assert_eq!(rows, [json!({"a": 1, "e.f": 0.5})]);
    let error = render::batch(SCHEMA, &render::plain(), &[&datum]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "record 0, byte of the record 2, at b[0].x: a string of 1 byte is not UTF-8 from its byte 0"
    );
    // The length of the map's key.
    datum[15] = 126;
    let error = render::batch(SCHEMA, &options, &[&datum]).unwrap_err();
    assert_eq!(error.position().path.as_deref(), Some("c"));
    assert_eq!(error.detail(), Some(&Kind::Truncated));
}
