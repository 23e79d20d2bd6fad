//! Kinds of errors of this crate.

use tfxio_base::{Damage, Detail, ErrorKind, Position};

/// Detailed kind of an error of a file of records, below [`ErrorKind`]; read with
/// [`Error::detail`](crate::Error::detail) and [`Error::is`](crate::Error::is).
///
/// ```
/// use tfrecord_io::{ErrorKind, Kind, SliceReader};
///
/// let error = SliceReader::new(b"PAR1 and so on").next_record().unwrap_err();
/// assert_eq!(error.detail(), Some(&Kind::NotTfRecord));
/// assert_eq!(error.kind(), ErrorKind::Malformed);
/// assert_eq!(
///     error.to_string(),
///     "byte 0, record 0: this is not a TFRecord file: it begins like a Parquet file; \
///      give it to a reader of that format, or convert it first"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The file is not a TFRecord file: its first bytes are not the header of a record.
    NotTfRecord,
    /// The checksum of a record's length does not match: the length cannot be trusted.
    HeaderCrc,
    /// The checksum of a record's payload does not match: the record is damaged.
    PayloadCrc,
    /// The input ends inside a record or inside a compressed stream.
    Truncated,
    /// A record claims more bytes than the limits allow.
    RecordTooLong,
    /// The stated compression is not that of the file.
    CompressionMismatch,
    /// The input is compressed in a way that this build cannot read (the feature is off).
    CompressionUnsupported,
    /// A compressed stream is corrupt.
    Decompress,
    /// Bytes that are neither compressed data nor zeros follow the end of the compressed data.
    TrailingBytes,
    /// An index file is damaged, or is not an index file.
    IndexCorrupt,
    /// An index belongs to another state of its data file.
    IndexStale,
    /// A record number or a byte range is outside the file.
    OutOfRange,
    /// A split of a file does not end at the record with which the next one begins.
    SplitMismatch,
    /// A shard pattern or a glob cannot be parsed.
    ShardPattern,
    /// Some shards of a set whose size is known are missing.
    MissingShard,
    /// A pattern matched no file.
    NoFilesMatched,
    /// An object store refused a request, or went on failing after all retries.
    Store,
}

impl Detail for Kind {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotTfRecord
            | Self::HeaderCrc
            | Self::PayloadCrc
            | Self::Truncated
            | Self::Decompress
            | Self::TrailingBytes
            | Self::CompressionMismatch
            | Self::IndexCorrupt
            | Self::IndexStale
            | Self::SplitMismatch => ErrorKind::Malformed,
            Self::RecordTooLong => ErrorKind::LimitExceeded,
            Self::CompressionUnsupported => ErrorKind::Unsupported,
            Self::ShardPattern | Self::OutOfRange => ErrorKind::InvalidArgument,
            Self::MissingShard | Self::NoFilesMatched => ErrorKind::NotFound,
            Self::Store => ErrorKind::Io,
        }
    }

    fn damage(&self, _: &Position) -> Option<Damage> {
        match self {
            Self::HeaderCrc | Self::PayloadCrc | Self::Truncated | Self::Decompress | Self::TrailingBytes => {
                Some(Damage::Records)
            }
            Self::NotTfRecord | Self::CompressionMismatch => Some(Damage::OtherFormat),
            _ => None,
        }
    }
}
