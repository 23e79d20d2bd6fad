//! Table 1: types.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use avro_path::datum::write;
use avro_path::program::KeyOptions;
use avro_path::record::{RecordOptions, RecordPlan};
use avro_path::{AvroSchema, Key, KeyProgram};
use serde_json::json;
use tfxio_core::Origin;

use super::{check, record};

/// Each Avro type has one Arrow type, whatever is asked for: nothing is promoted.
#[test]
fn each_type_has_its_own_column() {
    let (binary, text) = (DataType::LargeBinary, DataType::LargeUtf8);
    for (avro, arrow, stored) in [
        (json!("null"), DataType::Null, DataType::Null),
        (json!("boolean"), DataType::Boolean, DataType::Boolean),
        (json!("int"), DataType::Int32, DataType::Int32),
        (json!("long"), DataType::Int64, DataType::Int64),
        (json!("float"), DataType::Float32, DataType::Float32),
        (json!("double"), DataType::Float64, DataType::Float64),
        (json!("string"), text.clone(), binary.clone()),
        (json!("bytes"), binary.clone(), binary.clone()),
        (json!({"type": "fixed", "name": "f", "size": 2}), binary.clone(), binary.clone()),
        (json!({"type": "enum", "name": "e", "symbols": ["A"]}), text, binary),
    ] {
        for ty in [avro.clone(), json!(["null", avro]), json!([avro, "null"])] {
            if avro == "null" && ty != avro {
                continue;
            }
            let schema = record(json!([{"name": "x", "type": ty}]));
            let key = Key::parse("x").unwrap();
            let program = KeyProgram::new(&schema, std::slice::from_ref(&key)).unwrap();
            assert_eq!(*program.arrow_schema().field(0), Field::new("x", arrow.clone(), true), "{ty}");
            let program = KeyProgram::builder(&schema, [("x", &key)]).options(KeyOptions::stored()).build();
            assert_eq!(
                *program.unwrap().arrow_schema().field(0),
                Field::new("x", stored.clone(), true),
                "{ty}"
            );
        }
    }
}

/// Text in a union with bytes has no type of its own.
#[test]
fn text_and_bytes_in_one_column_are_binary() {
    let symbols = json!({"type": "enum", "name": "e", "symbols": ["A"]});
    for (union, arrow) in [
        (json!(["string", "bytes"]), DataType::LargeBinary),
        (json!(["null", "string", symbols]), DataType::LargeUtf8),
        (json!([symbols, {"type": "fixed", "name": "f", "size": 1}]), DataType::LargeBinary),
    ] {
        let schema = record(json!([{"name": "x", "type": union}]));
        let program = KeyProgram::new(&schema, &[Key::parse("x").unwrap()]).unwrap();
        assert_eq!(*program.arrow_schema().field(0).data_type(), arrow, "{union}");
    }
    let schema = record(json!([{"name": "m", "type": {"type": "map", "values": "int"}}]));
    let program = KeyProgram::new(&schema, &[Key::parse("m[*]~").unwrap()]).unwrap();
    let keys = Arc::new(Field::new_list_field(DataType::LargeUtf8, true));
    assert_eq!(*program.arrow_schema().field(0).data_type(), DataType::LargeList(keys));
}

/// A string that is not UTF-8 is an error and not an array of it.
#[test]
fn a_string_that_is_not_text_is_refused() {
    let schema = record(json!([{"name": "x", "type": "string"}]));
    for options in [KeyOptions::default(), KeyOptions::stored()] {
        let key = Key::parse("x").unwrap();
        let program = KeyProgram::builder(&schema, [("x", &key)]).options(options).build().unwrap();
        let error = program.decoder().push(&[4, 0xff, 0xfe], Origin::record(0)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "record 0, byte of the record 0, at x: a string of 2 bytes is not UTF-8 from its byte 0"
        );
    }
}

#[test]
fn a_null_in_a_union_is_a_null_of_its_type() {
    let schema = record(json!([{"name": "x", "type": ["null", "long"]}]));
    check(&schema, &[json!({"x": 1}), json!({})], "x", &[json!(1), json!(null)]);
}

