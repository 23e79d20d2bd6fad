//! Schemas: valid ones, errors of invalid ones, canonical forms, limits.

use avro_path::schema::{Logical, SchemaLimits, Type};
use avro_path::{AvroSchema, ErrorKind, Kind};

fn parse(text: &str) -> AvroSchema {
    AvroSchema::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn refused(text: &str) -> String {
    let error = AvroSchema::parse(text).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::Schema), "{error}");
    error.to_string()
}

#[test]
fn names_that_break_the_rules_are_read() {
    for name in ["Chicago Taxi dataset", "", "käse", "1st", "a-b", "\\u0000", "日本"] {
        let schema = parse(&format!(
            r#"{{"type": "record", "name": "{name}", "fields": [
                {{"name": "{name}", "type": {{"type": "enum", "name": "e", "symbols": ["{name}"]}}}}]}}"#
        ));
        let Type::Record(record) = schema.get(schema.root()) else { panic!() };
        assert_eq!(record.fields()[0].name(), record.name().short());
    }
}

#[test]
fn names_are_found_by_avros_rules() {
    let schema = parse(
        r#"{"type": "record", "name": "a", "namespace": "x", "fields": [
            {"name": "f1", "type": {"type": "fixed", "name": "F", "size": 3}},
            {"name": "f2", "type": {"type": "record", "name": "y.r", "fields": [
                {"name": "g1", "type": {"type": "fixed", "name": "F", "size": 4}},
                {"name": "g2", "type": "F"},
                {"name": "g3", "type": "x.F"},
                {"name": "g4", "type": "x.a"}]}},
            {"name": "f3", "type": "F"},
            {"name": "f4", "type": {"type": "enum", "name": "E", "namespace": "", "symbols": []}},
            {"name": "f5", "type": "E"}]}"#,
    );
    let Type::Record(root) = schema.get(schema.root()) else { panic!() };
    let Type::Record(inner) = schema.get(root.fields()[1].type_id()) else { panic!() };
    let names = |fields: &[avro_path::schema::RecordField]| -> Vec<String> {
        fields.iter().map(|field| schema.branch_name(field.type_id()).to_owned()).collect()
    };
    assert_eq!(names(root.fields()), ["x.F", "y.r", "x.F", "E", "E"]);
    assert_eq!(names(inner.fields()), ["y.F", "y.F", "x.F", "x.a"]);
}

#[test]
fn what_writers_write_beside_the_rules_is_read() {
    assert!(matches!(parse("long").get(parse("long").root()), Type::Long));
    for text in [
        r#"{"type": {"type": "int"}}"#,
        r#"{"type": ["null", "int"]}"#,
        r#"{"type": "error", "name": "e", "fields": []}"#,
        r#"{"type": "record", "name": "r", "fields": [{"name": "a", "type": "array", "items": "int"}]}"#,
        r#"{"type": "record", "name": "r", "fields": [
            {"name": "a", "type": "record", "fields": [{"name": "b", "type": "int"}], "default": {"b": 1}},
            {"name": "c", "type": "enum", "symbols": ["X"]}, {"name": "d", "type": "fixed", "size": 3}]}"#,
        // The same definition twice.
        r#"[{"type": "array", "items": {"type": "fixed", "name": "f", "size": 1}},
            {"type": "map", "values": {"type": "fixed", "name": "f", "size": 1}}]"#,
        // A default that is none.
        r#"{"type": "record", "name": "r", "fields": [{"name": "a", "type": "int", "default": "x"}]}"#,
        "[]",
    ] {
        parse(text);
    }
}

