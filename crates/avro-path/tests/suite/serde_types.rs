//! Data of types of serde: what comes back, what other writers write, and what is refused.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use avro_path::container::{Codec, ContainerReader, ContainerWriter};
use avro_path::datum::{DatumReader, check, from_datum, to_datum, write, write_json};
use avro_path::{AvroSchema, Error, Kind, Limits, Reader};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

fn schema(text: &str) -> AvroSchema {
    AvroSchema::parse(text).unwrap()
}

fn read<'de, T: Deserialize<'de>>(schema: &AvroSchema, bytes: &'de [u8]) -> Result<T, Error> {
    from_datum(schema, &mut DatumReader::new(bytes), &Limits::default())
}

fn written<T: Serialize>(schema: &AvroSchema, value: &T) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    to_datum(schema, value, &mut bytes)?;
    let mut reader = DatumReader::new(&bytes);
    check(schema, &mut reader, &Limits::default()).expect("a datum of the schema");
    assert!(reader.is_empty());
    Ok(bytes)
}

fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(
    schema: &AvroSchema,
    value: &T,
) -> Vec<u8> {
    let bytes = written(schema, value).unwrap();
    let mut reader = DatumReader::new(&bytes);
    assert_eq!(&from_datum::<T>(schema, &mut reader, &Limits::default()).unwrap(), value);
    assert!(reader.is_empty());
    bytes
}

const EVERYTHING: &str = r#"{"type": "record", "name": "all", "namespace": "t", "fields": [
    {"name": "flag", "type": "boolean"},
    {"name": "small", "type": "int"},
    {"name": "large", "type": "long"},
    {"name": "half", "type": "float"},
    {"name": "whole", "type": "double"},
    {"name": "text", "type": "string"},
    {"name": "raw", "type": "bytes"},
    {"name": "hash", "type": {"type": "fixed", "name": "hash", "size": 3}},
    {"name": "suit", "type": {"type": "enum", "name": "suit", "symbols": ["hearts", "spades"]}},
    {"name": "list", "type": {"type": "array", "items": ["null", "long"]}},
    {"name": "ages", "type": {"type": "map", "values": "int"}},
    {"name": "next", "type": ["null", "all"]}]}"#;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct All {
    flag: bool,
    small: i16,
    large: u32,
    half: f32,
    whole: f64,
    text: String,
    raw: Vec<u8>,
    hash: [u8; 3],
    suit: Suit,
    list: Vec<Option<i64>>,
    ages: BTreeMap<String, i32>,
    next: Option<Box<All>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Suit {
    Hearts,
    Spades,
}

fn all() -> All {
    let inner = All {
        flag: true,
        small: -7,
        large: 4_000_000_000,
        half: 0.5,
        whole: f64::MAX,
        text: "Käse".to_owned(),
        raw: vec![0, 255],
        hash: [1, 2, 3],
        suit: Suit::Spades,
        list: vec![None, Some(i64::MIN)],
        ages: BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), -1)]),
        next: None,
    };
    All {
        next: Some(Box::new(inner.clone())),
        suit: Suit::Hearts,
        list: Vec::new(),
        ages: BTreeMap::new(),
        ..inner
    }
}

