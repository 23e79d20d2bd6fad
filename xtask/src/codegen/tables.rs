//! The fields of messages as a Rust table, for code that reads and writes text protobuf.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result, bail};
use protox::prost_reflect::{DescriptorPool, FieldDescriptor, Kind, MessageDescriptor};

/// The message whose text form is read and written; the table has what it can hold.
const ROOT: &str = "tensorflow.metadata.v0.Schema";

/// The table as Rust source.
pub(super) fn generate(pool: &DescriptorPool) -> Result<String> {
    let root = pool.get_message_by_name(ROOT).with_context(|| format!("proto/ has no message {ROOT}"))?;
    let mut messages = BTreeMap::new();
    let mut enums = BTreeMap::new();
    let mut open = vec![root];
    while let Some(message) = open.pop() {
        for field in message.fields() {
            match field.kind() {
                Kind::Message(inner) if !messages.contains_key(inner.full_name()) => open.push(inner),
                Kind::Enum(inner) => {
                    enums.insert(inner.full_name().to_owned(), inner);
                }
                _ => {}
            }
        }
        messages.insert(message.full_name().to_owned(), message);
    }
    let mut out = String::from(
        "/// The messages, in order of their names.\npub(crate) static MESSAGES: &[MessageType] = &[\n",
    );
    let place =
        |list: Vec<&String>, name: &str| list.iter().position(|known| *known == name).unwrap_or_default();
    for message in messages.values() {
        write!(out, "MessageType {{ name: {:?}, fields: &[", message.full_name())?;
        for field in in_order(message) {
            let kind = match field.kind() {
                Kind::Message(inner) => {
                    format!("Message({})", place(messages.keys().collect(), inner.full_name()))
                }
                Kind::Enum(inner) => format!("Enum({})", place(enums.keys().collect(), inner.full_name())),
                Kind::Bool => "Bool".to_owned(),
                Kind::Int64 => "Int64".to_owned(),
                Kind::Uint32 => "UInt32".to_owned(),
                Kind::Uint64 => "UInt64".to_owned(),
                Kind::Float => "Float".to_owned(),
                Kind::Double => "Double".to_owned(),
                Kind::String => "String".to_owned(),
                Kind::Bytes => "Bytes".to_owned(),
                other => bail!("{}: the text form has no {other:?} yet", field.full_name()),
            };
            let oneof = field.containing_oneof().map(|oneof| oneof.name().to_owned());
            write!(
                out,
                "Field {{ name: {:?}, number: {}, kind: Kind::{kind}, repeated: {}, map: {}, oneof: {oneof:?} }}, ",
                field.name(),
                field.number(),
                field.is_list() || field.is_map(),
                field.is_map(),
            )?;
        }
        out.push_str("] },\n");
    }
    out.push_str(
        "];\n\n/// The enums, in order of their names.\npub(crate) static ENUMS: &[EnumType] = &[\n",
    );
    for (name, descriptor) in &enums {
        write!(out, "EnumType {{ name: {name:?}, values: &[")?;
        for value in descriptor.values() {
            write!(out, "({:?}, {}), ", value.name(), value.number())?;
        }
        out.push_str("] },\n");
    }
    out.push_str("];\n");
    Ok(out)
}

fn in_order(message: &MessageDescriptor) -> Vec<FieldDescriptor> {
    let mut fields: Vec<_> = message.fields().collect();
    fields.sort_by_key(FieldDescriptor::number);
    fields
}
