//! Constants of a configuration as elements of a dtype.

use tfxio_core::DType;

use crate::config::Constant;
use crate::pipeline::Cell;
use crate::{Error, Kind, Result};
use tensor_repr::Values;

/// The element that a constant is; 0 or the empty string for none.
///
/// # Errors
/// `InvalidType` for a bool that should be something else, `InvalidValue` for everything else that does not fit.
pub(super) fn cell(dtype: DType, value: Option<&Constant>) -> Result<Cell> {
    let bytes = match value {
        None => Some(vec![0; dtype.width().unwrap_or(0)]),
        Some(Constant::String(text)) if dtype == DType::String => Some(text.as_bytes().to_vec()),
        Some(Constant::String(text)) => not_finite(text).and_then(|number| float(dtype, number)),
        Some(Constant::Bool(value)) => (dtype == DType::Bool).then(|| vec![u8::from(*value)]),
        Some(Constant::Int(number)) => integer(dtype, *number).or_else(|| float(dtype, *number as f64)),
        Some(Constant::Float(number)) => match whole(*number) {
            Some(number) if !is_float(dtype) => integer(dtype, number),
            _ => float(dtype, *number),
        },
    };
    match bytes {
        Some(bytes) => Ok(Cell { dtype, bytes: bytes.into() }),
        None => Err(refused(dtype, value)),
    }
}

