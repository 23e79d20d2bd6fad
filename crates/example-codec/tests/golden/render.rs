//! Values as the readable JSON of the case files.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use golden_cases::arrow::list_of;
use serde_json::{Value, json};

/// Returns the `columns` of a BATCH.
pub(super) fn columns(batch: &RecordBatch) -> Value {
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns());
    columns.map(|(field, array)| {
            json!({"name": field.name(), "type": data_type(array.data_type()), "values": values(array)})
        }).collect()
}

/// Returns a type as the case files name it.
fn data_type(of: &DataType) -> String {
    let list = |kind: &str, item: &DataType| format!("{kind}<item: {}>", data_type(item));
    match of {
        DataType::List(item) => list("list", item.data_type()),
        DataType::LargeList(item) => list("large_list", item.data_type()),
        DataType::Int64 => "int64".to_owned(),
        DataType::Float32 => "float".to_owned(),
        DataType::Binary => "binary".to_owned(),
        DataType::LargeBinary => "large_binary".to_owned(),
        DataType::Null => "null".to_owned(),
        DataType::Struct(fields) => {
            let fields =
                fields.iter().map(|field| format!("{}: {}", field.name(), data_type(field.data_type())));
            format!("struct<{}>", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Returns the rows of an array.
pub(super) fn values(array: &dyn Array) -> Value {
    if let Some(rows) = list_of(array) {
        return rows.iter().map(|row| row.as_ref().map_or(Value::Null, |row| values(row))).collect();
    }
    match array.data_type() {
        DataType::Int64 => array.as_primitive::<Int64Type>().iter().map(|v| json!(v)).collect(),
        DataType::Float32 => {
            array.as_primitive::<Float32Type>().iter().map(|v| v.map_or(Value::Null, float)).collect()
        }
        DataType::Binary => array.as_binary::<i32>().iter().map(|v| v.map_or(Value::Null, latin1)).collect(),
        DataType::LargeBinary => {
            array.as_binary::<i64>().iter().map(|v| v.map_or(Value::Null, latin1)).collect()
        }
        DataType::Null => (0..array.len()).map(|_| Value::Null).collect(),
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns().iter().map(|column| values(column)).collect::<Vec<_>>();
            let row = |row: usize| {
                let values =
                    fields.iter().zip(&columns).map(|(f, values)| (f.name().clone(), values[row].clone()));
                Value::Object(values.collect())
            };
            (0..array.len()).map(row).collect()
        }
        other => json!(format!("{} values of {other}", array.len())),
    }
}

/// Returns a float as the case files write it: the exact double, or a name.
pub(super) fn float(value: f32) -> Value {
    if value.is_nan() {
        json!("NaN")
    } else if value.is_infinite() {
        json!(if value > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        json!(f64::from(value))
    }
}

/// Bytes as a string of one character each.
pub(super) fn latin1(bytes: &[u8]) -> Value {
    json!(bytes.iter().map(|&byte| char::from(byte)).collect::<String>())
}
