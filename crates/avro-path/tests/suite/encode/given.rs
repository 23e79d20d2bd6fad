//! Batches written with a schema that is given.

use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::*;
use arrow_schema::{DataType, Field};
use avro_path::encode::{EncodeOptions, EncodePlan};
use avro_path::{AvroSchema, Kind};
use serde_json::{Value, json};

use crate::encode::test_data::{batch, rows_with};

fn record(fields: Value) -> String {
    json!({"type": "record", "name": "r", "fields": fields}).to_string()
}

/// Asserts the values of a column written as a type.
#[track_caller]
fn check(array: impl Array + 'static, ty: Value, values: &[Value]) {
    let batch = batch([("x?", Arc::new(array) as ArrayRef)]);
    let schema = record(json!([{"name": "x", "type": ty}]));
    let found = rows_with(&batch, &schema).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found.iter().map(|row| row["x"].clone()).collect::<Vec<_>>(), values);
}

#[track_caller]
fn refuse(array: impl Array + 'static, ty: Value, text: &str) {
    let batch = batch([("x?", Arc::new(array) as ArrayRef)]);
    let schema = record(json!([{"name": "x", "type": ty}]));
    let error = rows_with(&batch, &schema).unwrap_err();
    assert_eq!((error.detail(), error.to_string().as_str()), (Some(&Kind::ValueMismatch), text));
}

fn logical(ty: &str, logical: &str) -> Value {
    json!({"type": ty, "logicalType": logical})
}

#[test]
fn columns_are_found_by_name_in_any_order_and_defaults_fill_the_rest() {
    let fields = json!([
        {"name": "b", "type": "string"},
        {"name": "more", "type": {"type": "array", "items": "int"}, "default": [1, 2]},
        {"name": "a", "type": ["null", "int"]},
        {"name": "none", "type": ["null", "int"], "default": null},
    ]);
    let batch = batch([
        ("a?", Arc::new(Int32Array::from(vec![Some(1), None])) as ArrayRef),
        ("b", Arc::new(StringArray::from(vec!["x", "y"]))),
    ]);
    let found = rows_with(&batch, &record(fields)).unwrap();
    let expected = |a: Value, b: &str| json!({"b": b, "more": [1, 2], "a": a, "none": null});
    assert_eq!(found, [expected(json!(1), "x"), expected(Value::Null, "y")]);
}

#[test]
fn structs_are_matched_by_name_too() {
    let inner = StructArray::from(vec![
        (Arc::new(Field::new("p", DataType::Int32, false)), Arc::new(Int32Array::from(vec![5])) as ArrayRef),
        (Arc::new(Field::new("q", DataType::Boolean, false)), Arc::new(BooleanArray::from(vec![true]))),
    ]);
    let other = json!({"type": "record", "name": "other", "fields": [{"name": "z", "type": "int"}]});
    let ty = json!({"type": "record", "name": "in", "fields": [
        {"name": "q", "type": "boolean"}, {"name": "d", "type": "string", "default": "-"}, {"name": "p", "type": "long"}]});
    check(inner, json!(["null", other, ty]), &[json!({"q": true, "d": "-", "p": 5})]);
}

#[test]
fn unions_take_the_first_branch_that_fits() {
    let numbers = || Int32Array::from(vec![Some(1), None]);
    check(numbers(), json!(["string", "long", "null"]), &[json!(1), Value::Null]);
    check(NullArray::new(1), json!(["int", "null"]), &[Value::Null]);
    check(StringArray::from(vec!["a"]), json!(["bytes", "string"]), &[json!({"base64": "YQ=="})]);
    refuse(
        numbers(),
        json!(["string", "boolean"]),
        "at x: the column has the type Int32, which does not fit the Avro type union of string and boolean; \
         cast the column, or change the Avro schema",
    );
}

#[test]
fn wider_types() {
    check(Int8Array::from(vec![-1]), json!("long"), &[json!(-1)]);
    check(Float32Array::from(vec![0.5]), json!("double"), &[json!(0.5)]);
    check(StringArray::from(vec!["a"]), json!("bytes"), &[json!({"base64": "YQ=="})]);
    let dictionary: DictionaryArray<Int8Type> = ["a"].into_iter().collect();
    check(dictionary, json!(["null", "string"]), &[json!("a")]);
    refuse(
        Int64Array::from(vec![1]),
        json!("int"),
        "at x: the column has the type Int64, which does not fit the Avro type int; \
         cast the column, or change the Avro schema",
    );
    refuse(
        Float64Array::from(vec![1.0]),
        json!("float"),
        "at x: the column has the type Float64, which does not fit the Avro type float; \
         cast the column, or change the Avro schema",
    );
}

#[test]
fn strings_that_are_symbols() {
    let ty = json!({"type": "enum", "name": "e", "symbols": ["A", "B"]});
    check(StringArray::from(vec!["B", "A"]), ty.clone(), &[json!("B"), json!("A")]);
    let dictionary: DictionaryArray<Int8Type> = ["A", "B"].into_iter().collect();
    check(dictionary, ty.clone(), &[json!("A"), json!("B")]);
    refuse(
        StringArray::from(vec!["A", "C"]),
        ty,
        "record 1, at x: the text \"C\" is not a symbol of the Avro enum",
    );
}

