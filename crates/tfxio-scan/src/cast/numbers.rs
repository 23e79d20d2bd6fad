//! Values as numbers.

use std::fmt::Debug;
use std::str::FromStr;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, Int64Array, PrimitiveArray};
use arrow_schema::DataType;
use tfxio_core::Decimal;

use super::leaf::{Unfit, each, each_text};
use super::{text, times};
use crate::decimals;

/// Returns the number of bits of the magnitude of an integer type.
pub(super) fn bits(data_type: &DataType) -> u32 {
    let sign = u32::from(data_type.is_signed_integer());
    data_type.primitive_width().map_or(0, |bytes| 8 * bytes as u32 - sign)
}

/// Returns values as 64-bit integers; the first that has no such form does not fit.
pub(super) fn integers(values: &ArrayRef) -> Result<ArrayRef, Unfit> {
    let wide = |value: u64| i64::try_from(value).ok();
    Ok(match values.data_type() {
        DataType::Boolean => {
            let bits = values.as_boolean();
            Arc::new(Int64Array::new(bits.values().iter().map(i64::from).collect(), bits.nulls().cloned()))
        }
        DataType::Int8 => wider::<Int8Type, Int64Type>(values),
        DataType::Int16 => wider::<Int16Type, Int64Type>(values),
        DataType::Int32 => wider::<Int32Type, Int64Type>(values),
        DataType::UInt8 => wider::<UInt8Type, Int64Type>(values),
        DataType::UInt16 => wider::<UInt16Type, Int64Type>(values),
        DataType::UInt32 => wider::<UInt32Type, Int64Type>(values),
        DataType::UInt64 => each::<UInt64Type, Int64Type>(values, wide, |value| too_large(&value))?,
        DataType::Float16 => {
            each::<Float16Type, Int64Type>(values, |value| whole(value.into()), |value| not_whole(&value))?
        }
        DataType::Float32 => {
            each::<Float32Type, Int64Type>(values, |value| whole(value.into()), |value| not_whole(&value))?
        }
        DataType::Float64 => each::<Float64Type, Int64Type>(values, whole, |value| not_whole(&value))?,
        data_type if data_type.is_decimal() => decimals_as_integers(values, |text| {
            let (digits, fraction) = text.split_once('.').unwrap_or((text, ""));
            let whole = fraction.bytes().all(|digit| digit == b'0').then(|| digits.parse().ok());
            whole.flatten().ok_or_else(|| format!("{text} is not an integer of 64 bits"))
        })?,
        data_type if text::is_text(data_type) => each_text::<Int64Type>(values, parsed)?,
        _ => times::numbers(values),
    })
}

fn too_large(value: &u64) -> String {
    format!("{value} is larger than a signed integer of 64 bits can be, {}", i64::MAX)
}

fn not_whole(value: &dyn Debug) -> String {
    format!("{value:?} is not an integer of 64 bits")
}

/// Returns the integer that a float is.
fn whole(value: f64) -> Option<i64> {
    const END: f64 = 9_223_372_036_854_775_808.0;
    (value.fract() == 0.0 && (-END..END).contains(&value)).then_some(value as i64)
}

/// A float that values become.
pub(super) trait Float: ArrowPrimitiveType<Native: FromStr> {
    /// Returns the nearest float.
    fn nearest(value: f64) -> Self::Native;
    fn of_integer(value: i128) -> Self::Native;
    fn widened(value: Self::Native) -> f64;
}

impl Float for Float32Type {
    fn nearest(value: f64) -> f32 {
        value as f32
    }

    fn of_integer(value: i128) -> f32 {
        value as f32
    }

    fn widened(value: f32) -> f64 {
        value.into()
    }
}

impl Float for Float64Type {
    fn nearest(value: f64) -> f64 {
        value
    }

    fn of_integer(value: i128) -> f64 {
        value as f64
    }

    fn widened(value: f64) -> f64 {
        value
    }
}

