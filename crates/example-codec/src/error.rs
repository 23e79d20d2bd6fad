//! Errors of this crate.

use std::sync::Arc;

use tfxio_base::{Count, Detail, Error, ErrorKind, Limits};
use tfxio_core::Origin;

use crate::FeatureKind;

/// Kind of an error of this crate, read from an [`Error`] by `error.detail::<Kind>()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The record is not a protobuf message.
    Malformed(proto_wire::ErrorKind),
    /// A feature's name is not UTF-8, which proto3 demands of a string.
    NameNotUtf8,
    /// A feature has another kind than in the schema or an earlier record. `expected` is `None` for a feature that should
    /// have no value.
    KindMismatch {
        /// The kind of the column.
        expected: Option<FeatureKind>,
        /// The kind in the record.
        found: FeatureKind,
    },
    /// A feature that the schema does not have, where the decoder was told to refuse it.
    UnknownFeature,
    /// Feature lists, which a tf.Example does not have, where the decoder was told to refuse them.
    FeatureLists,
    /// The bytes are a message of another type: they have fields, and none belongs to a feature.
    OtherMessage,
    /// A required feature is absent.
    MissingFeature,
    /// A feature of fixed length has another number of values.
    WrongLength {
        /// Number of values in the schema.
        expected: u32,
        /// Number of values in the record.
        found: u64,
    },
    /// A bound of [`tfxio_core::Limits`] was reached, or one of Arrow's 32-bit offsets.
    LimitExceeded,
    /// A schema that contradicts itself.
    InvalidSchema,
    /// An option that makes no sense with the others.
    InvalidOption,
    /// A column that has no equivalent in tf.Example.
    UnsupportedColumn,
    /// A null inside a list, which tf.Example cannot hold.
    NullValue,
    /// A value that the field of a struct, or the feature of a field, cannot hold.
    InvalidValue,
    /// Arrow refused what should be a batch.
    Arrow,
}

impl Detail for Kind {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Malformed(_) | Self::NameNotUtf8 | Self::OtherMessage => ErrorKind::Malformed,
            Self::KindMismatch { .. }
            | Self::UnknownFeature
            | Self::FeatureLists
            | Self::MissingFeature
            | Self::WrongLength { .. }
            | Self::InvalidValue => ErrorKind::SchemaMismatch,
            Self::LimitExceeded => ErrorKind::LimitExceeded,
            Self::InvalidSchema | Self::InvalidOption => ErrorKind::InvalidArgument,
            Self::UnsupportedColumn | Self::NullValue => ErrorKind::Unsupported,
            Self::Arrow => ErrorKind::Other,
        }
    }
}

/// Position of an error, in the terms of this crate.
pub(crate) trait Locate {
    /// Sets file, byte and number of the record.
    fn in_record(self, origin: Origin<'_>) -> Self;
    /// Sets the row of a batch, which becomes the record of that number.
    fn in_row(self, row: usize) -> Self;
    /// Sets the feature.
    fn in_feature(self, name: &str) -> Self;
}

impl Locate for Error {
    fn in_record(mut self, origin: Origin<'_>) -> Self {
        let within = std::mem::take(self.position_mut());
        let mut position = origin.position();
        (position.column, position.path) = (within.column, within.path);
        position.record_byte = within.record_byte;
        self.at(position)
    }

    fn in_row(mut self, row: usize) -> Self {
        self.position_mut().record = Some(row as u64);
        self
    }

    fn in_feature(mut self, name: &str) -> Self {
        self.position_mut().column = Some(Arc::from(name));
        self
    }
}

#[cold]
pub(crate) fn malformed(error: proto_wire::Error, message: &str) -> Error {
    let (kind, byte) = (error.kind(), error.byte());
    let text = format!("the record is not a {message}: {}", kind.description());
    Error::new(Kind::Malformed(kind), text).at_record_byte(byte).because(error)
}

#[cold]
pub(crate) fn name_not_utf8(name: &[u8]) -> Error {
    // A record that is something else may have all of it as a name.
    const SHOWN: usize = 64;
    let shown = String::from_utf8_lossy(name.get(..SHOWN).unwrap_or(name));
    let rest = if name.len() > SHOWN { format!("… of {} bytes", name.len()) } else { String::new() };
    Error::new(Kind::NameNotUtf8, format!("the feature name {shown:?}{rest} is not UTF-8"))
}

/// Checks the size of a record against the limit, and against that of protobuf messages.
#[inline]
pub(crate) fn check_size(record: &[u8], limits: &Limits) -> Result<(), Error> {
    let most = limits.record_bytes.min(i32::MAX as u64);
    if record.len() as u64 <= most { Ok(()) } else { Err(too_long(record.len(), most)) }
}

#[cold]
pub(crate) fn too_long(length: usize, most: u64) -> Error {
    let text = format!(
        "the record has {}, {most} {} allowed; a protobuf message has at most 2147483647",
        Count::of(length, "byte"),
        Count::of(most, "byte").verb("is", "are")
    );
    Error::new(Kind::LimitExceeded, text)
}

pub(crate) fn too_many_columns(most: usize) -> Error {
    Error::new(Kind::LimitExceeded, format!("the data have more than {}", Count::of(most, "feature")))
        .help("raise `Limits::columns` or choose some")
}
