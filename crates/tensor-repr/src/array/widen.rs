//! Values in the widest type of their kind.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, BinaryArray, Int8Array, LargeBinaryArray};
use arrow_buffer::{Buffer, OffsetBuffer};
use arrow_schema::DataType;

use super::bytes::ByteRows;
use super::lists::{int64, with_room};
use crate::{Error, Kind};

/// Returns the values in the widest type of their kind, or `None` if they are of no such kind.
///
/// Signed integers become int64, unsigned ones uint64, floats float64, bool int8, strings and nulls
/// `LargeBinary`. Shares what has the width already.
///
/// # Errors
///
/// [`Kind::Overflow`] if memory does not suffice for strings or their offsets.
pub(crate) fn widen(array: &ArrayRef) -> Result<Option<ArrayRef>, Error> {
    Ok(Some(match array.data_type() {
        DataType::Int8 => wider::<Int8Type, Int64Type>(array),
        DataType::Int16 => wider::<Int16Type, Int64Type>(array),
        DataType::Int32 => wider::<Int32Type, Int64Type>(array),
        DataType::UInt8 => wider::<UInt8Type, UInt64Type>(array),
        DataType::UInt16 => wider::<UInt16Type, UInt64Type>(array),
        DataType::UInt32 => wider::<UInt32Type, UInt64Type>(array),
        DataType::Float16 => wider::<Float16Type, Float64Type>(array),
        DataType::Float32 => wider::<Float32Type, Float64Type>(array),
        DataType::Boolean => {
            let bits = array.as_boolean();
            let mut values = with_room(bits.len())?;
            values.extend(bits.values().iter().map(i8::from));
            Arc::new(Int8Array::new(values.into(), bits.nulls().cloned()))
        }
        DataType::Int64 | DataType::UInt64 | DataType::Float64 | DataType::LargeBinary => Arc::clone(array),
        DataType::LargeUtf8 => Arc::new(LargeBinaryArray::from(array.as_string::<i64>().clone())),
        DataType::Null => {
            let mut offsets = with_room(array.len() + 1)?;
            offsets.resize(array.len() + 1, 0);
            let offsets = OffsetBuffer::new(offsets.into());
            Arc::new(LargeBinaryArray::try_new(offsets, Buffer::default(), array.logical_nulls())?)
        }
        DataType::Binary => longer(array.as_binary())?,
        DataType::Utf8 => longer(&array.as_string::<i32>().clone().into())?,
        DataType::BinaryView | DataType::Utf8View => copied(array)?,
        _ => return Ok(None),
    }))
}

fn wider<From, To>(array: &ArrayRef) -> ArrayRef
where
    From: ArrowPrimitiveType,
    To: ArrowPrimitiveType<Native: std::convert::From<From::Native>>,
{
    Arc::new(array.as_primitive::<From>().unary::<_, To>(Into::into))
}

/// Returns the same bytes, with offsets of 64 bits.
fn longer(strings: &BinaryArray) -> Result<ArrayRef, Error> {
    let (small, values, nulls) = strings.clone().into_parts();
    let mut offsets = with_room(small.len())?;
    offsets.extend(small.iter().map(|at| i64::from(*at)));
    Ok(Arc::new(LargeBinaryArray::try_new(OffsetBuffer::new(offsets.into()), values, nulls)?))
}

/// Copies views. Any number of them may show the same bytes.
fn copied(views: &ArrayRef) -> Result<ArrayRef, Error> {
    let rows = ByteRows::of(views)?;
    let strings = || (0..rows.len()).map(|at| rows.get(at).unwrap_or_default());
    let total = strings().try_fold(0_usize, |total, string| total.checked_add(string.len()));
    let total = total.ok_or_else(|| Error::new(Kind::Overflow, "the strings have too many bytes"))?;
    let (mut offsets, mut values) = (with_room(rows.len() + 1)?, with_room::<u8>(total)?);
    offsets.push(0);
    for string in strings() {
        values.extend_from_slice(string);
        offsets.push(int64(values.len()));
    }
    let offsets = OffsetBuffer::new(offsets.into());
    Ok(Arc::new(LargeBinaryArray::try_new(offsets, values.into(), views.logical_nulls())?))
}
