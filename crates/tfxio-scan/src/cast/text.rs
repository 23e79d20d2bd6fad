//! Values as text and bytes.

use std::sync::Arc;

use arrow_array::builder::{LargeBinaryBuilder, LargeStringBuilder};
use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Date32Type, Date64Type, Float16Type, Float32Type, Float64Type, Int64Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, GenericBinaryArray, GenericStringArray, LargeBinaryArray,
    LargeStringArray, OffsetSizeTrait, StringArray, StringViewArray,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use tfxio_base::iso8601;

use super::leaf::Unfit;
use super::{numbers, times};

/// Returns whether values of a type are texts or bytes.
pub(super) fn is_text(data_type: &DataType) -> bool {
    data_type.is_string() || is_bytes(data_type)
}

/// Returns whether values of a type are bytes.
pub(super) fn is_bytes(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
}

/// Returns the type of the texts that values of a type become.
pub(super) fn becomes(from: &DataType) -> Option<DataType> {
    match from {
        DataType::Binary => Some(DataType::Utf8),
        DataType::BinaryView => Some(DataType::Utf8View),
        DataType::LargeBinary
        | DataType::Boolean
        | DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(..) => Some(DataType::LargeUtf8),
        other if other.is_string() => Some(other.clone()),
        other if other.is_numeric() => Some(DataType::LargeUtf8),
        _ => None,
    }
}

/// Returns the type of the bytes that values of a type become.
pub(super) fn bytes_of(from: &DataType) -> Option<DataType> {
    match from {
        DataType::Utf8 => Some(DataType::Binary),
        DataType::LargeUtf8 => Some(DataType::LargeBinary),
        DataType::Utf8View => Some(DataType::BinaryView),
        DataType::FixedSizeBinary(_) => Some(DataType::LargeBinary),
        other if is_bytes(other) => Some(other.clone()),
        _ => None,
    }
}

/// Returns a text or bytes; nothing where it is null.
pub(super) fn get(values: &ArrayRef, index: usize) -> Option<&[u8]> {
    if values.is_null(index) {
        return None;
    }
    Some(match values.data_type() {
        DataType::Utf8 => values.as_string::<i32>().value(index).as_bytes(),
        DataType::LargeUtf8 => values.as_string::<i64>().value(index).as_bytes(),
        DataType::Utf8View => values.as_string_view().value(index).as_bytes(),
        DataType::Binary => values.as_binary::<i32>().value(index),
        DataType::LargeBinary => values.as_binary::<i64>().value(index),
        DataType::BinaryView => values.as_binary_view().value(index),
        DataType::FixedSizeBinary(_) => values.as_fixed_size_binary().value(index),
        _ => return None,
    })
}

/// Returns the index of the first bytes that are not UTF-8.
pub(super) fn not_text(values: &ArrayRef) -> Option<usize> {
    if !is_bytes(values.data_type()) {
        return None;
    }
    if is_ascii(values) {
        return None;
    }
    (0..values.len())
        .find(|index| get(values, *index).is_some_and(|bytes| std::str::from_utf8(bytes).is_err()))
}

/// Returns whether all bytes are ASCII, which is UTF-8 wherever it is cut.
fn is_ascii(values: &ArrayRef) -> bool {
    fn of<O: OffsetSizeTrait>(bytes: &GenericBinaryArray<O>) -> bool {
        let bounds = bytes.offsets().first().zip(bytes.offsets().last());
        let all = bounds.and_then(|(start, end)| bytes.value_data().get(start.as_usize()..end.as_usize()));
        all.is_some_and(<[u8]>::is_ascii)
    }
    match values.data_type() {
        DataType::Binary => of(values.as_binary::<i32>()),
        DataType::LargeBinary => of(values.as_binary::<i64>()),
        _ => false,
    }
}

/// Returns bytes as texts that share them; nothing where they are not UTF-8, or what is under a null is not.
fn shared<O: OffsetSizeTrait>(bytes: &GenericBinaryArray<O>) -> Option<ArrayRef> {
    let (offsets, nulls) = (bytes.offsets(), bytes.nulls().cloned());
    let (start, end) = (*offsets.first()?, *offsets.last()?);
    // Of a part of a longer array only the bytes that belong to it are looked at.
    let values = bytes.values().slice_with_length(start.as_usize(), (end - start).as_usize());
    let offsets = match start.as_usize() {
        0 => offsets.clone(),
        _ => OffsetBuffer::new(offsets.iter().map(|offset| *offset - start).collect::<ScalarBuffer<O>>()),
    };
    Some(Arc::new(GenericStringArray::<O>::try_new(offsets, values, nulls).ok()?))
}

