//! Checks of an encoded schema before it is decoded.
//!
//! Decoding makes an object of about a kilobyte from each message, of which two bytes can be enough, and takes an
//! entry of a map under another wire type than a message's for one with a length. Neither passes here.

use prost_reflect::MessageDescriptor;

use super::wire::{WireValue, fields};
use crate::proto::descriptors::inner_message;
use crate::{Error, Kind};

/// The number of messages that a schema may have.
const MOST_MESSAGES: usize = 1_000_000;
/// Maximum nesting depth of messages, the same as of `prost`.
pub(super) const DEPTH: usize = 100;

/// Checks that a message has known wire types for its maps, and not too many messages.
///
/// # Errors
/// If it does not, of kind [`MalformedProto`](Kind::MalformedProto).
pub(super) fn check(message: &MessageDescriptor, bytes: &[u8]) -> Result<(), Error> {
    let mut left = MOST_MESSAGES;
    nested(message, bytes, 0, &mut left)
}

fn nested(message: &MessageDescriptor, bytes: &[u8], depth: usize, left: &mut usize) -> Result<(), Error> {
    for found in fields(bytes) {
        let found = found.map_err(|error| malformed(message, &error.to_string()).because(error))?;
        let Some(field) = message.get_field(found.number) else { continue };
        match (inner_message(&field), found.value) {
            (Some(_), WireValue::Bytes(_)) if depth == DEPTH => {
                return Err(malformed(message, &format!("messages are nested more than {DEPTH} deep")));
            }
            (Some(inner), WireValue::Bytes(content)) => {
                *left = left.checked_sub(1).ok_or_else(|| {
                    malformed(message, &format!("it has more than {MOST_MESSAGES} messages"))
                })?;
                nested(&inner, content, depth + 1, left)?;
            }
            (Some(_), _) if field.is_map() => {
                let what = format!("an entry of the map `{}` is not a message", field.name());
                return Err(malformed(message, &what));
            }
            _ => {}
        }
    }
    Ok(())
}

fn malformed(message: &MessageDescriptor, what: &str) -> Error {
    Error::new(Kind::MalformedProto, format!("the bytes are no schema: {}: {what}", message.full_name()))
}
