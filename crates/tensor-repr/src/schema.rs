//! The schema of a data set, as the document that it is.

mod build;
mod check;
mod feature;
mod text;
pub(crate) mod wire;

pub use self::build::{FeatureDefinition, SchemaBuilder};
pub use self::feature::{FeatureType, SchemaFeature};

use std::fmt;
use std::str::FromStr;

use prost::Message as _;

use crate::proto::descriptors;
use crate::proto::metadata::v0 as tfmd;
use crate::{Error, Kind};

/// A `tensorflow.metadata.v0.Schema`, read from and written as binary or text protobuf.
///
/// The bytes of the message are what is kept. So fields that this
/// crate does not know, nested ones too, survive reading, projecting and writing: from binary to binary, and
/// to text, which shows them by their numbers, and back.
///
/// Text is what `schema.pbtxt` files hold. All of protobuf's text format is read: comments, `{ }` and `< >`,
/// lists, strings in parts, every escape. Besides, a field may be written as its number, whether it is known or
/// not, and an enum value that is not known as its number. Messages may be nested 100 deep.
///
/// ```
/// use tensor_repr::TfmdSchema;
/// let schema = TfmdSchema::from_text(
///     r#"feature { name: "age" type: INT value_count { min: 1 max: 1 } }  # one a person"#,
/// )?;
/// assert_eq!(schema.features().next().map(|feature| feature.name()), Some("age"));
/// assert_eq!(TfmdSchema::from_binary(schema.as_binary())?, schema);
/// assert_eq!(
///     schema.to_text(),
///     "feature {\n  name: \"age\"\n  value_count {\n    min: 1\n    max: 1\n  }\n  type: INT\n}\n"
/// );
/// let error = TfmdSchema::from_text("feature {\n  name: age\n}").unwrap_err();
/// assert_eq!(error.to_string(), "line 2, column 9: `name` needs a string in quotes, found `age`");
/// # Ok::<(), tensor_repr::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct TfmdSchema {
    /// The encoded message.
    bytes: Vec<u8>,
    /// The decoded message, without unknown fields.
    proto: tfmd::Schema,
}

impl TfmdSchema {
    /// Returns the schema of a message.
    pub(crate) fn of(proto: tfmd::Schema) -> Self {
        Self { bytes: proto.encode_to_vec(), proto }
    }

    /// Reads the schema of an encoded message.
    ///
    /// # Errors
    ///
    /// If the bytes are not such a message ([`Kind::MalformedProto`]).
    pub fn from_binary(bytes: impl Into<Vec<u8>>) -> Result<Self, Error> {
        let bytes = bytes.into();
        check::check(&descriptors::schema()?, &bytes)?;
        let proto = tfmd::Schema::decode(bytes.as_slice()).map_err(|error| {
            let text = format!("the bytes are no schema: {error}");
            Error::new(Kind::MalformedProto, text).because(error)
        })?;
        Ok(Self { bytes, proto })
    }

    /// Reads the schema of a message in text form.
    ///
    /// # Errors
    ///
    /// If the text is not such a message ([`Kind::MalformedText`]). The message contains the line and the column (both from
    /// 1, the column in characters), what was expected there, and what was found.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        Self::from_binary(text::parse(text)?).map_err(|error| error.of_kind(Kind::MalformedText))
    }

    /// Reads the schema of a message in either form, as a file may hold it. Text has no control characters but blanks and
    /// line ends; a binary message that is not empty has others, or is not UTF-8.
    ///
    /// # Errors
    ///
    /// As [`from_text`](Self::from_text) or [`from_binary`](Self::from_binary).
    pub fn from_either(bytes: &[u8]) -> Result<Self, Error> {
        let blank = |byte: u8| matches!(byte, b'\t' | b'\n' | 0x0b | 0x0c | b'\r');
        match std::str::from_utf8(bytes) {
            Ok(text) if text.bytes().all(|byte| byte >= b' ' || blank(byte)) => Self::from_text(text),
            _ => Self::from_binary(bytes),
        }
    }

    /// Returns the known fields.
    pub(crate) fn proto(&self) -> &tfmd::Schema {
        &self.proto
    }

    /// Returns the encoded message. One that was read from bytes is those bytes.
    #[must_use]
    pub fn as_binary(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the message in text form: a field a line, in order of their numbers, the entries of maps in order of their
    /// keys. It reads back as the same message, and is what protobuf's own printer writes, but for four things: floats have
    /// no `+` in the exponent (`1e19`), an `Any` is its `type_url` and `value`, an empty key of a map is left out, and a
    /// NaN keeps its sign.
    #[must_use]
    pub fn to_text(&self) -> String {
        text::print(&self.bytes)
    }
}

impl FromStr for TfmdSchema {
    type Err = Error;

    /// As [`TfmdSchema::from_text`].
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::from_text(text)
    }
}

impl PartialEq for TfmdSchema {
    /// Returns whether the encoded messages are equal.
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl fmt::Debug for TfmdSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Schema").field(&self.to_text()).finish()
    }
}