#[test]
fn times_change_their_unit_where_nothing_is_lost() {
    let micros = || TimestampMicrosecondArray::from(vec![5000]);
    check(micros(), logical("long", "local-timestamp-millis"), &[json!(5)]);
    check(micros(), logical("long", "local-timestamp-nanos"), &[json!(5_000_000)]);
    check(micros(), json!("long"), &[json!(5000)]);
    check(micros().with_timezone("UTC"), logical("long", "timestamp-millis"), &[json!(5)]);
    check(Time64NanosecondArray::from(vec![7_000]), logical("long", "time-micros"), &[json!(7)]);
    check(Time32SecondArray::from(vec![7]), logical("long", "time-micros"), &[json!(7_000_000)]);
    check(Date32Array::from(vec![7]), json!("int"), &[json!(7)]);
    check(Int32Array::from(vec![7]), logical("int", "date"), &[json!(7)]);
    refuse(
        TimestampMicrosecondArray::from(vec![5001]),
        logical("long", "local-timestamp-millis"),
        "record 0, at x: the time 5001 is finer than the unit of Avro's logical type, which is 1000 times as long; \
         round the column, or use a finer type",
    );
    refuse(
        TimestampSecondArray::from(vec![i64::MAX]),
        logical("long", "local-timestamp-nanos"),
        "record 0, at x: the time 9223372036854775807 is out of the range of Avro's logical type; cast the column, or leave it out",
    );
    refuse(
        micros(),
        logical("long", "timestamp-millis"),
        "at x: the column has the type Timestamp(µs), which does not fit the Avro type long (TimestampMillis); \
         cast the column, or change the Avro schema",
    );
}

#[test]
fn decimals_on_fixed() {
    let decimals = || Decimal128Array::from(vec![-2, 300]).with_precision_and_scale(5, 2).unwrap();
    let ty = |size: usize, precision: u32, scale: u32| {
        json!({"type": "fixed", "name": "d", "size": size, "logicalType": "decimal",
               "precision": precision, "scale": scale})
    };
    check(decimals(), ty(4, 6, 2), &[json!({"base64": "/////g=="}), json!({"base64": "AAABLA=="})]);
    refuse(
        decimals(),
        ty(4, 6, 3),
        "at x: the column has the type Decimal128(5, 2), which does not fit the Avro type \
         fixed d (Decimal { precision: 6, scale: 3 }); cast the column, or change the Avro schema",
    );
    // Arrow does not see to it that values have no more digits than their type.
    let large = Decimal128Array::from(vec![999_999, -1_000_000]).with_precision_and_scale(5, 2).unwrap();
    let text = "record 1, at x: the unscaled decimal -1000000 has more digits than the precision; \
                cast the column, or leave it out";
    refuse(large, ty(4, 6, 2), text);
}

#[test]
fn a_root_that_is_no_record_takes_one_column() {
    let numbers = batch([("x?", Arc::new(Int32Array::from(vec![Some(1), None])) as ArrayRef)]);
    assert_eq!(rows_with(&numbers, r#"["null", "long"]"#).unwrap(), [json!(1), Value::Null]);
    let two = batch([
        ("x", Arc::new(Int32Array::from(vec![1])) as ArrayRef),
        ("y", Arc::new(Int32Array::from(vec![1]))),
    ]);
    let error = rows_with(&two, r#""long""#).unwrap_err();
    let text =
        "the Avro schema is long, which takes one column, and there are 2; give the schema of a record";
    assert_eq!(error.to_string(), text);
}

#[test]
fn a_recursive_schema_takes_what_ends() {
    let schema = r#"{"type": "record", "name": "node", "fields": [
        {"name": "v", "type": "int"}, {"name": "next", "type": ["null", "node"], "default": null}]}"#;
    let next = StructArray::from(vec![(
        Arc::new(Field::new("v", DataType::Int32, false)),
        Arc::new(Int32Array::from(vec![2])) as ArrayRef,
    )]);
    let batch = batch([("v", Arc::new(Int32Array::from(vec![1])) as ArrayRef), ("next?", Arc::new(next))]);
    assert_eq!(rows_with(&batch, schema).unwrap(), [json!({"v": 1, "next": {"v": 2, "next": null}})]);
}

#[test]
fn a_schema_that_lacks_a_column_or_a_default_is_refused() {
    let one = batch([("x", Arc::new(Int32Array::from(vec![1])) as ArrayRef)]);
    for (fields, text) in [
        (
            json!([{"name": "y", "type": "int", "default": 0}]),
            "at x: the Avro record \"r\" has no field for the column; leave the column out, or rename it",
        ),
        (
            json!([{"name": "x", "type": "int"}, {"name": "y", "type": "int"}]),
            "at y: the Avro field has neither a column nor a default",
        ),
    ] {
        let options = EncodeOptions::default().schema(AvroSchema::parse(&record(fields)).unwrap());
        let error = EncodePlan::builder(&one.schema()).options(options.clone()).build().unwrap_err();
        assert_eq!((error.detail(), error.to_string().as_str()), (Some(&Kind::ValueMismatch), text));
    }
}
