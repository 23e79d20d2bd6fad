//! Descriptors of the messages, for code that knows a message by name only.

use std::sync::LazyLock;

use prost_reflect::{DescriptorPool, FieldDescriptor, Kind as FieldKind, MessageDescriptor};

use crate::{Error, Kind};

/// The `FileDescriptorSet` of `proto/`, without comments.
static FILES: &[u8] = include_bytes!("generated/descriptors.bin");

/// The name of the message that a schema document is.
const SCHEMA: &str = "tensorflow.metadata.v0.Schema";

static POOL: LazyLock<Result<DescriptorPool, String>> =
    LazyLock::new(|| DescriptorPool::decode(FILES).map_err(|error| error.to_string()));

/// Returns the descriptor of the message that a schema document is.
///
/// # Errors
/// If the embedded descriptors cannot be read, which a test rules out.
pub(crate) fn schema() -> Result<MessageDescriptor, Error> {
    let unreadable =
        |why: &str| Error::new(Kind::Unsupported, format!("the embedded descriptors are unusable: {why}"));
    let pool = POOL.as_ref().map_err(|why| unreadable(why))?;
    pool.get_message_by_name(SCHEMA).ok_or_else(|| unreadable(&format!("{SCHEMA} is missing")))
}

/// Returns the message type of a field's values, if they are messages.
pub(crate) fn inner_message(field: &FieldDescriptor) -> Option<MessageDescriptor> {
    match field.kind() {
        FieldKind::Message(message) => Some(message),
        _ => None,
    }
}

#[cfg(test)]
pub(super) fn pool() -> &'static DescriptorPool {
    POOL.as_ref().unwrap()
}
