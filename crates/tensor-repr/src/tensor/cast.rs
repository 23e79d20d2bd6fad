//! Casts between dtypes, as NumPy does them.
//!
//! | from | to | how |
//! | --- | --- | --- |
//! | integer | integer | the low bits: 300 becomes 44 as uint8 |
//! | float | int32, int64 | the fraction is dropped |
//! | float | int8, int16, uint8, uint16 | the low bits of the int32 |
//! | float | uint32 | the low bits of the int64 |
//! | float | uint64 | the fraction is dropped; the low bits of a negative integer |
//! | anything | bool | whether it is not 0 (so NaN is true) |
//! | bool | anything | 0 or 1 |
//! | anything | float | the nearest, of two as near the even one; infinity beyond the largest |
//!
//! A number that an int32 or int64 cannot hold, NaN and infinities included, becomes the lowest of them, as the
//! instructions of x86-64 do: -2^31 or -2^63, and so 0 as a narrower type. A number that a uint64 cannot hold is 0 if it is
//! too large, and 2^63 otherwise. float64 becomes bfloat16 through float32. NumPy does the same there, and ml_dtypes (where
//! the result in NumPy depends on the length of the array, as for uint32, it is the result for one element).

#[cfg(test)]
mod tests;

use bytemuck::Pod;
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use tfxio_core::DType;

use super::element::with_element;
use crate::{Element, Error, Kind, Values};

impl Values {
    /// Returns the values as elements of another dtype, cast as NumPy casts them: integers keep their low bits, floats
    /// lose their fraction, and what an integer type does not hold becomes the lowest of int32 or int64 first. Values
    /// that have the dtype already are shared.
    ///
    /// ```
    /// use tensor_repr::{Values, DType};
    ///
    /// let bytes = Values::from_vec(vec![1i64, -1, 300]).cast(DType::UInt8)?;
    /// assert_eq!(bytes.as_slice::<u8>(), Some(&[1, 255, 44][..]));
    /// # Ok::<(), tensor_repr::Error>(())
    /// ```
    ///
    /// # Errors
    /// `TypeMismatch` between strings and anything else.
    pub fn cast(self, to: DType) -> Result<Self, Error> {
        let from = self.dtype();
        if from == to {
            return Ok(self);
        }
        let cast = with_element!(from, T => self.as_slice::<T>().and_then(|values| cast_to(values, to)), _ => {
            self.as_bools().and_then(|values| cast_to(values, to))
        });
        cast.ok_or_else(|| not_cast(from, to))
    }
}

/// Returns the error about dtypes of which one is `string`.
pub(crate) fn not_cast(from: DType, to: DType) -> Error {
    Error::new(Kind::TypeMismatch, format!("values of dtype \"{from}\" are not cast to \"{to}\""))
        .help("numbers are cast to numbers only")
}

/// Returns the nearest float16, rounded once: processors go through float32, where what is halfway then may not have been.
fn half(number: f64) -> f16 {
    f16::from_f32(odd(number))
}

/// Returns the nearest bfloat16, rounded once.
fn bfloat(number: f64) -> bf16 {
    bf16::from_f32(odd(number))
}

/// Returns a float32 from which a shorter float is rounded as from the number itself.
fn odd(number: f64) -> f32 {
    let single = number as f32;
    let back = f64::from(single);
    if back == number || number.is_nan() {
        return single;
    }
    // Towards zero, with the last bit set for what is left off: enough for the next rounding to see it.
    let bits = single.to_bits() - u32::from(back.abs() > number.abs());
    f32::from_bits(bits | 1)
}

/// Returns an integer as a float64 from which a shorter float is rounded as from the integer itself.
fn odd_integer(negative: bool, magnitude: u64) -> f64 {
    // Of more bits than fit, those that do not become one that says whether there were any.
    let number = match magnitude >> 53 {
        0 => magnitude as f64,
        _ => (magnitude >> 11 | u64::from(magnitude & 0x7ff != 0)) as f64 * 2048.0,
    };
    if negative { -number } else { number }
}

fn cast_to<S: Number>(values: &[S], to: DType) -> Option<Values> {
    fn all<S: Number, T: Element>(values: &[S], cast: impl Fn(S) -> T) -> Values {
        Values::from_vec(values.iter().map(|value| cast(*value)).collect::<Vec<T>>())
    }
    Some(match to {
        DType::Bool => Values::from_bools(values.iter().map(|value| value.is_true())),
        DType::Int8 => all(values, |value| value.int32() as i8),
        DType::Int16 => all(values, |value| value.int32() as i16),
        DType::Int32 => all(values, Number::int32),
        DType::Int64 => all(values, Number::int64),
        DType::UInt8 => all(values, |value| value.int32() as u8),
        DType::UInt16 => all(values, |value| value.int32() as u16),
        DType::UInt32 => all(values, Number::uint32),
        DType::UInt64 => all(values, Number::uint64),
        DType::Float16 => Values::from_vec(S::halves(values)),
        DType::BFloat16 => all(values, |value| bfloat(value.odd())),
        DType::Float32 => all(values, Number::single),
        DType::Float64 => all(values, Number::double),
        _ => return None,
    })
}

/// A number of any dtype, as what every other is made of.
trait Number: Pod {
    fn is_true(self) -> bool {
        self.double() != 0.0
    }

    fn int32(self) -> i32 {
        truncated_32(self.double())
    }

    fn int64(self) -> i64 {
        truncated_64(self.double())
    }

    fn uint32(self) -> u32 {
        self.int64() as u32
    }

    fn uint64(self) -> u64 {
        match self.double() {
            large @ HALF_64.. => truncated_64(large - HALF_64) as u64 ^ 1 << 63,
            other => truncated_64(other) as u64,
        }
    }

    fn single(self) -> f32;

    fn double(self) -> f64;

    /// Returns a float64 from which a shorter float is rounded as from the number itself.
    fn odd(self) -> f64 {
        self.double()
    }

    fn halves(values: &[Self]) -> Vec<f16> {
        values.iter().map(|value| f16::from_f32(value.single())).collect()
    }
}

/// 2^63.
const HALF_64: f64 = 9_223_372_036_854_775_808.0;

fn truncated_32(number: f64) -> i32 {
    // The lowest is right below it, too.
    if number < 2_147_483_648.0 { number as i32 } else { i32::MIN }
}

fn truncated_64(number: f64) -> i64 {
    if (-HALF_64..HALF_64).contains(&number) { number as i64 } else { i64::MIN }
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Number for $type {
            fn is_true(self) -> bool {
                self != 0
            }

            fn int32(self) -> i32 {
                self as i32
            }

            fn int64(self) -> i64 {
                self as i64
            }

            fn uint32(self) -> u32 {
                self as u32
            }

            fn uint64(self) -> u64 {
                self as u64
            }

            fn single(self) -> f32 {
                self as f32
            }

            fn double(self) -> f64 {
                self as f64
            }

            fn odd(self) -> f64 {
                let number = i128::from(self);
                odd_integer(number < 0, u64::try_from(number.unsigned_abs()).unwrap_or(u64::MAX))
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

impl Number for f32 {
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
