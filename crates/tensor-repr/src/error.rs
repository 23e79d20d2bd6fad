//! The error of this crate.

use std::fmt;
use std::sync::Arc;

use tfxio_core::Position;

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Bytes that are not the protobuf message they should be.
    MalformedProto,
    /// Text that is not the text form of the protobuf message it should be. The message says the line and column.
    MalformedText,
    /// A schema that contradicts itself, or says what cannot be.
    InvalidSchema,
    /// A representation that contradicts itself.
    InvalidRepresentation,
    /// A representation that the published proto, or a feature spec, cannot say.
    NotExpressible,
    /// A column that a representation needs and the Arrow schema lacks.
    MissingColumn,
    /// A column of another type than its representation needs.
    TypeMismatch,
    /// A batch of another schema than the adapter was made for.
    SchemaMismatch,
    /// A tensor name that the adapter does not have.
    UnknownTensor,
    /// A row, or a number of values, that does not fit the shape.
    ShapeMismatch,
    /// A null where the representation has no default.
    NullValue,
    /// A sparse index that is negative, outside of the shape, or without a value.
    InvalidIndex,
    /// Row lengths that do not divide the values they should divide.
    InvalidPartition,
    /// A tensor whose parts contradict each other.
    InvalidTensor,
    /// An argument that makes no sense: an empty path, a step that is not there.
    InvalidArgument,
    /// More elements than an index or an offset can count.
    Overflow,
    /// Something that this version does not do.
    Unsupported,
    /// Arrow refused what should be an array.
    Arrow,
}

/// What went wrong, where, and why. One word wide.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    tensor: Option<Arc<str>>,
    position: Position,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

const _: () = assert!(size_of::<Error>() == size_of::<usize>());

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            tensor: None,
            position: Position::default(),
            source: None,
        }))
    }

    /// The same error with a cause.
    pub(crate) fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The same error for a row of a batch.
    pub(crate) fn in_row(mut self, row: usize) -> Self {
        self.0.position.record = Some(row as u64);
        self
    }

    /// The same error for a column.
    pub(crate) fn in_column(mut self, column: impl fmt::Display) -> Self {
        self.0.position.column = Some(column.to_string().into());
        self
    }

    /// The same error for a tensor.
    pub(crate) fn in_tensor(mut self, name: &str) -> Self {
        self.0.tensor = Some(Arc::from(name));
        self
    }

    /// What went wrong, without where.
    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The same error for the record, of a file, that the row of the batch was; both count from 0.
    #[must_use]
    pub fn in_record(mut self, file: impl Into<Arc<str>>, record: u64) -> Self {
        self.0.position.file = Some(file.into());
        self.0.position.record = Some(record);
        self
    }

    /// Where: the row of the batch (0-based, as `record`) and the column. With a file the number is that of the record
    /// in it.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.0.position
    }

    /// The tensor that could not be made.
    #[must_use]
    pub fn tensor(&self) -> Option<&str> {
        self.0.tensor.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.0;
        let mut separator = "";
        if let Some(file) = &inner.position.file {
            f.write_str(file)?;
            separator = ", ";
            if let Some(record) = inner.position.record {
                write!(f, ", record {record}")?;
            }
        }
        if let Some(tensor) = &inner.tensor {
            write!(f, "{separator}tensor {tensor:?}")?;
            separator = ", ";
        }
        if let Some(column) = &inner.position.column {
            write!(f, "{separator}column {column:?}")?;
            separator = ", ";
        }
        if let (None, Some(row)) = (&inner.position.file, inner.position.record) {
            write!(f, "{separator}row {row}")?;
            separator = ", ";
        }
        if !separator.is_empty() {
            f.write_str(": ")?;
        }
        f.write_str(&inner.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.0.message)
            .field("tensor", &self.0.tensor)
            .field("position", &self.0.position)
            .field("source", &self.0.source)
            .finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl From<arrow_schema::ArrowError> for Error {
    fn from(error: arrow_schema::ArrowError) -> Self {
        Self::new(ErrorKind::Arrow, error.to_string()).because(error)
    }
}

impl From<Error> for tfxio_core::Error {
    fn from(error: Error) -> Self {
        use tfxio_core::ErrorKind as Core;
        let kind = match error.kind() {
            ErrorKind::MalformedProto | ErrorKind::MalformedText => Core::Malformed,
            ErrorKind::MissingColumn
            | ErrorKind::TypeMismatch
            | ErrorKind::SchemaMismatch
            | ErrorKind::ShapeMismatch
            | ErrorKind::NullValue
            | ErrorKind::InvalidIndex
            | ErrorKind::InvalidPartition => Core::SchemaMismatch,
            ErrorKind::InvalidSchema
            | ErrorKind::InvalidRepresentation
            | ErrorKind::UnknownTensor
            | ErrorKind::InvalidTensor
            | ErrorKind::InvalidArgument => Core::InvalidArgument,
            ErrorKind::Overflow => Core::LimitExceeded,
            ErrorKind::NotExpressible | ErrorKind::Unsupported => Core::Unsupported,
            ErrorKind::Arrow => Core::Other,
        };
        Self::wrap_at(kind, error.position().clone(), error)
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, ErrorKind};

    #[test]
    fn an_error_says_tensor_column_and_row() {
        let error = Error::new(ErrorKind::ShapeMismatch, "3 values, the shape [2] holds 2")
            .in_tensor("image")
            .in_column("pixels")
            .in_row(7);
        assert_eq!(
            error.to_string(),
            "tensor \"image\", column \"pixels\", row 7: 3 values, the shape [2] holds 2"
        );
        assert_eq!(
            error.in_record("a.tfrecord", 1031).to_string(),
            "a.tfrecord, record 1031, tensor \"image\", column \"pixels\": 3 values, the shape [2] holds 2"
        );
        assert_eq!(Error::new(ErrorKind::Overflow, "too many").to_string(), "too many");
    }
}