#[test]
fn bytes_that_are_no_text_come_out_as_they_are() {
    let schema =
        AvroSchema::parse(r#"{"type": "record", "name": "r", "fields": [{"name": "x", "type": "bytes"}]}"#);
    let schema = schema.unwrap();
    let got = crate::key_columns::render::column(&schema, &[vec![4, 0xff, 0]], "x");
    assert_eq!(got, [json!("\u{ff}\0")]);
}

/// Each logical type gives the column that it has in whole records, and that of its stored type on demand.
#[test]
fn logical_types_are_those_of_whole_records() {
    let fixed =
        |size, name, logical| json!({"type": "fixed", "name": name, "size": size, "logicalType": logical});
    let mut long = Vec::new();
    write::long(&mut long, 1_700_000_000_123);
    let mut int = Vec::new();
    write::long(&mut int, 19_000);
    let mut uuid = Vec::new();
    write::string(&mut uuid, "7f6b2c1e-1111-4222-8333-0123456789ab");
    let on_long = |logical: &str| json!({"type": "long", "logicalType": logical});
    for (ty, datum, stored) in [
        (json!({"type": "int", "logicalType": "date"}), &int, DataType::Int32),
        (json!({"type": "int", "logicalType": "time-millis"}), &int, DataType::Int32),
        (on_long("time-micros"), &int, DataType::Int64),
        (on_long("timestamp-millis"), &long, DataType::Int64),
        (on_long("timestamp-micros"), &long, DataType::Int64),
        (on_long("timestamp-nanos"), &long, DataType::Int64),
        (on_long("local-timestamp-millis"), &long, DataType::Int64),
        (on_long("local-timestamp-micros"), &long, DataType::Int64),
        (on_long("local-timestamp-nanos"), &long, DataType::Int64),
        (json!({"type": "string", "logicalType": "uuid"}), &uuid, DataType::LargeBinary),
        (fixed(16, "u", "uuid"), &vec![7; 16], DataType::LargeBinary),
        (fixed(12, "d", "duration"), &vec![1; 12], DataType::LargeBinary),
        (
            json!({"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}),
            &vec![4, 1, 2],
            DataType::LargeBinary,
        ),
        (
            json!({"type": "bytes", "logicalType": "decimal", "precision": 60}),
            &vec![4, 1, 2],
            DataType::LargeBinary,
        ),
        (
            json!({"type": "bytes", "logicalType": "decimal", "precision": 90}),
            &vec![4, 1, 2],
            DataType::LargeBinary,
        ),
    ] {
        for (ty, key, before, after) in [
            (ty.clone(), "x", vec![], vec![]),
            (json!(["null", ty]), "x", vec![2], vec![]),
            (json!({"type": "array", "items": ty}), "x[*]", vec![2], vec![0]),
        ] {
            let schema = record(json!([{"name": "x", "type": ty}]));
            let datum = [before, datum.clone(), after].concat();
            let key = Key::parse(key).unwrap();
            let program = KeyProgram::builder(&schema, [("x", &key)]).build().unwrap();
            let options = RecordOptions::default();
            let records = RecordPlan::builder(&schema).options(options.clone()).build().unwrap();
            let [keys, records] = [program.decoder(), records.decoder()].map(|mut decoder| {
                decoder.push(&datum, Origin::record(0)).unwrap();
                decoder.flush().unwrap()
            });
            let (keys, records) = (&innermost(keys.column(0)), &innermost(records.column(0)));
            assert_eq!(keys, records, "{ty}");
            let program = KeyProgram::builder(&schema, [("x", &key)]).options(KeyOptions::stored()).build();
            let field = program.unwrap().arrow_schema().field(0).clone();
            let item = match field.data_type() {
                DataType::LargeList(item) => item.data_type(),
                ty => ty,
            };
            assert_eq!(*item, stored, "{ty}");
        }
    }
}

/// UUIDs are called so, as in whole records.
#[test]
fn uuids_have_their_extension() {
    let uuid = json!({"type": "string", "logicalType": "uuid"});
    for (ty, key) in [(uuid.clone(), "x"), (json!({"type": "array", "items": uuid}), "x[*]")] {
        let schema = record(json!([{"name": "x", "type": ty}]));
        let program = KeyProgram::new(&schema, &[Key::parse(key).unwrap()]).unwrap();
        let field = Arc::new(program.arrow_schema().field(0).clone());
        let field = match field.data_type() {
            DataType::LargeList(item) => Arc::clone(item),
            _ => field,
        };
        assert_eq!(field.metadata()["ARROW:extension:name"], "arrow.uuid");
    }
}

fn innermost(array: &ArrayRef) -> ArrayRef {
    match array.data_type() {
        DataType::LargeList(_) => Arc::clone(array.as_list::<i64>().values()),
        _ => Arc::clone(array),
    }
}
