//! Values of Arrow columns as JSON. Functions that other crates of this workspace look into columns by are hidden.

use std::fmt::Write as _;
use std::ops::Range;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, RunEndIndexType,
};
use arrow_array::{
    Array, ArrayRef, MapArray, OffsetSizeTrait, StructArray, UnionArray, downcast_dictionary_array,
    downcast_integer_array,
};
use arrow_schema::{DataType, Field, FieldRef};
use tfxio_scan::decimals;

use super::{self as text, Object, temporal};

/// Appends the value of a row of a column. What is absent is null.
pub fn json(out: &mut String, column: &dyn Array, row: usize) {
    value(out, column, row, false);
}

/// Appends the value of a row of a column, whose field may be marked as UUIDs.
pub fn json_of(out: &mut String, field: &Field, column: &dyn Array, row: usize) {
    value(out, column, row, is_uuid(field));
}

/// Returns whether the values of a field are UUIDs: bytes of the extension type `arrow.uuid`.
#[doc(hidden)]
#[must_use]
pub fn is_uuid(field: &Field) -> bool {
    field.extension_type_name() == Some("arrow.uuid")
}

fn value(out: &mut String, column: &dyn Array, row: usize, is_uuid: bool) {
    if row >= column.len() || column.is_null(row) {
        return out.push_str("null");
    }
    downcast_integer_array!(
        column => {
            let _ = write!(out, "{}", column.value(row));
        },
        _ => match inner(column, row) {
            Some((values, row)) => value(out, &values, row, is_uuid),
            None => other(out, column, row, is_uuid),
        }
    );
}

/// The value of a row that is not an integer.
fn other(out: &mut String, column: &dyn Array, row: usize, is_uuid: bool) {
    match column.data_type() {
        DataType::Null => out.push_str("null"),
        DataType::Boolean => out.push_str(if column.as_boolean().value(row) { "true" } else { "false" }),
        DataType::Float16 => text::float(out, column.as_primitive::<Float16Type>().value(row).to_f32()),
        DataType::Float32 => text::float(out, column.as_primitive::<Float32Type>().value(row)),
        DataType::Float64 => text::double(out, column.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8 => text::string(out, column.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => text::string(out, column.as_string::<i64>().value(row)),
        DataType::Utf8View => text::string(out, column.as_string_view().value(row)),
        DataType::FixedSizeBinary(16) if is_uuid => uuid(out, column.as_fixed_size_binary().value(row)),
        DataType::Struct(_) => object(out, column.as_struct(), row),
        DataType::Map(..) => map(out, column.as_map(), row),
        DataType::Union(..) => union(out, column.as_union(), row),
        data_type => {
            if let Some((values, items)) = list(column, row) {
                let of_uuids = item(data_type).is_some_and(|item| self::is_uuid(item));
                out.push('[');
                for (at, item) in items.enumerate() {
                    out.push_str(if at > 0 { ", " } else { "" });
                    value(out, values, item, of_uuids);
                }
                return out.push(']');
            }
            let shown = || decimals::text(column, row).or_else(|| temporal::text(column, row));
            match bytes(column, row).ok_or_else(shown) {
                Ok(bytes) => text::bytes(out, bytes),
                Err(Some(shown)) => text::string(out, &shown),
                Err(None) => text::string(out, &format!("a value of type {data_type}")),
            }
        }
    }
}

/// Returns the values of a dictionary or of runs, and the index of a row in them.
#[doc(hidden)]
#[must_use]
pub fn inner(column: &dyn Array, row: usize) -> Option<(ArrayRef, usize)> {
    fn of_runs<R: RunEndIndexType>(column: &dyn Array, row: usize) -> Option<(ArrayRef, usize)> {
        let runs = column.as_run_opt::<R>()?;
        Some((runs.values().clone(), runs.get_physical_index(row)))
    }
    match column.data_type() {
        DataType::Dictionary(..) => downcast_dictionary_array!(
            column => Some((column.values().clone(), column.key(row)?)),
            _ => None
        ),
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => of_runs::<Int16Type>(column, row),
            DataType::Int32 => of_runs::<Int32Type>(column, row),
            _ => of_runs::<Int64Type>(column, row),
        },
        _ => None,
    }
}

/// Returns the bytes of a row of a column of bytes.
#[doc(hidden)]
#[must_use]
pub fn bytes(column: &dyn Array, row: usize) -> Option<&[u8]> {
    Some(match column.data_type() {
        DataType::Binary => column.as_binary::<i32>().value(row),
        DataType::LargeBinary => column.as_binary::<i64>().value(row),
        DataType::BinaryView => column.as_binary_view().value(row),
        DataType::FixedSizeBinary(_) => column.as_fixed_size_binary().value(row),
        _ => return None,
    })
}

/// Returns the values of a column of lists, and the rows of them that are the items of a row. Unlike [`items`] it makes
/// no array, which takes longer than to write a few items.
#[must_use]
pub(crate) fn list(column: &dyn Array, row: usize) -> Option<(&ArrayRef, Range<usize>)> {
    fn of<O: OffsetSizeTrait>(column: &dyn Array, row: usize) -> Option<(&ArrayRef, Range<usize>)> {
        let lists = column.as_list_opt::<O>()?;
        let offset = |row: usize| lists.value_offsets().get(row).map(|offset| offset.as_usize());
        Some((lists.values(), offset(row)?..offset(row + 1)?))
    }
    fn of_view<O: OffsetSizeTrait>(column: &dyn Array, row: usize) -> Option<(&ArrayRef, Range<usize>)> {
        let lists = column.as_list_view_opt::<O>()?;
        let start = lists.offsets().get(row)?.as_usize();
        Some((lists.values(), start..start + lists.sizes().get(row)?.as_usize()))
    }
    match column.data_type() {
        DataType::List(_) => of::<i32>(column, row),
        DataType::LargeList(_) => of::<i64>(column, row),
        DataType::FixedSizeList(..) => {
            let lists = column.as_fixed_size_list_opt()?;
            let length = usize::try_from(lists.value_length()).ok()?;
            // The values of a slice begin with those of its first row.
            Some((lists.values(), row * length..(row + 1) * length))
        }
        DataType::ListView(_) => of_view::<i32>(column, row),
        DataType::LargeListView(_) => of_view::<i64>(column, row),
        _ => None,
    }
}

/// Returns the items of a row of a column of lists.
#[doc(hidden)]
#[doc(hidden)]
#[must_use]
pub fn items(column: &dyn Array, row: usize) -> Option<ArrayRef> {
    list(column, row).map(|(values, items)| values.slice(items.start, items.len()))
}

/// Returns the field of the items of lists.
#[must_use]
pub fn item(lists: &DataType) -> Option<&FieldRef> {
    match lists {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item) => Some(item),
        _ => None,
    }
}

