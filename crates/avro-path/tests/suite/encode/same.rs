//! Records of random schemas, read as columns and written again with their own schema: the same bytes.

use avro_path::datum::write;
use avro_path::encode::{EncodeOptions, EncodePlan};
use avro_path::record::{Layout, RecordOptions, RecordPlan};
use avro_path::{AvroSchema, Kind};
use proptest::prelude::*;
use serde_json::{Value, json};
use tfxio_core::Origin;

use crate::encode::choices::Choices;

#[derive(Debug)]
enum Shape {
    /// A type that is written as a number, and its logical type.
    Number(&'static str, Option<&'static str>),
    Boolean,
    Float,
    Double,
    Bytes,
    String,
    Uuid,
    /// On bytes, or on a fixed of so many.
    Decimal(Option<usize>),
    Fixed(usize),
    Duration,
    Enum,
    Array(Box<Shape>),
    Map(Box<Shape>),
    Record(Vec<Shape>),
    /// The branches, and the number of `null` if there is one.
    Union(Vec<Option<Shape>>),
}

const NUMBERS: [(&str, Option<&str>); 11] = [
    ("int", None),
    ("long", None),
    ("int", Some("date")),
    ("int", Some("time-millis")),
    ("long", Some("time-micros")),
    ("long", Some("timestamp-millis")),
    ("long", Some("timestamp-micros")),
    ("long", Some("timestamp-nanos")),
    ("long", Some("local-timestamp-millis")),
    ("long", Some("local-timestamp-micros")),
    ("long", Some("local-timestamp-nanos")),
];

fn shape(choices: &mut Choices<'_>, depth: usize) -> Shape {
    match choices.below(if depth == 0 { 12 } else { 18 }) {
        0 | 1 => {
            let (ty, logical) = NUMBERS[choices.below(NUMBERS.len())];
            Shape::Number(ty, logical)
        }
        2 => Shape::Boolean,
        3 => Shape::Float,
        4 => Shape::Double,
        5 => Shape::Bytes,
        6 => Shape::String,
        7 => Shape::Uuid,
        8 => Shape::Decimal([None, Some(4), Some(20)][choices.below(3)]),
        9 => Shape::Fixed(1 + choices.below(3)),
        10 => Shape::Duration,
        11 => Shape::Enum,
        12 => Shape::Array(Box::new(shape(choices, depth - 1))),
        13 => Shape::Map(Box::new(shape(choices, depth - 1))),
        14 => {
            let inner = match shape(choices, depth - 1) {
                Shape::Union(_) => Shape::String,
                other => other,
            };
            let mut branches = vec![None, Some(inner)];
            if choices.below(3) == 0 {
                branches.reverse();
            }
            Shape::Union(branches)
        }
        15 => {
            let record = Shape::Record(vec![shape(choices, depth - 1)]);
            let mut branches =
                vec![Some(Shape::String), Some(record), Some(Shape::Double), Some(Shape::Enum)];
            if choices.below(2) == 0 {
                branches.insert(choices.below(5), None);
            }
            Shape::Union(branches)
        }
        _ => Shape::Record((0..1 + choices.below(3)).map(|_| shape(choices, depth - 1)).collect()),
    }
}

fn schema(shape: &Shape, names: &mut usize) -> Value {
    *names += 1;
    let name = format!("n{names}");
    let decimal = |size: Option<usize>| if size == Some(4) { 9 } else { 30 };
    match shape {
        Shape::Number(ty, None) => json!(ty),
        Shape::Number(ty, Some(logical)) => json!({"type": ty, "logicalType": logical}),
        Shape::Boolean => json!("boolean"),
        Shape::Float => json!("float"),
        Shape::Double => json!("double"),
        Shape::Bytes => json!("bytes"),
        Shape::String => json!("string"),
        Shape::Uuid => json!({"type": "string", "logicalType": "uuid"}),
        Shape::Decimal(None) => {
            json!({"type": "bytes", "logicalType": "decimal", "precision": 30, "scale": 3})
        }
        Shape::Decimal(size) => json!({"type": "fixed", "name": name, "size": size, "logicalType": "decimal",
            "precision": decimal(*size), "scale": 2}),
        Shape::Fixed(size) => json!({"type": "fixed", "name": name, "size": size}),
        Shape::Duration => json!({"type": "fixed", "name": name, "size": 12, "logicalType": "duration"}),
        Shape::Enum => json!({"type": "enum", "name": name, "symbols": ["A", "B", "C"]}),
        Shape::Array(items) => json!({"type": "array", "items": schema(items, names)}),
        Shape::Map(values) => json!({"type": "map", "values": schema(values, names)}),
        Shape::Record(fields) => {
            let fields = fields.iter().enumerate();
            let fields =
                fields.map(|(at, field)| json!({"name": format!("f{at}"), "type": schema(field, names)}));
            json!({"type": "record", "name": name, "fields": fields.collect::<Vec<_>>()})
        }
        Shape::Union(branches) => {
            let branch = |branch: &Option<Shape>| {
                branch.as_ref().map_or(json!("null"), |branch| schema(branch, names))
            };
            branches.iter().map(branch).collect()
        }
    }
}

