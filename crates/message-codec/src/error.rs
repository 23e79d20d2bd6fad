//! Errors of this crate.

use tfxio_base::{Detail, Error, ErrorKind};
use tfxio_core::Origin;

/// Detailed kind of an [`Error`], returned by `error.detail::<Kind>()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The bytes are not a `FileDescriptorSet`, or contradict themselves.
    BadDescriptor,
    /// A type that a descriptor names is in none of its files.
    MissingType,
    /// An edition of protobuf that this version does not know.
    UnknownEdition,
    /// `.proto` sources that do not compile.
    BadSource,
    /// A message that the descriptors do not have, or none was named where there are several.
    UnknownMessage,
    /// A column or field that does not exist was asked for.
    UnknownColumn,
    /// An option that makes no sense with the others.
    InvalidOption,
    /// The record is not a protobuf message.
    Malformed(proto_wire::ErrorKind),
    /// A field has another wire type than its descriptor.
    WireType,
    /// A string is not UTF-8.
    NotUtf8,
    /// A required field is absent.
    MissingField,
    /// A bound of [`tfxio_core::Limits`] was reached.
    LimitExceeded,
    /// A column that no message of the descriptor has, or of another type.
    UnsupportedColumn,
    /// A value that a message cannot hold: a null in a list, two members of one oneof.
    BadValue,
    /// Arrow refused what should be a batch.
    Arrow,
}

impl Detail for Kind {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::BadDescriptor | Self::BadSource | Self::Malformed(_) | Self::NotUtf8 => {
                ErrorKind::Malformed
            }
            Self::WireType | Self::MissingField | Self::BadValue => ErrorKind::SchemaMismatch,
            Self::UnknownEdition | Self::UnsupportedColumn => ErrorKind::Unsupported,
            Self::MissingType | Self::UnknownMessage | Self::UnknownColumn | Self::InvalidOption => {
                ErrorKind::InvalidArgument
            }
            Self::LimitExceeded => ErrorKind::LimitExceeded,
            Self::Arrow => ErrorKind::Other,
        }
    }
}

/// Sets file, byte and number of the record; the path within it stays.
pub(crate) fn in_record(error: Error, origin: Origin<'_>) -> Error {
    let position = origin.position();
    error.or_at(&position)
}

/// Returns the error of bytes that are not protobuf, whose positions count from `base` bytes after the start of the record.
#[cold]
pub(crate) fn malformed(error: proto_wire::Error, base: usize) -> Error {
    let kind = error.kind();
    let error = Error::new(Kind::Malformed(kind), kind.description())
        .at_record_byte(base.saturating_add(error.byte()));
    error.help("check that the record is of this message type, and whole")
}
