//! Kinds of errors.

use std::fmt;

use tfxio_base::{Detail, Error, ErrorKind, Position, suggest};

/// Kind of an error of this crate; read with [`Error::detail`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Bytes that are not the protobuf message they should be.
    MalformedProto,
    /// Text that is not the text form of the protobuf message it should be. The message contains the line and column.
    MalformedText,
    /// A schema that contradicts itself, or contains impossible values.
    InvalidSchema,
    /// A representation that contradicts itself.
    InvalidRepresentation,
    /// A representation that the published proto, or a feature spec, cannot express.
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
    /// A null element where the representation has no default.
    NullValue,
    /// A row without a value where the representation has no default and is not optional.
    AbsentValue,
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
}

impl Detail for Kind {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::MalformedProto | Self::MalformedText => ErrorKind::Malformed,
            Self::MissingColumn
            | Self::TypeMismatch
            | Self::SchemaMismatch
            | Self::ShapeMismatch
            | Self::NullValue
            | Self::AbsentValue
            | Self::InvalidIndex
            | Self::InvalidPartition => ErrorKind::SchemaMismatch,
            Self::InvalidSchema
            | Self::InvalidRepresentation
            | Self::UnknownTensor
            | Self::InvalidTensor
            | Self::InvalidArgument => ErrorKind::InvalidArgument,
            Self::Overflow => ErrorKind::LimitExceeded,
            Self::NotExpressible | Self::Unsupported => ErrorKind::Unsupported,
        }
    }
}

/// Sets the parts of a position that this crate knows.
pub(crate) trait Locate {
    /// Sets the row of the batch.
    fn in_row(self, row: usize) -> Self;
    /// Sets the column.
    fn in_column(self, column: impl fmt::Display) -> Self;
    /// Sets the tensor.
    fn in_tensor(self, name: &str) -> Self;
}

impl Locate for Error {
    fn in_row(mut self, row: usize) -> Self {
        self.position_mut().row = Some(row as u64);
        self
    }

    fn in_column(mut self, column: impl fmt::Display) -> Self {
        self.position_mut().column = Some(column.to_string().into());
        self
    }

    fn in_tensor(mut self, name: &str) -> Self {
        self.position_mut().tensor = Some(name.into());
        self
    }
}

/// Adds the known name that is nearest, if one is near, as a hint.
pub(crate) fn with_nearest(error: Error, name: &str, known: &[&str]) -> Error {
    match suggest::did_you_mean(name, known.iter().copied()) {
        Some(hint) => error.help(hint),
        None => error,
    }
}

/// Returns the position in a text, from 1.
pub(crate) fn line_and_column(line: usize, column: usize) -> Position {
    let number = |number| u32::try_from(number).unwrap_or(u32::MAX);
    Position::new().line(number(line)).line_column(number(column))
}

#[cfg(test)]
mod tests {
    use super::{Error, Kind, Locate};

    #[test]
    fn an_error_says_tensor_column_and_row() {
        let error = Error::new(Kind::ShapeMismatch, "3 values, the shape [2] holds 2")
            .in_tensor("image")
            .in_column("pixels")
            .in_row(7);
        assert_eq!(
            error.to_string(),
            "tensor \"image\", column \"pixels\", row 7: 3 values, the shape [2] holds 2"
        );
    }
}
