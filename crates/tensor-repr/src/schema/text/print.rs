//! Printing of encoded messages as text.

use std::fmt::Write as _;

use prost::encoding::decode_varint;
use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use super::{is_repeated, literal};
use crate::proto::descriptors::{self, inner_message};
use crate::schema::wire::{WireField, WireValue, fields, map_key};

/// Returns the text of an encoded schema. Unreadable fields end the message that contains them; bytes that were decoded
/// before do not have any.
pub(in crate::schema) fn print(schema: &[u8]) -> String {
    let mut out = String::new();
    if let Ok(root) = descriptors::schema() {
        message(&root, schema, 0, &mut out);
    }
    out
}

fn message(message: &MessageDescriptor, bytes: &[u8], depth: usize, out: &mut String) {
    let all: Vec<WireField<'_>> = fields(bytes).map_while(Result::ok).collect();
    let mut known: Vec<_> = message.fields().collect();
    known.sort_by_key(FieldDescriptor::number);
    for field in &known {
        if hidden_by_oneof(message, field, &all) {
            continue;
        }
        let mut values = all.iter().filter(|found| found.number == field.number()).map(|found| found.value);
        match (inner_message(field), is_repeated(field)) {
            (Some(inner), true) => {
                let mut values: Vec<_> = values.collect();
                if field.is_map() {
                    values.sort_by_key(map_key);
                }
                for value in values {
                    if let WireValue::Bytes(content) = value {
                        nested(field.name(), &inner, content, depth, out);
                    }
                }
            }
            // Several parts of one message are that message, one after the other.
            (Some(inner), false) => {
                let parts = values.filter_map(|value| match value {
                    WireValue::Bytes(content) => Some(content),
                    _ => None,
                });
                let parts: Vec<_> = parts.collect();
                if !parts.is_empty() {
                    nested(field.name(), &inner, &parts.concat(), depth, out);
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
        if message.get_field(found.number).is_none() {
            unknown(found, depth, out);
        }
    }
}

/// Returns whether a later member of the same oneof has replaced the field.
fn hidden_by_oneof(message: &MessageDescriptor, field: &FieldDescriptor, all: &[WireField<'_>]) -> bool {
    field.containing_oneof().is_some_and(|oneof| {
        let of = |number| message.get_field(number).and_then(|field| field.containing_oneof());
        let last = all.iter().rev().find(|found| of(found.number).as_ref() == Some(&oneof));
        last.is_some_and(|last| last.number != field.number())
    })
}

fn nested(name: &str, inner: &MessageDescriptor, content: &[u8], depth: usize, out: &mut String) {
    indent(depth, out);
    out.push_str(name);
    out.push_str(" {\n");
    message(inner, content, depth + 1, out);
    indent(depth, out);
    out.push_str("}\n");
}

/// Prints a value, or the values of a packed list, a line each.
fn scalars(field: &FieldDescriptor, value: WireValue<'_>, depth: usize, out: &mut String) {
    let is_packed = !matches!(field.kind(), Kind::String | Kind::Bytes);
    let WireValue::Bytes(mut packed) = value else { return scalar(field, value, depth, out) };
    if !is_packed {
        return scalar(field, value, depth, out);
    }
    while !packed.is_empty() {
        let value = match field.kind() {
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

fn scalar(field: &FieldDescriptor, value: WireValue<'_>, depth: usize, out: &mut String) {
    indent(depth, out);
    let name = field.name();
    // Writing to a string does not fail.
    let _ = match (field.kind(), value) {
        (Kind::String | Kind::Bytes, WireValue::Bytes(content)) => {
            let _ = write!(out, "{name}: ");
            literal::write_string(out, content, matches!(field.kind(), Kind::String));
            writeln!(out)
        }
        (Kind::Bool, WireValue::Varint(value)) => writeln!(out, "{name}: {}", value != 0),
        (Kind::Int64, WireValue::Varint(value)) => writeln!(out, "{name}: {}", value as i64),
        (Kind::Uint32, WireValue::Varint(value)) => writeln!(out, "{name}: {}", value as u32),
        (Kind::Uint64, WireValue::Varint(value)) => writeln!(out, "{name}: {value}"),
        (Kind::Float, WireValue::Fixed32(bits)) => {
            writeln!(out, "{name}: {}", literal::shown(f32::from_bits(bits)))
        }
        (Kind::Double, WireValue::Fixed64(bits)) => {
            writeln!(out, "{name}: {}", literal::shown(f64::from_bits(bits)))
        }
        (Kind::Enum(item), WireValue::Varint(value)) => {
            let value = value as i32;
            match item.get_value(value) {
                Some(known) => writeln!(out, "{name}: {}", known.name()),
                None => writeln!(out, "{name}: {value}"),
            }
        }
        // Another wire type than the field has, which decoding has refused.
        _ => writeln!(out),
    };
}

/// Prints a field by its number, in a form from which the same bytes come back.
fn unknown(field: &WireField<'_>, depth: usize, out: &mut String) {
    indent(depth, out);
    let number = field.number;
    let _ = match field.value {
        WireValue::Varint(value) => writeln!(out, "{number}: {value}"),
        WireValue::Fixed32(value) => writeln!(out, "{number}: {value:#010x}"),
        WireValue::Fixed64(value) => writeln!(out, "{number}: {value:#018x}"),
        WireValue::Bytes(content) => {
            let _ = write!(out, "{number}: ");
            literal::write_string(out, content, false);
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
