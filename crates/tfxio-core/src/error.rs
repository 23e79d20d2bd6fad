//! The error that every trait of this crate answers with.

use std::fmt;
use std::sync::Arc;

/// What went wrong, in one word to branch on. The text of an [`Error`] says the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system or an object store refused.
    Io,
    /// Bytes that are not what their format demands.
    Malformed,
    /// Data that their format allows and their schema, or the data before them, does not.
    SchemaMismatch,
    /// A question that has no answer without a schema.
    SchemaRequired,
    /// A bound of [`Limits`](crate::Limits) was reached.
    LimitExceeded,
    /// A request that cannot be met: an unknown column, an option out of range.
    InvalidArgument,
    /// Something this version does not do.
    Unsupported,
    /// An error of another library that fits none of the above.
    Other,
}

/// Where in the input an error arose. What is not known is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Path or URL of the file.
    pub file: Option<Arc<str>>,
    /// Byte in the (uncompressed) file. The first byte is 0.
    pub byte: Option<u64>,
    /// Number of the record in its file. The first is 0.
    pub record: Option<u64>,
    /// Feature, column or field path.
    pub column: Option<Arc<str>>,
}

impl Position {
    /// Whether nothing is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(file) = &self.file {
            write!(f, "{file}")?;
            separator = ", ";
        }
        if let Some(byte) = self.byte {
            write!(f, "{separator}byte {byte}")?;
            separator = ", ";
        }
        if let Some(record) = self.record {
            write!(f, "{separator}record {record}")?;
            separator = ", ";
        }
        if let Some(column) = &self.column {
            write!(f, "{separator}feature {column:?}")?;
        }
        Ok(())
    }
}

/// An error with a kind, a position and, where there is one, a cause. One word wide.
///
/// Format crates have errors of their own, with finer kinds; they convert into this one, which
/// keeps them as its [`source`](std::error::Error::source).
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    position: Position,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

const _: () = assert!(size_of::<Error>() == size_of::<usize>());

impl Error {
    /// An error with a text of its own and no position yet.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, message: message.into(), position: Position::default(), source: None }))
    }

    /// An error that stands for another, whose text already says everything.
    #[must_use]
    pub fn wrap(
        kind: ErrorKind,
        position: Position,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self(Box::new(Inner { kind, message: String::new(), position, source: Some(source.into()) }))
    }

    /// The same error at a position.
    #[must_use]
    pub fn at(mut self, position: Position) -> Self {
        self.0.position = position;
        self
    }

    /// The same error with a cause.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// What went wrong, in one word.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where in the input.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.0.position
    }

    /// The error that this one stands for, or that caused it; of a format crate, its own error with a finer kind.
    #[must_use]
    pub fn get_ref(&self) -> Option<&(dyn std::error::Error + Send + Sync + 'static)> {
        self.0.source.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.source {
            Some(source) if self.0.message.is_empty() => return source.fmt(f),
            _ => {}
        }
        if !self.0.position.is_unknown() {
            write!(f, "{}: ", self.0.position)?;
        }
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.to_string())
            .field("position", &self.0.position)
            .field("source", &self.0.source)
            .finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.source {
            // The text of a wrapped error is our text already: go on with its cause.
            Some(source) if self.0.message.is_empty() => source.source(),
            Some(source) => Some(source.as_ref()),
            None => None,
        }
    }
}

impl From<arrow_schema::ArrowError> for Error {
    fn from(error: arrow_schema::ArrowError) -> Self {
        use arrow_schema::ArrowError;
        match error {
            // What went through arrow's `RecordBatchReader` comes back as it was.
            ArrowError::ExternalError(inner) => match inner.downcast::<Self>() {
                Ok(ours) => *ours,
                Err(other) => Self::wrap(ErrorKind::Other, Position::default(), other),
            },
            ArrowError::IoError(text, inner) => Self::new(ErrorKind::Io, text).because(inner),
            other => Self::wrap(ErrorKind::Other, Position::default(), other),
        }
    }
}

impl From<Error> for arrow_schema::ArrowError {
    fn from(error: Error) -> Self {
        Self::ExternalError(Box::new(error))
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, ErrorKind, Position};
    use std::error::Error as _;

    #[test]
    fn an_error_says_where_and_what() {
        let error =
            Error::new(ErrorKind::SchemaMismatch, "the value is a float_list, the schema says int64_list")
                .at(Position {
                    file: Some("a.tfrecord".into()),
                    byte: Some(120),
                    record: Some(3),
                    column: Some("age".into()),
                });
        assert_eq!(
            error.to_string(),
            "a.tfrecord, byte 120, record 3, feature \"age\": the value is a float_list, the schema says int64_list"
        );
    }

    #[test]
    fn a_wrapped_error_keeps_text_and_cause() {
        let io = std::io::Error::other("disk on fire");
        let error = Error::wrap(ErrorKind::Io, Position::default(), io);
        assert_eq!(error.to_string(), "disk on fire");
        let error = Error::new(ErrorKind::Io, "cannot read").because(std::io::Error::other("disk on fire"));
        assert_eq!(error.source().map(ToString::to_string).as_deref(), Some("disk on fire"));
    }

    #[test]
    fn an_error_survives_the_way_through_arrow() {
        let error = Error::new(ErrorKind::LimitExceeded, "too much");
        let back = Error::from(arrow_schema::ArrowError::from(error));
        assert_eq!((back.kind(), back.to_string().as_str()), (ErrorKind::LimitExceeded, "too much"));
    }
}
