//! Keys of data that were written with another schema.

use apache_avro::Schema as ApacheSchema;
use apache_avro::writer::datum::GenericDatumWriter;
use avro_path::datum::DatumReader;
use avro_path::{AvroSchema, ErrorKind, Key, KeyProgram, Kind, Limits, Resolution, Result};
use proptest::prelude::*;
use serde_json::{Value, json};
use tfxio_core::Origin;

use crate::key_columns::choices::Choices;
use crate::key_columns::data::schema;
use crate::key_columns::evolved::evolved;
use crate::key_columns::oracle::{Case, choices, random_case};
use crate::key_columns::render;

fn program(writer: &AvroSchema, reader: &AvroSchema, keys: &[Key]) -> Result<KeyProgram> {
    let named = keys.iter().map(|key| (key.text(), key));
    KeyProgram::builder(reader, named).writer(writer).build()
}

/// Returns the values of keys for a datum.
fn read(writer: &str, reader: &str, keys: &[&str], datum: &[u8]) -> Result<Vec<Value>> {
    let (writer, reader) = (AvroSchema::parse(writer).unwrap(), AvroSchema::parse(reader).unwrap());
    let keys = keys.iter().map(|key| Key::parse(key).unwrap()).collect::<Vec<_>>();
    let program = program(&writer, &reader, &keys)?;
    assert_eq!(program.arrow_schema(), KeyProgram::new(&reader, &keys).unwrap().arrow_schema());
    let mut decoder = program.decoder();
    decoder.push(datum, Origin::record(0))?;
    Ok(decoder.flush()?.columns().iter().flat_map(render::rows).collect())
}

