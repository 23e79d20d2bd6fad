//! Columns as JSON.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use avro_path::program::KeyOptions;
use avro_path::{AvroSchema, Key, KeyProgram};
use serde_json::{Value, json};
use tfxio_core::Origin;

/// Returns the values of a key for each datum.
pub fn column(schema: &AvroSchema, data: &[Vec<u8>], key: &str) -> Vec<Value> {
    let mut columns = columns(schema, data, &[key]);
    columns.pop().expect("a column")
}

/// Returns the values of keys in one program for each datum, which text as `Utf8` does not change.
pub fn columns(schema: &AvroSchema, data: &[Vec<u8>], keys: &[&str]) -> Vec<Vec<Value>> {
    let keys =
        keys.iter().map(|key| Key::parse(key).unwrap_or_else(|error| panic!("{error}"))).collect::<Vec<_>>();
    let stored = columns_as(schema, data, &keys, KeyOptions::stored());
    assert_eq!(columns_as(schema, data, &keys, KeyOptions::default().logical_types(false)), stored);
    stored
}

fn columns_as(schema: &AvroSchema, data: &[Vec<u8>], keys: &[Key], options: KeyOptions) -> Vec<Vec<Value>> {
    let named = keys.iter().map(|key| (key.text(), key));
    let program = KeyProgram::builder(schema, named).options(options).build();
    let program = program.unwrap_or_else(|error| panic!("{error}"));
    let mut decoder = program.decoder();
    for (number, datum) in data.iter().enumerate() {
        decoder.push(datum, Origin::record(number as u64)).unwrap_or_else(|error| panic!("{error}"));
    }
    assert_eq!(decoder.rows(), data.len());
    let batch = decoder.flush().unwrap();
    assert_eq!(batch.schema(), program.arrow_schema());
    assert_eq!(decoder.rows(), 0);
    batch.columns().iter().map(rows).collect()
}

pub fn rows(array: &ArrayRef) -> Vec<Value> {
    array.to_data().validate_full().unwrap();
    (0..array.len()).map(|row| value(array, row)).collect()
}

fn value(array: &ArrayRef, row: usize) -> Value {
    if array.is_null(row) || array.data_type() == &DataType::Null {
        return Value::Null;
    }
    let text = |bytes: &[u8]| Value::String(bytes.iter().map(|&byte| char::from(byte)).collect());
    match array.data_type() {
        DataType::Boolean => json!(array.as_boolean().value(row)),
        DataType::Int32 => json!(array.as_primitive::<Int32Type>().value(row)),
        DataType::Int64 => json!(array.as_primitive::<Int64Type>().value(row)),
        DataType::Float32 => json!(array.as_primitive::<Float32Type>().value(row)),
        DataType::Float64 => json!(array.as_primitive::<Float64Type>().value(row)),
        DataType::Binary => text(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => text(array.as_binary::<i64>().value(row)),
        DataType::Utf8 => text(array.as_string::<i32>().value(row).as_bytes()),
        DataType::LargeUtf8 => text(array.as_string::<i64>().value(row).as_bytes()),
        DataType::List(_) => Value::Array(rows(&array.as_list::<i32>().value(row))),
        DataType::LargeList(_) => Value::Array(rows(&array.as_list::<i64>().value(row))),
        other => panic!("{other} is no type of a column of a key"),
    }
}
