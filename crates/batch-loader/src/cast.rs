//! Casts between dtypes, as NumPy does them.
//!
//! | from | to | how |
//! | --- | --- | --- |
//! | integer | integer | the low bits: 300 becomes 44 as uint8 |
//! | float | integer | the fraction is dropped, then the low bits of the 64-bit integer |
//! | anything | bool | whether it is not 0 (so NaN is true) |
//! | bool | anything | 0 or 1 |
//! | anything | float | the nearest, of two as near the even one; infinity beyond the largest |
//!
//! NaN, infinities and floats that no 64-bit integer holds become the lowest int64, -2^63, before its low bits
//! are taken (0 for every narrower type), as the instruction of x86-64 does that NumPy ends in. For uint64,
//! floats from 2^63 to 2^64 are themselves. float64 becomes bfloat16 through float32.

#[cfg(test)]
mod tests;

use arrow_buffer::Buffer;
use bytemuck::Pod;
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use tensor_repr::{Element, Values};
use tfxio_core::DType;

use crate::{Error, ErrorKind, Result};

/// The values as elements of a dtype; shared if they are already.
///
/// # Errors
/// `InvalidValue` between strings and anything else.
pub(crate) fn cast(values: Values, to: DType) -> Result<Values> {
    let from = values.dtype();
    if from == to {
        return Ok(values);
    }
    let cast = match from {
        DType::Bool => values.as_bools().and_then(|values| cast_to(values, to)),
        DType::Int8 => values.as_slice::<i8>().and_then(|values| cast_to(values, to)),
        DType::Int16 => values.as_slice::<i16>().and_then(|values| cast_to(values, to)),
        DType::Int32 => values.as_slice::<i32>().and_then(|values| cast_to(values, to)),
        DType::Int64 => values.as_slice::<i64>().and_then(|values| cast_to(values, to)),
        DType::UInt8 => values.as_slice::<u8>().and_then(|values| cast_to(values, to)),
        DType::UInt16 => values.as_slice::<u16>().and_then(|values| cast_to(values, to)),
        DType::UInt32 => values.as_slice::<u32>().and_then(|values| cast_to(values, to)),
        DType::UInt64 => values.as_slice::<u64>().and_then(|values| cast_to(values, to)),
        DType::Float16 => values.as_slice::<f16>().and_then(|values| cast_to(values, to)),
        DType::BFloat16 => values.as_slice::<bf16>().and_then(|values| cast_to(values, to)),
        DType::Float32 => values.as_slice::<f32>().and_then(|values| cast_to(values, to)),
        DType::Float64 => values.as_slice::<f64>().and_then(|values| cast_to(values, to)),
        _ => None,
    };
    cast.ok_or_else(|| {
        Error::new(ErrorKind::InvalidValue, format!("values of dtype \"{from}\" are not cast to \"{to}\""))
            .with_hint("numbers are cast to numbers only")
    })
}

/// Elements of fixed width in a buffer that holds nothing else.
///
/// # Errors
/// `Source` for what [`Values::try_new`] refuses: a buffer that does not hold such elements.
pub(crate) fn plain(dtype: DType, buffer: Buffer) -> Result<Values> {
    Values::try_new(dtype, buffer).map_err(|error| {
        Error::new(ErrorKind::Source, format!("a buffer does not hold values of dtype \"{dtype}\""))
            .because(error)
    })
}

/// The nearest float16, rounded once: processors go through float32, where what is halfway then may not have been.
pub(crate) fn half(number: f64) -> f16 {
    let single = number as f32;
    let back = f64::from(single);
    if back == number || number.is_nan() {
        return f16::from_f32(single);
    }
    // Towards zero, with the last bit set for what is left off: enough for the next rounding to see it.
    let bits = single.to_bits() - u32::from(back.abs() > number.abs());
    f16::from_f32(f32::from_bits(bits | 1))
}

