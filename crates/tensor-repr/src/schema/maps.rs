//! The one thing that decoding lets pass and protobuf does not: an entry of a map under another wire type than a
//! message's, of which `prost` takes the value for a length.

use super::wire::{WireValue, fields};
use crate::proto::descriptor::MessageType;
use crate::{Error, ErrorKind};

/// Looks for such entries in a message that was decoded.
///
/// # Errors
/// When there is one, of kind [`MalformedProto`](ErrorKind::MalformedProto).
pub(super) fn check(message: &'static MessageType, bytes: &[u8]) -> Result<(), Error> {
    for found in fields(bytes) {
        let found = found.map_err(|error| malformed(message, &error.to_string()).because(error))?;
        let Some(field) = message.field_numbered(found.number) else { continue };
        match (field.message(), found.value) {
            (Some(inner), WireValue::Bytes(content)) => check(inner, content)?,
            (Some(_), _) if field.map => {
                let what = format!("an entry of the map `{}` is no message", field.name);
                return Err(malformed(message, &what));
            }
            _ => {}
        }
    }
    Ok(())
}

fn malformed(message: &MessageType, what: &str) -> Error {
    Error::new(ErrorKind::MalformedProto, format!("the bytes are no schema: {}: {what}", message.name))
}
