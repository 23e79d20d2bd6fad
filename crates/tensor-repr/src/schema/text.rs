//! Text protobuf, to and from the encoded message.

mod literal;
mod parse;
mod print;
mod token;
mod value;

pub(super) use self::parse::parse;
pub(super) use self::print::print;

use prost_reflect::FieldDescriptor;

/// A message whose value may be written as the message that it holds.
const ANY: &str = "google.protobuf.Any";

/// Returns whether a field holds a list; a map is a list of entries.
fn is_repeated(field: &FieldDescriptor) -> bool {
    field.is_list() || field.is_map()
}