#[test]
fn every_type_comes_back() {
    let schema = schema(EVERYTHING);
    let bytes = comes_back(&schema, &all());
    let mut json = Vec::new();
    write_json(&schema, &mut DatumReader::new(&bytes), &Limits::default(), &mut json).unwrap();
    let json = String::from_utf8(json).unwrap();
    assert!(json.starts_with(r#"{"flag":true,"small":-7,"large":4000000000,"half":0.5,"#), "{json}");
    assert!(
        json.contains(r#""hash":{"base64":"AQID"},"suit":"hearts","list":[],"ages":{},"next":{"flag""#),
        "{json}"
    );
}

#[test]
fn another_writer_writes_the_same_bytes() {
    let peer = apache_avro::Schema::parse_str(EVERYTHING).unwrap();
    let mut value = all();
    value.next = None;
    let fields = vec![
        ("flag".to_owned(), apache_avro::types::Value::Boolean(value.flag)),
        ("small".to_owned(), apache_avro::types::Value::Int(value.small.into())),
        ("large".to_owned(), apache_avro::types::Value::Long(value.large.into())),
        ("half".to_owned(), apache_avro::types::Value::Float(value.half)),
        ("whole".to_owned(), apache_avro::types::Value::Double(value.whole)),
        ("text".to_owned(), apache_avro::types::Value::String(value.text.clone())),
        ("raw".to_owned(), apache_avro::types::Value::Bytes(value.raw.clone())),
        ("hash".to_owned(), apache_avro::types::Value::Fixed(3, value.hash.to_vec())),
        ("suit".to_owned(), apache_avro::types::Value::Enum(0, "hearts".to_owned())),
        ("list".to_owned(), apache_avro::types::Value::Array(vec![])),
        ("ages".to_owned(), apache_avro::types::Value::Map(HashMap::new())),
        ("next".to_owned(), apache_avro::types::Value::Union(0, Box::new(apache_avro::types::Value::Null))),
    ];
    let writer = apache_avro::writer::datum::GenericDatumWriter::builder(&peer).build().unwrap();
    let theirs = writer.write_value_to_vec(apache_avro::types::Value::Record(fields)).unwrap();
    assert_eq!(written(&schema(EVERYTHING), &value).unwrap(), theirs);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Branch {
    Null,
    Long(i64),
    String(String),
    Array(Vec<i32>),
    Card { owner: String, count: i32 },
    Point(f64, f64),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Long(i64),
    Text(String),
    Nothing,
}

#[test]
fn a_union_is_an_enum_of_its_branches() {
    let schema = schema(
        r#"["null", "long", "string", {"type": "array", "items": "int"},
            {"type": "record", "name": "a.card", "fields": [{"name": "owner", "type": "string"}, {"name": "count", "type": "int"}]},
            {"type": "record", "name": "point", "fields": [{"name": "x", "type": "double"}, {"name": "y", "type": "double"}]}]"#,
    );
    assert_eq!(comes_back(&schema, &Branch::Null), [0]);
    assert_eq!(comes_back(&schema, &Branch::Long(-1)), [2, 1]);
    assert_eq!(comes_back(&schema, &Branch::String("a".to_owned())), [4, 2, b'a']);
    assert_eq!(comes_back(&schema, &Branch::Array(vec![3])), [6, 2, 6, 0]);
    assert_eq!(comes_back(&schema, &Branch::Card { owner: "b".to_owned(), count: 1 }), [8, 2, b'b', 2]);
    assert_eq!(comes_back(&schema, &Branch::Point(0.5, -2.0)).len(), 17);
    for value in [Untagged::Long(5), Untagged::Text("c".to_owned()), Untagged::Nothing] {
        comes_back(&schema, &value);
    }
}

#[test]
fn fields_come_in_any_order_and_defaults_fill_in() {
    let schema = schema(
        r#"{"type": "record", "name": "r", "fields": [
            {"name": "a", "type": "int"}, {"name": "b", "type": "string"}, {"name": "c", "type": "long", "default": 9},
            {"name": "d", "type": ["null", "int"], "default": null}]}"#,
    );
    #[derive(Serialize)]
    struct Reversed {
        c: i64,
        b: &'static str,
        a: i32,
    }
    #[derive(Serialize)]
    struct Outer {
        #[serde(flatten)]
        inner: Short,
        a: i32,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Short {
        b: String,
    }
    let expected = [2, 2, b'x', 18, 0];
    assert_eq!(written(&schema, &Reversed { c: 9, b: "x", a: 1 }).unwrap(), expected);
    let short = || Short { b: "x".to_owned() };
    assert_eq!(written(&schema, &Outer { inner: short(), a: 1 }).unwrap(), expected);
    assert_eq!(
        written(&schema, &BTreeMap::from([("b", serde_json::json!("x")), ("a", 1.into())])).unwrap(),
        expected
    );
    assert_eq!(written(&schema, &(1, "x", 9, ())).unwrap(), expected);
    // Others are passed over; a struct, a map and a tuple read the same record.
    assert_eq!(read::<Short>(&schema, &expected).unwrap(), short());
    assert_eq!(read::<(i32, &str, u8, Option<i32>)>(&schema, &expected).unwrap(), (1, "x", 9, None));
    let map = read::<BTreeMap<String, serde_json::Value>>(&schema, &expected).unwrap();
    assert_eq!(serde_json::json!(map), serde_json::json!({"a": 1, "b": "x", "c": 9, "d": null}));
}

#[test]
fn what_does_not_fit_is_refused() {
    let all = schema(EVERYTHING);
    let numbers = schema(r#"{"type": "array", "items": "double"}"#);
    let pair = schema(
        r#"{"type": "record", "name": "r", "fields": [{"name": "a", "type": "long"}, {"name": "b", "type": "long"}]}"#,
    );
    let symbols = schema(r#"{"type": "enum", "name": "e", "symbols": ["x"]}"#);
    let union = schema(r#"["null", "int"]"#);
    let nulls = schema(r#"{"type": "array", "items": "null"}"#);
    let mut third = Vec::new();
    write::long(&mut third, 1);
    write::double(&mut third, 1.0 / 3.0);
    write::long(&mut third, 0);
    #[derive(Debug, Deserialize, Serialize)]
    struct Other {
        a: u8,
        missing: u8,
    }
    let limits = |limit: fn(&mut Limits)| {
        let mut limits = Limits::default();
        limit(&mut limits);
        limits
    };
    let errors = [
        read::<Vec<f32>>(&numbers, &third).unwrap_err(),
        read::<Vec<f64>>(&pair, &[2, 2]).unwrap_err(),
        read::<[f64; 0]>(&numbers, &third).unwrap_err(),
        read::<(i64,)>(&pair, &[2, 4]).unwrap_err(),
        read::<Other>(&pair, &[2, 4]).unwrap_err(),
        read::<Other>(&pair, &[0x80, 4, 4]).unwrap_err(),
        read::<Suit>(&symbols, &[0]).unwrap_err(),
        read::<Suit>(&pair, &[0, 0]).unwrap_err(),
        read::<All>(&all, &[1]).unwrap_err(),
        from_datum::<Vec<()>>(
            &nulls,
            &mut DatumReader::new(&[0xfe, 0xff, 0xff, 0xff, 0x7f, 0]),
            &limits(|l| l.empty_items = 9),
        )
        .unwrap_err(),
        from_datum::<Vec<f64>>(&numbers, &mut DatumReader::new(&third), &limits(|l| l.nesting = 0))
            .unwrap_err(),
        written(&union, &3.5).unwrap_err(),
        written(&union, &(1i64 << 40)).unwrap_err(),
        written(&symbols, &"y").unwrap_err(),
        written(&pair, &Other { a: 1, missing: 2 }).unwrap_err(),
        written(&pair, &BTreeMap::from([("a", 1)])).unwrap_err(),
        written(&pair, &BTreeMap::from([("a", "x")])).unwrap_err(),
        written(&pair, &(1, 2, 3)).unwrap_err(),
        written(&pair, &(1,)).unwrap_err(),
        written(&schema(r#"{"type": "fixed", "name": "f", "size": 2}"#), &[1, 2, 3]).unwrap_err(),
        written(&schema(r#""bytes""#), &[1, 256]).unwrap_err(),
    ];
    let texts = errors.iter().map(ToString::to_string).collect::<Vec<_>>();
    let expected = [
        "byte of the data 1, at [0]: the double 0.3333333333333333 is not one of 32 bits; read it as f64",
        "byte of the data 0, at a: a float does not have all values of the integer type; read it as i64",
        "byte of the data 0: the array has more than the 0 items that the type takes",
        "byte of the data 0: the record has the field \"b\", and the type ends before it",
        "byte of the data 0: missing field `missing`",
        "byte of the data 0, at a: invalid value: integer `256`, expected u8",
        "byte of the data 0: unknown variant `x`, expected `hearts` or `spades`",
        "byte of the data 0: invalid type: record r, expected an enum",
        "byte of the data 1, at small: the datum ends within a number",
        "byte of the data 5: the datum claims more array items without bytes than Limits::empty_items; raise the limit if this is meant",
        "byte of the data 0: the datum is nested more deeply than Limits::nesting; raise the limit if this is meant",
        "the double 3.5 cannot be written as union of null and int",
        "the integer 1099511627776 cannot be written as union of null and int",
        "the text \"y\" cannot be written as enum e",
        "record r has no field \"missing\"",
        "the value has no field \"b\", which has no default",
        "at a: the text \"x\" cannot be written as long",
        "the tuple has more values than record r has fields",
        "the tuple ends before the field \"b\"",
        "3 bytes cannot be written as fixed f",
        "a byte is a number from 0 to 255",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn a_datum_nested_in_itself_does_not_exhaust_the_stack() {
    #[derive(Deserialize)]
    struct Node {
        next: Option<Box<Node>>,
    }
    let schema = schema(
        r#"{"type": "record", "name": "n", "fields": [{"name": "next", "type": ["null", {"type": "array", "items": "n"}, "n"]}]}"#,
    );
    let mut limits = Limits::default();
    limits.nesting = u32::MAX;
    let read = |depth: usize, limits: &Limits| {
        let bytes = [vec![4; depth], vec![0]].concat();
        let node = from_datum::<Node>(&schema, &mut DatumReader::new(&bytes), limits)?;
        let nested = std::iter::successors(Some(&node), |node| node.next.as_deref()).count();
        Ok::<_, Error>(nested)
    };
    assert_eq!(read(99, &Limits::default()).unwrap(), 100);
    assert_eq!(read(199, &limits).unwrap(), 200);
    for (depth, limits) in [(100, &Limits::default()), (200, &limits), (100_000, &limits)] {
        let error = read(depth, limits).unwrap_err().to_string();
        assert!(error.contains("the datum is nested more deeply than Limits::nesting"), "{error}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let schema = schema(EVERYTHING);
        let mut reader = DatumReader::new(&bytes);
        let found = from_datum::<All>(&schema, &mut reader, &Limits::default());
        let mut checked = DatumReader::new(&bytes);
        let is_datum = check(&schema, &mut checked, &Limits::default());
        match found {
            Ok(_) => prop_assert!(is_datum.is_ok() && checked.position() == reader.position()),
            // A datum of the schema may have a long that is no `u32`.
            Err(error) => prop_assert!(is_datum.is_err() || error.is(Kind::ValueMismatch), "{}", error),
        }
    }

    #[test]
    fn any_value_comes_back(
        numbers in any::<(bool, i16, u32, f32, f64)>(),
        text in ".*",
        raw in prop::collection::vec(any::<u8>(), 0..20),
        list in prop::collection::vec(any::<Option<i64>>(), 0..20),
        ages in prop::collection::btree_map(".{0,5}", any::<i32>(), 0..9),
        deep in 0..30usize,
    ) {
        let (flag, small, large, half, whole) = numbers;
        let (half, whole) = (if half.is_nan() { 0.0 } else { half }, if whole.is_nan() { 0.0 } else { whole });
        let hash = [raw.len() as u8, 1, 2];
        let mut value = All { flag, small, large, half, whole, text, raw, hash, suit: Suit::Spades, list, ages, next: None };
        for _ in 0..deep {
            value = All { next: Some(Box::new(value)), ..all() };
        }
        comes_back(&schema(EVERYTHING), &value);
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Click {
    user: i64,
    page: Option<String>,
}

const CLICK: &str = r#"{"type": "record", "name": "click", "fields": [
    {"name": "user", "type": "long"}, {"name": "page", "type": ["null", "string"]}]}"#;

fn clicks() -> Vec<Click> {
    let page = |user: i64| (user % 3 == 0).then(|| "page".repeat(user as usize));
    (0..50).map(|user| Click { user, page: page(user) }).collect()
}

/// Returns a file of clicks in blocks of a few.
fn file_of_clicks() -> Vec<u8> {
    let builder = ContainerWriter::builder(Vec::new(), &schema(CLICK));
    let mut writer = builder.block_bytes(100).codec(Codec::Deflate).sync_marker([7; 16]).build().unwrap();
    for click in clicks() {
        writer.write_value(&click).unwrap();
    }
    assert_eq!(writer.records_written(), 50);
    writer.finish().unwrap()
}

#[test]
fn records_of_files_are_values() {
    let file = file_of_clicks();
    let read = Reader::from(ContainerReader::new(&file[..]).unwrap())
        .values::<Click>()
        .collect::<Result<Vec<_>, _>>()
        .unwrap();
    assert_eq!(read, clicks());
    // Of any reader, not of memory alone, and of a file that was cut off anywhere.
    for length in 0..file.len() {
        let Ok(container) = ContainerReader::new(&file[..length]) else { continue };
        let mut values = Reader::from(container).values::<Click>();
        let read = values.by_ref().map_while(Result::ok).collect::<Vec<_>>();
        assert_eq!(read, clicks()[..read.len()]);
        assert!(values.next().is_none(), "nothing comes after the end or an error");
    }
}

#[test]
fn records_of_files_that_do_not_fit_name_the_record() {
    #[derive(Debug, Deserialize)]
    struct Narrow {
        #[serde(rename = "user")]
        _user: i64,
        #[serde(rename = "page")]
        _page: String,
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("clicks.avro");
    std::fs::write(&path, file_of_clicks()).unwrap();
    let mut values = Reader::open(&path).unwrap().values::<Narrow>();
    assert!(values.next().unwrap().is_ok());
    let error = values.next().unwrap().unwrap_err();
    assert_eq!(error.position().record, Some(1));
    let text = error.to_string();
    assert!(text.contains("clicks.avro") && text.contains("record 1") && text.contains("page"), "{text}");
    assert!(values.next().is_none());

    let mut writer = ContainerWriter::builder(Vec::new(), &schema(CLICK)).build().unwrap();
    writer.write_value(&clicks()[0]).unwrap();
    let error = writer.write_value(&BTreeMap::from([("user", 5)])).unwrap_err();
    assert_eq!((error.position().record, writer.records_written()), (Some(1), 1));
    let file = writer.finish().unwrap();
    assert_eq!(Reader::from(ContainerReader::new(&file[..]).unwrap()).values::<Click>().count(), 1);
}
