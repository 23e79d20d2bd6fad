//! JSON values of the text of a schema, within limits.

use serde_json::Value;
use tfxio_core::Count;

use super::SchemaLimits;
use crate::{Error, ErrorKind, Kind, Result};

/// The deepest nesting that the JSON parser takes.
pub(super) const NESTING: usize = 127;

pub(super) fn parse(text: &str, limits: SchemaLimits) -> Result<Value> {
    if text.len() > limits.bytes {
        let what = format!("the schema has {}, more than {}", Count::of(text.len(), "byte"), limits.bytes);
        return Err(too_much(&what, "bytes"));
    }
    let most = limits.nesting.min(NESTING);
    let (nesting, objects) = brackets(text);
    if nesting > most {
        return Err(Error::new(
            ErrorKind::LimitExceeded,
            format!("the schema's JSON has more than {} in each other", Count::of(most, "bracket")),
        ));
    }
    if objects > limits.objects {
        let what =
            format!("the schema's JSON has {}, more than {}", Count::of(objects, "object"), limits.objects);
        return Err(too_much(&what, "objects"));
    }
    serde_json::from_str(text)
        .or_else(|error| match text.trim() {
            // Some writers store the name of a primitive type without quotes.
            bare if super::primitive(bare).is_some() => Ok(Value::from(bare)),
            _ => Err(error),
        })
        .map_err(|error| {
            Error::new(
                Kind::Schema,
                format!("the schema is not JSON (line {}, column {})", error.line(), error.column()),
            )
            .because(error)
        })
}

/// Returns the error of a limit that can be raised.
pub(super) fn too_much(what: &str, limit: &str) -> Error {
    Error::new(ErrorKind::LimitExceeded, what).help(format!("raise SchemaLimits::{limit} if this is meant"))
}

/// Returns the deepest nesting of brackets outside strings and the number of objects, whether or not the text is JSON.
fn brackets(text: &str) -> (usize, usize) {
    let (mut depth, mut deepest, mut objects) = (0_usize, 0, 0);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
                objects += usize::from(byte == b'{');
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => {
                while let Some(byte) = bytes.next().filter(|byte| *byte != b'"') {
                    if byte == b'\\' {
                        bytes.next();
                    }
                }
            }
            _ => {}
        }
    }
    (deepest, objects)
}

/// Describes a JSON value in a few words.
pub(super) fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
