//! From the encoded message to text.

use std::fmt::Write as _;

use prost::encoding::decode_varint;

use super::{number, root, string};
use crate::proto::descriptor::{ENUMS, Field, Kind, MessageType};
use crate::schema::wire::{WireField, WireValue, fields, map_key};

/// The text of an encoded schema. What cannot be read ends the message that it stands in; bytes that were
/// decoded before have no such thing.
pub(in crate::schema) fn print(schema: &[u8]) -> String {
    let mut out = String::new();
    message(root(), schema, 0, &mut out);
    out
}

fn message(message: &'static MessageType, bytes: &[u8], depth: usize, out: &mut String) {
    let all: Vec<WireField<'_>> = fields(bytes).map_while(Result::ok).collect();
    for field in message.fields {
        if hidden_by_oneof(message, field, &all) {
            continue;
        }
        let mut values = all.iter().filter(|found| found.number == field.number).map(|found| found.value);
        match (field.message(), field.repeated) {
            (Some(inner), true) => {
                let mut values: Vec<_> = values.collect();
                if field.map {
                    values.sort_by_key(map_key);
                }
                for value in values {
                    if let WireValue::Bytes(content) = value {
                        nested(field.name, inner, content, depth, out);
                    }
                }
            }
            // Several parts of one message are that message, one behind the other.
            (Some(inner), false) => {
                let parts = values.filter_map(|value| match value {
                    WireValue::Bytes(content) => Some(content),
                    _ => None,
                });
                let parts: Vec<_> = parts.collect();
                if !parts.is_empty() {
                    nested(field.name, inner, &parts.concat(), depth, out);
                }
            }
            (None, true) => values.for_each(|value| scalars(field, value, depth, out)),
            (None, false) => {
                if let Some(value) = values.next_back() {
                    scalars(field, value, depth, out);
                }
            }
        }
    }
    for found in &all {
        if message.field_numbered(found.number).is_none() {
            unknown(found, depth, out);
        }
    }
}

/// Whether a later member of the same oneof has replaced the field.
fn hidden_by_oneof(message: &MessageType, field: &Field, all: &[WireField<'_>]) -> bool {
    field.oneof.is_some_and(|oneof| {
        let member = |number| message.field_numbered(number).filter(|field| field.oneof == Some(oneof));
        let last = all.iter().rev().find_map(|found| member(found.number));
        last.is_some_and(|last| last.number != field.number)
    })
}

fn nested(name: &str, inner: &'static MessageType, content: &[u8], depth: usize, out: &mut String) {
    indent(depth, out);
    out.push_str(name);
    out.push_str(" {\n");
    message(inner, content, depth + 1, out);
    indent(depth, out);
    out.push_str("}\n");
}

/// A value, or the values of a packed list, a line each.
fn scalars(field: &Field, value: WireValue<'_>, depth: usize, out: &mut String) {
    let is_packed = !matches!(field.kind, Kind::String | Kind::Bytes);
    let WireValue::Bytes(mut packed) = value else { return scalar(field, value, depth, out) };
    if !is_packed {
        return scalar(field, value, depth, out);
    }
    while !packed.is_empty() {
        let value = match field.kind {
            Kind::Float => packed.split_first_chunk().map(|(chunk, rest)| {
                packed = rest;
                WireValue::Fixed32(u32::from_le_bytes(*chunk))
            }),
            Kind::Double => packed.split_first_chunk().map(|(chunk, rest)| {
                packed = rest;
                WireValue::Fixed64(u64::from_le_bytes(*chunk))
            }),
            _ => decode_varint(&mut packed).ok().map(WireValue::Varint),
        };
        let Some(value) = value else { return };
        scalar(field, value, depth, out);
    }
}

fn scalar(field: &Field, value: WireValue<'_>, depth: usize, out: &mut String) {
    indent(depth, out);
    let name = field.name;
    // Writing to a string does not fail.
    let _ = match (field.kind, value) {
        (Kind::String | Kind::Bytes, WireValue::Bytes(content)) => {
            let _ = write!(out, "{name}: ");
            string::write(out, content, matches!(field.kind, Kind::String));
            writeln!(out)
        }
        (Kind::Bool, WireValue::Varint(value)) => writeln!(out, "{name}: {}", value != 0),
        (Kind::Int64, WireValue::Varint(value)) => writeln!(out, "{name}: {}", value as i64),
        (Kind::UInt32, WireValue::Varint(value)) => writeln!(out, "{name}: {}", value as u32),
        (Kind::UInt64, WireValue::Varint(value)) => writeln!(out, "{name}: {value}"),
        (Kind::Float, WireValue::Fixed32(bits)) => {
            writeln!(out, "{name}: {}", number::shown(f32::from_bits(bits)))
        }
        (Kind::Double, WireValue::Fixed64(bits)) => {
            writeln!(out, "{name}: {}", number::shown(f64::from_bits(bits)))
        }
        (Kind::Enum(place), WireValue::Varint(value)) => {
            let value = value as i32;
            let known =
                ENUMS.get(place).and_then(|item| item.values.iter().find(|(_, known)| *known == value));
            match known {
                Some((known, _)) => writeln!(out, "{name}: {known}"),
                None => writeln!(out, "{name}: {value}"),
            }
        }
        // Another wire type than the field has, which decoding has refused.
        _ => writeln!(out),
    };
}

/// A field by its number, in a form from which the same bytes come back.
fn unknown(field: &WireField<'_>, depth: usize, out: &mut String) {
    indent(depth, out);
    let number = field.number;
    let _ = match field.value {
        WireValue::Varint(value) => writeln!(out, "{number}: {value}"),
        WireValue::Fixed32(value) => writeln!(out, "{number}: {value:#010x}"),
        WireValue::Fixed64(value) => writeln!(out, "{number}: {value:#018x}"),
        WireValue::Bytes(content) => {
            let _ = write!(out, "{number}: ");
            string::write(out, content, false);
            writeln!(out)
        }
        WireValue::Group(content) => {
            let _ = writeln!(out, "{number} {{");
            for inner in fields(content).map_while(Result::ok) {
                unknown(&inner, depth + 1, out);
            }
            indent(depth, out);
            writeln!(out, "}}")
        }
    };
}

fn indent(depth: usize, out: &mut String) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}
