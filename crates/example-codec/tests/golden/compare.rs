//! Batches as Arrow IPC streams, and when two of them are equal.

use std::io::Cursor;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use serde_json::Value;

use super::cases::base64;
use super::render;

/// The batch of a BATCH, sliced when the case says so.
pub(super) fn batch(value: &Value) -> RecordBatch {
    let mut reader = StreamReader::try_new(Cursor::new(base64(&value["ipc"])), None).unwrap();
    let batch = reader.next().expect("a batch").unwrap();
    assert!(reader.next().is_none(), "more than one batch");
    match value["slice"].as_array() {
        Some(slice) => {
            let number = |at: usize| usize::try_from(slice[at].as_u64().unwrap()).unwrap();
            batch.slice(number(0), number(1))
        }
        None => batch,
    }
}

/// The schema of an `ARROW_SCHEMA`.
pub(super) fn schema(value: &Value) -> SchemaRef {
    StreamReader::try_new(Cursor::new(base64(&value["ipc"])), None).unwrap().schema()
}

/// Names, types and order; the names of list children and metadata do not count.
pub(super) fn same_schema(ours: &Schema, expected: &Schema) -> Result<(), String> {
    let list = |schema: &Schema| {
        let fields = schema.fields().iter();
        fields.map(|field| (field.name().clone(), normal(field.data_type()))).collect::<Vec<_>>()
    };
    let (ours, expected) = (list(ours), list(expected));
    if ours == expected { Ok(()) } else { Err(format!("columns {ours:?} instead of {expected:?}")) }
}

/// The type with every list child called `item`, and every child nullable.
fn normal(data_type: &DataType) -> DataType {
    let child = |field: &arrow_schema::FieldRef| {
        std::sync::Arc::new(Field::new_list_field(normal(field.data_type()), true))
    };
    match data_type {
        DataType::List(field) => DataType::List(child(field)),
        DataType::LargeList(field) => DataType::LargeList(child(field)),
        DataType::FixedSizeList(field, length) => DataType::FixedSizeList(child(field), *length),
        DataType::Struct(fields) => {
            let fields = fields.iter().map(|f| Field::new(f.name(), normal(f.data_type()), true));
            DataType::Struct(fields.collect())
        }
        other => other.clone(),
    }
}

/// Schema, values and validity.
pub(super) fn same_batch(ours: &RecordBatch, expected: &RecordBatch) -> Result<(), String> {
    same_schema(&ours.schema(), &expected.schema())?;
    if ours.num_rows() != expected.num_rows() {
        return Err(format!("{} rows instead of {}", ours.num_rows(), expected.num_rows()));
    }
    for (index, field) in ours.schema().fields().iter().enumerate() {
        let (ours, expected) = (ours.column(index), expected.column(index));
        ours.to_data().validate_full().map_err(|e| format!("column {:?}: {e}", field.name()))?;
        if !same_array(ours, expected) {
            let values = |array: &ArrayRef| render::values(array).to_string();
            return Err(format!(
                "column {:?} is {} instead of {}",
                field.name(),
                values(ours),
                values(expected)
            ));
        }
    }
    Ok(())
}

/// Equal values and validity, floats by their bits.
fn same_array(a: &dyn Array, b: &dyn Array) -> bool {
    if let (Some(a), Some(b)) = (a.as_struct_opt(), b.as_struct_opt()) {
        return a.nulls() == b.nulls()
            && a.column_names() == b.column_names()
            && a.columns().iter().zip(b.columns()).all(|(a, b)| same_array(a, b));
    }
    match (list_of(a), list_of(b)) {
        (Some(a), Some(b)) => {
            a.len() == b.len()
                && a.iter().zip(&b).all(|pair| match pair {
                    (None, None) => true,
                    (Some(a), Some(b)) => same_array(a, b),
                    _ => false,
                })
        }
        (None, None) => a.to_data() == b.to_data(),
        _ => false,
    }
}

/// The rows of a list array of any layout.
pub(super) fn list_of(array: &dyn Array) -> Option<Vec<Option<ArrayRef>>> {
    match array.data_type() {
        DataType::List(_) => Some(array.as_list::<i32>().iter().collect()),
        DataType::LargeList(_) => Some(array.as_list::<i64>().iter().collect()),
        DataType::FixedSizeList(..) => Some(array.as_fixed_size_list().iter().collect()),
        _ => None,
    }
}
