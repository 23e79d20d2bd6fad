//! Numbers in cells.
//!
//! Numbers are as Python's `int` and `float` read them, as in tfx-bsl: spaces around it, a sign, and underscores between digits are
//! allowed, and `nan`, `inf` and `infinity` in letters of any case are floats.

use super::Unfit;

/// An integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Integer {
    Value(i64),
    /// One of more than 64 bits.
    TooLarge,
    /// Not an integer.
    No,
}

/// Reads an integer as Python does.
#[inline]
pub(crate) fn integer(text: &[u8]) -> Integer {
    common_integer(text).unwrap_or_else(|| uncommon_integer(text))
}

/// Reads an integer without underscores, which others take for part of a word.
#[inline]
pub(crate) fn strict_integer(text: &[u8]) -> Integer {
    let uncommon = || if text.contains(&b'_') { Integer::No } else { uncommon_integer(text) };
    common_integer(text).unwrap_or_else(uncommon)
}

/// Reads an integer of up to 18 digits and nothing else.
#[inline]
fn common_integer(text: &[u8]) -> Option<Integer> {
    let (is_negative, digits) = match text.split_first() {
        Some((b'-', digits)) => (true, digits),
        _ => (false, text),
    };
    // No number of 18 digits overflows.
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0i64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(Integer::Value(if is_negative { -value } else { value }))
}

/// Reads an unsigned integer.
///
/// # Errors
/// `Range` for one that is negative or has more than 64 bits, `Kind` for what is not an integer.
pub(super) fn unsigned(text: &[u8]) -> Result<u64, Unfit> {
    match integer(text) {
        Integer::Value(value) => u64::try_from(value).map_err(|_| Unfit::Range),
        Integer::TooLarge => normal(text).and_then(|text| text.parse().ok()).ok_or(Unfit::Range),
        Integer::No => Err(Unfit::Kind),
    }
}

#[cold]
fn uncommon_integer(text: &[u8]) -> Integer {
    // Most of what is not an integer is seen at once: floats and words.
    let may_be = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'_' | b'\t'..=b'\r' | b' ' | 0x80..);
    if !text.iter().all(may_be) {
        return Integer::No;
    }
    let Some(text) = normal(text) else { return Integer::No };
    let digits = text.strip_prefix(['-', '+']).unwrap_or(&text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Integer::No;
    }
    text.parse().map_or(Integer::TooLarge, Integer::Value)
}

/// Exact powers of ten.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Reads a float as Python does, an integer included. What is beyond the largest float is infinite.
#[inline]
pub(crate) fn float(text: &[u8]) -> Option<f64> {
    common_float(text).or_else(|| uncommon_float(text))
}

/// Reads a float without underscores, which others take for part of a word.
#[inline]
pub(crate) fn strict_float(text: &[u8]) -> Option<f64> {
    common_float(text).or_else(|| if text.contains(&b'_') { None } else { uncommon_float(text) })
}

/// Reads a float of few digits and nothing else.
#[inline]
fn common_float(text: &[u8]) -> Option<f64> {
    let (is_negative, digits) = match text.split_first() {
        Some((b'-', digits)) => (true, digits),
        _ => (false, text),
    };
    // Up to 2^53 the digits are an exact float, and so is their quotient by an exact power of ten once rounded (Clinger). No
    // number of 18 digits overflows.
    if digits.len() > 19 {
        return None;
    }
    let mut value = 0u64;
    let whole = take_digits(digits, &mut value);
    let (scale, is_whole) = match digits.get(whole..).and_then(<[u8]>::split_first) {
        None => (0, true),
        Some((b'.', fraction)) => {
            let scale = take_digits(fraction, &mut value);
            (scale, scale == fraction.len())
        }
        Some(_) => (0, false),
    };
    match POWERS.get(scale) {
        Some(power) if is_whole && (1..19).contains(&(whole + scale)) && value < 1 << 53 => {
            let value = value as f64 / power;
            Some(if is_negative { -value } else { value })
        }
        _ => None,
    }
}