fn put(shape: &Shape, choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let text = |choices: &mut Choices<'_>| ["", "a", "grün"][choices.below(3)];
    match shape {
        Shape::Number("int", _) => write::long(out, i64::from(i32::MIN >> choices.below(32))),
        Shape::Number(..) => write::long(out, i64::MAX >> choices.below(64)),
        Shape::Boolean => write::boolean(out, choices.below(2) == 1),
        Shape::Float => write::float(out, choices.below(100) as f32 / 7.0),
        Shape::Double => write::double(out, choices.below(100) as f64 / -7.0),
        Shape::Bytes => write::bytes(out, [&b""[..], b"\xff\0"][choices.below(2)]),
        Shape::String => write::string(out, text(choices)),
        Shape::Uuid => {
            let texts = ["00000000-0000-0000-0000-000000000000", "0123abcd-ef01-4567-89ab-cdef01234567"];
            write::string(out, texts[choices.below(2)]);
        }
        Shape::Decimal(size) => {
            let value: &[u8] = [&b"\0"[..], b"\x7f", b"\0\x80", b"\xff\x7f", b"\x80"][choices.below(5)];
            match size {
                None => write::bytes(out, value),
                Some(size) => {
                    let sign = if value[0] & 0x80 == 0 { 0 } else { 0xff };
                    out.extend(std::iter::repeat_n(sign, size - value.len()));
                    out.extend_from_slice(value);
                }
            }
        }
        Shape::Fixed(size) => out.extend((0..*size).map(|_| choices.below(256) as u8)),
        Shape::Duration => {
            for _ in 0..3 {
                out.extend_from_slice(&(choices.below(1 << 16) as u32).to_le_bytes());
            }
        }
        Shape::Enum => write::long(out, choices.below(3) as i64),
        Shape::Array(items) => {
            let count = choices.below(4);
            if count > 0 {
                write::long(out, count as i64);
            }
            (0..count).for_each(|_| put(items, choices, out));
            write::long(out, 0);
        }
        Shape::Map(values) => {
            let count = choices.below(3);
            if count > 0 {
                write::long(out, count as i64);
            }
            for _ in 0..count {
                write::string(out, text(choices));
                put(values, choices, out);
            }
            write::long(out, 0);
        }
        Shape::Record(fields) => fields.iter().for_each(|field| put(field, choices, out)),
        Shape::Union(branches) => {
            let branch = choices.below(branches.len());
            write::long(out, branch as i64);
            if let Some(shape) = &branches[branch] {
                put(shape, choices, out);
            }
        }
    }
}

fn plain(schema: &AvroSchema, data: &[Vec<u8>]) -> arrow_array::RecordBatch {
    let options = RecordOptions::default().layout(Layout::Plain);
    let mut decoder = RecordPlan::builder(schema).options(options.clone()).build().unwrap().decoder();
    for (row, datum) in data.iter().enumerate() {
        decoder.push(datum, Origin::record(row as u64)).unwrap_or_else(|error| panic!("{error}\n{schema:?}"));
    }
    decoder.flush().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn records_are_written_as_they_were(
        types in prop::collection::vec(any::<u16>(), 10..100),
        values in prop::collection::vec(any::<u16>(), 0..300),
    ) {
        let types = &mut Choices(types.iter());
        let shape = Shape::Record((0..1 + types.below(4)).map(|_| shape(types, 3)).collect());
        let schema = AvroSchema::parse(&schema(&shape, &mut 0).to_string()).unwrap();
        let values = &mut Choices(values.iter());
        let data = (0..3).map(|_| {
            let mut datum = Vec::new();
            put(&shape, values, &mut datum);
            datum
        });
        let data = data.collect::<Vec<_>>();
        let batch = plain(&schema, &data);
        let options = EncodeOptions::default().schema(schema.clone());
        let plan = EncodePlan::builder(&batch.schema()).options(options.clone()).build()
            .unwrap_or_else(|error| panic!("{error}\n{schema:?}"));
        let rows = plan.rows(&batch).unwrap();
        let found = (0..rows.len()).map(|row| {
            let mut datum = Vec::new();
            rows.append(row, &mut datum).unwrap_or_else(|error| panic!("{error}\n{schema:?}"));
            datum
        });
        let found = found.collect::<Vec<_>>();
        prop_assert_eq!(found, data, "{:?}", schema);
    }
}

#[test]
fn of_the_branches_of_a_union_one_has_a_value() {
    use arrow_array::{ArrayRef, Int64Array, StringArray, StructArray};
    use arrow_schema::{DataType, Field};
    use std::sync::Arc;

    use crate::encode::test_data::{batch, rows_with};

    let column = |numbers: Vec<Option<i64>>, texts: Vec<Option<&str>>| -> ArrayRef {
        Arc::new(StructArray::from(vec![
            (
                Arc::new(Field::new("long", DataType::Int64, true)),
                Arc::new(Int64Array::from(numbers)) as ArrayRef,
            ),
            (Arc::new(Field::new("string", DataType::Utf8, true)), Arc::new(StringArray::from(texts))),
        ]))
    };
    let schema = |union: Value| {
        json!({"type": "record", "name": "r", "fields": [{"name": "x", "type": union}]}).to_string()
    };
    let all = batch([("x", column(vec![Some(5), None, None], vec![None, Some("a"), None]))]);
    let found = rows_with(&all, &schema(json!(["string", "null", "long"]))).unwrap();
    assert_eq!(found, [json!({"x": 5}), json!({"x": "a"}), json!({"x": null})]);
    let error = rows_with(&all, &schema(json!(["string", "long"]))).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::ValueMismatch));
    assert!(error.to_string().starts_with("record 2, at x: the value is null"), "{error}");
    let both = batch([("x", column(vec![Some(5)], vec![Some("a")]))]);
    let error = rows_with(&both, &schema(json!(["string", "long"]))).unwrap_err();
    let text = "record 0, at x: the branches \"long\" and \"string\" of the union have a value both";
    assert_eq!(error.to_string(), text);
}
