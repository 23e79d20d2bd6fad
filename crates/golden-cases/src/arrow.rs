//! Arrays and batches as Arrow IPC streams, and their comparison.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use serde_json::Value;

use crate::{base64, equal};

fn reader(value: &Value) -> StreamReader<Cursor<Vec<u8>>> {
    StreamReader::try_new(Cursor::new(base64(&value["ipc"])), None).unwrap()
}

/// Reads the batch of a BATCH, sliced if the case has a slice.
///
/// # Panics
///
/// If it is not one.
pub fn batch(value: &Value) -> RecordBatch {
    let mut reader = reader(value);
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

/// Reads the array of an ARRAY, sliced if the case has a slice.
///
/// # Panics
///
/// If it is not one.
pub fn array(value: &Value) -> ArrayRef {
    Arc::clone(batch(value).column(0))
}

/// Reads the schema of an `ARROW_SCHEMA`.
///
/// # Panics
///
/// If it is not one.
pub fn schema(value: &Value) -> SchemaRef {
    reader(value).schema()
}

/// Compares names, types and order; the names of list children and metadata do not count.
///
/// # Errors
///
/// The difference.
pub fn same_schema(ours: &Schema, expected: &Schema) -> Result<(), String> {
    let list = |schema: &Schema| {
        let fields = schema.fields().iter();
        fields.map(|field| (field.name().clone(), normal(field.data_type()))).collect::<Vec<_>>()
    };
    equal(&list(ours), &list(expected)).map_err(|why| format!("columns {why}"))
}

/// Returns the type with every field nullable, and list children called `item`.
pub fn normal(data_type: &DataType) -> DataType {
    let child = |field: &FieldRef| Arc::new(Field::new_list_field(normal(field.data_type()), true));
    match data_type {
        DataType::List(field) => DataType::List(child(field)),
        DataType::LargeList(field) => DataType::LargeList(child(field)),
        DataType::FixedSizeList(field, length) => DataType::FixedSizeList(child(field), *length),
        DataType::Struct(fields) => {
            let fields = fields.iter().map(|field| Field::new(field.name(), normal(field.data_type()), true));
            DataType::Struct(fields.collect())
        }
        other => other.clone(),
    }
}

/// Compares schema, values and validity.
///
/// # Errors
///
/// The difference.
pub fn same_batch(ours: &RecordBatch, expected: &RecordBatch) -> Result<(), String> {
    same_schema(&ours.schema(), &expected.schema())?;
    if ours.num_rows() != expected.num_rows() {
        return Err(format!("{} rows instead of {}", ours.num_rows(), expected.num_rows()));
    }
    for (index, field) in ours.schema().fields().iter().enumerate() {
        same_array(ours.column(index), expected.column(index))
            .map_err(|why| format!("column {:?}: {why}", field.name()))?;
    }
    Ok(())
}

/// Compares type, values and validity.
///
/// # Errors
///
/// The difference.
pub fn same_array(ours: &ArrayRef, expected: &ArrayRef) -> Result<(), String> {
    ours.to_data().validate_full().map_err(|error| error.to_string())?;
    if normal(ours.data_type()) != normal(expected.data_type()) {
        return Err(format!("{} instead of {}", ours.data_type(), expected.data_type()));
    }
    if same_values(ours, expected) { Ok(()) } else { Err(format!("{ours:?} instead of {expected:?}")) }
}

/// Returns whether values and validity are equal, floats by their bits.
fn same_values(a: &dyn Array, b: &dyn Array) -> bool {
    if let (Some(a), Some(b)) = (list_of(a), list_of(b)) {
        return a.len() == b.len()
            && a.iter().zip(&b).all(|pair| match pair {
                (None, None) => true,
                (Some(a), Some(b)) => same_values(a, b),
                _ => false,
            });
    }
    if let (Some(a), Some(b)) = (a.as_struct_opt(), b.as_struct_opt()) {
        // A row at a time: what lies under a null struct does not count.
        return a.len() == b.len()
            && (0..a.len()).all(|row| {
                a.is_null(row) == b.is_null(row)
                    && (a.is_null(row)
                        || a.columns()
                            .iter()
                            .zip(b.columns())
                            .all(|(a, b)| same_values(&a.slice(row, 1), &b.slice(row, 1))))
            });
    }
    a.to_data() == b.to_data()
}

/// Returns the rows of a list array of any layout.
pub fn list_of(array: &dyn Array) -> Option<Vec<Option<ArrayRef>>> {
    match array.data_type() {
        DataType::List(_) => Some(array.as_list::<i32>().iter().collect()),
        DataType::LargeList(_) => Some(array.as_list::<i64>().iter().collect()),
        DataType::FixedSizeList(..) => Some(array.as_fixed_size_list().iter().collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::builder::{Float32Builder, ListBuilder};
    use arrow_array::{Float32Array, Int64Array, StructArray};
    use arrow_schema::Fields;

    use super::*;

    #[test]
    fn what_nobody_sees_does_not_count() {
        let list = |child: &str, rows: &[&[f32]]| -> ArrayRef {
            let field = Field::new(child, DataType::Float32, true);
            let mut builder = ListBuilder::new(Float32Builder::new()).with_field(field);
            rows.iter().for_each(|row| builder.append_value(row.iter().map(|value| Some(*value))));
            Arc::new(builder.finish())
        };
        let sliced = list("element", &[&[9.0], &[1.0, -0.0], &[]]).slice(1, 2);
        same_array(&sliced, &list("item", &[&[1.0, -0.0], &[]])).unwrap();
        same_array(&sliced, &list("item", &[&[1.0, 0.0], &[]])).unwrap_err();
        same_array(&sliced, &list("item", &[&[1.0, -0.0], &[], &[]])).unwrap_err();
        same_array(&sliced, &(Arc::new(Float32Array::from(vec![1.0, -0.0])) as ArrayRef)).unwrap_err();

        let under_null = |hidden: i64, is_null: bool| -> ArrayRef {
            let fields = Fields::from(vec![Field::new("a", DataType::Int64, false)]);
            let nulls = vec![true, !is_null].into();
            Arc::new(StructArray::new(fields, vec![Arc::new(Int64Array::from(vec![1, hidden]))], Some(nulls)))
        };
        same_array(&under_null(5, true), &under_null(6, true)).unwrap();
        same_array(&under_null(5, false), &under_null(6, false)).unwrap_err();
        same_array(&under_null(5, true), &under_null(5, false)).unwrap_err();
    }
}
