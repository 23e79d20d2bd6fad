//! Checks that every descriptor set must pass, whatever its types are.

use std::collections::HashSet;

use tfxio_base::Result;

use super::raw::not_a_set;
use super::{Field, FieldKind, Message, Presence, Scalar};

/// Maximum bytes and dots of the full name of a type, and of the name of a field or of a value of an enum.
const MAX_NAME: usize = 2048;
const MAX_DOTS: usize = 200;

/// Names are short enough for every scope of them to be looked into.
pub(super) fn check_name(name: &str) -> Result<()> {
    if name.len() > MAX_NAME || name.bytes().filter(|byte| *byte == b'.').count() > MAX_DOTS {
        let start = name.chars().take(40).collect::<String>();
        let why =
            format!("the name that begins with {start:?} has more than {MAX_NAME} bytes or {MAX_DOTS} dots");
        return Err(not_a_set(&why));
    }
    Ok(())
}

/// Returns whether a name is one that a source can have.
pub(super) fn is_identifier(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(is_part) && name.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

/// Checks that no two fields of a message share a name or a number.
pub(super) fn check_fields(message: &Message) -> Result<()> {
    let (mut names, mut numbers) = (HashSet::new(), HashSet::new());
    for field in &message.fields {
        if !names.insert(&field.name) || !numbers.insert(field.number) {
            let why = format!(
                "the message {} has two fields of the name {:?} or the number {}",
                message.full_name, field.name, field.number
            );
            return Err(not_a_set(&why));
        }
    }
    Ok(())
}

/// Checks that an entry of a map has a key and a value, and puts them in this order.
pub(super) fn check_map_entry(message: &mut Message) -> Result<()> {
    message.fields.sort_by_key(|field| field.number);
    let is_key = |kind: FieldKind| match kind {
        FieldKind::Scalar(scalar) => !matches!(scalar, Scalar::Double | Scalar::Float | Scalar::Bytes),
        FieldKind::Enum(_) | FieldKind::Message(_) => false,
    };
    let is_plain =
        |field: &Field| field.presence == Presence::Implicit && field.oneof.is_none() && !field.is_group;
    match message.fields.as_slice() {
        [key, value]
            if (key.number, value.number) == (1, 2)
                && is_key(key.kind)
                && is_plain(key)
                && is_plain(value) =>
        {
            Ok(())
        }
        _ => Err(not_a_set(&format!(
            "the entry of a map {} has not just an optional key 1 (an integer, a bool or a string) and an optional value 2",
            message.full_name
        ))),
    }
}
