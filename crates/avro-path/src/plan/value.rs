//! Values of logical types, as Arrow stores them.

use arrow_array::types::{Decimal128Type, Decimal256Type, DecimalType};
use arrow_buffer::{IntervalMonthDayNano, i256};
use tfxio_core::Count;

use super::op::Decimal;
use crate::buffers::Values;

/// Appends a number from its two's complement, big-endian.
pub(super) fn decimal(decimal: &Decimal, bytes: &[u8], values: &mut Values) -> Result<(), String> {
    let wrong = || {
        let (precision, count) = (decimal.precision, bytes.len());
        format!("a decimal of {} has more than {}", Count::of(count, "byte"), Count::of(precision, "digit"))
    };
    if decimal.is_wide {
        let number = i256::from_be_bytes(extended(bytes).ok_or_else(wrong)?);
        Decimal256Type::validate_decimal_precision(number, decimal.precision, decimal.scale)
            .map_err(|_| wrong())?;
        values.push(number);
    } else {
        let number = i128::from_be_bytes(extended(bytes).ok_or_else(wrong)?);
        Decimal128Type::validate_decimal_precision(number, decimal.precision, decimal.scale)
            .map_err(|_| wrong())?;
        values.push(number);
    }
    Ok(())
}

/// Returns the same number in `N` bytes; `None` if it does not fit. No bytes are 0.
fn extended<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    let sign = match bytes.first() {
        Some(first) if *first >= 0x80 => 0xff,
        _ => 0,
    };
    let mut out = [sign; N];
    let more = bytes.len().saturating_sub(N);
    let (head, tail) = bytes.split_at_checked(more)?;
    out.get_mut(N - tail.len()..)?.copy_from_slice(tail);
    let is_same = out.first().is_some_and(|first| (*first >= 0x80) == (sign != 0));
    (head.iter().all(|byte| *byte == sign) && is_same).then_some(out)
}

/// Returns the bytes of a UUID from its text: 32 hexadecimal digits, with hyphens after the 8th, 12th, 16th and 20th or
/// without any.
pub(super) fn uuid(text: &[u8]) -> Result<[u8; 16], String> {
    let is_hyphen = |at: usize| text.len() == 36 && matches!(at, 8 | 13 | 18 | 23);
    let mut out = [0; 16];
    let mut digits = 0;
    for (at, &byte) in text.iter().enumerate() {
        if is_hyphen(at) && byte == b'-' {
            continue;
        }
        let digit = char::from(byte).to_digit(16).map(|digit| digit as u8);
        let (Some(digit), Some(slot)) = (digit, out.get_mut(digits / 2)) else { return Err(no_uuid(text)) };
        *slot = *slot << 4 | digit;
        digits += 1;
    }
    if digits == 32 { Ok(out) } else { Err(no_uuid(text)) }
}

#[cold]
fn no_uuid(text: &[u8]) -> String {
    let shown = text.get(..text.len().min(40)).unwrap_or_default();
    format!("the text \"{}\" is not a UUID", shown.escape_ascii())
}

/// Returns months, days and milliseconds, each without a sign and little-endian.
pub(super) fn duration(bytes: &[u8]) -> Result<IntervalMonthDayNano, String> {
    let part = |at: usize| {
        let part = bytes.get(at..).and_then(<[u8]>::first_chunk).copied();
        part.map(u32::from_le_bytes).unwrap_or_default()
    };
    let signed = |part: u32, unit: &str| {
        i32::try_from(part).map_err(|_| format!("a duration has {part} {unit}, Arrow allows {}", i32::MAX))
    };
    let (months, days) = (signed(part(0), "months")?, signed(part(4), "days")?);
    Ok(IntervalMonthDayNano::new(months, days, i64::from(part(8)) * 1_000_000))
}

#[cfg(test)]
mod tests {
    use super::{extended, uuid};

    #[test]
    fn numbers_keep_their_sign() {
        assert_eq!(extended::<2>(&[]), Some([0, 0]));
        assert_eq!(extended::<2>(&[0x7f]), Some([0, 0x7f]));
        assert_eq!(extended::<2>(&[0x80]), Some([0xff, 0x80]));
        assert_eq!(extended::<2>(&[0, 0, 0x7f, 1]), Some([0x7f, 1]));
        assert_eq!(extended::<2>(&[0xff, 0x80, 0]), Some([0x80, 0]));
        assert_eq!(extended::<2>(&[0, 0x80, 0]), None);
        assert_eq!(extended::<2>(&[0xff, 0x7f, 0]), None);
        assert_eq!(extended::<2>(&[1, 0, 0]), None);
    }

    #[test]
    fn texts_of_uuids() {
        let expected = Ok(*b"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff");
        assert_eq!(uuid(b"00112233-4455-6677-8899-aabbccddeeff"), expected);
        assert_eq!(uuid(b"00112233445566778899AABBCCDDEEFF"), expected);
        for wrong in [
            &b""[..],
            b"00112233-4455-6677-8899-aabbccddeef",
            b"00112233-4455-6677-8899-aabbccddeeff0",
            b"0011223304455-6677-8899-aabbccddeeff",
            b"00112233-4455-6677-8899-aabbccddeefg",
            b"001122334455667788-99aabbccddeeff",
        ] {
            assert!(uuid(wrong).is_err(), "{}", wrong.escape_ascii());
        }
        assert_eq!(uuid(b"no \xff").unwrap_err(), "the text \"no \\xff\" is not a UUID");
    }
}
