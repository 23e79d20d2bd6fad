//! Batches as JSON.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int32Type, Int64Type,
    IntervalMonthDayNanoType, Time32MillisecondType, Time64MicrosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use avro_path::record::{Layout, RecordOptions, RecordPlan};
use avro_path::{AvroSchema, Result};
use serde_json::{Map, Value, json};
use tfxio_core::Origin;

/// Returns options for plain columns with small offsets.
pub fn plain() -> RecordOptions {
    RecordOptions::default().layout(Layout::Plain).large_offsets(false)
}

/// Returns data as a batch.
pub fn batch(schema: &str, options: &RecordOptions, data: &[&[u8]]) -> Result<RecordBatch> {
    let plan = RecordPlan::builder(&AvroSchema::parse(schema)?).options(options.clone()).build()?;
    let mut decoder = plan.decoder();
    for (number, datum) in data.iter().enumerate() {
        decoder.push(datum, Origin::record(number as u64))?;
    }
    let batch = decoder.flush()?;
    assert_eq!(batch.schema(), plan.arrow_schema());
    assert_eq!(batch.num_rows(), data.len());
    Ok(batch)
}

/// Returns each row as an object.
pub fn rows(batch: &RecordBatch) -> Vec<Value> {
    for column in batch.columns() {
        column.to_data().validate_full().unwrap();
        aligned(&column.to_data());
    }
    (0..batch.num_rows())
        .map(|row| {
            let schema = batch.schema();
            let fields = schema.fields().iter().zip(batch.columns());
            let fields = fields.map(|(field, column)| (field.name().clone(), value(column, row)));
            Value::Object(fields.collect::<Map<_, _>>())
        })
        .collect()
}

fn aligned(data: &arrow_data::ArrayData) {
    for buffer in data.buffers().iter().filter(|buffer| !buffer.is_empty()) {
        assert_eq!(buffer.as_ptr().align_offset(64), 0, "{}", data.data_type());
    }
    if let Some(nulls) = data.nulls() {
        assert_eq!(nulls.buffer().as_ptr().align_offset(64), 0, "{}", data.data_type());
    }
    data.child_data().iter().for_each(aligned);
}

/// Bytes as text, each a character.
pub fn text(bytes: &[u8]) -> Value {
    Value::String(bytes.iter().map(|&byte| char::from(byte)).collect())
}

pub fn value(array: &ArrayRef, row: usize) -> Value {
    if array.is_null(row) || array.data_type() == &DataType::Null {
        return Value::Null;
    }
    let list = |items: ArrayRef| Value::Array((0..items.len()).map(|row| value(&items, row)).collect());
    match array.data_type() {
        DataType::Boolean => json!(array.as_boolean().value(row)),
        DataType::Int32 => json!(array.as_primitive::<Int32Type>().value(row)),
        DataType::Int64 => json!(array.as_primitive::<Int64Type>().value(row)),
        DataType::Float32 => json!(array.as_primitive::<Float32Type>().value(row)),
        DataType::Float64 => json!(array.as_primitive::<Float64Type>().value(row)),
        DataType::Binary => text(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => text(array.as_binary::<i64>().value(row)),
        DataType::Utf8 => json!(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => json!(array.as_string::<i64>().value(row)),
        DataType::FixedSizeBinary(_) => text(array.as_fixed_size_binary().value(row)),
        DataType::Dictionary(..) => {
            let array = array.as_dictionary::<Int32Type>();
            let key = usize::try_from(array.keys().value(row)).unwrap();
            value(array.values(), key)
        }
        DataType::List(_) => list(array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => list(array.as_list::<i64>().value(row)),
        DataType::Map(..) => {
            let entries: ArrayRef = std::sync::Arc::new(array.as_map().value(row));
            list(entries)
        }
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(array.as_struct().columns());
            let fields = columns.map(|(field, column)| (field.name().clone(), value(column, row)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        DataType::Decimal128(..) => json!(array.as_primitive::<Decimal128Type>().value_as_string(row)),
        DataType::Decimal256(..) => json!(array.as_primitive::<Decimal256Type>().value_as_string(row)),
        DataType::Date32 => json!(array.as_primitive::<Date32Type>().value(row)),
        DataType::Time32(_) => json!(array.as_primitive::<Time32MillisecondType>().value(row)),
        DataType::Time64(_) => json!(array.as_primitive::<Time64MicrosecondType>().value(row)),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            json!(array.as_primitive::<TimestampMillisecondType>().value(row))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            json!(array.as_primitive::<TimestampMicrosecondType>().value(row))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            json!(array.as_primitive::<TimestampNanosecondType>().value(row))
        }
        DataType::Interval(_) => {
            let value = array.as_primitive::<IntervalMonthDayNanoType>().value(row);
            json!([value.months, value.days, value.nanoseconds])
        }
        other => panic!("{other} is no type of a column of a record"),
    }
}
