//! Errors of other crates' interfaces that carry one of ours, and back.

use crate::{Error, ErrorKind};

impl From<Error> for std::io::Error {
    /// Converts for code that must return an `io::Error`. [`Error::io`] gets the error back.
    fn from(error: Error) -> Self {
        use std::io::ErrorKind as Io;
        let kind = match error.kind() {
            ErrorKind::NotFound => Io::NotFound,
            ErrorKind::PermissionDenied => Io::PermissionDenied,
            ErrorKind::IsDirectory => Io::IsADirectory,
            ErrorKind::StorageFull => Io::StorageFull,
            ErrorKind::AlreadyExists => Io::AlreadyExists,
            ErrorKind::InvalidArgument | ErrorKind::SchemaRequired => Io::InvalidInput,
            ErrorKind::Unsupported => Io::Unsupported,
            ErrorKind::Malformed | ErrorKind::SchemaMismatch | ErrorKind::LimitExceeded => Io::InvalidData,
            ErrorKind::Io | ErrorKind::Cancelled | ErrorKind::Other => Io::Other,
        };
        Self::new(kind, error)
    }
}

#[cfg(feature = "arrow")]
impl From<arrow_schema::ArrowError> for Error {
    /// Returns an error of ours that went through Arrow's interfaces as it was.
    fn from(error: arrow_schema::ArrowError) -> Self {
        use arrow_schema::ArrowError;
        match error {
            ArrowError::ExternalError(inner) => match inner.downcast::<Self>() {
                Ok(ours) => *ours,
                Err(other) => Self::wrap(ErrorKind::Other, other),
            },
            ArrowError::IoError(text, inner) => Self::new(ErrorKind::Io, text).because(inner),
            other => Self::wrap(ErrorKind::Other, other),
        }
    }
}

#[cfg(feature = "arrow")]
impl From<Error> for arrow_schema::ArrowError {
    fn from(error: Error) -> Self {
        Self::ExternalError(Box::new(error))
    }
}