fn cast_to<S: Number>(values: &[S], to: DType) -> Option<Values> {
    fn all<S: Number, T: Element>(values: &[S], cast: impl Fn(S) -> T) -> Values {
        Values::from_vec(values.iter().map(|value| cast(*value)).collect::<Vec<T>>())
    }
    Some(match to {
        DType::Bool => Values::from_bools(values.iter().map(|value| value.is_true())),
        DType::Int8 => all(values, |value| value.low_bits() as i8),
        DType::Int16 => all(values, |value| value.low_bits() as i16),
        DType::Int32 => all(values, |value| value.low_bits() as i32),
        DType::Int64 => all(values, |value| value.low_bits()),
        DType::UInt8 => all(values, |value| value.low_bits() as u8),
        DType::UInt16 => all(values, |value| value.low_bits() as u16),
        DType::UInt32 => all(values, |value| value.low_bits() as u32),
        DType::UInt64 => all(values, Number::unsigned),
        DType::Float16 => Values::from_vec(S::halves(values)),
        DType::BFloat16 => all(values, |value| bf16::from_f32(value.single())),
        DType::Float32 => all(values, Number::single),
        DType::Float64 => all(values, Number::double),
        _ => return None,
    })
}

/// A number of any dtype, as what every other is made of.
trait Number: Pod {
    fn is_true(self) -> bool;

    /// The low 64 bits of the integer, without the fraction.
    fn low_bits(self) -> i64;

    fn unsigned(self) -> u64 {
        self.low_bits() as u64
    }

    fn single(self) -> f32;

    fn double(self) -> f64;

    fn halves(values: &[Self]) -> Vec<f16> {
        values.iter().map(|value| f16::from_f32(value.single())).collect()
    }
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Number for $type {
            fn is_true(self) -> bool {
                self != 0
            }

            fn low_bits(self) -> i64 {
                self as i64
            }

            fn single(self) -> f32 {
                self as f32
            }

            fn double(self) -> f64 {
                self as f64
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

/// 2^63.
const HALF_RANGE: f64 = 9_223_372_036_854_775_808.0;

fn truncated(number: f64) -> i64 {
    if (-HALF_RANGE..HALF_RANGE).contains(&number) { number as i64 } else { i64::MIN }
}

fn truncated_unsigned(number: f64) -> u64 {
    // Not for NaN.
    if number >= HALF_RANGE {
        (truncated(number - HALF_RANGE) as u64) ^ (1 << 63)
    } else {
        truncated(number) as u64
    }
}

impl Number for f32 {
    fn is_true(self) -> bool {
        self != 0.0
    }

    fn low_bits(self) -> i64 {
        truncated(f64::from(self))
    }

    fn unsigned(self) -> u64 {
        truncated_unsigned(f64::from(self))
    }

    fn single(self) -> f32 {
        self
    }

    fn double(self) -> f64 {
        f64::from(self)
    }

    fn halves(values: &[Self]) -> Vec<f16> {
        let mut halves = vec![f16::ZERO; values.len()];
        halves.convert_from_f32_slice(values);
        halves
    }
}

impl Number for f64 {
    fn is_true(self) -> bool {
        self != 0.0
    }

    fn low_bits(self) -> i64 {
        truncated(self)
    }

    fn unsigned(self) -> u64 {
        truncated_unsigned(self)
    }

    fn single(self) -> f32 {
        self as f32
    }

    fn double(self) -> f64 {
        self
    }

    fn halves(values: &[Self]) -> Vec<f16> {
        values.iter().map(|value| half(*value)).collect()
    }
}

macro_rules! halves {
    ($($type:ty)*) => {$(
        impl Number for $type {
            fn is_true(self) -> bool {
                self.to_f32() != 0.0
            }

            fn low_bits(self) -> i64 {
                truncated(self.to_f64())
            }

            fn unsigned(self) -> u64 {
                truncated_unsigned(self.to_f64())
            }

            fn single(self) -> f32 {
                self.to_f32()
            }

            fn double(self) -> f64 {
                self.to_f64()
            }
        }
    )*};
}

halves!(f16 bf16);
