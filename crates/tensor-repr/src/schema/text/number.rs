//! Numbers: what their text means.

/// An integer that is not negative, decimal, octal (`0…`) or hexadecimal (`0x…`). `None` if the text is no
/// integer, `Some(None)` if it is one that 64 bits cannot hold.
pub(super) fn integer(text: &str) -> Option<Option<u64>> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if text.len() > 1 && text.starts_with('0') => (&text[1..], 8),
        None => (text, 10),
    };
    let well_formed = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    well_formed.then(|| u64::from_str_radix(digits, radix).ok())
}

/// The text of a decimal float without the suffix that C++ allows, if it is such a float.
pub(super) fn float(text: &str) -> Option<&str> {
    let text = text.strip_suffix(['f', 'F']).unwrap_or(text);
    // Of an octal number protobuf makes no float.
    if matches!(text.as_bytes(), [b'0', b'0'..=b'9', ..]) {
        return None;
    }
    let form = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    (form && text.parse::<f64>().is_ok()).then_some(text)
}

/// A float as shortest text that reads back the same. Whole numbers keep a point.
pub(super) fn shown<T: std::fmt::Debug + Into<f64> + Copy>(value: T) -> String {
    match value.into() {
        wide if wide.is_nan() => if wide.is_sign_negative() { "-nan" } else { "nan" }.to_owned(),
        f64::INFINITY => "inf".to_owned(),
        f64::NEG_INFINITY => "-inf".to_owned(),
        _ => format!("{value:?}"),
    }
}
