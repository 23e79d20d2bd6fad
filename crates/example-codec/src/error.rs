//! The error of this crate.

use std::fmt;
use std::sync::Arc;

use tfxio_core::{Origin, Position};

use crate::FeatureKind;

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The record is not a protobuf message.
    Malformed(proto_wire::ErrorKind),
    /// A feature's name is not UTF-8, which proto3 demands of a string.
    NameNotUtf8,
    /// A feature has another kind than the schema or an earlier record says. `expected` is `None`
    /// for a feature that should have no value.
    KindMismatch {
        /// The kind of the column.
        expected: Option<FeatureKind>,
        /// The kind in the record.
        found: FeatureKind,
    },
    /// A feature that the schema does not have, where the reader was told not to pass over it.
    UnknownFeature,
    /// Feature lists, which a tf.Example does not have, where the reader was told to refuse them.
    FeatureLists,
    /// The bytes are those of another message: they have fields, and none belongs to a feature.
    OtherMessage,
    /// A required feature is absent.
    MissingFeature,
    /// A feature of fixed length has another number of values.
    WrongLength {
        /// Values that the schema says.
        expected: u32,
        /// Values in the record.
        found: u64,
    },
    /// A bound of [`tfxio_core::Limits`] was reached, or one of Arrow's 32-bit offsets.
    LimitExceeded,
    /// A schema that contradicts itself.
    InvalidSchema,
    /// A column that does not exist was asked for.
    UnknownColumn,
    /// An option that makes no sense with the others.
    InvalidOption,
    /// A column that has no equivalent in tf.Example.
    UnsupportedColumn,
    /// A null inside a list, which tf.Example cannot hold.
    NullValue,
    /// Arrow refused what should be a batch.
    Arrow,
}

/// What went wrong, where, and why. One word wide.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    position: Position,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

const _: () = assert!(size_of::<Error>() == size_of::<usize>());

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, message: message.into(), position: Position::default(), source: None }))
    }

    pub(crate) fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The same error for a record.
    pub(crate) fn in_record(mut self, origin: Origin<'_>) -> Self {
        self.0.position.file = origin.file.map(Arc::from);
        self.0.position.record = Some(origin.index);
        self.0.position.byte = origin.file.is_some().then_some(origin.offset);
        self
    }

    /// The same error at a position.
    pub(crate) fn at_place(mut self, position: Position) -> Self {
        self.0.position = position;
        self
    }

    /// The same error for a row of a batch.
    pub(crate) fn in_row(mut self, row: usize) -> Self {
        self.0.position.record = Some(row as u64);
        self
    }

    /// The same error for a feature.
    pub(crate) fn in_feature(mut self, name: &str) -> Self {
        self.0.position.column = Some(Arc::from(name));
        self
    }

    pub(crate) fn unknown_column<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let known = known.collect::<Vec<_>>();
        let hint = match nearest(name, &known) {
            Some(near) => format!("did you mean {near:?}?"),
            None if known.is_empty() => "there are no columns".to_owned(),
            None => {
                let some =
                    known.iter().take(10).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
                let more = if known.len() > 10 { ", …" } else { "" };
                format!("the columns are {some}{more}")
            }
        };
        Self::new(ErrorKind::UnknownColumn, format!("there is no column {name:?}; {hint}"))
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where: the file, the byte at which the record begins (0-based, in the uncompressed file),
    /// the record's number (0-based; for the encoder the row's), the feature.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.0.position
    }
}

/// The known name that differs least from the asked-for one, if it differs little.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let most = 1 + name.chars().count() / 4;
    let near = known.iter().take(10_000).map(|known| (edits(name, known, most), *known));
    near.filter(|(edits, _)| *edits <= most).min_by_key(|(edits, _)| *edits).map(|(_, known)| known)
}

/// Levenshtein's distance; anything above `most` counts as `most + 1`.
fn edits(a: &str, b: &str, most: usize) -> usize {
    let (a, b) = (a.chars().collect::<Vec<_>>(), b.chars().collect::<Vec<_>>());
    if a.len().abs_diff(b.len()) > most || a.len() > 200 {
        return most + 1;
    }
    let mut row = (0..=b.len()).collect::<Vec<_>>();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (to, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let up = *cell;
            left = (diagonal + usize::from(from != to)).min(up + 1).min(left + 1);
            diagonal = up;
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(most + 1)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.0;
        if !inner.position.is_unknown() {
            write!(f, "{}: ", inner.position)?;
        }
        f.write_str(&inner.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.0.message)
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

impl From<Error> for tfxio_core::Error {
    fn from(error: Error) -> Self {
        use tfxio_core::ErrorKind as Core;
        let kind = match error.kind() {
            ErrorKind::Malformed(_) | ErrorKind::NameNotUtf8 | ErrorKind::OtherMessage => Core::Malformed,
            ErrorKind::KindMismatch { .. }
            | ErrorKind::UnknownFeature
            | ErrorKind::FeatureLists
            | ErrorKind::MissingFeature
            | ErrorKind::WrongLength { .. } => Core::SchemaMismatch,
            ErrorKind::LimitExceeded => Core::LimitExceeded,
            ErrorKind::InvalidSchema | ErrorKind::UnknownColumn | ErrorKind::InvalidOption => {
                Core::InvalidArgument
            }
            ErrorKind::UnsupportedColumn | ErrorKind::NullValue => Core::Unsupported,
            ErrorKind::Arrow => Core::Other,
        };
        Self::wrap_at(kind, error.position().clone(), error)
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, edits};

    #[test]
    fn distances() {
        assert_eq!(edits("adress", "address", 3), 1);
        assert_eq!(edits("label", "lable", 3), 2);
        assert_eq!(edits("a", "abcdef", 1), 2);
    }

    #[test]
    fn an_unknown_column_gets_a_hint() {
        let text = |name, known: &[&str]| Error::unknown_column(name, known.iter().copied()).to_string();
        assert_eq!(
            text("lable", &["image", "label"]),
            "there is no column \"lable\"; did you mean \"label\"?"
        );
        assert_eq!(
            text("x", &["image", "label"]),
            "there is no column \"x\"; the columns are \"image\", \"label\""
        );
        assert_eq!(text("x", &[]), "there is no column \"x\"; there are no columns");
    }
}