/// Parses a number that JSON cannot express, given as a string.
fn not_finite(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

fn is_float(dtype: DType) -> bool {
    matches!(dtype, DType::Float16 | DType::BFloat16 | DType::Float32 | DType::Float64)
}

/// A number without a fraction.
fn whole(number: f64) -> Option<i128> {
    (number.fract() == 0.0 && number.abs() < 2f64.powi(100)).then_some(number as i128)
}

/// Defines what depends on the type of integers.
macro_rules! integers {
    ($($dtype:ident: $type:ty,)*) => {
        fn integer(dtype: DType, number: i128) -> Option<Vec<u8>> {
            match dtype {
                $(DType::$dtype => <$type>::try_from(number).ok().map(|number| number.to_ne_bytes().to_vec()),)*
                _ => None,
            }
        }

        /// The least and the greatest number of a dtype of integers.
        fn bounds(dtype: DType) -> Option<(i128, i128)> {
            match dtype {
                $(DType::$dtype => Some((<$type>::MIN.into(), <$type>::MAX.into())),)*
                _ => None,
            }
        }
    };
}

integers! { Int8: i8, Int16: i16, Int32: i32, Int64: i64, UInt8: u8, UInt16: u16, UInt32: u32, UInt64: u64, }

/// Rounded to the nearest; a finite number that only an infinity is near to does not fit.
fn float(dtype: DType, number: f64) -> Option<Vec<u8>> {
    if !is_float(dtype) {
        return None;
    }
    let cast = Values::from_vec(vec![number]).cast(dtype).ok()?;
    let bytes = cast.buffer()?.to_vec();
    let back = cast.cast(DType::Float64).ok()?;
    let is_finite = back.as_slice::<f64>()?.first()?.is_finite();
    (is_finite || !number.is_finite()).then_some(bytes)
}

fn refused(dtype: DType, value: Option<&Constant>) -> Error {
    let (kind, value) = match value {
        Some(Constant::Bool(value)) => (Kind::InvalidType, value.to_string()),
        Some(Constant::Int(number)) => (Kind::InvalidValue, number.to_string()),
        // Larger ones have an exponent, and not hundreds of digits.
        Some(Constant::Float(number)) if number.abs() < 1e16 => (Kind::InvalidValue, number.to_string()),
        Some(Constant::Float(number)) => (Kind::InvalidValue, format!("{number:?}")),
        Some(Constant::String(text)) => (Kind::InvalidValue, format!("{text:?}")),
        None => (Kind::InvalidValue, "null".to_owned()),
    };
    let most = match dtype {
        DType::Float16 => "65504",
        DType::BFloat16 => "3.39e38",
        DType::Float32 => "3.4e38",
        _ => "1.79e308",
    };
    let allowed = match bounds(dtype) {
        Some((least, most)) => format!("a number without a fraction from {least} to {most}"),
        None if dtype == DType::Bool => "true or false".to_owned(),
        None if dtype == DType::String => "a string".to_owned(),
        None => format!("a number from -{most} to {most}, or \"NaN\", \"Infinity\" or \"-Infinity\""),
    };
    Error::new(kind, format!("{value} is not a value of dtype \"{dtype}\"")).help(format!("give {allowed}"))
}

#[cfg(test)]
mod tests {
    use tfxio_core::DType;

    use super::cell;
    use crate::Kind;
    use crate::config::Constant::{self, Bool, Float, Int};

    fn bytes(dtype: DType, value: Constant) -> Option<Vec<u8>> {
        cell(dtype, Some(&value)).ok().map(|cell| cell.bytes.to_vec())
    }

    #[test]
    fn numbers_that_fit_become_elements() {
        assert_eq!(bytes(DType::Int8, Int(-128)), Some(vec![0x80]));
        assert_eq!(bytes(DType::UInt64, Int(u64::MAX.into())), Some(vec![0xff; 8]));
        assert_eq!(bytes(DType::Int16, Float(3.0)), Some(3i16.to_ne_bytes().to_vec()));
        assert_eq!(bytes(DType::Float32, Int(3)), Some(3f32.to_ne_bytes().to_vec()));
        assert_eq!(bytes(DType::Float16, Float(65504.0)), Some(0x7bffu16.to_ne_bytes().to_vec()));
        assert_eq!(bytes(DType::BFloat16, Float(1.0)), Some(0x3f80u16.to_ne_bytes().to_vec()));
        assert_eq!(bytes(DType::Bool, Bool(true)), Some(vec![1]));
        assert_eq!(bytes(DType::String, Constant::String("é".to_owned())), Some("é".as_bytes().to_vec()));
    }

    #[test]
    fn what_json_has_no_number_for_is_a_string() {
        let text = |text: &str| Constant::String(text.to_owned());
        assert_eq!(bytes(DType::Float32, text("-Infinity")), Some(f32::NEG_INFINITY.to_ne_bytes().to_vec()));
        assert_eq!(bytes(DType::Float16, text("Infinity")), Some(0x7c00u16.to_ne_bytes().to_vec()));
        assert_eq!(bytes(DType::BFloat16, Float(f64::INFINITY)), Some(0x7f80u16.to_ne_bytes().to_vec()));
        let nan = bytes(DType::Float64, text("NaN")).unwrap();
        assert!(f64::from_ne_bytes(nan.try_into().unwrap()).is_nan());
        assert_eq!(bytes(DType::String, text("NaN")), Some(b"NaN".to_vec()));
        assert_eq!((bytes(DType::Int32, text("NaN")), bytes(DType::Float32, text("inf"))), (None, None));
    }

    #[test]
    fn without_a_value_it_is_zero_or_empty() {
        for dtype in DType::ALL {
            let bytes = cell(dtype, None).unwrap().bytes;
            assert_eq!(bytes.to_vec(), vec![0; dtype.width().unwrap_or(0)], "{dtype}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_does() {
        let text = |dtype, value: Constant| {
            let error = cell(dtype, Some(&value)).unwrap_err();
            (error.detail().copied(), error.to_string())
        };
        let invalid = |text: &str| (Some(Kind::InvalidValue), text.to_owned());
        assert_eq!(
            text(DType::UInt8, Int(256)),
            invalid("256 is not a value of dtype \"uint8\"; give a number without a fraction from 0 to 255")
        );
        assert_eq!(
            text(DType::Int64, Float(1.5)),
            invalid(
                "1.5 is not a value of dtype \"int64\"; give a number without a fraction from \
                 -9223372036854775808 to 9223372036854775807"
            )
        );
        assert_eq!(
            text(DType::Float16, Float(1e6)),
            invalid(
                "1000000 is not a value of dtype \"float16\"; give a number from -65504 to 65504, or \"NaN\", \"Infinity\" or \"-Infinity\""
            )
        );
        assert_eq!(
            text(DType::Bool, Int(1)),
            invalid("1 is not a value of dtype \"bool\"; give true or false")
        );
        assert_eq!(
            text(DType::String, Int(1)),
            invalid("1 is not a value of dtype \"string\"; give a string")
        );
        assert_eq!(
            text(DType::Float64, Constant::String("a".to_owned())),
            invalid(
                "\"a\" is not a value of dtype \"float64\"; give a number from -1.79e308 to 1.79e308, or \"NaN\", \"Infinity\" or \"-Infinity\""
            )
        );
        assert_eq!(
            text(DType::UInt8, Float(-1e308)),
            invalid(
                "-1e308 is not a value of dtype \"uint8\"; give a number without a fraction from 0 to 255"
            )
        );
        assert_eq!(text(DType::Int32, Bool(true)).0, Some(Kind::InvalidType));
        assert_eq!(bytes(DType::Int8, Float(1e300)), None);
    }
}
