//! Error messages of the decoder.

use tfxio_core::{Count, Limits, Origin};

use super::core::Core;
use super::feature::Fault;
use super::store::Offset;
use super::walk::Trouble;
use crate::error::{Locate, malformed, name_not_utf8, too_many_columns};
use crate::{Error, Kind};

impl<O: Offset> Core<O> {
    #[cold]
    pub(super) fn explain_trouble(&self, trouble: Trouble, origin: Origin<'_>) -> Error {
        let of = |column: u32, fault| self.explain(column as usize, fault);
        self::trouble(trouble, self.message, self.limits.columns, of).in_record(origin)
    }

    #[cold]
    pub(super) fn explain(&self, column: usize, fault: Fault) -> Error {
        let who = if self.schema.is_some() { "the schema says" } else { "earlier records have" };
        let error = self::fault(fault, self.message, ("the value", who), "feature");
        match self.columns.list.get(column) {
            Some(column) => error.in_feature(&column.name),
            None => error,
        }
    }

    #[cold]
    pub(super) fn reserved_name(&self, name: &str) -> Error {
        Error::new(
            Kind::InvalidOption,
            "a context feature is named like the column of the sequence features; give that column another \
             name with `sequence_column`",
        )
        .in_feature(name)
    }

    #[cold]
    pub(super) fn row_too_large(&self, items: u64) -> Error {
        let Limits { list_items, batch_bytes, .. } = self.limits;
        let message = if items > list_items {
            format!(
                "the record has {}, {list_items} {} allowed; raise `Limits::list_items`",
                Count::of(items, "value"),
                Count::of(list_items, "value").verb("is", "are")
            )
        } else {
            format!(
                "with this record the batch would exceed {}; flush smaller batches or raise `Limits::batch_bytes`",
                Count::of(batch_bytes, "byte")
            )
        };
        Error::new(Kind::LimitExceeded, message)
    }
}

/// Returns the error of a record that cannot be walked; `shadowed` is that of a feature that another one replaces.
#[cold]
pub(crate) fn trouble(
    trouble: Trouble,
    message: &str,
    most: usize,
    shadowed: impl FnOnce(u32, Fault) -> Error,
) -> Error {
    match trouble {
        Trouble::Wire(error) => malformed(error, message),
        Trouble::NameNotUtf8(name) => name_not_utf8(&name),
        Trouble::UnknownFeature(name) => Error::new(
            Kind::UnknownFeature,
            "the feature is not in the schema, which was inferred from other records; infer it from more of \
             them, or give a schema",
        )
        .in_feature(&name),
        Trouble::FeatureLists => Error::new(
            Kind::FeatureLists,
            "the record has feature lists, which a tf.Example does not have, and which would be left out; read the records as \
             tf.SequenceExamples, or infer from more of them what they are",
        ),
        Trouble::TooManyColumns(name) => too_many_columns(most).in_feature(&name),
        Trouble::Shadowed(column, fault) => shadowed(column, fault),
    }
}

/// Returns the error of a fault in a `what`. A mismatch is worded with `kinds`: the subject of the found kind, and the
/// subject and verb of the expected one.
#[cold]
pub(crate) fn fault(fault: Fault, message: &str, kinds: (&str, &str), what: &str) -> Error {
    match fault {
        Fault::Wire(error) => malformed(error, message),
        Fault::Kind { expected, found } => {
            let ((value, who), named) = (kinds, expected.map_or("no value", |kind| kind.name()));
            let text = format!("{value} is {}, {who} {named}", found.with_article());
            let error = Error::new(Kind::KindMismatch { expected, found }, text);
            match expected {
                Some(_) => error,
                // As in a schema of records that had no value of the feature.
                None => error.help("infer the schema from more records, or give the feature a kind in it"),
            }
        }
        Fault::Length { expected, found } => Error::new(
            Kind::WrongLength { expected, found },
            format!("the record has {}, the schema says {expected}", Count::of(found, "value")),
        ),
        Fault::Missing => {
            let text = format!("the record lacks the {what}, which the schema requires");
            Error::new(Kind::MissingFeature, text)
        }
        Fault::OffsetOverflow => offset_overflow(),
    }
}

pub(super) fn offset_overflow() -> Error {
    Error::new(
        Kind::LimitExceeded,
        "the column would exceed 2147483647 values or bytes, the most that 32-bit offsets can address; \
         flush smaller batches or use 64-bit offsets",
    )
}