/// Returns values as texts: bytes must be UTF-8, numbers are written so that they read back as what they were, dates and
/// timestamps in ISO 8601: a year of more than four digits has a sign.
pub(super) fn texts(values: &ArrayRef) -> Result<ArrayRef, Unfit> {
    if is_bytes(values.data_type()) {
        let whole = match values.data_type() {
            DataType::Binary => shared(values.as_binary::<i32>()),
            DataType::LargeBinary => shared(values.as_binary::<i64>()),
            _ => {
                values.as_binary_view().clone().to_string_view().ok().map(|texts| Arc::new(texts) as ArrayRef)
            }
        };
        if let Some(whole) = whole {
            return Ok(whole);
        }
        if let Some(index) = not_text(values) {
            return Err(Unfit { index, what: "the bytes are not UTF-8".to_owned() });
        }
        // What is under a null may be anything: then each is copied.
        return Ok(copied(values));
    }
    if values.data_type().is_string() {
        return Ok(Arc::clone(values));
    }
    let mut out = LargeStringBuilder::with_capacity(values.len(), 0);
    for index in 0..values.len() {
        out.append_option(text(values, index)?);
    }
    Ok(Arc::new(out.finish()))
}

/// Returns bytes as texts of the type that they become.
fn copied(values: &ArrayRef) -> ArrayRef {
    let texts =
        (0..values.len()).map(|index| get(values, index).and_then(|bytes| std::str::from_utf8(bytes).ok()));
    match values.data_type() {
        DataType::Binary => Arc::new(texts.collect::<StringArray>()),
        DataType::LargeBinary => Arc::new(texts.collect::<LargeStringArray>()),
        _ => Arc::new(texts.collect::<StringViewArray>()),
    }
}

/// Returns a number, a bool, a date or a timestamp as text.
fn text(values: &ArrayRef, index: usize) -> Result<Option<String>, Unfit> {
    if values.is_null(index) {
        return Ok(None);
    }
    Ok(Some(match values.data_type() {
        DataType::Boolean => values.as_boolean().value(index).to_string(),
        DataType::Float16 => format!("{:?}", values.as_primitive::<Float16Type>().value(index)),
        DataType::Float32 => format!("{:?}", values.as_primitive::<Float32Type>().value(index)),
        DataType::Float64 => format!("{:?}", values.as_primitive::<Float64Type>().value(index)),
        DataType::UInt64 => values.as_primitive::<UInt64Type>().value(index).to_string(),
        DataType::Date32 => iso8601::date(values.as_primitive::<Date32Type>().value(index).into()),
        DataType::Date64 => iso8601::date_or_time(values.as_primitive::<Date64Type>().value(index)),
        DataType::Timestamp(unit, zone) => {
            let ticks = times::numbers(&values.slice(index, 1));
            let text =
                iso8601::date_time(ticks.as_primitive::<Int64Type>().value(0), times::fraction_digits(*unit));
            // Three zeros at the end say nothing. The stored time is in UTC where there is a time zone.
            let end = (0..3).fold(text.as_str(), |text, _| {
                text.strip_suffix("000").filter(|text| text.contains('.')).unwrap_or(text)
            });
            format!("{}{}", end.trim_end_matches('.'), if zone.is_some() { "Z" } else { "" })
        }
        data_type if data_type.is_decimal() => numbers::decimal_text(values, index).unwrap_or_default(),
        _ => {
            let numbers =
                numbers::integers(&values.slice(index, 1)).map_err(|unfit| Unfit { index, ..unfit })?;
            numbers.as_primitive::<Int64Type>().value(0).to_string()
        }
    }))
}

/// Returns values as bytes.
pub(super) fn bytes(values: &ArrayRef) -> ArrayRef {
    match values.data_type() {
        DataType::Utf8 => Arc::new(BinaryArray::from(values.as_string::<i32>().clone())),
        DataType::LargeUtf8 => Arc::new(LargeBinaryArray::from(values.as_string::<i64>().clone())),
        DataType::Utf8View => {
            let texts = (0..values.len()).map(|index| get(values, index));
            Arc::new(texts.collect::<BinaryViewArray>())
        }
        DataType::FixedSizeBinary(size) => {
            let size = usize::try_from(*size).unwrap_or_default();
            let mut out = LargeBinaryBuilder::with_capacity(values.len(), values.len().saturating_mul(size));
            (0..values.len()).for_each(|index| out.append_option(get(values, index)));
            Arc::new(out.finish())
        }
        _ => Arc::clone(values),
    }
}
