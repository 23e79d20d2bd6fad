//! Values as the bytes that sketches hash and count: strings as they are, integers in decimal, floats as C's `%a`.

use std::io::Write as _;

use arrow_array::cast::AsArray as _;
use arrow_array::types::ByteArrayType;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, GenericByteArray};
use arrow_schema::DataType;
use tfxio_base::{Error, Result};

use crate::{Kind, ValueType};

/// Returns the kind of the values of an array.
///
/// # Errors
///
/// If it is of a type that is not counted.
pub(crate) fn value_type(data_type: &DataType) -> Result<ValueType> {
    Ok(match data_type {
        DataType::Binary | DataType::LargeBinary | DataType::Utf8 | DataType::LargeUtf8 => ValueType::Bytes,
        DataType::Float32 | DataType::Float64 => ValueType::Float,
        integer if integer.is_integer() => ValueType::Integer,
        other => {
            let what = format!("strings, integers, Float32 or Float64 expected, found {other}");
            return Err(Error::new(Kind::UnsupportedType(other.clone()), what));
        }
    })
}

/// Calls a function with the row and the bytes of each value that is not null. The type must be one of [`value_type`].
pub(crate) fn for_each(array: &dyn Array, mut each: impl FnMut(usize, &[u8])) {
    let each = &mut each;
    match array.data_type() {
        DataType::Binary => strings(array.as_binary::<i32>(), each),
        DataType::LargeBinary => strings(array.as_binary::<i64>(), each),
        DataType::Utf8 => strings(array.as_string::<i32>(), each),
        DataType::LargeUtf8 => strings(array.as_string::<i64>(), each),
        DataType::Int8 => integers::<Int8Type>(array, each),
        DataType::Int16 => integers::<Int16Type>(array, each),
        DataType::Int32 => integers::<Int32Type>(array, each),
        DataType::Int64 => integers::<Int64Type>(array, each),
        DataType::UInt8 => integers::<UInt8Type>(array, each),
        DataType::UInt16 => integers::<UInt16Type>(array, each),
        DataType::UInt32 => integers::<UInt32Type>(array, each),
        DataType::UInt64 => integers::<UInt64Type>(array, each),
        DataType::Float32 => floats::<Float32Type>(array, each),
        DataType::Float64 => floats::<Float64Type>(array, each),
        _ => {}
    }
}

fn strings<T: ByteArrayType>(array: &GenericByteArray<T>, each: &mut impl FnMut(usize, &[u8])) {
    for row in valid_rows(array) {
        each(row, array.value(row).as_ref());
    }
}

fn integers<T>(array: &dyn Array, each: &mut impl FnMut(usize, &[u8]))
where
    T: ArrowPrimitiveType,
    T::Native: Into<i128>,
{
    let array = array.as_primitive::<T>();
    for row in valid_rows(array) {
        let value: i128 = array.value(row).into();
        let mut digits = [0; 20];
        // All integers of arrays fit.
        let mut start = decimal(value.unsigned_abs() as u64, &mut digits);
        if value < 0 {
            start -= 1;
            digits[start] = b'-';
        }
        each(row, &digits[start..]);
    }
}

/// Writes a number in decimal to the end of `digits`, and returns where it starts. The least `i64` has 19 digits and a sign,
/// the largest `u64` 20 digits.
#[inline]
fn decimal(mut value: u64, digits: &mut [u8; 20]) -> usize {
    let mut start = digits.len();
    // Two digits a step: a division takes longer than all else.
    while value >= 10 {
        let pair = 2 * (value % 100) as usize;
        value /= 100;
        start -= 2;
        digits[start..start + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    }
    if value > 0 || start == digits.len() {
        start -= 1;
        digits[start] = b'0' + value as u8;
    }
    start
}

/// The digits of the numbers below 100.
const PAIRS: [u8; 200] = {
    let mut pairs = [0; 200];
    let mut number = 0;
    while number < 100 {
        pairs[2 * number] = b'0' + number as u8 / 10;
        pairs[2 * number + 1] = b'0' + number as u8 % 10;
        number += 1;
    }
    pairs
};

fn floats<T>(array: &dyn Array, each: &mut impl FnMut(usize, &[u8]))
where
    T: ArrowPrimitiveType,
    T::Native: Into<f64>,
{
    let array = array.as_primitive::<T>();
    for row in valid_rows(array) {
        let mut text = Text::default();
        text.float(array.value(row).into());
        each(row, text.bytes());
    }
}

fn valid_rows(array: &dyn Array) -> impl Iterator<Item = usize> {
    let nulls = array.logical_nulls();
    (0..array.len()).filter(move |row| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*row)))
}

/// The text of a float, on the stack. The longest is that of a subnormal one, of 24 bytes.
#[derive(Default)]
struct Text {
    bytes: [u8; 32],
    length: usize,
}

impl Text {
    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    fn push(&mut self, bytes: &[u8]) {
        let end = (self.length + bytes.len()).min(self.bytes.len());
        let taken = end - self.length;
        self.bytes[self.length..end].copy_from_slice(&bytes[..taken]);
        self.length = end;
    }

