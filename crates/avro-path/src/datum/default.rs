//! The default of a field, from the JSON of the schema to the bytes of a datum.

use serde_json::Value;

use super::write;
use crate::schema::{AvroSchema, Type, TypeId};
use crate::{Error, ErrorKind, Kind, Result};

/// Appends a default as a datum of the type.
///
/// Avro's form: bytes and fixed are strings of the code points 0 to 255; fields that a record's default lacks take
/// their own; the default of a union is one of its first branch, or, as newer versions of Avro allow, of the first
/// branch that fits.
///
/// # Errors
/// When the JSON is not of the type, or the defaults of records in each other come to more than [`MOST`] values.
pub(crate) fn write_default(schema: &AvroSchema, id: TypeId, json: &Value, out: &mut Vec<u8>) -> Result<()> {
    let mut writer = DefaultWriter { schema, out, left: MOST };
    writer.value(id, json, NESTING)
}

/// Values that one default can come to: records of records of defaults grow without bound.
const MOST: usize = 1 << 20;
/// Records in each other in a default.
const NESTING: usize = 64;

struct DefaultWriter<'a> {
    schema: &'a AvroSchema,
    out: &'a mut Vec<u8>,
    left: usize,
}

impl DefaultWriter<'_> {
    fn value(&mut self, id: TypeId, json: &Value, nesting: usize) -> Result<()> {
        let schema = self.schema;
        self.left = self.left.checked_sub(1).ok_or_else(too_large)?;
        let wrong = || {
            Error::new(
                Kind::Resolution,
                format!("the default {} is not of the type {}", shown(json), schema.describe(id)),
            )
            .help("correct the default in the reader's schema")
        };
        match (schema.get(id), json) {
            (Type::Null, Value::Null) => {}
            (Type::Boolean, Value::Bool(value)) => write::boolean(self.out, *value),
            (Type::Int, Value::Number(number)) => {
                let value = number.as_i64().and_then(|value| i32::try_from(value).ok()).ok_or_else(wrong)?;
                write::long(self.out, i64::from(value));
            }
            (Type::Long, Value::Number(number)) => write::long(self.out, number.as_i64().ok_or_else(wrong)?),
            (Type::Float, json) => write::float(self.out, float(json).ok_or_else(wrong)? as f32),
            (Type::Double, json) => write::double(self.out, float(json).ok_or_else(wrong)?),
            (Type::String, Value::String(text)) => write::string(self.out, text),
            (Type::Bytes, Value::String(text)) => write::bytes(self.out, &latin1(text).ok_or_else(wrong)?),
            (Type::Fixed(fixed), Value::String(text)) => {
                let bytes = latin1(text).filter(|bytes| bytes.len() == fixed.size()).ok_or_else(wrong)?;
                self.out.extend_from_slice(&bytes);
            }
            (Type::Enum(symbols), Value::String(text)) => {
                let symbol = symbols.symbols().iter().position(|symbol| **symbol == **text);
                write::long(self.out, symbol.ok_or_else(wrong)? as i64);
            }
            (Type::Array(items), Value::Array(list)) => {
                self.begin_items(list.len());
                for (at, item) in list.iter().enumerate() {
                    self.value(*items, item, nesting).map_err(|error| error.within(&format!("[{at}]")))?;
                }
                write::long(self.out, 0);
            }
            (Type::Map(values), Value::Object(map)) => {
                self.begin_items(map.len());
                for (key, json) in map {
                    write::string(self.out, key);
                    self.value(*values, json, nesting)
                        .map_err(|error| error.within(&format!("[{key:?}]")))?;
                }
                write::long(self.out, 0);
            }
            (Type::Union(branches), json) => {
                let start = self.out.len();
                for (at, &branch) in branches.iter().enumerate() {
                    write::long(self.out, at as i64);
                    match self.value(branch, json, nesting) {
                        Err(error) if error.is(ErrorKind::LimitExceeded) => return Err(error),
                        Err(_) => {}
                        Ok(()) => return Ok(()),
                    }
                    self.out.truncate(start);
                }
                return Err(wrong());
            }
            (Type::Record(record), Value::Object(map)) => {
                let nesting = nesting.checked_sub(1).ok_or_else(too_large)?;
                for field in record.fields() {
                    let json = map
                        .get(field.name())
                        .or(field.default())
                        .ok_or_else(|| wrong().within(field.name()))?;
                    self.value(field.type_id(), json, nesting).map_err(|error| error.within(field.name()))?;
                }
            }
            _ => return Err(wrong()),
        }
        Ok(())
    }

    /// Begins the only block of an array or a map, where it has items.
    fn begin_items(&mut self, count: usize) {
        if count > 0 {
            write::long(self.out, count as i64);
        }
    }
}

fn too_large() -> Error {
    Error::new(ErrorKind::LimitExceeded, "the default is too large, or records hold each other by default")
}

fn float(json: &Value) -> Option<f64> {
    match json {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => match text.as_str() {
            "NaN" => Some(f64::NAN),
            "Infinity" | "INF" => Some(f64::INFINITY),
            "-Infinity" | "-INF" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

fn latin1(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

/// Returns the JSON, truncated if it is long.
fn shown(json: &Value) -> String {
    let text = json.to_string();
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
