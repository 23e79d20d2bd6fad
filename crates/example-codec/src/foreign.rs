//! Records that hold another message.

use proto_wire::{Reader, WireType};
use tfxio_core::Count;

use crate::infer::{FEATURE_LISTS, FEATURES};
use crate::{Error, Kind};

/// Returns whether bytes hold a message that is neither a tf.Example nor a tf.SequenceExample, as far as bytes can tell:
/// fields are in them, and none belongs to a feature or a feature list. Unknown fields count at every level, and so does a
/// known field of another wire type. `false` for empty messages, which are tf.Examples without features, and for bytes that
/// are not a protobuf message, which decoders refuse in words of their own.
///
/// ```
/// use example_codec::is_other_message;
///
/// assert!(!is_other_message(b"\x0a\x00"));
/// // A number where a tf.Example has feature lists.
/// assert!(is_other_message(b"\x10\x07"));
/// ```
#[must_use]
pub fn is_other_message(record: &[u8]) -> bool {
    matches!(search(record, 0, MESSAGE), Found::Other)
}

/// Result of searching a message for features.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// A feature, or bytes that are not a message.
    Enough,
    /// Fields, and no feature.
    Other,
    Nothing,
}

/// Meaning of a length-delimited field.
#[derive(Clone, Copy)]
enum Field {
    /// A feature, or a part that only one has: it settles the matter.
    Feature,
    /// A message with these fields, by number; all others are unknown.
    Message(&'static [(u32, Field)]),
}

const MESSAGE: &[(u32, Field)] = &[(FEATURES, MAP_OF_FEATURES), (FEATURE_LISTS, MAP_OF_LISTS)];
const MAP_OF_FEATURES: Field = Field::Message(&[(1, Field::Message(&[NAME, (2, FEATURE)]))]);
const MAP_OF_LISTS: Field = Field::Message(&[(1, Field::Message(&[NAME, (2, LIST)]))]);
/// An entry with a name is a feature.
const NAME: (u32, Field) = (1, Field::Feature);
const LIST: Field = Field::Message(&[(1, FEATURE)]);
const FEATURE: Field = Field::Message(&[(1, Field::Feature), (2, Field::Feature), (3, Field::Feature)]);

/// Looks at the fields of a message.
fn search(bytes: &[u8], depth: u32, fields: &[(u32, Field)]) -> Found {
    let mut found = Found::Nothing;
    let mut reader = Reader::at_depth(bytes, depth);
    loop {
        let tag = match reader.tag() {
            Ok(Some(tag)) => tag,
            Ok(None) => return found,
            Err(_) => return Found::Enough,
        };
        let known = fields.iter().find(|(number, _)| *number == tag.field && tag.wire == WireType::Len);
        let inside = match known {
            None if reader.skip(tag).is_err() => return Found::Enough,
            None => Found::Other,
            Some((_, Field::Feature)) => return Found::Enough,
            Some((_, Field::Message(fields))) => match reader.bytes() {
                Ok(message) => search(message, depth + 1, fields),
                Err(_) => return Found::Enough,
            },
        };
        match inside {
            Found::Enough => return Found::Enough,
            Found::Other => found = Found::Other,
            Found::Nothing => {}
        }
    }
}

/// Returns the error for such a record, where `message` is expected.
pub(crate) fn other_message(message: &str, record: &[u8]) -> Error {
    let bytes = record.len();
    Error::new(
        Kind::OtherMessage,
        format!(
            "the record is not a {message}: no feature comes from its {}, whose fields are those of another message",
            Count::of(bytes, "byte")
        ),
    )
}
