//! JSON, as far as it is written here.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::escape;

/// Appends a string, quoted and escaped.
pub(crate) fn string(out: &mut String, text: &str) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // JSON demands it of the first 32; terminals act on the others too.
            _ if escape::is_control(char) => escape::push(out, char),
            _ => out.push(char),
        }
    }
    out.push('"');
}

/// Appends bytes: a string where they are UTF-8, otherwise `{"base64": "…"}`.
pub(crate) fn bytes(out: &mut String, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => string(out, text),
        Err(_) => {
            out.push_str("{\"base64\": \"");
            STANDARD.encode_string(bytes, out);
            out.push_str("\"}");
        }
    }
}

/// Appends a float with as many digits as lead back to it. JSON has no NaN and no infinity: strings stand for them.
pub(crate) fn float(out: &mut String, value: f32) {
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
pub(crate) fn double(out: &mut String, value: f64) {
    if value.is_finite() {
        let _ = write!(out, "{value:?}");
    } else {
        // The same for both widths.
        float(out, value as f32);
    }
}

/// Appends a list of strings.
pub(crate) fn strings(out: &mut String, texts: &[String]) {
    out.push('[');
    for (index, text) in texts.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        string(out, text);
    }
    out.push(']');
}

/// An object that is written member by member.
pub(crate) struct Object<'a> {
    out: &'a mut String,
    empty: bool,
}

impl<'a> Object<'a> {
    pub(crate) fn new(out: &'a mut String) -> Self {
        out.push('{');
        Self { out, empty: true }
    }

    /// Writes a key; the value is to be written to what it returns.
    pub(crate) fn key(&mut self, key: &str) -> &mut String {
        let mut quoted = String::new();
        string(&mut quoted, key);
        self.quoted_key(&quoted)
    }

    /// Writes a key that is quoted and escaped already.
    pub(crate) fn quoted_key(&mut self, key: &str) -> &mut String {
        if !self.empty {
            self.out.push_str(", ");
        }
        self.empty = false;
        self.out.push_str(key);
        self.out.push_str(": ");
        self.out
    }

    pub(crate) fn number(&mut self, key: &str, value: u64) {
        let _ = write!(self.key(key), "{value}");
    }

    pub(crate) fn optional(&mut self, key: &str, value: Option<u64>) {
        match value {
            Some(value) => self.number(key, value),
            None => self.text(key, None),
        }
    }

    pub(crate) fn text(&mut self, key: &str, value: Option<&str>) {
        let out = self.key(key);
        match value {
            Some(value) => string(out, value),
            None => out.push_str("null"),
        }
    }

    pub(crate) fn finish(self) {
        self.out.push('}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        for text in ["", "a\"b\\c\n\t\r", "\u{0}\u{1f}\u{7f}\u{9b}\u{2028}\u{202e}", "日本 🦀"] {
            let mut out = String::new();
            string(&mut out, text);
            assert!(!out.chars().any(escape::is_control), "{out}");
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