/// Returns values as floats. A finite value never becomes an infinite one.
pub(super) fn floats<To: Float>(values: &ArrayRef, is_exact: bool) -> Result<ArrayRef, Unfit> {
    let bits = 8 * size_of::<To::Native>();
    let wrong = |value: &dyn Debug| format!("{value:?} is not a float of {bits} bits");
    let nearest = |value: f64| {
        let float = To::nearest(value);
        let back = To::widened(float);
        let fits = back == value || value.is_nan() || (!is_exact && back.is_finite());
        fits.then_some(float)
    };
    let of_integer = |value: i128| {
        let float = To::of_integer(value);
        (!is_exact || To::widened(float) as i128 == value).then_some(float)
    };
    macro_rules! of_integers {
        ($type:ty) => {
            each::<$type, To>(values, |value| of_integer(value.into()), |value| wrong(&value))?
        };
    }
    Ok(match values.data_type() {
        DataType::Boolean => floats::<To>(&integers(values)?, is_exact)?,
        DataType::Int8 => of_integers!(Int8Type),
        DataType::Int16 => of_integers!(Int16Type),
        DataType::Int32 => of_integers!(Int32Type),
        DataType::Int64 => of_integers!(Int64Type),
        DataType::UInt8 => of_integers!(UInt8Type),
        DataType::UInt16 => of_integers!(UInt16Type),
        DataType::UInt32 => of_integers!(UInt32Type),
        DataType::UInt64 => of_integers!(UInt64Type),
        DataType::Float16 => {
            each::<Float16Type, To>(values, |value| nearest(value.into()), |value| wrong(&value))?
        }
        DataType::Float32 => {
            each::<Float32Type, To>(values, |value| nearest(value.into()), |value| wrong(&value))?
        }
        DataType::Float64 => each::<Float64Type, To>(values, nearest, |value| wrong(&value))?,
        data_type if data_type.is_decimal() => decimals_to::<To>(values, |text| {
            let float = text.parse::<f64>().ok().and_then(nearest);
            let same = |float: &To::Native| !is_exact || is_decimal(text, To::widened(*float));
            float.filter(same).ok_or_else(|| wrong(&format_args!("{text}")))
        })?,
        _ => each_text::<To>(values, |text| {
            let float = parsed(text)?;
            let (text, wide) = (text.trim(), To::widened(float));
            let is_number = text.bytes().any(|byte| byte.is_ascii_digit());
            let fits = match wide.is_finite() {
                true => !is_exact || is_decimal(text, wide),
                // Words alone say these.
                false => !is_number,
            };
            if fits { Ok(float) } else { Err(wrong(&start(text))) }
        })?,
    })
}

/// Returns whether a float is exactly the number that a text gives in digits.
fn is_decimal(text: &str, float: f64) -> bool {
    Decimal::new(text).is_some_and(|number| number.is_f64(float))
}

fn parsed<T: FromStr>(text: &str) -> Result<T, String> {
    text.trim().parse().map_err(|_| format!("{:?} is not such a number", start(text)))
}

/// Returns the beginning of a text, for messages.
fn start(text: &str) -> String {
    text.chars().take(40).collect()
}

fn wider<From, To>(values: &ArrayRef) -> ArrayRef
where
    From: ArrowPrimitiveType,
    To: ArrowPrimitiveType<Native: std::convert::From<From::Native>>,
{
    Arc::new(values.as_primitive::<From>().unary::<_, To>(Into::into))
}

fn decimals_as_integers(
    values: &ArrayRef,
    convert: impl Fn(&str) -> Result<i64, String>,
) -> Result<ArrayRef, Unfit> {
    decimals_to::<Int64Type>(values, convert)
}

/// Converts decimals by their texts.
fn decimals_to<To: ArrowPrimitiveType>(
    values: &ArrayRef,
    convert: impl Fn(&str) -> Result<To::Native, String>,
) -> Result<ArrayRef, Unfit> {
    let mut converted = Vec::with_capacity(values.len());
    for index in 0..values.len() {
        let number = match decimal_text(values, index) {
            Some(text) => convert(&text).map_err(|what| Unfit { index, what })?,
            None => To::Native::default(),
        };
        converted.push(number);
    }
    Ok(Arc::new(PrimitiveArray::<To>::new(converted.into(), values.nulls().cloned())))
}

/// Returns a decimal as text; nothing where it is null.
pub(super) fn decimal_text(values: &ArrayRef, index: usize) -> Option<String> {
    values.is_valid(index).then(|| decimals::text(values, index)).flatten()
}
