//! Datums of random schemas, written by another implementation: where they end, what is in them, and that no bytes
//! make the reading panic.

use apache_avro::types::Value;
use avro_path::datum::{DatumReader, SkipPlan, write, write_json};
use avro_path::{AvroSchema, ErrorKind, Limits, Resolution};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// A type without names: names are given afterwards, so that they are unique.
#[derive(Clone, Debug)]
enum Shape {
    Primitive(&'static str),
    Fixed(usize),
    Enum(usize),
    Array(Box<Shape>),
    Map(Box<Shape>),
    Record(Vec<Shape>),
    Nullable(Box<Shape>, bool),
}

fn shapes() -> impl Strategy<Value = Shape> {
    let primitive =
        prop::sample::select(vec!["null", "boolean", "int", "long", "float", "double", "bytes", "string"]);
    let leaf = prop_oneof![
        8 => primitive.prop_map(Shape::Primitive),
        1 => (0_usize..5).prop_map(Shape::Fixed),
        1 => (1_usize..5).prop_map(Shape::Enum),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|shape| Shape::Array(Box::new(shape))),
            inner.clone().prop_map(|shape| Shape::Map(Box::new(shape))),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Shape::Record),
            (inner, any::<bool>()).prop_map(|(shape, first)| match shape {
                Shape::Nullable(..) | Shape::Primitive("null") => shape,
                shape => Shape::Nullable(Box::new(shape), first),
            }),
        ]
    })
}

fn schema(shape: &Shape, names: &mut u32) -> Json {
    let mut name = || {
        *names += 1;
        format!("n{names}")
    };
    match shape {
        Shape::Primitive(name) => json!(name),
        Shape::Fixed(size) => json!({"type": "fixed", "name": name(), "size": size}),
        Shape::Enum(count) => {
            let symbols: Vec<String> = (0..*count).map(|at| format!("S{at}")).collect();
            json!({"type": "enum", "name": name(), "symbols": symbols})
        }
        Shape::Array(items) => json!({"type": "array", "items": schema(items, names)}),
        Shape::Map(values) => json!({"type": "map", "values": schema(values, names)}),
        Shape::Record(fields) => {
            let name = name();
            let fields: Vec<Json> = fields
                .iter()
                .enumerate()
                .map(|(at, field)| json!({"name": format!("f{at}"), "type": schema(field, names)}))
                .collect();
            json!({"type": "record", "name": name, "fields": fields})
        }
        Shape::Nullable(shape, true) => json!(["null", schema(shape, names)]),
        Shape::Nullable(shape, false) => json!([schema(shape, names), "null"]),
    }
}

/// Returns a value of the shape, chosen by a stream of random numbers, and the JSON that it should become.
fn value(shape: &Shape, random: &mut impl FnMut() -> u64) -> (Value, Json) {
    match shape {
        Shape::Primitive("null") => (Value::Null, Json::Null),
        Shape::Primitive("boolean") => {
            let value = random().is_multiple_of(2);
            (Value::Boolean(value), json!(value))
        }
        Shape::Primitive("int") => {
            let value = random() as i32 >> (random() % 32);
            (Value::Int(value), json!(value))
        }
        Shape::Primitive("long") => {
            let value = random() as i64 >> (random() % 64);
            (Value::Long(value), json!(value))
        }
        Shape::Primitive("float") => {
            let value = random() as i16 as f32 / 8.0;
            (Value::Float(value), json!(value))
        }
        Shape::Primitive("double") => {
            let value = random() as i32 as f64 / 8.0;
            (Value::Double(value), json!(value))
        }
        Shape::Primitive("bytes") => {
            let bytes: Vec<u8> = (0..random() % 9).map(|_| random() as u8).collect();
            let json = json!({"base64": STANDARD.encode(&bytes)});
            (Value::Bytes(bytes), json)
        }
        Shape::Primitive(_) => {
            let text: String =
                (0..random() % 9).filter_map(|_| char::from_u32(random() as u32 % 0x3000)).collect();
            (Value::String(text.clone()), json!(text))
        }
        Shape::Fixed(size) => {
            let bytes: Vec<u8> = (0..*size).map(|_| random() as u8).collect();
            let json = json!({"base64": STANDARD.encode(&bytes)});
            (Value::Fixed(*size, bytes), json)
        }
        Shape::Enum(count) => {
            let at = random() as u32 % u32::try_from(*count).unwrap();
            (Value::Enum(at, format!("S{at}")), json!(format!("S{at}")))
        }
        Shape::Array(items) => {
            let (values, json): (Vec<_>, Vec<_>) = (0..random() % 4).map(|_| value(items, random)).unzip();
            (Value::Array(values), Json::Array(json))
        }
        Shape::Map(values) => {
            let entries: Vec<_> =
                (0..random() % 4).map(|at| (format!("k{at}"), value(values, random))).collect();
            let json = entries.iter().map(|(key, (_, json))| (key.clone(), json.clone())).collect();
            (Value::Map(entries.into_iter().map(|(key, (value, _))| (key, value)).collect()), json)
        }
        Shape::Record(fields) => {
            let entries: Vec<_> = fields
                .iter()
                .enumerate()
                .map(|(at, field)| (format!("f{at}"), value(field, random)))
                .collect();
            let json = entries.iter().map(|(key, (_, json))| (key.clone(), json.clone())).collect();
            (Value::Record(entries.into_iter().map(|(key, (value, _))| (key, value)).collect()), json)
        }
        Shape::Nullable(shape, first) => {
            let null = u32::from(!*first);
            if random().is_multiple_of(3) {
                return (Value::Union(null, Box::new(Value::Null)), Json::Null);
            }
            let (value, json) = value(shape, random);
            (Value::Union(1 - null, Box::new(value)), json)
        }
    }
}

