//! Errors of `tfrecord-io` and of splits as errors of this crate.

use std::fmt;

use tfrecord_io::ErrorKind as Record;
use tfxio_core::{Error, ErrorKind, Position, Split};

/// An error of `tfrecord_io` as one of this crate. Text, position and cause stay as they are.
#[must_use]
pub fn from_tfrecord_error(error: tfrecord_io::Error) -> Error {
    let of = error.position();
    let mut position = Position::new();
    position.file = of.file().map(Into::into);
    position.byte = of.byte();
    position.record = of.record();
    Error::wrap_at(error_kind(&error), position, error)
}

/// The kind of an error here.
pub(crate) fn error_kind(error: &tfrecord_io::Error) -> ErrorKind {
    match error.kind() {
        Record::Io
        | Record::NotFound
        | Record::PermissionDenied
        | Record::IsDirectory
        | Record::StorageFull
        | Record::OutputExists
        | Record::MissingShard
        | Record::NoFilesMatched
        | Record::Store => ErrorKind::Io,
        Record::NotTfRecord
        | Record::HeaderCrc
        | Record::PayloadCrc
        | Record::Truncated
        | Record::Decompress
        | Record::CompressionMismatch
        | Record::IndexCorrupt
        | Record::IndexStale
        | Record::SplitMismatch
        | Record::SalvageBudget => ErrorKind::Malformed,
        Record::RecordTooLong | Record::LimitExceeded => ErrorKind::LimitExceeded,
        Record::CompressionUnsupported => ErrorKind::Unsupported,
        Record::ShardPattern | Record::OutOfRange | Record::InvalidOption => ErrorKind::InvalidArgument,
        _ => ErrorKind::Other,
    }
}

/// An error in a split that does not begin with its file: the number of the record in the file is not known.
#[derive(Debug)]
struct InSplit {
    error: Error,
    split: Split,
}

impl fmt::Display for InSplit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { error, split } = self;
        write!(f, "{error} (in the split {split}, whose records are numbered from its first)")
    }
}

impl std::error::Error for InSplit {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Says of an error that its record is counted from the beginning of the split, where that is so.
pub(crate) fn in_split(error: Error, split: &Split) -> Error {
    if split.start == 0 || error.position().record.is_none() {
        return error;
    }
    let mut position = error.position().clone();
    position.record = None;
    Error::wrap_at(error.kind(), position, InSplit { error, split: split.clone() })
}
