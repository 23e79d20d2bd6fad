//! Text protobuf, to and from the encoded message.

mod number;
mod parse;
mod print;
mod string;
mod token;
mod value;

pub(super) use self::parse::parse;
pub(super) use self::print::print;

use crate::proto::descriptor::MessageType;

/// The message that a document is.
const ROOT: &str = "tensorflow.metadata.v0.Schema";
/// A message whose value may be written as the message that it holds.
const ANY: &str = "google.protobuf.Any";

/// Stands in for the root if the table should lack it, which a test rules out.
static EMPTY: MessageType = MessageType { name: ROOT, fields: &[] };

pub(super) fn root() -> &'static MessageType {
    MessageType::named(ROOT).unwrap_or(&EMPTY)
}
