//! Numbers of any type as floats of 64 bits.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, Float64Array};
use arrow_schema::DataType;
use tfxio_base::{Error, Result};

use crate::Kind;

/// Returns the numbers of an array as floats. Integers of more than 53 bits are rounded; a boolean is 0 or 1.
///
/// # Errors
///
/// If the array is not of numbers, booleans or nulls.
pub(super) fn to_f64(array: &dyn Array) -> Result<Float64Array> {
    Ok(match array.data_type() {
        DataType::Float64 => array.as_primitive::<Float64Type>().clone(),
        DataType::Float32 => converted::<Float32Type>(array, f64::from),
        DataType::Float16 => converted::<Float16Type>(array, half::f16::to_f64),
        DataType::Int8 => converted::<Int8Type>(array, f64::from),
        DataType::Int16 => converted::<Int16Type>(array, f64::from),
        DataType::Int32 => converted::<Int32Type>(array, f64::from),
        DataType::Int64 => converted::<Int64Type>(array, |value| value as f64),
        DataType::UInt8 => converted::<UInt8Type>(array, f64::from),
        DataType::UInt16 => converted::<UInt16Type>(array, f64::from),
        DataType::UInt32 => converted::<UInt32Type>(array, f64::from),
        DataType::UInt64 => converted::<UInt64Type>(array, |value| value as f64),
        DataType::Boolean => {
            let booleans = array.as_boolean();
            booleans.iter().map(|value| value.map(|value| f64::from(u8::from(value)))).collect()
        }
        DataType::Null => Float64Array::new_null(array.len()),
        other => {
            let what = format!("integers, floats or booleans expected, found {other}");
            return Err(Error::new(Kind::UnsupportedType(other.clone()), what));
        }
    })
}

fn converted<T: ArrowPrimitiveType>(array: &dyn Array, convert: impl Fn(T::Native) -> f64) -> Float64Array {
    array.as_primitive::<T>().unary(convert)
}
