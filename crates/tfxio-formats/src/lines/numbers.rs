//! Numbers in cells.
//!
//! What a number is, Python's `int` and `float` say, as in tfx-bsl: spaces around it, a sign, and underscores between digits
//! are allowed, and `nan`, `inf` and `infinity` in letters of any case are floats.

/// An integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Integer {
    Value(i64),
    /// One of more than 64 bits.
    TooLarge,
    /// Not an integer.
    No,
}

/// Reads an integer.
#[inline]
pub(crate) fn integer(text: &[u8]) -> Integer {
    let (is_negative, digits) = match text.split_first() {
        Some((b'-', digits)) => (true, digits),
        _ => (false, text),
    };
    // No number of 18 digits overflows.
    if digits.is_empty() || digits.len() > 18 {
        return uncommon_integer(text);
    }
    let mut value = 0i64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return uncommon_integer(text);
        }
        value = value * 10 + i64::from(digit);
    }
    Integer::Value(if is_negative { -value } else { value })
}

#[cold]
fn uncommon_integer(text: &[u8]) -> Integer {
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

/// Reads a float, an integer included. What is beyond the largest float is infinite.
#[inline]
pub(crate) fn float(text: &[u8]) -> Option<f64> {
    let (is_negative, digits) = match text.split_first() {
        Some((b'-', digits)) => (true, digits),
        _ => (false, text),
    };
    // Up to 2^53 the digits are an exact float, and so is their quotient by an exact power of ten once rounded (Clinger).
    let (mut value, mut scale, mut point, mut count) = (0u64, 0usize, 0usize, 0usize);
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 && count < 18 {
            value = value * 10 + u64::from(digit);
            count += 1;
            scale += point;
        } else if *byte == b'.' && point == 0 {
            point = 1;
        } else {
            return uncommon_float(text);
        }
    }
    match POWERS.get(scale) {
        Some(power) if count > 0 && value < 1 << 53 => {
            let value = value as f64 / power;
            Some(if is_negative { -value } else { value })
        }
        _ => uncommon_float(text),
    }
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
    use super::{Integer, float, integer};

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