/// Returns sixteen bytes as UUIDs are written.
#[must_use]
pub(crate) fn uuid_text(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        out.push_str(if matches!(at, 4 | 6 | 8 | 10) { "-" } else { "" });
        let _ = write!(out, "{byte:02x}");
    }
    out
}

fn uuid(out: &mut String, bytes: &[u8]) {
    let _ = write!(out, "\"{}\"", uuid_text(bytes));
}

fn object(out: &mut String, fields: &StructArray, row: usize) {
    let mut object = Object::new(out);
    for (field, column) in fields.fields().iter().zip(fields.columns()) {
        json_of(object.key(field.name()), field, column, row);
    }
    object.finish();
}

/// An object with the name of the type that the row has, as Avro's JSON has it.
fn union(out: &mut String, union: &UnionArray, row: usize) {
    let DataType::Union(fields, _) = union.data_type() else { return out.push_str("null") };
    let id = union.type_id(row);
    let Some((_, field)) = fields.iter().find(|(other, _)| *other == id) else {
        return out.push_str("null");
    };
    let mut value = String::new();
    json_of(&mut value, field, union.child(id), union.value_offset(row));
    if value == "null" {
        return out.push_str("null");
    }
    let mut object = Object::new(out);
    object.key(field.name()).push_str(&value);
    object.finish();
}

fn map(out: &mut String, map: &MapArray, row: usize) {
    let entries = map.value(row);
    let [_, of_values] = entries.fields().as_ref() else { return out.push_str("null") };
    let mut object = Object::new(out);
    for entry in 0..entries.len() {
        let mut key = String::new();
        json(&mut key, entries.column(0), entry);
        // Keys that are texts have their quotes already.
        let value = if key.starts_with('"') { object.quoted_key(&key) } else { object.key(&key) };
        json_of(value, of_values, entries.column(1), entry);
    }
    object.finish();
}
