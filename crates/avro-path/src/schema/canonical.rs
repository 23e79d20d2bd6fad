//! The parsing canonical form and its fingerprint, as the Avro specification defines them ("Transforming into Parsing
//! Canonical Form", "Schema Fingerprints").

use serde_json::Value;

use super::{AvroSchema, Name, Type, TypeId};

pub(super) fn canonical_form(schema: &AvroSchema) -> String {
    let mut out = String::new();
    let mut defined = vec![false; schema.len()];
    write(schema, schema.root(), &mut defined, &mut out);
    out
}

/// Appends the canonical form of a type. Recursion ends: a named type is written once, and types without names hold
/// only what the parser's limit allowed.
fn write(schema: &AvroSchema, id: TypeId, defined: &mut [bool], out: &mut String) {
    let again = defined.get_mut(id.index()).is_some_and(|defined| std::mem::replace(defined, true));
    let ty = schema.get(id);
    if let Some(definition) = ty.definition().filter(|_| again) {
        return text(definition.name.full(), out);
    }
    match ty {
        Type::Record(record) => {
            begin(record.name(), "record", out);
            out.push_str(",\"fields\":");
            list(out, record.fields(), |field, out| {
                out.push_str("{\"name\":");
                text(field.name(), out);
                out.push_str(",\"type\":");
                write(schema, field.type_id(), defined, out);
                out.push('}');
            });
            out.push('}');
        }
        Type::Enum(symbols) => {
            begin(symbols.name(), "enum", out);
            out.push_str(",\"symbols\":");
            list(out, symbols.symbols(), |symbol, out| text(symbol, out));
            out.push('}');
        }
        Type::Fixed(fixed) => {
            begin(fixed.name(), "fixed", out);
            out.push_str(&format!(",\"size\":{}}}", fixed.size()));
        }
        Type::Array(items) => {
            out.push_str("{\"type\":\"array\",\"items\":");
            write(schema, *items, defined, out);
            out.push('}');
        }
        Type::Map(values) => {
            out.push_str("{\"type\":\"map\",\"values\":");
            write(schema, *values, defined, out);
            out.push('}');
        }
        Type::Union(branches) => {
            list(out, branches, |&branch, out| write(schema, branch, defined, out));
        }
        primitive => text(super::describe::branch_name(primitive), out),
    }
}

fn list<T>(out: &mut String, items: &[T], mut item: impl FnMut(&T, &mut String)) {
    out.push('[');
    for (at, next) in items.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        item(next, out);
    }
    out.push(']');
}

fn begin(name: &Name, kind: &str, out: &mut String) {
    out.push_str("{\"name\":");
    text(name.full(), out);
    out.push_str(",\"type\":\"");
    out.push_str(kind);
    out.push('"');
}

/// Appends a JSON string with as few escapes as JSON allows.
fn text(text: &str, out: &mut String) {
    out.push_str(&Value::from(text).to_string());
}

/// The polynomial of CRC-64-AVRO, which is also the fingerprint of nothing.
const EMPTY: u64 = 0xc15d_213a_a4d7_a795;

pub(super) fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(EMPTY, |value, byte| {
        let shifted = |value: u64, _| (value >> 1) ^ (EMPTY & (value & 1).wrapping_neg());
        (0..8).fold(value ^ u64::from(*byte), shifted)
    })
}
