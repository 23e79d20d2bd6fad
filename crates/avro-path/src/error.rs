//! The kinds of errors of this crate.

use tfxio_core::{Damage, Detail, ErrorKind, Position};

/// Detailed kind of an error of Avro data, below [`ErrorKind`]; read with [`Error::detail`](crate::Error::detail) and
/// [`Error::is`](crate::Error::is). Limits, options and errors of Arrow have the kinds of [`ErrorKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The file does not begin like an Avro object container.
    NotAvro,
    /// The header of a container is damaged or lacks a required entry.
    Header,
    /// The schema is not valid JSON or not a valid Avro schema.
    Schema,
    /// The input ends inside a header, a block or a datum.
    Truncated,
    /// The sync marker after a block is not that of the file.
    Sync,
    /// A block's count or size cannot be true.
    Block,
    /// The codec is unknown.
    CodecUnknown,
    /// This build cannot read the codec (the feature is off).
    CodecUnsupported,
    /// Compressed bytes are corrupt.
    Decompress,
    /// A block claims more than the limits allow.
    BlockTooLarge,
    /// The bytes of a datum do not follow its schema.
    Malformed,
    /// A string is not UTF-8.
    NotUtf8,
    /// Data of the writer's schema cannot be read with the reader's schema.
    Resolution,
    /// A value does not fit the schema with which it should be written, or is of another branch of a union than a key
    /// reads.
    ValueMismatch,
    /// More was damaged than the salvage budget allows.
    SalvageBudget,
    /// The syntax of a key expression is wrong.
    KeySyntax,
    /// A key expression does not fit the schema.
    KeyType,
}

impl Detail for Kind {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotAvro
            | Self::Header
            | Self::Truncated
            | Self::Sync
            | Self::Block
            | Self::CodecUnknown
            | Self::Decompress
            | Self::Malformed
            | Self::NotUtf8
            | Self::SalvageBudget => ErrorKind::Malformed,
            Self::Schema | Self::Resolution | Self::ValueMismatch => ErrorKind::SchemaMismatch,
            Self::BlockTooLarge => ErrorKind::LimitExceeded,
            Self::KeySyntax | Self::KeyType => ErrorKind::InvalidArgument,
            Self::CodecUnsupported => ErrorKind::Unsupported,
        }
    }

    fn damage(&self, position: &Position) -> Option<Damage> {
        let (is_of_record, is_of_block) = (position.record.is_some(), position.block.is_some());
        match self {
            Self::Header => Some(Damage::Header),
            Self::Malformed | Self::NotUtf8 | Self::Truncated if is_of_record => Some(Damage::Content),
            // A claim that no limit allows is most often damage.
            Self::Sync | Self::Block | Self::Decompress | Self::Truncated | Self::BlockTooLarge
                if is_of_block && !is_of_record =>
            {
                Some(Damage::Records)
            }
            _ => None,
        }
    }
}