/// Appends the digits with which a text begins to a number. Returns how many there are.
#[inline]
fn take_digits(text: &[u8], value: &mut u64) -> usize {
    let mut count = 0;
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        *value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    count
}

fn uncommon_float(text: &[u8]) -> Option<f64> {
    if let Some(value) = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()) {
        return Some(value);
    }
    normal(text)?.parse().ok()
}

/// Returns the text without spaces around it and without underscores between digits.
fn normal(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let bytes = text.as_bytes();
    let is_digit =
        |index: Option<usize>| index.and_then(|index| bytes.get(index)).is_some_and(u8::is_ascii_digit);
    let is_between = |index: usize| is_digit(index.checked_sub(1)) && is_digit(index.checked_add(1));
    let mut underscores = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'_');
    underscores.all(|(index, _)| is_between(index)).then(|| text.replace('_', ""))
}

#[cfg(test)]
mod tests {
    use super::{Integer, Unfit, float, integer, unsigned};

    #[test]
    fn integers_are_those_of_python() {
        for (text, value) in [
            ("0", 0),
            ("-0", 0),
            ("+3", 3),
            ("007", 7),
            (" 7 ", 7),
            ("1_000", 1000),
            ("999999999999999999", 999_999_999_999_999_999),
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808", i64::MIN),
        ] {
            assert_eq!(integer(text.as_bytes()), Integer::Value(value), "{text}");
        }
        for text in ["9223372036854775808", "-9223372036854775809", "100000000000000000000000"] {
            assert_eq!(integer(text.as_bytes()), Integer::TooLarge, "{text}");
        }
        for text in ["", "-", "+-3", "1.0", "1e3", "0x1", "1__0", "_1", "1_", "1 2", "\u{661}", "nan"] {
            assert_eq!(integer(text.as_bytes()), Integer::No, "{text}");
        }
        assert_eq!(integer(b"\xff"), Integer::No);
    }

    #[test]
    fn unsigned_integers_have_all_of_64_bits() {
        assert_eq!(unsigned(b"18446744073709551615"), Ok(u64::MAX));
        assert_eq!(unsigned(b" +1_000 "), Ok(1000));
        assert_eq!(unsigned(b"-1"), Err(Unfit::Range));
        assert_eq!(unsigned(b"18446744073709551616"), Err(Unfit::Range));
        assert_eq!(unsigned(b"1.5"), Err(Unfit::Kind));
    }

    #[test]
    fn floats_are_those_of_python() {
        for (text, value) in [
            ("0", 0.0),
            ("-0.0", -0.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("12.34", 12.34),
            ("0.1", 0.1),
            ("-1e-50", -1e-50),
            ("1e400", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("inf", f64::INFINITY),
            (" 2.5 ", 2.5),
            ("1_0.5", 10.5),
            ("9007199254740993", 9_007_199_254_740_992.0),
            ("123456789012345678901234567890", 123_456_789_012_345_680_000_000_000_000.0),
            ("0.000000000000000000000000001", 1e-27),
        ] {
            assert_eq!(float(text.as_bytes()).map(f64::to_bits), Some(f64::to_bits(value)), "{text}");
        }
        assert!(float(b"NaN").is_some_and(f64::is_nan));
        for text in ["", ".", "-", "e5", "1.2.3", "abc", "0x1p3", "1e", "--1"] {
            assert_eq!(float(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn floats_are_as_exact_as_those_of_the_library() {
        let mut state = 1u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (whole, part) = (state >> 40, state % 10_000_019);
            let text = format!(
                "{}{whole}.{part:0width$}",
                if part % 2 == 0 { "-" } else { "" },
                width = (state % 13) as usize
            );
            assert_eq!(
                float(text.as_bytes()).map(f64::to_bits),
                text.parse().ok().map(f64::to_bits),
                "{text}"
            );
        }
    }
}
