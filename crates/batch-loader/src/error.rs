//! Kinds of errors.

use std::sync::Arc;

use tfxio_core::{Detail, Error, ErrorKind, Remedy};

/// Kind of an error, in the words of this crate; read with [`Error::detail`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A manifest or a configuration is not valid JSON.
    InvalidJson,
    /// A key is missing from a manifest or a configuration.
    MissingArgument,
    /// A key that a manifest or a configuration does not have.
    UnexpectedArgument,
    /// A value of a manifest or a configuration is of another JSON type than its key takes.
    InvalidType,
    /// A value of a manifest, a configuration or an option that is not allowed, alone or beside the others.
    InvalidValue,
    /// A file or a directory does not exist.
    NotFound,
    /// Reading a file or an object failed.
    Io,
    /// A file differs from its manifest: another compression, a damaged frame, a record that is not a message.
    Corrupt,
    /// A record differs from the manifest or the configuration: a feature is missing, has another number of values, or
    /// does not fit beside the others of its window or batch.
    Record,
    /// A record leaves the schema of `validate`.
    Schema,
    /// A batch does not have a tensor of that name.
    UnknownTensor,
    /// A batch would be larger than the limits allow.
    LimitExceeded,
    /// A saved state is malformed, or of another data set or configuration.
    State,
    /// A data set failed.
    Source,
    /// The function given to [`map`](crate::LoaderBuilder::map) failed.
    Mapped,
    /// The loader was stopped by a [`StopHandle`](crate::StopHandle).
    Stopped,
}

/// Returns the error of an example that does not belong to its chunks, which would be a bug of the loader.
#[cold]
pub(crate) fn outside() -> Error {
    Error::new(Kind::Record, "an example lies outside of the records it was cut from")
}

impl Detail for Kind {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Io => ErrorKind::Io,
            Self::NotFound => ErrorKind::NotFound,
            Self::Corrupt => ErrorKind::Malformed,
            Self::Record | Self::Schema => ErrorKind::SchemaMismatch,
            Self::LimitExceeded => ErrorKind::LimitExceeded,
            Self::InvalidJson
            | Self::MissingArgument
            | Self::UnexpectedArgument
            | Self::InvalidType
            | Self::InvalidValue
            | Self::UnknownTensor
            | Self::State => ErrorKind::InvalidArgument,
            Self::Source | Self::Mapped => ErrorKind::Other,
            Self::Stopped => ErrorKind::Cancelled,
        }
    }
}

/// The advice about a damaged file.
pub(crate) const REWRITE_OR_SKIP: &str =
    "write the file again, or set `on_error` to \"skip\" to leave out what is damaged";

/// Sets the parts of a position that this crate knows.
pub(crate) trait Locate {
    /// Sets the path within a JSON document, unless one is known.
    fn at_json(self, path: impl Into<Arc<str>>) -> Self;
    /// Sets the tensor, unless one is known.
    fn of_tensor(self, tensor: impl Into<Arc<str>>) -> Self;
    /// Sets the record of a file, and its first byte.
    fn in_record(self, record: u64, byte: Option<u64>) -> Self;
    /// Replaces the advice to skip damage, where that is refused.
    fn without_skip(self) -> Self;
    /// Names a budget of damage, which this error exceeds, as the configuration does.
    fn over_budget(self) -> Self;
}

impl Locate for Error {
    fn at_json(mut self, path: impl Into<Arc<str>>) -> Self {
        self.position_mut().json_path.get_or_insert_with(|| path.into());
        self
    }

    fn of_tensor(mut self, tensor: impl Into<Arc<str>>) -> Self {
        self.position_mut().tensor.get_or_insert_with(|| tensor.into());
        self
    }

    fn in_record(mut self, record: u64, byte: Option<u64>) -> Self {
        let position = self.position_mut();
        (position.record, position.byte) = (Some(record), byte);
        self
    }

    fn without_skip(self) -> Self {
        if self.remedy() == Some(Remedy::SkipDamage) { self.help("write the file again") } else { self }
    }

    fn over_budget(self) -> Self {
        self.of_kind(Kind::LimitExceeded).help("write the files again, or allow more in `error_budget`")
    }
}
