//! JSON as the command prints it and JSON lines hold it: values of Arrow columns, and objects that are written member by member.
//!
//! | value | JSON |
//! | --- | --- |
//! | null, absent | `null` |
//! | bytes | a string where they are UTF-8, otherwise `{"base64": "…"}` |
//! | floats | the fewest digits that lead back to them; `"NaN"`, `"Infinity"`, `"-Infinity"` |
//! | lists | lists |
//! | structs and maps | objects |
//! | dates and times | strings, as ISO 8601 has them |
//! | decimals | strings |
//! | 16 bytes of the extension type `arrow.uuid` | strings, as UUIDs are written |

pub(crate) mod temporal;
pub(crate) mod times_of_day;
pub mod value;

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Returns whether a terminal acts on a character, or on the line that contains it.
#[must_use]
pub fn is_control(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Appends a character, escaped as in strings.
pub fn escaped(out: &mut String, char: char) {
    match char {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        // All of them have four digits.
        _ => {
            let _ = write!(out, "\\u{:04x}", u32::from(char));
        }
    }
}

/// Appends a string, quoted and escaped.
pub fn string(out: &mut String, text: &str) {
    out.push('"');
    // Most texts are printable ASCII.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\') {
        out.push_str(text);
        return out.push('"');
    }
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // JSON demands it of the first 32; terminals act on the others too.
            _ if is_control(char) => escaped(out, char),
            _ => out.push(char),
        }
    }
    out.push('"');
}

/// Appends bytes: a string where they are UTF-8, otherwise `{"base64": "…"}`.
pub fn bytes(out: &mut String, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => string(out, text),
        Err(_) => {
            out.push_str("{\"base64\": \"");
            STANDARD.encode_string(bytes, out);
            out.push_str("\"}");
        }
    }
}

/// Appends a float with as many digits as parse back to it. JSON has neither NaN nor infinity: they are written as strings.
pub fn float(out: &mut String, value: f32) {
    if value.is_nan() {
        out.push_str("\"NaN\"");
    } else if value.is_infinite() {
        out.push_str(if value > 0.0 { "\"Infinity\"" } else { "\"-Infinity\"" });
    } else {
        // Shortest digits; with an exponent where they would be many zeros.
        let _ = write!(out, "{value:?}");
    }
}

/// As [`float`], with 64 bits.
pub fn double(out: &mut String, value: f64) {
    if value.is_finite() {
        let _ = write!(out, "{value:?}");
    } else {
        // The same for both widths.
        float(out, value as f32);
    }
}

/// An object that is written member by member.
///
/// ```
/// use tfxio_formats::json::Object;
///
/// let mut out = String::new();
/// let mut object = Object::new(&mut out);
/// object.number("records", 3);
/// object.text("error", None);
/// object.finish();
/// assert_eq!(out, r#"{"records": 3, "error": null}"#);
/// ```
#[derive(Debug)]
pub struct Object<'a> {
    out: &'a mut String,
    empty: bool,
}

impl<'a> Object<'a> {
    /// Begins an object.
    pub fn new(out: &'a mut String) -> Self {
        out.push('{');
        Self { out, empty: true }
    }

    /// Writes a key; the value is to be written to what it returns.
    pub fn key(&mut self, key: &str) -> &mut String {
        let mut quoted = String::new();
        string(&mut quoted, key);
        self.quoted_key(&quoted)
    }

    /// Writes a key that is quoted and escaped already.
    pub fn quoted_key(&mut self, key: &str) -> &mut String {
        if !self.empty {
            self.out.push_str(", ");
        }
        self.empty = false;
        self.out.push_str(key);
        self.out.push_str(": ");
        self.out
    }

    /// Writes a number.
    pub fn number(&mut self, key: &str, value: u64) {
        let _ = write!(self.key(key), "{value}");
    }

    /// Writes a number, or null.
    pub fn optional(&mut self, key: &str, value: Option<u64>) {
        match value {
            Some(value) => self.number(key, value),
            None => self.text(key, None),
        }
    }

    /// Writes a string, or null.
    pub fn text(&mut self, key: &str, value: Option<&str>) {
        let out = self.key(key);
        match value {
            Some(value) => string(out, value),
            None => out.push_str("null"),
        }
    }

    /// Ends the object.
    pub fn finish(self) {
        self.out.push('}');
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        for text in ["", "a\"b\\c\n\t\r", "\u{0}\u{1f}\u{7f}\u{9b}\u{2028}\u{202e}", "日本 🦀"] {
            let mut out = String::new();
            string(&mut out, text);
            assert!(!out.chars().any(is_control), "{out}");
            assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
        }
        for value in [0.0, -0.0, 1.5, f32::MIN_POSITIVE, f32::MAX, 1e-45, 0.1, 16777216.0] {
            let mut out = String::new();
            float(&mut out, value);
            assert_eq!(serde_json::from_str::<f32>(&out).unwrap().to_bits(), value.to_bits(), "{out}");
        }
        for value in [0.1, -0.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, 1e300] {
            let mut out = String::new();
            double(&mut out, value);
            assert_eq!(serde_json::from_str::<f64>(&out).unwrap().to_bits(), value.to_bits(), "{out}");
        }
    }

    #[test]
    fn what_json_does_not_have() {
        let mut out = String::new();
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            float(&mut out, value);
        }
        double(&mut out, f64::NEG_INFINITY);
        bytes(&mut out, b"\xff\x00");
        assert_eq!(out, "\"NaN\"\"Infinity\"\"-Infinity\"\"-Infinity\"{\"base64\": \"/wA=\"}");
    }

    #[test]
    fn objects() {
        let mut out = String::new();
        let mut object = Object::new(&mut out);
        object.number("a", 1);
        object.text("b", None);
        object.text("c", Some("x"));
        object.finish();
        assert_eq!(out, r#"{"a": 1, "b": null, "c": "x"}"#);
    }
}