#[test]
fn refusals_say_where() {
    for (text, said) in [
        ("", "the schema is not JSON (line 1, column 0)"),
        ("{\"type\": \n\"int", "the schema is not JSON (line 2, column 4)"),
        ("7", "at $: a schema is a JSON string, object or array, this is a number"),
        ("{}", "at $: the object has no \"type\""),
        (
            r#"{"type": "record", "name": "r", "fields": [{"name": "a", "type": "int"}, {"name": "b", "type": "x"}]}"#,
            "at $.fields[1].type: there is no type \"x\"; a record, enum or fixed has to be defined before it is \
             named; the types without definition are null, boolean, int, long, float, double, bytes and string",
        ),
        (r#"{"type": "record", "fields": []}"#, "at $: the object has no \"name\""),
        (r#"{"type": "record", "name": 3}"#, "at $: \"name\" is a number and has to be a string"),
        (r#"{"type": "record", "name": "r"}"#, "at $: the record \"r\" has no array \"fields\""),
        (
            r#"{"type": "record", "name": "r", "fields": [1]}"#,
            "at $.fields[0]: a field is an object, not a number",
        ),
        (
            r#"{"type": "record", "name": "r", "fields": [{"name": "a"}]}"#,
            "at $.fields[0]: the field \"a\" has no \"type\"",
        ),
        (
            r#"{"type": "record", "name": "r", "fields": [{"name": "a", "type": "int"}, {"name": "a", "type": "int"}]}"#,
            "at $.fields[1]: the record has two fields \"a\", the first is [0]",
        ),
        (r#"{"type": "array"}"#, "at $: the object has no \"items\""),
        (
            r#"{"type": "record", "name": "r", "fields": [{"name": "a", "type": "record"}]}"#,
            "at $.fields[0].type: \"record\" is the kind of a type, not a type; write an object with what it consists of: \
             {\"type\": \"record\", \"fields\": ...}",
        ),
        (
            r#"{"type": "record", "name": "r", "fields": [
                {"name": "a", "type": "enum", "symbols": ["X"], "default": "X"}]}"#,
            "at $.fields[0]: the field \"a\" has its type beside its name, so that \"default\" could be that of the field or \
             of the enum; put the enum into an object of its own: \"type\": {\"type\": \"enum\", ...}",
        ),
        (
            r#"{"type": "record", "name": "r", "fields": [
                {"name": "a", "type": "fixed", "size": 1, "aliases": ["b"]}]}"#,
            "at $.fields[0]: the field \"a\" has its type beside its name, so that \"aliases\" could be that of the field or \
             of the fixed; put the fixed into an object of its own: \"type\": {\"type\": \"fixed\", ...}",
        ),
        (
            r#"{"type": "map", "values": {"type": "array", "items": [["int"]]}}"#,
            "at $.values.items[0]: a union stands directly in a union",
        ),
        (r#"["int", "string", "int"]"#, "at $[2]: the union has the branch \"int\" twice"),
        (r#"{"type": "enum", "name": "e"}"#, "at $: the enum \"e\" has no array \"symbols\""),
        (
            r#"{"type": "enum", "name": "e", "symbols": ["a", "a"]}"#,
            "at $.symbols[1]: the symbol \"a\" is also [0]",
        ),
        (
            r#"{"type": "enum", "name": "e", "symbols": ["a"], "default": "b"}"#,
            "at $: the default \"b\" is not one of the symbols",
        ),
        (r#"{"type": "enum", "name": "e", "symbols": [1]}"#, "at $: \"symbols\" is not an array of strings"),
        (
            r#"{"type": "fixed", "name": "f", "size": -1}"#,
            "at $: the fixed \"f\" has no \"size\" from 0 to 2^31 - 1",
        ),
        (
            r#"{"type": "fixed", "name": "f", "size": 1, "namespace": 5}"#,
            "at $: \"namespace\" is not a string",
        ),
        (
            r#"[{"type": "fixed", "name": "f", "size": 1}, {"type": "array", "items": {"type": "fixed", "name": "f", "size": 2}}]"#,
            "at $[1].items: \"f\" is defined a second time, differently",
        ),
    ] {
        assert_eq!(refused(text), said, "{text}");
    }
}

#[test]
fn a_recursive_record_may_stand_in_its_own_unions() {
    let schema = parse(
        r#"{"type": "record", "name": "n", "fields": [
            {"name": "next", "type": ["null", "n"]}, {"name": "all", "type": {"type": "array", "items": "n"}}]}"#,
    );
    let Type::Record(record) = schema.get(schema.root()) else { panic!() };
    assert_eq!(schema.describe(record.fields()[0].type_id()), "union of null and n");
    assert_eq!(
        refused(r#"{"type": "record", "name": "n", "fields": [{"name": "next", "type": ["n", "n"]}]}"#),
        "at $.fields[0].type[1]: the union has the branch \"n\" twice"
    );
}

#[test]
fn logical_types_that_make_no_sense_are_none() {
    let of = |text: &str| {
        let schema = parse(text);
        schema.logical(schema.root())
    };
    let fixed = |size, rest: &str| format!(r#"{{"type": "fixed", "name": "f", "size": {size}, {rest}}}"#);
    for (text, expected) in [
        (r#"{"type": "int", "logicalType": "date"}"#.to_owned(), Some(Logical::Date)),
        (r#"{"type": "string", "logicalType": "date"}"#.to_owned(), None),
        (r#"{"type": "long", "logicalType": "timestamp-nanos"}"#.to_owned(), Some(Logical::TimestampNanos)),
        (r#"{"type": "string", "logicalType": "uuid"}"#.to_owned(), Some(Logical::Uuid)),
        (fixed(16, r#""logicalType": "uuid""#), Some(Logical::Uuid)),
        (fixed(15, r#""logicalType": "uuid""#), None),
        (fixed(12, r#""logicalType": "duration""#), Some(Logical::Duration)),
        (
            r#"{"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}"#.to_owned(),
            Some(Logical::Decimal { precision: 4, scale: 2 }),
        ),
        (
            r#"{"type": "bytes", "logicalType": "decimal", "precision": 4}"#.to_owned(),
            Some(Logical::Decimal { precision: 4, scale: 0 }),
        ),
        (r#"{"type": "bytes", "logicalType": "decimal", "precision": 0}"#.to_owned(), None),
        (r#"{"type": "bytes", "logicalType": "decimal", "precision": 2, "scale": 3}"#.to_owned(), None),
        (r#"{"type": "bytes", "logicalType": "decimal"}"#.to_owned(), None),
        (
            fixed(4, r#""logicalType": "decimal", "precision": 9"#),
            Some(Logical::Decimal { precision: 9, scale: 0 }),
        ),
        (fixed(4, r#""logicalType": "decimal", "precision": 10"#), None),
        (fixed(0, r#""logicalType": "decimal", "precision": 1"#), None),
        (r#"{"type": "int", "logicalType": "no-such"}"#.to_owned(), None),
    ] {
        assert_eq!(of(&text), expected, "{text}");
    }
}

#[test]
fn canonical_forms_and_fingerprints_are_those_of_another_implementation() {
    for text in [
        "\"null\"",
        "\"int\"",
        r#"{"type": "string", "avro.java.string": "String"}"#,
        r#"[ "int", "boolean", {"type": "map", "values": "long"} ]"#,
        r#"{"type": "fixed", "name": "md5", "namespace": "org.x", "size": 16, "doc": "d"}"#,
        r#"{"type": "enum", "name": "a.E", "symbols": ["A", "B"], "aliases": ["F"]}"#,
        r#"{"fields": [{"default": [], "type": {"items": "y.r", "type": "array"}, "name": "f"},
            {"name": "g", "type": ["null", "r"]}], "type": "record", "name": "r", "namespace": "y"}"#,
    ] {
        let ours = parse(text);
        let theirs = apache_avro::Schema::parse_str(text).unwrap();
        assert_eq!(ours.canonical_form(), theirs.canonical_form(), "{text}");
        let fingerprint = theirs.fingerprint::<apache_avro::rabin::Rabin>().bytes;
        assert_eq!(ours.fingerprint().to_le_bytes()[..], fingerprint[..], "{text}");
    }
    // A published value: the fingerprint of "int".
    assert_eq!(parse("\"int\"").fingerprint(), 0x7275_d51a_3f39_5c8f);
}

#[test]
fn the_fewest_bytes_of_each_type() {
    let least = |text: &str| {
        let schema = parse(text);
        schema.least_bytes(schema.root())
    };
    let record = |fields: &str| format!(r#"{{"type": "record", "name": "r", "fields": [{fields}]}}"#);
    for (text, expected) in [
        ("\"null\"".to_owned(), 0),
        ("\"double\"".to_owned(), 8),
        (r#"["double", "null"]"#.to_owned(), 1),
        ("[]".to_owned(), usize::MAX),
        (record(""), 0),
        (record(r#"{"name": "a", "type": "float"}, {"name": "b", "type": "string"}"#), 5),
        (record(r#"{"name": "a", "type": ["r", "int"]}"#), 2),
        (record(r#"{"name": "a", "type": "r"}"#), usize::MAX),
        (record(r#"{"name": "a", "type": {"type": "array", "items": "r"}}"#), 1),
    ] {
        assert_eq!(least(&text), expected, "{text}");
    }
}

#[test]
fn limits_hold() {
    let nested = |depth: usize| {
        format!("{}\"int\"{}", "{\"type\": \"array\", \"items\": ".repeat(depth), "}".repeat(depth))
    };
    parse(&nested(127));
    let kind = |text: &str, limits| AvroSchema::parse_within(text, limits).unwrap_err().kind();
    let usual = SchemaLimits::default();
    assert_eq!(kind(&nested(128), usual), ErrorKind::LimitExceeded);
    assert_eq!(kind(&"[".repeat(100_000), usual), ErrorKind::LimitExceeded);
    assert_eq!(kind(&nested(5), usual.nesting(4)), ErrorKind::LimitExceeded);
    assert_eq!(kind(&nested(5), usual.types(12)), ErrorKind::LimitExceeded);
    assert_eq!(kind(&nested(5), usual.bytes(50)), ErrorKind::LimitExceeded);
    assert!(AvroSchema::parse_within(&nested(5), usual.objects(5)).is_ok());
    let error = AvroSchema::parse_within(&nested(5), usual.objects(4)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert_eq!(
        error.to_string(),
        "the schema's JSON has 5 objects, more than 4; raise SchemaLimits::objects if this is meant"
    );
    // A few bytes each, which would take hundreds of times as much memory.
    assert_eq!(kind(&format!("[{}0]", "{\"\":0},".repeat(250_001)), usual), ErrorKind::LimitExceeded);
}