fn record(name: &str, fields: &str) -> String {
    format!(r#"{{"type": "record", "name": "{name}", "fields": [{fields}]}}"#)
}

#[test]
fn fields_move_vanish_appear_and_are_renamed() {
    let writer = record(
        "r",
        r#"{"name": "id", "type": "int"}, {"name": "old", "type": "string"}, {"name": "x", "type": "boolean"}"#,
    );
    let reader = record(
        "r",
        r#"{"name": "x", "type": "boolean"},
           {"name": "rank", "type": {"type": "array", "items": "string"}, "default": ["d", ""]},
           {"name": "number", "type": ["null", "double"], "aliases": ["id"]},
           {"name": "twice", "type": "long", "aliases": ["id"]}"#,
    );
    let keys = ["twice", "rank[*]", "number", "rank[-2]", "rank[7]", "x", "@twice"];
    let values = read(&writer, &reader, &keys, &[4, 2, b'x', 1]).unwrap();
    assert_eq!(
        values,
        [json!(2), json!(["d", ""]), json!(2.0), json!("d"), json!(null), json!(true), json!(2)]
    );
}

/// Both sides of a test may be promoted, be renamed, be in a default or be compared with a side that is.
#[test]
fn filters_see_what_the_reader_sees() {
    let item = |more: &str| {
        let item = record(
            "item",
            &format!(r#"{{"name": "v", "type": "int"}}, {{"name": "name", "type": "string"}}{more}"#),
        );
        format!(r#"{{"name": "items", "type": {{"type": "array", "items": {item}}}}}"#)
    };
    let writer = record("r", &format!(r#"{}, {{"name": "wanted", "type": "string"}}"#, item("")));
    let old = r#", {"name": "kind", "type": "string", "default": "old"}"#;
    let others = r#"{"name": "others", "type": {"type": "array", "items": "item"},
        "default": [{"v": 7, "name": "b", "kind": "x"}, {"v": 8, "name": "c", "kind": "y"}]},
        {"name": "given", "type": "string", "default": "b"}"#;
    let items = item(old).replace("\"int\"", "\"double\"");
    let reader = record(
        "r",
        &format!(r#"{{"name": "asked", "type": "bytes", "aliases": ["wanted"]}}, {items}, {others}"#),
    );
    let keys = [
        "items[v=2.0].name",
        "items[name=@asked].v",
        "items[kind='old' & name!='b'].v",
        "items[kind=@given].v",
        "items[name=@given].v",
        "others[name=@asked].v",
        "others[name=@given].v",
        "others[kind='y'].name",
    ];
    // Items of 1 and "a", 2 and "b"; and "b" is wanted.
    let values = read(&writer, &reader, &keys, &[4, 2, 2, b'a', 4, 2, b'b', 0, 2, b'b']).unwrap();
    let expected = [
        json!(["b"]),
        json!([2.0]),
        json!([1.0]),
        json!([]),
        json!([2.0]),
        json!([7.0]),
        json!([7.0]),
        json!(["c"]),
    ];
    assert_eq!(values, expected);
}

#[test]
fn symbols_and_unions_become_those_of_the_reader() {
    let writer = record(
        "r",
        r#"{"name": "e", "type": {"type": "enum", "name": "e", "symbols": ["a", "b", "c"]}},
           {"name": "u", "type": ["int", "string", "null"]}"#,
    );
    let reader = record(
        "r",
        r#"{"name": "u", "type": ["null", {"type": "array", "items": "int"}, "double", "string"]},
           {"name": "e", "type": ["null", {"type": "enum", "name": "e", "symbols": ["c", "a"]}]}"#,
    );
    let keys = ["u:double", "u:string", "e", "u:array[*]"];
    let value = |datum: &[u8]| read(&writer, &reader, &keys, datum);
    assert_eq!(value(&[0, 0, 8]).unwrap(), [json!(4.0), json!(null), json!("a"), json!(null)]);
    assert_eq!(value(&[4, 2, 2, b'x']).unwrap(), [json!(null), json!("x"), json!("c"), json!(null)]);
    assert_eq!(value(&[4, 4]).unwrap(), [json!(null), json!(null), json!("c"), json!(null)]);
    let error = value(&[2, 4]).unwrap_err();
    assert_eq!(
        (error.detail().copied(), error.to_string().as_str()),
        (
            Some(Kind::Resolution),
            "record 0, byte of the record 1, at e: the enum e of the reader has no symbol \"b\" and no default"
        )
    );
    // No key asks for it.
    assert_eq!(read(&writer, &reader, &["u:string"], &[2, 4]).unwrap(), [json!(null)]);
}

/// The byte is that of the datum as it was written.
#[test]
fn errors_say_where_in_the_datum_they_are() {
    let writer = record("r", r#"{"name": "s", "type": "bytes"}, {"name": "n", "type": "long"}"#);
    let reader = record(
        "r",
        r#"{"name": "filler", "type": "string", "default": "a long one that moves all behind it"},
           {"name": "n", "type": "double"}, {"name": "s", "type": "string"}"#,
    );
    let text = |keys: &[&str], datum: &[u8]| read(&writer, &reader, keys, datum).unwrap_err().to_string();
    assert_eq!(
        text(&["s"], &[4, b'a', 0xff, 2]),
        "record 0, byte of the record 0, at s: a string of 2 bytes is not UTF-8 from its byte 1"
    );
    assert_eq!(
        text(&["n", "filler"], &[4, b'a', 0xff]),
        "record 0, byte of the record 3, at n: the datum ends within a number"
    );
}

/// Defaults are stored without a byte in the datum: a batch of them is bounded all the same.
#[test]
fn defaults_count_as_what_they_take() {
    let writer = AvroSchema::parse(&record("r", r#"{"name": "n", "type": "int"}"#)).unwrap();
    let filler = "x".repeat(1000);
    let reader = record(
        "r",
        &format!(
            r#"{{"name": "filler", "type": {{"type": "array", "items": "string"}}, "default": ["{filler}"]}}"#
        ),
    );
    let keys = [Key::parse("filler[*]").unwrap(), Key::parse("filler[0]").unwrap()];
    let program = program(&writer, &AvroSchema::parse(&reader).unwrap(), &keys).unwrap();
    let limits = Limits::default().batch_bytes(100_000);
    let mut decoder = program.decoder().limits(limits);
    let error = (0..100).find_map(|row| decoder.push(&[2], Origin::record(row)).err()).unwrap();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert!((40..50).contains(&decoder.rows()), "{}", decoder.rows());
    let limits = Limits::default().list_items(0);
    let error = program.decoder().limits(limits).push(&[2], Origin::record(0)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn what_is_resolved_on_the_way_is_what_would_have_been_written(
        choices in choices(),
        evolution in prop::collection::vec(any::<u16>(), 0..200),
        block_size in prop_oneof![Just(None), Just(Some(1)), Just(Some(6))],
    ) {
        let Case { root, keys, data } = random_case(&choices);
        let json = schema(&root);
        let mut other = json.clone();
        evolved(&mut Choices(evolution.iter()), &mut other);
        let apache = ApacheSchema::parse_str(&json.to_string()).unwrap();
        let apache =
            GenericDatumWriter::builder(&apache).maybe_target_block_size(block_size).build().unwrap();
        let (writer, reader) = (AvroSchema::parse(&json.to_string()).unwrap(), AvroSchema::parse(&other.to_string()).unwrap());
        // Those that the reader's schema has, too.
        let texts = keys.iter().map(|(key, _)| key.as_str()).chain(["added[*]", "added[-1]", "again"]);
        let keys = texts.map(|key| Key::parse(key).unwrap());
        let keys = keys.filter(|key| KeyProgram::new(&reader, std::slice::from_ref(key)).is_ok());
        let keys = keys.collect::<Vec<_>>();

        let resolution = Resolution::new(&writer, &reader);
        let resolving = program(&writer, &reader, &keys);
        prop_assert_eq!(resolution.is_ok(), resolving.is_ok());
        let (Ok(resolution), Ok(resolving)) = (resolution, resolving) else { return Ok(()) };
        let (mut resolving, mut reading) = (resolving.decoder(), KeyProgram::new(&reader, &keys).unwrap().decoder());
        for (row, datum) in data.iter().enumerate() {
            let mut bytes = Vec::new();
            apache.write_value_ref(&mut bytes, datum).unwrap();
            let length = bytes.len();
            bytes.push(7);
            let mut rewritten = Vec::new();
            let result = resolution.apply(&mut DatumReader::new(&bytes), &mut rewritten);
            let origin = Origin::record(row as u64);
            match (result, resolving.push_first(&bytes, origin)) {
                (Ok(()), pushed) => {
                    prop_assert_eq!(pushed.unwrap(), length);
                    reading.push(&rewritten, origin).unwrap();
                    // What is cut leaves nothing.
                    if length > 0 {
                        resolving.push(&bytes[..length - 1], origin).unwrap_err();
                    }
                }
                // Nothing asks for what cannot be read.
                (Err(_), Ok(read)) => {
                    prop_assert_eq!(read, length);
                    resolving.flush().unwrap();
                    reading.flush().unwrap();
                }
                (Err(resolved), Err(pushed)) => prop_assert_eq!(resolved.detail::<Kind>(), pushed.detail()),
            }
        }
        let (resolved, read) = (resolving.flush().unwrap(), reading.flush().unwrap());
        resolved.columns().iter().for_each(|column| drop(render::rows(column)));
        prop_assert_eq!(resolved, read, "{} {}", json, other);
    }
}
