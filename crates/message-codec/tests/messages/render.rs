//! Arrow columns as values that can be compared.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use message_codec::{Enums, Layout};
use prost_reflect::{DynamicMessage, ReflectMessage as _};

use crate::oracle::Model;

/// A value.
#[derive(Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Int(i128),
    /// The bits, so that NaN is itself.
    Float(u64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Value>),
    /// Fields by name, sorted.
    Struct(Vec<(String, Value)>),
    /// Entries whose order is free.
    Map(Vec<Value>),
    /// A message that is a column of bytes.
    Kept(DynamicMessage),
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&short(self))
    }
}

pub(crate) fn rows(batch: &RecordBatch) -> Vec<Value> {
    let row = |row| {
        let fields = batch.schema();
        let fields = fields.fields().iter().zip(batch.columns());
        sorted(fields.map(|(field, column)| (field.name().clone(), value(column, row))).collect())
    };
    (0..batch.num_rows()).map(row).collect()
}

pub(crate) fn sorted(mut fields: Vec<(String, Value)>) -> Value {
    fields.sort_by(|a, b| a.0.cmp(&b.0));
    Value::Struct(fields)
}

pub(crate) fn value(array: &dyn Array, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    let all = |array: &dyn Array| (0..array.len()).map(|row| value(array, row)).collect();
    match array.data_type() {
        DataType::Boolean => Value::Bool(array.as_boolean().value(row)),
        DataType::Int32 => Value::Int(array.as_primitive::<Int32Type>().value(row).into()),
        DataType::Int64 => Value::Int(array.as_primitive::<Int64Type>().value(row).into()),
        DataType::UInt32 => Value::Int(array.as_primitive::<UInt32Type>().value(row).into()),
        DataType::UInt64 => Value::Int(array.as_primitive::<UInt64Type>().value(row).into()),
        DataType::Float32 => Value::Float(array.as_primitive::<Float32Type>().value(row).to_bits().into()),
        DataType::Float64 => Value::Float(array.as_primitive::<Float64Type>().value(row).to_bits()),
        DataType::LargeUtf8 => Value::Text(array.as_string::<i64>().value(row).to_owned()),
        DataType::Utf8 => Value::Text(array.as_string::<i32>().value(row).to_owned()),
        DataType::LargeBinary => Value::Bytes(array.as_binary::<i64>().value(row).to_owned()),
        DataType::Binary => Value::Bytes(array.as_binary::<i32>().value(row).to_owned()),
        DataType::LargeList(_) => Value::List(all(&array.as_list::<i64>().value(row))),
        DataType::List(_) => Value::List(all(&array.as_list::<i32>().value(row))),
        DataType::Map(..) => Value::List(all(&array.as_map().value(row))),
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(array.as_struct().columns());
            sorted(columns.map(|(field, column)| (field.name().clone(), value(column, row))).collect())
        }
        other => panic!("a column of type {other}"),
    }
}

/// Returns whether a column has the expected value.
pub(crate) fn matches(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Map(entries), Value::List(found)) => {
            let mut left = found.iter().collect::<Vec<_>>();
            entries.iter().all(|entry| {
                let at = left.iter().position(|found| matches(entry, found));
                at.map(|at| left.swap_remove(at)).is_some()
            }) && left.is_empty()
        }
        (Value::Kept(message), Value::Bytes(bytes)) => {
            // Messages with a NaN are not equal to themselves, and their columns are.
            let model = Model { layout: Layout::Plain, enums: Enums::Numbers, max_depth: usize::MAX };
            let shown = |message: &DynamicMessage| without_order(&model.row(message, &mut Vec::new()));
            DynamicMessage::decode(message.descriptor(), bytes.as_slice())
                .is_ok_and(|found| shown(&found) == shown(message))
        }
        (Value::List(expected), Value::List(found)) => {
            expected.len() == found.len() && expected.iter().zip(found).all(|(e, f)| matches(e, f))
        }
        (Value::Struct(expected), Value::Struct(found)) => {
            let both = || expected.iter().zip(found);
            expected.len() == found.len() && both().all(|(e, f)| e.0 == f.0 && matches(&e.1, &f.1))
        }
        _ => expected == found,
    }
}

/// Returns the value with the entries of maps sorted, as text.
pub(crate) fn without_order(value: &Value) -> String {
    let all = |values: &[Value]| values.iter().map(without_order).collect::<Vec<_>>();
    match value {
        Value::Map(entries) => {
            let mut entries = all(entries);
            entries.sort();
            format!("map[{}]", entries.join(" "))
        }
        Value::List(values) => format!("[{}]", all(values).join(" ")),
        Value::Struct(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{name}: {}", without_order(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Value::Float(bits) => bits.to_string(),
        value => short(value),
    }
}

/// Returns a batch as text: a row a line.
pub(crate) fn text(batch: &RecordBatch) -> String {
    rows(batch).iter().map(short).collect::<Vec<_>>().join("\n")
}

fn short(value: &Value) -> String {
    let list = |values: &[Value]| values.iter().map(short).collect::<Vec<_>>().join(" ");
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(bits) => match u32::try_from(*bits) {
            Ok(bits) if bits != 0 => f32::from_bits(bits).to_string(),
            _ => f64::from_bits(*bits).to_string(),
        },
        Value::Text(text) => format!("{text:?}"),
        Value::Bytes(bytes) => format!("b\"{}\"", bytes.escape_ascii()),
        Value::List(values) | Value::Map(values) => format!("[{}]", list(values)),
        Value::Struct(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{name}: {}", short(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        // A message within itself cannot be shown.
        Value::Kept(_) => "kept".to_owned(),
    }
}
