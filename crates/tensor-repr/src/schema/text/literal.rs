//! Strings in quotes and numbers: what their text means, and how they are written.

use std::fmt::Write as _;

/// Fault in a string, and its offset in bytes after the opening quote.
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) what: String,
}

/// Reads the string at the start of the text: how long it is with its quotes, and the bytes it means.
pub(super) fn read_string(text: &str, quote: char) -> Result<(usize, Vec<u8>), Fault> {
    let mut bytes = Vec::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            _ if c == quote => return Ok((at + 1, bytes)),
            '\n' => return Err(Fault { at: 0, what: "the string does not end on its line".to_owned() }),
            '\\' => {
                let fault = |what: &str| Fault { at, what: what.to_owned() };
                let (_, kind) = chars.next().ok_or_else(|| fault("the text ends within an escape"))?;
                let mut digits = |most: usize, radix: u32| {
                    let mut value = (0u32, 0usize);
                    while value.1 < most {
                        let Some(digit) = chars.peek().and_then(|(_, c)| c.to_digit(radix)) else { break };
                        value = (value.0 * radix + digit, value.1 + 1);
                        chars.next();
                    }
                    value
                };
                match kind {
                    'a' => bytes.push(7),
                    'b' => bytes.push(8),
                    'f' => bytes.push(0x0c),
                    'n' => bytes.push(b'\n'),
                    'r' => bytes.push(b'\r'),
                    't' => bytes.push(b'\t'),
                    'v' => bytes.push(0x0b),
                    '\\' | '\'' | '"' | '?' => bytes.push(kind as u8),
                    '0'..='7' => {
                        let first = kind.to_digit(8).unwrap_or(0);
                        let (rest, count) = digits(2, 8);
                        let value = first * 8u32.pow(count as u32) + rest;
                        let byte = u8::try_from(value);
                        bytes.push(byte.map_err(|_| fault("an octal escape ends at \\377"))?);
                    }
                    'x' | 'X' => match digits(2, 16) {
                        (_, 0) => return Err(fault("\\x needs one or two hexadecimal digits")),
                        (value, _) => bytes.push(value as u8),
                    },
                    'u' | 'U' => {
                        let wanted = if kind == 'u' { 4 } else { 8 };
                        let (mut value, count) = digits(wanted, 16);
                        if count < wanted {
                            return Err(fault(&format!("\\{kind} needs {wanted} hexadecimal digits")));
                        }
                        // A pair of surrogates, as JSON and Java write it.
                        let pair = text.get(at + 6..at + 12).and_then(|next| next.strip_prefix("\\u"));
                        let low = pair.and_then(|low| u32::from_str_radix(low, 16).ok());
                        if let (0xd800..0xdc00, Some(low @ 0xdc00..0xe000)) = (value, low) {
                            value = 0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00);
                            chars.nth(5);
                        }
                        let c =
                            char::from_u32(value).ok_or_else(|| fault("the escape is not a character"))?;
                        bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                    other => return Err(fault(&format!("there is no escape \\{other}"))),
                }
            }
            c => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Err(Fault { at: 0, what: "the string has no end".to_owned() })
}

/// Writes bytes as a string. Those of text stay readable; others become octal escapes.
pub(super) fn write_string(out: &mut String, bytes: &[u8], is_text: bool) {
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '"' => out.push_str("\\\""),
                '\'' => out.push_str("\\'"),
                '\\' => out.push_str("\\\\"),
                ' '..='~' => out.push(c),
                c if is_text && !c.is_control() => out.push(c),
                c => octal(out, c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        octal(out, chunk.invalid());
    }
    out.push('"');
}

fn octal(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(out, "\\{byte:03o}");
    }
}

/// Reads an integer that is not negative, decimal, octal (`0…`) or hexadecimal (`0x…`). `None` if the text is not a
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

/// Returns the text of a decimal float without the suffix that C++ allows, if it is such a float.
pub(super) fn float(text: &str) -> Option<&str> {
    let text = text.strip_suffix(['f', 'F']).unwrap_or(text);
    // Of an octal number protobuf makes no float.
    if matches!(text.as_bytes(), [b'0', b'0'..=b'9', ..]) {
        return None;
    }
    let form = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    (form && text.parse::<f64>().is_ok()).then_some(text)
}

/// Returns a float as shortest text that reads back the same. Whole numbers keep a point.
pub(super) fn shown<T: std::fmt::Debug + Into<f64> + Copy>(value: T) -> String {
    match value.into() {
        wide if wide.is_nan() => if wide.is_sign_negative() { "-nan" } else { "nan" }.to_owned(),
        f64::INFINITY => "inf".to_owned(),
        f64::NEG_INFINITY => "-inf".to_owned(),
        _ => format!("{value:?}"),
    }
}