    /// Appends a float as `%a` of C does: the hexadecimal digits of the mantissa, and a power of two.
    fn float(&mut self, value: f64) {
        if value.is_sign_negative() {
            self.push(b"-");
        }
        if value.is_nan() {
            return self.push(b"nan");
        }
        if value.is_infinite() {
            return self.push(b"inf");
        }
        let bits = value.to_bits();
        let (biased, mut fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
        let (leading, exponent) = match (biased, fraction) {
            (0, 0) => (b"0x0", 0),
            (0, _) => (b"0x0", -1022),
            _ => (b"0x1", biased as i32 - 1023),
        };
        self.push(leading);
        if fraction != 0 {
            self.push(b".");
            while fraction != 0 {
                let digit = (fraction >> 48) as usize & 0xf;
                self.push(&[b"0123456789abcdef"[digit]]);
                fraction = (fraction << 4) & ((1 << 52) - 1);
            }
        }
        self.push(b"p");
        self.push(if exponent < 0 { b"-" } else { b"+" });
        let mut digits = [0; 20];
        let start = decimal(exponent.unsigned_abs().into(), &mut digits);
        self.push(&digits[start..]);
    }
}

/// Returns the float of a text that [`for_each`] made, and nothing of any other.
pub(crate) fn parse_float(text: &[u8]) -> Option<f64> {
    let (sign, text) = match text.strip_prefix(b"-") {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    match text {
        b"nan" => return Some(f64::NAN.copysign(sign)),
        b"inf" => return Some(f64::INFINITY.copysign(sign)),
        _ => {}
    }
    let text = std::str::from_utf8(text.strip_prefix(b"0x")?).ok()?;
    let (mantissa, exponent) = text.split_once('p')?;
    let (leading, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_hex = fraction.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    if fraction.len() > 13 || !is_hex || !matches!(leading, "0" | "1") {
        return None;
    }
    let digits = if fraction.is_empty() { 0 } else { u64::from_str_radix(fraction, 16).ok()? };
    let fraction = digits << (4 * (13 - fraction.len()));
    let exponent: i64 = exponent.parse().ok()?;
    let biased = match (leading, fraction, exponent) {
        ("0", 0, 0) => 0,
        ("0", 1.., -1022) => 0,
        ("1", _, -1022..=1023) => u64::try_from(exponent + 1023).ok()?,
        _ => return None,
    };
    Some(f64::from_bits(biased << 52 | fraction).copysign(sign))
}

/// Returns a float with six digits, as `%g` of C prints it.
pub(crate) fn six_digits(value: f64) -> Vec<u8> {
    let mut out = Vec::new();
    if value.is_nan() {
        return b"nan".to_vec();
    }
    if value.is_infinite() {
        return if value > 0.0 { b"inf".to_vec() } else { b"-inf".to_vec() };
    }
    let scientific = format!("{value:.5e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    // Writing into memory does not fail.
    let _ = if (-4..6).contains(&exponent) {
        let decimals = usize::try_from(5 - exponent).unwrap_or(0);
        write!(out, "{}", trimmed(&format!("{value:.decimals$}")))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        write!(out, "{}e{sign}{:02}", trimmed(mantissa), exponent.unsigned_abs())
    };
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test")]
mod tests {
    use arrow_array::{Int8Array, Int64Array, UInt64Array};

    use super::*;

    fn float(value: f64) -> String {
        let mut text = Text::default();
        text.float(value);
        String::from_utf8(text.bytes().to_vec()).unwrap()
    }

    #[test]
    fn floats_are_the_text_of_c() {
        for (value, expected) in [
            (0.0, "0x0p+0"),
            (-0.0, "-0x0p+0"),
            (1.0, "0x1p+0"),
            (-1.5, "-0x1.8p+0"),
            (0.1, "0x1.999999999999ap-4"),
            (f64::MAX, "0x1.fffffffffffffp+1023"),
            (f64::MIN_POSITIVE, "0x1p-1022"),
            (5e-324, "0x0.0000000000001p-1022"),
            (1e-310, "0x0.012688b70e62bp-1022"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(float(value), expected);
            assert_eq!(parse_float(expected.as_bytes()).unwrap().to_bits(), value.to_bits(), "{expected}");
        }
    }

    #[test]
    fn only_texts_of_floats_are_parsed() {
        for text in [
            "",
            "-",
            "1",
            "0x",
            "0x1",
            "0x1p",
            "0x2p+0",
            "0x1.gp+0",
            "0x1.Ap+0",
            "0x1.00000000000000p+0",
            "0x1p+1024",
            "0x1p-1023",
            "0x0p+1",
            "0x0.8p+0",
            "0x0.0p-1022",
            "+0x1p+0",
            "NaN",
            "0x1p+99999999999999999999",
            "0x1.+1p+0",
        ] {
            assert_eq!(parse_float(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn six_digits_are_those_of_c() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (100_000.0, "100000"),
            (1_234_567.0, "1.23457e+06"),
            (999_999.5, "1e+06"),
            (0.0001, "0.0001"),
            (0.000_099_999_95, "0.0001"),
            (0.000_099_999_94, "9.99999e-05"),
            (1e-5, "1e-05"),
            (1e20, "1e+20"),
            (1e-310, "1e-310"),
            (2.5, "2.5"),
            (f64::MAX, "1.79769e+308"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(String::from_utf8(six_digits(value)).unwrap(), expected);
        }
    }

    #[test]
    fn integers_are_decimal() {
        let mut texts = Vec::new();
        let mut add = |_, text: &[u8]| texts.push(String::from_utf8(text.to_vec()).unwrap());
        for_each(
            &Int64Array::from(vec![Some(0), None, Some(-7), Some(100), Some(i64::MIN), Some(i64::MAX)]),
            &mut add,
        );
        for_each(&UInt64Array::from(vec![10, u64::MAX]), &mut add);
        for_each(&Int8Array::from(vec![i8::MIN]), &mut add);
        let expected = [
            "0",
            "-7",
            "100",
            "-9223372036854775808",
            "9223372036854775807",
            "10",
            "18446744073709551615",
            "-128",
        ];
        assert_eq!(texts, expected);
    }
}