/// Numbers that look random, from a seed.
fn stream(mut state: u64) -> impl FnMut() -> u64 {
    move || {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

fn made(shape: &Shape, seed: u64) -> (AvroSchema, Vec<u8>, Json) {
    let text = schema(shape, &mut 0).to_string();
    let theirs = apache_avro::Schema::parse_str(&text).unwrap();
    let (value, json) = value(shape, &mut stream(seed));
    let writer = apache_avro::writer::datum::GenericDatumWriter::builder(&theirs).build().unwrap();
    let bytes = writer.write_value_to_vec(value).unwrap();
    (AvroSchema::parse(&text).unwrap(), bytes, json)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_another_writes_is_read(shape in shapes(), seed in any::<u64>()) {
        let (schema, mut bytes, expected) = made(&shape, seed);
        let length = bytes.len();
        prop_assert!(schema.least_bytes(schema.root()) <= length);
        bytes.extend_from_slice(b"rest");

        let mut reader = DatumReader::new(&bytes);
        SkipPlan::new(&schema).skip(schema.root(), &mut reader).unwrap();
        prop_assert_eq!(reader.position(), length);

        let mut reader = DatumReader::new(&bytes);
        let mut out = Vec::new();
        write_json(&schema, &mut reader, &Limits::default(), &mut out).unwrap();
        prop_assert_eq!(reader.position(), length);
        let found: Json = serde_json::from_slice(&out).unwrap();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn a_datum_cut_off_is_an_error(shape in shapes(), seed in any::<u64>()) {
        let (schema, bytes, _) = made(&shape, seed);
        let plan = SkipPlan::new(&schema);
        for length in 0..bytes.len() {
            let mut reader = DatumReader::new(&bytes[..length]);
            prop_assert!(plan.skip(schema.root(), &mut reader).is_err());
            let mut reader = DatumReader::new(&bytes[..length]);
            let result = write_json(&schema, &mut reader, &Limits::default(), &mut Vec::new());
            prop_assert!(result.is_err());
        }
    }

    /// Whatever the bytes are, skipping, showing and resolving agree on where the datum ends, if it is one.
    #[test]
    fn other_bytes_do_no_harm(shape in shapes(), bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let text = schema(&shape, &mut 0).to_string();
        let schema = AvroSchema::parse(&text).unwrap();
        let limits = Limits::default().record_bytes(1 << 16);
        let mut shown = DatumReader::new(&bytes);
        let result = write_json(&schema, &mut shown, &limits, &mut Vec::new());
        let mut skipped = DatumReader::new(&bytes);
        let skip = SkipPlan::new(&schema).skip(schema.root(), &mut skipped);
        // A record around it makes what has to be resolved, instead of copied.
        let around = |more: &str| AvroSchema::parse(&format!(
            r#"{{"type": "record", "name": "around", "fields": [{{"name": "x", "type": {text}}}{more}]}}"#
        )).unwrap();
        let writer = around("");
        let reader = around(r#", {"name": "y", "type": "int", "default": 0}"#);
        let resolution = Resolution::builder(&writer, &reader).limits(limits).build().unwrap();
        let mut resolved = DatumReader::new(&bytes);
        let mut out = Vec::new();
        let resolve = resolution.apply(&mut resolved, &mut out);
        if result.is_ok() {
            prop_assert!(skip.is_ok() && resolve.is_ok());
            prop_assert_eq!(shown.position(), skipped.position());
            prop_assert_eq!(shown.position(), resolved.position());
            prop_assert_eq!(&out[..out.len() - 1], &bytes[..resolved.position()]);
        }
    }
}

/// A block whose writer gives its size is passed over without looking into it.
#[test]
fn sizes_of_blocks_are_used() {
    let schema = AvroSchema::parse(r#"{"type": "array", "items": "string"}"#).unwrap();
    let plan = SkipPlan::new(&schema);
    let bytes = [3, 8, 2, b'a', 2, b'b', 2, 2, b'c', 0, 9]; // two in four bytes, one more, the end
    let mut reader = DatumReader::new(&bytes);
    plan.skip(schema.root(), &mut reader).unwrap();
    assert_eq!(reader.rest(), [9]);
    let mut reader = DatumReader::new(&bytes);
    let mut json = Vec::new();
    write_json(&schema, &mut reader, &Limits::default(), &mut json).unwrap();
    assert_eq!((json.as_slice(), reader.rest()), (br#"["a","b","c"]"#.as_slice(), &[9][..]));
}

#[test]
fn nesting_bombs_are_errors() {
    for text in [
        r#"{"type": "record", "name": "r", "fields": [{"name": "a", "type": {"type": "array", "items": "r"}}]}"#,
        r#"{"type": "record", "name": "r", "fields": [{"name": "a", "type": {"type": "map", "values": "r"}}]}"#,
        r#"{"type": "record", "name": "r", "fields": [{"name": "a", "type": ["null", "r"]}]}"#,
        r#"{"type": "record", "name": "r", "fields": [{"name": "a", "type": "r"}]}"#,
    ] {
        let schema = AvroSchema::parse(text).unwrap();
        let bytes = if text.contains("map") { vec![2, 0] } else { vec![2] }.repeat(100_000);
        let skip = SkipPlan::new(&schema).skip(schema.root(), &mut DatumReader::new(&bytes));
        assert!(skip.is_err(), "{text}");
        let mut reader = DatumReader::new(&bytes);
        assert!(write_json(&schema, &mut reader, &Limits::default(), &mut Vec::new()).is_err(), "{text}");
    }
}

#[test]
fn items_without_bytes_are_limited_only_where_something_is_kept() {
    let schema = AvroSchema::parse(r#"{"type": "array", "items": "null"}"#).unwrap();
    let mut bytes = Vec::new();
    write::long(&mut bytes, 1 << 60);
    bytes.push(0);
    let mut reader = DatumReader::new(&bytes);
    SkipPlan::new(&schema).skip(schema.root(), &mut reader).unwrap();
    assert!(reader.is_empty());
    let mut reader = DatumReader::new(&bytes);
    let error = write_json(&schema, &mut reader, &Limits::default(), &mut Vec::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}

#[test]
fn items_are_passed_over_whatever_the_lengths_of_their_strings() {
    let schema = AvroSchema::parse(
        r#"{"type": "array", "items": {"type": "record", "name": "pair", "fields": [
            {"name": "name", "type": "string"}, {"name": "term", "type": "bytes"}, {"name": "value", "type": "float"}]}}"#,
    )
    .unwrap();
    let plan = SkipPlan::new(&schema);
    // As long as the one before, other ones, and such whose length has two bytes.
    let lengths = [
        (3, 5),
        (3, 5),
        (3, 6),
        (3, 6),
        (4, 6),
        (3, 5),
        (0, 0),
        (0, 0),
        (64, 5),
        (64, 5),
        (3, 200),
        (3, 201),
        (3, 5),
    ];
    let mut bytes = Vec::new();
    write::long(&mut bytes, lengths.len() as i64);
    for (name, term) in lengths {
        write::bytes(&mut bytes, &vec![b'x'; name]);
        write::bytes(&mut bytes, &vec![b'y'; term]);
        bytes.extend(1.5_f32.to_le_bytes());
    }
    bytes.push(0);
    let end = bytes.len();
    bytes.extend([2; 40]);
    let mut reader = DatumReader::new(&bytes);
    plan.skip(schema.root(), &mut reader).unwrap();
    assert_eq!(reader.position(), end);
    for cut in 0..end {
        let mut reader = DatumReader::new(bytes.get(..cut).unwrap());
        assert!(plan.skip(schema.root(), &mut reader).is_err(), "{cut}");
        assert_eq!(reader.position(), 0);
    }
}

#[test]
fn collections_are_one_block_or_none() {
    let mut out = Vec::new();
    write::array(&mut out, [1, -1], write::int);
    assert_eq!(out, [4, 2, 1, 0]);
    out.clear();
    // A block without items would end the collection, and leave its end as the next value.
    write::array(&mut out, [0_i32; 0], write::int);
    write::map(&mut out, [("", 0_i32); 0], write::int);
    assert_eq!(out, [0, 0]);
    out.clear();
    write::map(&mut out, [("k".to_owned(), 3)], write::symbol);
    write::branch(&mut out, u32::MAX);
    assert_eq!(out, [2, 2, b'k', 6, 0, 0xfe, 0xff, 0xff, 0xff, 0x1f]);
}
