//! Resolution: each rule of the specification, and what it refuses.

use avro_path::datum::{DatumReader, write_json};
use avro_path::{AvroSchema, ErrorKind, Kind, Limits, Resolution, Result};

/// Returns a datum of the writer's schema as JSON of the reader's.
fn resolve(writer: &str, reader: &str, datum: &[u8]) -> Result<String> {
    let reader = AvroSchema::parse(reader).unwrap();
    let resolution = Resolution::new(&AvroSchema::parse(writer).unwrap(), &reader)?;
    let mut input = DatumReader::new(datum);
    let mut out = b"before".to_vec();
    if let Err(error) = resolution.apply(&mut input, &mut out) {
        assert_eq!(out, b"before");
        return Err(error);
    }
    assert!(input.is_empty(), "bytes are left");
    let mut datum = DatumReader::new(&out[6..]);
    let mut json = Vec::new();
    write_json(&reader, &mut datum, &Limits::default(), &mut json)?;
    assert!(datum.is_empty(), "bytes are left");
    Ok(String::from_utf8(json).unwrap())
}

fn record(fields: &str) -> String {
    format!(r#"{{"type": "record", "name": "r", "fields": [{fields}]}}"#)
}

#[test]
fn promotions() {
    for (writer, reader, datum, expected) in [
        ("int", "long", &[3][..], "-2"),
        ("int", "float", &[3], "-2.0"),
        ("int", "double", &[3], "-2.0"),
        ("long", "float", &[3], "-2.0"),
        ("long", "double", &[3], "-2.0"),
        ("float", "double", &[0, 0, 0, 0x3f], "0.5"),
        ("string", "bytes", &[2, b'a'], r#"{"base64":"YQ=="}"#),
        ("bytes", "string", &[2, b'a'], "\"a\""),
    ] {
        let quoted = |name| format!("\"{name}\"");
        assert_eq!(resolve(&quoted(writer), &quoted(reader), datum).unwrap(), expected, "{writer} {reader}");
    }
    for (writer, reader) in [
        ("long", "int"),
        ("double", "float"),
        ("float", "long"),
        ("int", "string"),
        ("null", "int"),
        ("boolean", "int"),
    ] {
        let error = resolve(&format!("\"{writer}\""), &format!("\"{reader}\""), &[]).unwrap_err();
        assert_eq!(error.to_string(), format!("{writer} was written, which cannot be read as {reader}"));
        assert_eq!(error.detail(), Some(&Kind::Resolution));
    }
}

#[test]
fn bytes_are_a_string_only_if_they_are_utf8() {
    let text =
        |ty: &str| record(&format!(r#"{{"name": "a", "type": "int"}}, {{"name": "x", "type": {ty}}}"#));
    for (writer, reader, datum, path) in [
        (text("\"bytes\""), text("\"string\""), &[2, 2, 0xff][..], "x"),
        (text(r#"["null", "bytes"]"#), text(r#"["null", "string"]"#), &[2, 2, 2, 0xff], "x"),
        (
            text(r#"{"type": "array", "items": "bytes"}"#),
            text(r#"{"type": "array", "items": "string"}"#),
            &[2, 4, 2, b'a', 2, 0xff, 0],
            "x[1]",
        ),
        (
            text(r#"{"type": "map", "values": "bytes"}"#),
            text(r#"{"type": "map", "values": "string"}"#),
            &[2, 2, 2, b'k', 2, 0xff, 0],
            "x[\"k\"]",
        ),
    ] {
        let error = resolve(&writer, &reader, datum).unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::NotUtf8), "{error}");
        assert_eq!(error.position().path.as_deref(), Some(path), "{error}");
        assert_eq!(error.what(), "a string of 1 byte is not UTF-8 from its byte 0");
    }
    // The other way round there is nothing to look at.
    let back = Resolution::new(
        &AvroSchema::parse(&text("\"string\"")).unwrap(),
        &AvroSchema::parse(&text("\"bytes\"")).unwrap(),
    );
    assert!(back.unwrap().is_identity());
}

#[test]
fn fields_are_reordered_added_removed_and_renamed() {
    let writer = record(
        r#"{"name": "a", "type": "int"}, {"name": "b", "type": "string"}, {"name": "c", "type": "boolean"}"#,
    );
    let datum = [8, 2, b'x', 1];
    for (reader, expected) in [
        (r#"{"name": "b", "type": "string"}"#, r#"{"b":"x"}"#),
        (r#"{"name": "c", "type": "boolean"}, {"name": "a", "type": "long"}"#, r#"{"c":true,"a":4}"#),
        (
            r#"{"name": "n", "type": "int", "default": 9}, {"name": "a", "type": "int"},
               {"name": "m", "type": "double", "default": 1}"#,
            r#"{"n":9,"a":4,"m":1.0}"#,
        ),
        (r#"{"name": "z", "type": "string", "aliases": ["y", "b"]}"#, r#"{"z":"x"}"#),
        // The same field of the writer's for two of the reader's.
        (
            r#"{"name": "a", "type": "int"}, {"name": "a2", "type": "float", "aliases": ["a"]}"#,
            r#"{"a":4,"a2":4.0}"#,
        ),
        ("", "{}"),
    ] {
        assert_eq!(resolve(&writer, &record(reader), &datum).unwrap(), expected, "{reader}");
    }
    let error = resolve(&writer, &record(r#"{"name": "d", "type": "int"}"#), &datum).unwrap_err();
    assert_eq!(
        error.to_string(),
        "at d: the record r was written without the field \"d\", which has no default; \
         give the field of the reader's schema a default, or an alias"
    );
}

#[test]
fn reordered_fields_in_arrays_maps_and_each_other() {
    let inner = |fields: &str| format!(r#"{{"type": "record", "name": "i", "fields": [{fields}]}}"#);
    let writer = record(&format!(
        r#"{{"name": "l", "type": {{"type": "array", "items": {}}}}},
           {{"name": "m", "type": {{"type": "map", "values": "i"}}}}"#,
        inner(r#"{"name": "a", "type": "int"}, {"name": "b", "type": "int"}"#)
    ));
    let reader = record(&format!(
        r#"{{"name": "m", "type": {{"type": "map", "values": {}}}}},
           {{"name": "l", "type": {{"type": "array", "items": "i"}}}}"#,
        inner(r#"{"name": "b", "type": "long"}, {"name": "a", "type": "double"}"#)
    ));
    let mut datum = vec![4, 2, 4, 6, 8, 0]; // [(1, 2), (3, 4)]
    datum.extend([1, 8, 2, b'k', 10, 12, 0]); // {"k": (5, 6)} in a block with a size
    assert_eq!(
        resolve(&writer, &reader, &datum).unwrap(),
        r#"{"m":{"k":{"b":6,"a":5.0}},"l":[{"b":2,"a":1.0},{"b":4,"a":3.0}]}"#
    );
}

#[test]
fn defaults_of_every_type() {
    let fields = [
        (r#""null""#, "null", "null"),
        (r#""boolean""#, "true", "true"),
        (r#""int""#, "-5", "-5"),
        (r#""long""#, "9007199254740993", "9007199254740993"),
        (r#""float""#, "1.5", "1.5"),
        (r#""double""#, "\"NaN\"", "\"NaN\""),
        (r#""bytes""#, r#""\u00ff\u0001""#, r#"{"base64":"/wE="}"#),
        (r#""string""#, r#""ä""#, r#""ä""#),
        (r#"{"type": "fixed", "name": "f", "size": 2}"#, r#""\u0000a""#, r#"{"base64":"AGE="}"#),
        (r#"{"type": "enum", "name": "e", "symbols": ["A", "B"]}"#, r#""B""#, r#""B""#),
        (r#"{"type": "array", "items": "int"}"#, "[1, 2]", "[1,2]"),
        (r#"{"type": "array", "items": "int"}"#, "[]", "[]"),
        (r#"{"type": "map", "values": "int"}"#, r#"{"k": 1}"#, r#"{"k":1}"#),
        (r#"["null", "int"]"#, "null", "null"),
        (r#"["null", "int"]"#, "3", "3"),
        (
            r#"{"type": "record", "name": "s", "fields": [
                {"name": "p", "type": "int"}, {"name": "q", "type": "int", "default": 8}]}"#,
            r#"{"p": 7}"#,
            r#"{"p":7,"q":8}"#,
        ),
    ];
    for (ty, default, expected) in fields {
        let reader = record(&format!(r#"{{"name": "x", "type": {ty}, "default": {default}}}"#));
        let expected = format!(r#"{{"x":{expected}}}"#);
        assert_eq!(resolve(&record(""), &reader, &[]).unwrap(), expected, "{ty}");
    }
    for (ty, default, said) in [
        (r#""int""#, "3000000000", "at x: the default 3000000000 is not of the type int"),
        (r#""int""#, r#""3""#, "at x: the default \"3\" is not of the type int"),
        (r#"["null", "int"]"#, r#""n""#, "at x: the default \"n\" is not of the type union of null and int"),
        (
            r#"{"type": "array", "items": "int"}"#,
            "[1, null]",
            "at x[1]: the default null is not of the type int",
        ),
        (r#""bytes""#, r#""\u0100""#, "at x: the default \"Ā\" is not of the type bytes"),
    ] {
        let reader = record(&format!(r#"{{"name": "x", "type": {ty}, "default": {default}}}"#));
        let error = resolve(&record(""), &reader, &[]).unwrap_err();
        assert_eq!(error.to_string(), format!("{said}; correct the default in the reader's schema"));
    }
}

#[test]
fn defaults_without_end_are_refused() {
    let reader = record(r#"{"name": "x", "type": ["r", "null"], "default": {}}"#);
    let error = resolve(&record(""), &reader, &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
    // Each record holds the one before it twice.
    let mut fields =
        r#"{"name": "f0", "type": {"type": "record", "name": "d0", "fields": []}, "default": {}}"#.to_owned();
    for level in 1..40 {
        let below = level - 1;
        fields += &format!(
            r#", {{"name": "f{level}", "default": {{}}, "type": {{"type": "record", "name": "d{level}", "fields": [
                {{"name": "a", "type": "d{below}", "default": {{}}}}, {{"name": "b", "type": "d{below}", "default": {{}}}}]}}}}"#
        );
    }
    let error = resolve(&record(""), &record(&fields), &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
}

#[test]
fn unions_of_the_writer_the_reader_or_both() {
    for (writer, reader, datum, expected) in [
        (r#"["null", "int"]"#, r#""int""#, &[2, 6][..], Ok("3")),
        (r#"["null", "int"]"#, r#""long""#, &[2, 6], Ok("3")),
        (
            r#"["null", "int"]"#,
            r#""int""#,
            &[0],
            Err("byte of the data 1: null was written, which cannot be read as int"),
        ),
        (r#""int""#, r#"["null", "int"]"#, &[6], Ok("3")),
        (r#""int""#, r#"["double", "long", "int"]"#, &[6], Ok("3")),
        (r#""int""#, r#"["double", "long"]"#, &[6], Ok("3.0")),
        (r#"["null", "int"]"#, r#"["int", "null"]"#, &[0], Ok("null")),
        (r#"["null", "int"]"#, r#"["int", "null"]"#, &[2, 6], Ok("3")),
        (r#"["int", "string"]"#, r#"["bytes", "double"]"#, &[0, 6], Ok("3.0")),
        (r#"["int", "string"]"#, r#"["bytes", "double"]"#, &[2, 2, b'a'], Ok(r#"{"base64":"YQ=="}"#)),
        (
            r#"["int", "boolean"]"#,
            r#"["string", "int"]"#,
            &[2, 1],
            Err("byte of the data 1: boolean was written, which cannot be read as union of string and int"),
        ),
    ] {
        let found = resolve(writer, reader, datum).map_err(|error| error.to_string());
        assert_eq!(found.as_deref().map_err(|text| text.as_str()), expected, "{writer} {reader}");
    }
    let error = resolve(r#"["int", "boolean"]"#, r#""string""#, &[]).unwrap_err();
    assert_eq!(error.to_string(), "boolean was written, which cannot be read as string");
}

#[test]
fn records_in_unions_are_found_by_name() {
    let one = |name: &str, field: &str| {
        format!(r#"{{"type": "record", "name": "{name}", "fields": [{{"name": "{field}", "type": "int"}}]}}"#)
    };
    let reader = format!("[\"null\", {}, {}]", one("x.a", "f"), one("x.b", "f"));
    assert_eq!(resolve(&one("x.b", "f"), &reader, &[6]).unwrap(), r#"{"f":3}"#);
    let error = resolve(&one("x.b", "g"), &reader, &[6]).unwrap_err().to_string();
    assert!(error.starts_with("at f: the record x.b was written without the field \"f\""), "{error}");
    // By the short name, where no full one fits.
    assert_eq!(resolve(&one("y.b", "f"), &reader, &[6]).unwrap(), r#"{"f":3}"#);
    let error = resolve(&one("x.c", "f"), &reader, &[6]).unwrap_err().to_string();
    assert_eq!(error, "record x.c was written, which cannot be read as union of null, x.a and x.b");
}

#[test]
fn names_and_aliases() {
    let named =
        |name: &str, rest: &str| format!(r#"{{"type": "fixed", "name": "{name}", "size": 1 {rest}}}"#);
    for (writer, reader, fits) in [
        (named("a", ""), named("b", ""), false),
        (named("x.a", ""), named("y.a", ""), true),
        (named("a", ""), named("b", r#", "aliases": ["a"]"#), true),
        (named("x.a", ""), named("x.b", r#", "aliases": ["a"]"#), true),
        (named("x.a", ""), named("y.b", r#", "aliases": ["x.a"]"#), true),
        (named("x.a", ""), named("y.b", r#", "aliases": ["z.a"]"#), false),
    ] {
        assert_eq!(resolve(&writer, &reader, b"z").is_ok(), fits, "{writer} {reader}");
    }
    let two = r#"{"type": "fixed", "name": "a", "size": 2}"#;
    let error = resolve(&named("a", ""), two, b"z").unwrap_err();
    assert_eq!(
        error.to_string(),
        "fixed a was written with another size or other digits than the reader's schema says"
    );
}

#[test]
fn symbols_are_found_by_name() {
    let symbols =
        |list: &str, rest: &str| format!(r#"{{"type": "enum", "name": "e", "symbols": [{list}] {rest}}}"#);
    let writer = symbols(r#""A", "B", "C""#, "");
    let reader = symbols(r#""C", "A""#, "");
    assert_eq!(resolve(&writer, &reader, &[4]).unwrap(), "\"C\"");
    assert_eq!(resolve(&writer, &reader, &[0]).unwrap(), "\"A\"");
    assert_eq!(
        resolve(&writer, &reader, &[2]).unwrap_err().to_string(),
        "byte of the data 1: the enum e of the reader has no symbol \"B\" and no default"
    );
    let reader = symbols(r#""C", "A""#, r#", "default": "A""#);
    assert_eq!(resolve(&writer, &reader, &[2]).unwrap(), "\"A\"");
    assert!(resolve(&writer, &reader, &[6]).is_err());
}

#[test]
fn recursive_schemas() {
    let list = |value: &str, rest: &str| {
        format!(
            r#"{{"type": "record", "name": "n", "fields": [
                {{"name": "v", "type": "{value}"}}, {{"name": "next", "type": ["null", "n"]}} {rest}]}}"#
        )
    };
    let datum = [2, 2, 4, 2, 6, 0]; // 1, 2, 3
    assert_eq!(
        resolve(&list("int", ""), &list("double", r#", {"name": "d", "type": "int", "default": 0}"#), &datum)
            .unwrap(),
        r#"{"v":1.0,"next":{"v":2.0,"next":{"v":3.0,"next":null,"d":0},"d":0},"d":0}"#
    );
    let error = resolve(&list("string", ""), &list("double", ""), &datum).unwrap_err();
    assert_eq!(error.to_string(), "at v: string was written, which cannot be read as double");
    // A datum nested without end does not overflow the stack.
    let deep = [2, 2].repeat(100_000);
    let error = resolve(&list("int", ""), &list("double", ""), &deep).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}

#[test]
fn equal_layouts_are_the_identity() {
    let identity = |writer: &str, reader: &str| {
        Resolution::new(&AvroSchema::parse(writer).unwrap(), &AvroSchema::parse(reader).unwrap())
            .unwrap()
            .is_identity()
    };
    let list = |doc: &str, value: &str| {
        format!(
            r#"{{"type": "record", "name": "n", "doc": "{doc}", "fields": [
                {{"name": "v", "type": "{value}"}}, {{"name": "next", "type": ["null", "n"]}}]}}"#
        )
    };
    assert!(identity(&list("a", "int"), &list("b", "int")));
    assert!(identity(&list("a", "int"), &list("b", "long")));
    assert!(!identity(&list("a", "int"), &list("b", "float")));
    assert!(identity(&list("a", "string"), &list("b", "bytes")));
    assert!(!identity(&list("a", "bytes"), &list("b", "string")));
    assert!(!identity(r#"["null", "int"]"#, r#"["null", "int", "long"]"#));
    let symbols = |list: &str| format!(r#"{{"type": "enum", "name": "e", "symbols": [{list}]}}"#);
    assert!(identity(&symbols(r#""A""#), &symbols(r#""A", "B""#)));
    assert!(!identity(&symbols(r#""A", "B""#), &symbols(r#""B", "A""#)));
    let decimal =
        |scale| format!(r#"{{"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": {scale}}}"#);
    assert!(identity(&decimal(1), &decimal(1)));
    let scales = [decimal(1), decimal(2)].map(|text| AvroSchema::parse(&text).unwrap());
    assert!(Resolution::new(&scales[0], &scales[1]).is_err());
}

#[test]
fn items_without_bytes_stay_within_limits() {
    let writer = r#"{"type": "array", "items": {"type": "record", "name": "r", "fields": []}}"#;
    let reader = r#"{"type": "array", "items": {"type": "record", "name": "r", "fields": [
        {"name": "x", "type": "long", "default": 1}]}}"#;
    let mut datum = Vec::new();
    avro_path::datum::write::long(&mut datum, 1 << 40);
    datum.push(0);
    let error = resolve(writer, reader, &datum).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
    assert_eq!(resolve(writer, reader, &[4, 0]).unwrap(), r#"[{"x":1},{"x":1}]"#);
}
