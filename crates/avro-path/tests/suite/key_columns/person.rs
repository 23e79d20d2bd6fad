//! The person of the design document, made valid: the fixture of `docs/key-expressions.md`.

use avro_path::datum::write;
use avro_path::schema::{AvroSchema, Type, TypeId};
use serde_json::Value;

/// The schema and the records of the document, which has them in blocks ```` ```json schema ```` and
/// ```` ```json records ````.
pub const DOCUMENT: &str = include_str!("../../../../../docs/key-expressions.md");

/// A block of the document, of the words after ```` ```json ````.
pub fn block(kind: &str) -> &'static str {
    let (_, after) = DOCUMENT.split_once(&format!("```json {kind}\n")).expect("the block is there");
    after.split_once("```").expect("the block ends").0
}

pub fn schema() -> AvroSchema {
    AvroSchema::parse(block("schema")).unwrap_or_else(|error| panic!("{error}"))
}

/// The records, encoded.
pub fn data() -> Vec<Vec<u8>> {
    let schema = schema();
    let records = block("records").lines().map(|line| serde_json::from_str(line).expect("a record is JSON"));
    records.map(|record: Value| encode(&schema, &record)).collect()
}

/// JSON as a datum: of a union the first branch that fits, what a record lacks is null, empty or zero.
pub fn encode(schema: &AvroSchema, value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    assert!(put(schema, schema.root(), value, &mut out), "{value} is no {}", schema.describe(schema.root()));
    out
}

fn put(schema: &AvroSchema, id: TypeId, value: &Value, out: &mut Vec<u8>) -> bool {
    match (schema.get(id), value) {
        (Type::Null, Value::Null) => {}
        (Type::Boolean, Value::Null) => write::boolean(out, false),
        (Type::Int | Type::Long | Type::String | Type::Bytes, Value::Null) => write::long(out, 0),
        (Type::Float, Value::Null) => write::float(out, 0.0),
        (Type::Double, Value::Null) => write::double(out, 0.0),
        (Type::Record(record), Value::Null) => {
            return record.fields().iter().all(|field| put(schema, field.type_id(), &Value::Null, out));
        }
        (Type::Boolean, Value::Bool(value)) => write::boolean(out, *value),
        (Type::Int, Value::Number(value)) if value.as_i64().is_some_and(|n| i32::try_from(n).is_ok()) => {
            write::long(out, value.as_i64().unwrap())
        }
        (Type::Long, Value::Number(value)) if value.is_i64() => write::long(out, value.as_i64().unwrap()),
        (Type::Float, Value::Number(value)) => write::float(out, value.as_f64().unwrap() as f32),
        (Type::Double, Value::Number(value)) => write::double(out, value.as_f64().unwrap()),
        (Type::String, Value::String(text)) => write::string(out, text),
        (Type::Bytes, Value::String(text)) => write::bytes(out, text.as_bytes()),
        (Type::Fixed(fixed), Value::String(text)) if text.len() == fixed.size() => {
            out.extend_from_slice(text.as_bytes());
        }
        (Type::Enum(symbols), Value::String(text)) => {
            let Some(number) = symbols.symbols().iter().position(|symbol| **symbol == **text) else {
                return false;
            };
            write::long(out, number as i64);
        }
        (Type::Array(_) | Type::Map(_), Value::Null) => write::long(out, 0),
        (Type::Array(item), Value::Array(items)) => {
            for value in items {
                write::long(out, 1);
                if !put(schema, *item, value, out) {
                    return false;
                }
            }
            write::long(out, 0);
        }
        (Type::Map(item), Value::Object(entries)) => {
            if !entries.is_empty() {
                write::long(out, entries.len() as i64);
            }
            for (key, value) in entries {
                write::string(out, key);
                if !put(schema, *item, value, out) {
                    return false;
                }
            }
            write::long(out, 0);
        }
        (Type::Union(branches), value) => {
            let start = out.len();
            for (number, &branch) in branches.iter().enumerate() {
                write::long(out, number as i64);
                if put(schema, branch, value, out) {
                    return true;
                }
                out.truncate(start);
            }
            return false;
        }
        (Type::Record(record), Value::Object(fields)) => {
            if fields.keys().any(|name| record.field(name).is_none()) {
                return false;
            }
            for field in record.fields() {
                let value = fields.get(field.name()).unwrap_or(&Value::Null);
                if !put(schema, field.type_id(), value, out) {
                    return false;
                }
            }
        }
        _ => return false,
    }
    true
}
