//! Table 1: types.

use arrow_schema::{DataType, Field};
use avro_path::{Key, KeyProgram, Schema};
use serde_json::json;

use super::{check, record};

/// Each Avro type has one Arrow type, whatever is asked for: nothing is promoted.
#[test]
fn each_type_has_its_own_column() {
    let binary = DataType::LargeBinary;
    for (avro, arrow) in [
        (json!("null"), DataType::Null),
        (json!("boolean"), DataType::Boolean),
        (json!("int"), DataType::Int32),
        (json!("long"), DataType::Int64),
        (json!("float"), DataType::Float32),
        (json!("double"), DataType::Float64),
        (json!("string"), binary.clone()),
        (json!("bytes"), binary.clone()),
        (json!({"type": "fixed", "name": "f", "size": 2}), binary.clone()),
        (json!({"type": "enum", "name": "e", "symbols": ["A"]}), binary),
    ] {
        for ty in [avro.clone(), json!(["null", avro]), json!([avro, "null"])] {
            if avro == "null" && ty != avro {
                continue;
            }
            let schema = record(json!([{"name": "x", "type": ty}]));
            let program = KeyProgram::new(&schema, &[Key::parse("x").unwrap()]).unwrap();
            assert_eq!(*program.arrow_schema().field(0), Field::new("x", arrow.clone(), true), "{ty}");
        }
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
        Schema::parse(r#"{"type": "record", "name": "r", "fields": [{"name": "x", "type": "bytes"}]}"#);
    let schema = schema.unwrap();
    let got = crate::key_columns::render::column(&schema, &[vec![4, 0xff, 0]], "x");
    assert_eq!(got, [json!("\u{ff}\0")]);
}

#[test]
fn logical_types_are_their_base_types() {
    let schema = record(json!([{"name": "x", "type": {"type": "long", "logicalType": "timestamp-millis"}}]));
    let program = KeyProgram::new(&schema, &[Key::parse("x").unwrap()]).unwrap();
    assert_eq!(*program.arrow_schema().field(0).data_type(), DataType::Int64);
}
