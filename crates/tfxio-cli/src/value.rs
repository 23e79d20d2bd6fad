//! Values of Arrow columns as JSON.

use std::fmt::Write as _;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowTemporalType, Date32Type, Date64Type, Decimal128Type, Decimal256Type, Float16Type, Float32Type,
    Float64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, MapArray, StructArray, downcast_dictionary_array, downcast_integer_array};
use arrow_schema::{DataType, TimeUnit};

use crate::json::{self, Object};

/// Appends the value of a row. What is absent is null.
pub(crate) fn json(out: &mut String, column: &dyn Array, row: usize) {
    if row >= column.len() || column.is_null(row) {
        return out.push_str("null");
    }
    downcast_integer_array!(
        column => {
            let _ = write!(out, "{}", column.value(row));
        },
        DataType::Dictionary(..) => downcast_dictionary_array!(
            column => match column.key(row) {
                Some(key) => json(out, column.values(), key),
                None => out.push_str("null"),
            },
            _ => out.push_str("null")
        ),
        _ => other(out, column, row)
    );
}

/// The value of a row that is not an integer.
fn other(out: &mut String, column: &dyn Array, row: usize) {
    match column.data_type() {
        DataType::Null => out.push_str("null"),
        DataType::Boolean => out.push_str(if column.as_boolean().value(row) { "true" } else { "false" }),
        DataType::Float16 => json::float(out, column.as_primitive::<Float16Type>().value(row).to_f32()),
        DataType::Float32 => json::float(out, column.as_primitive::<Float32Type>().value(row)),
        DataType::Float64 => json::double(out, column.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8 => json::string(out, column.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => json::string(out, column.as_string::<i64>().value(row)),
        DataType::Utf8View => json::string(out, column.as_string_view().value(row)),
        DataType::FixedSizeBinary(16) => uuid(out, column.as_fixed_size_binary().value(row)),
        DataType::Struct(_) => object(out, column.as_struct(), row),
        DataType::Map(..) => map(out, column.as_map(), row),
        DataType::Decimal128(..) => {
            json::string(out, &column.as_primitive::<Decimal128Type>().value_as_string(row));
        }
        DataType::Decimal256(..) => {
            json::string(out, &column.as_primitive::<Decimal256Type>().value_as_string(row));
        }
        data_type => match (bytes(column, row), items(column, row), temporal(column, row)) {
            (Some(bytes), ..) => json::bytes(out, bytes),
            (_, Some(items), _) => {
                out.push('[');
                for item in 0..items.len() {
                    out.push_str(if item > 0 { ", " } else { "" });
                    json(out, &items, item);
                }
                out.push(']');
            }
            (.., Some(time)) => json::string(out, &time),
            _ => json::string(out, &format!("a value of type {data_type}")),
        },
    }
}

/// Returns the bytes of a row of a column of bytes.
pub(crate) fn bytes(column: &dyn Array, row: usize) -> Option<&[u8]> {
    Some(match column.data_type() {
        DataType::Binary => column.as_binary::<i32>().value(row),
        DataType::LargeBinary => column.as_binary::<i64>().value(row),
        DataType::BinaryView => column.as_binary_view().value(row),
        DataType::FixedSizeBinary(_) => column.as_fixed_size_binary().value(row),
        _ => return None,
    })
}

/// Returns the items of a row of a column of lists.
pub(crate) fn items(column: &dyn Array, row: usize) -> Option<arrow_array::ArrayRef> {
    Some(match column.data_type() {
        DataType::List(_) => column.as_list::<i32>().value(row),
        DataType::LargeList(_) => column.as_list::<i64>().value(row),
        DataType::FixedSizeList(..) => column.as_fixed_size_list().value(row),
        DataType::ListView(_) => column.as_list_view::<i32>().value(row),
        DataType::LargeListView(_) => column.as_list_view::<i64>().value(row),
        _ => return None,
    })
}

/// Sixteen bytes of fixed size, as UUIDs are written.
fn uuid(out: &mut String, bytes: &[u8]) {
    out.push('"');
    for (at, byte) in bytes.iter().enumerate() {
        out.push_str(if matches!(at, 4 | 6 | 8 | 10) { "-" } else { "" });
        let _ = write!(out, "{byte:02x}");
    }
    out.push('"');
}

fn object(out: &mut String, fields: &StructArray, row: usize) {
    let mut object = Object::new(out);
    for (name, field) in fields.column_names().into_iter().zip(fields.columns()) {
        json(object.key(name), field, row);
    }
    object.finish();
}

fn map(out: &mut String, map: &MapArray, row: usize) {
    let entries = map.value(row);
    let mut object = Object::new(out);
    for entry in 0..entries.len() {
        let mut key = String::new();
        json(&mut key, entries.column(0), entry);
        // Keys that are texts have their quotes already.
        let value = if key.starts_with('"') { object.quoted_key(&key) } else { object.key(&key) };
        json(value, entries.column(1), entry);
    }
    object.finish();
}

/// A date or time as ISO 8601 has it, with the digits that its unit has.
fn temporal(column: &dyn Array, row: usize) -> Option<String> {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};

    Some(match column.data_type() {
        DataType::Date32 => column.as_primitive::<Date32Type>().value_as_date(row)?.to_string(),
        DataType::Date64 => column.as_primitive::<Date64Type>().value_as_date(row)?.to_string(),
        DataType::Time32(Second) => time::<Time32SecondType>(column, row, "%T")?,
        DataType::Time32(_) => time::<Time32MillisecondType>(column, row, "%T%.3f")?,
        DataType::Time64(Microsecond) => time::<Time64MicrosecondType>(column, row, "%T%.6f")?,
        DataType::Time64(_) => time::<Time64NanosecondType>(column, row, "%T%.9f")?,
        DataType::Timestamp(unit, zone) => {
            let time = match unit {
                Second => timestamp::<TimestampSecondType>(column, row, "%FT%T"),
                Millisecond => timestamp::<TimestampMillisecondType>(column, row, "%FT%T%.3f"),
                Microsecond => timestamp::<TimestampMicrosecondType>(column, row, "%FT%T%.6f"),
                Nanosecond => timestamp::<TimestampNanosecondType>(column, row, "%FT%T%.9f"),
            }?;
            // Whatever the zone, what is stored is UTC.
            time + if zone.is_some() { "Z" } else { "" }
        }
        _ => return None,
    })
}

fn time<T: ArrowTemporalType>(column: &dyn Array, row: usize, format: &str) -> Option<String>
where
    i64: From<T::Native>,
{
    Some(column.as_primitive::<T>().value_as_time(row)?.format(format).to_string())
}

fn timestamp<T: ArrowTemporalType>(column: &dyn Array, row: usize, format: &str) -> Option<String>
where
    i64: From<T::Native>,
{
    Some(column.as_primitive::<T>().value_as_datetime(row)?.format(format).to_string())
}
