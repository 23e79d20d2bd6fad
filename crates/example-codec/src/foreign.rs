//! Records that hold another message.

use proto_wire::{Reader, WireType};

use crate::infer::{FEATURE_LISTS, FEATURES};
use crate::{Error, FeatureKind, Kind};

/// Whether bytes hold a message that is neither a tf.Example nor a tf.SequenceExample, as far as bytes can tell: fields are
/// in them, and none belongs to a feature or a feature list. Unknown fields count at every level, and so does a known field
/// of another wire type. `false` for empty messages, which are tf.Examples without features, and for bytes that are not a
/// protobuf message, which decoders refuse in words of their own.
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
    matches!(search(record, 0, message), Found::Other)
}

/// What a message holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// A feature, or bytes that are not a message.
    Enough,
    /// Fields, and no feature.
    Other,
    Nothing,
}

/// Says what a field with a length is, by its number, its bytes and their depth.
type Fields<'a> = fn(u32, &'a [u8], u32) -> Field<'a>;

/// What a field is.
enum Field<'a> {
    /// It settles the matter.
    Feature,
    /// A message of which the answer depends.
    Inside(&'a [u8], u32, Fields<'a>),
    Unknown,
}

/// Looks at the fields of a message. `field` says what one with a length is; all others are unknown.
fn search<'a>(bytes: &'a [u8], depth: u32, field: Fields<'a>) -> Found {
    let mut found = Found::Nothing;
    let mut reader = Reader::at_depth(bytes, depth);
    loop {
        let tag = match reader.tag() {
            Ok(Some(tag)) => tag,
            Ok(None) => return found,
            Err(_) => return Found::Enough,
        };
        let what = if tag.wire == WireType::Len {
            let Ok(inside) = reader.bytes() else { return Found::Enough };
            field(tag.field, inside, depth + 1)
        } else {
            if reader.skip(tag).is_err() {
                return Found::Enough;
            }
            Field::Unknown
        };
        match what {
            Field::Feature => return Found::Enough,
            Field::Unknown => found = Found::Other,
            Field::Inside(inside, depth, of) => match search(inside, depth, of) {
                Found::Enough => return Found::Enough,
                Found::Other => found = Found::Other,
                Found::Nothing => {}
            },
        }
    }
}

fn message(number: u32, bytes: &[u8], depth: u32) -> Field<'_> {
    match number {
        FEATURES => Field::Inside(bytes, depth, features),
        FEATURE_LISTS => Field::Inside(bytes, depth, feature_lists),
        _ => Field::Unknown,
    }
}

fn features(number: u32, bytes: &[u8], depth: u32) -> Field<'_> {
    if number == 1 { Field::Inside(bytes, depth, entry) } else { Field::Unknown }
}

fn feature_lists(number: u32, bytes: &[u8], depth: u32) -> Field<'_> {
    if number == 1 { Field::Inside(bytes, depth, list_entry) } else { Field::Unknown }
}

/// An entry with a name is a feature.
fn entry(number: u32, bytes: &[u8], depth: u32) -> Field<'_> {
    match number {
        1 => Field::Feature,
        2 => Field::Inside(bytes, depth, feature),
        _ => Field::Unknown,
    }
}

fn list_entry(number: u32, bytes: &[u8], depth: u32) -> Field<'_> {
    match number {
        1 => Field::Feature,
        2 => Field::Inside(bytes, depth, steps),
        _ => Field::Unknown,
    }
}

fn steps(number: u32, bytes: &[u8], depth: u32) -> Field<'_> {
    if number == 1 { Field::Inside(bytes, depth, feature) } else { Field::Unknown }
}

fn feature(number: u32, _: &[u8], _: u32) -> Field<'_> {
    if FeatureKind::from_field(number).is_some() { Field::Feature } else { Field::Unknown }
}

/// The error for such a record, where `message` is expected.
pub(crate) fn other_message(message: &str, record: &[u8]) -> Error {
    let bytes = record.len();
    Error::new(
        Kind::OtherMessage,
        format!(
            "the record is not a {message}: no feature comes from its {bytes} bytes, whose fields are those of another \
             message"
        ),
    )
}
