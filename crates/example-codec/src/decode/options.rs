//! Options of a decoder.

use std::sync::Arc;

use tfxio_core::Limits;

use super::ExampleDecoder;
use crate::{Error, ExampleSchema};

/// The width of the offsets of lists and byte strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OffsetWidth {
    /// 64 bits: `LargeList`, `LargeBinary`. What TFX components expect, and the default.
    #[default]
    Bits64,
    /// 32 bits: `List`, `Binary`. Half the memory for offsets, and a batch of at most 2 GiB a
    /// column.
    Bits32,
}

/// Policy for a feature that the schema does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnknownFeatures {
    /// Pass over it unread, as TFX does. The default.
    #[default]
    Ignore,
    /// Refuse the record: right where the schema was inferred from a part of the data.
    Refuse,
}

/// Builds an [`ExampleDecoder`].
///
/// Without a schema the columns of each batch are inferred from its records and sorted by name.
///
/// ```
/// use example_codec::{ExampleDecoder, ExampleSchema, FeatureKind, FeatureField, OffsetWidth};
///
/// let schema = ExampleSchema::new([FeatureField::new("label", FeatureKind::Int64)])?;
/// let mut decoder = ExampleDecoder::builder()
///     .schema(schema)
///     .offsets(OffsetWidth::Bits32)
///     .build()?;
/// assert_eq!(decoder.flush()?.num_columns(), 1);
/// # Ok::<(), example_codec::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ExampleDecoderBuilder {
    pub(super) schema: Option<ExampleSchema>,
    pub(super) projection: Option<Vec<Arc<str>>>,
    pub(super) offsets: OffsetWidth,
    pub(super) fixed_size_lists: bool,
    pub(super) raw_record_column: Option<Arc<str>>,
    pub(super) source_column: Option<Arc<str>>,
    pub(super) unknown_features: UnknownFeatures,
    pub(super) other_messages: Option<UnknownFeatures>,
    pub(super) kinds_of_empty_lists: bool,
    pub(super) limits: Limits,
}

impl ExampleDecoderBuilder {
    /// Fixes the columns, their order and their kinds. Default: inferred from each batch.
    #[must_use]
    pub fn schema(mut self, schema: ExampleSchema) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Reads only these features, in this order; what else a record holds is skipped by its length.
    /// Default: all. With a schema every name must be in it; without one, a name that no record of
    /// a batch has makes a column of type `Null`.
    #[must_use]
    pub fn projection<I>(mut self, features: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<Arc<str>>,
    {
        self.projection = Some(features.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the width of offsets. Default: 64 bits.
    #[must_use]
    pub fn offsets(mut self, width: OffsetWidth) -> Self {
        self.offsets = width;
        self
    }

    /// Makes features whose length the schema fixes `FixedSizeList` columns, which become dense
    /// tensors without a copy. A record without the feature has a null slot; any other number of
    /// values is an error, an empty list included. Default: false, the column is a list like any
    /// other and the length is not checked.
    #[must_use]
    pub fn fixed_size_lists(mut self, on: bool) -> Self {
        self.fixed_size_lists = on;
        self
    }

    /// Appends a column of that name with the record itself, as a list of one byte string (the form
    /// that TFX components expect). Default: none.
    #[must_use]
    pub fn raw_record_column(mut self, name: impl Into<Arc<str>>) -> Self {
        self.raw_record_column = Some(name.into());
        self
    }

    /// Appends a column of that name, after the raw records if there are any, with the origin of each
    /// row came from: a struct of `file` (dictionary of strings, null where there was none) and
    /// `offset` (`UInt64`, the byte at which the record begins). Default: none.
    #[must_use]
    pub fn source_column(mut self, name: impl Into<Arc<str>>) -> Self {
        self.source_column = Some(name.into());
        self
    }

    /// Sets the policy for a feature that the schema does not have. Default: ignore it. Has no effect without a schema.
    #[must_use]
    pub fn unknown_features(mut self, action: UnknownFeatures) -> Self {
        self.unknown_features = action;
        self
    }

    /// Sets the policy for a record that looks like another message: one with feature lists, which a tf.Example does not
    /// have, or [one of whose fields none belongs to a feature](crate::is_other_message). Default: as with an unknown
    /// feature, so that a decoder of an inferred schema refuses it.
    #[must_use]
    pub fn other_messages(mut self, action: UnknownFeatures) -> Self {
        self.other_messages = Some(action);
        self
    }

    /// Sets whether a list without values must have the kind of its feature, too: one of another kind is then a
    /// `KindMismatch`, as it is to tfx-bsl. Default: false, it is an empty list.
    #[must_use]
    pub fn kinds_of_empty_lists(mut self, on: bool) -> Self {
        self.kinds_of_empty_lists = on;
        self
    }

    /// Sets the limits. Default: [`Limits::default`].
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the decoder.
    ///
    /// # Errors
    /// `UnknownColumn` for a projected name that the schema does not have; `InvalidSchema` when two
    /// columns would have one name; `InvalidOption` for 0 or more than 2^31 − 1 values of fixed
    /// length; `LimitExceeded` for more columns than the limits allow.
    pub fn build(self) -> Result<ExampleDecoder, Error> {
        ExampleDecoder::new(self)
    }
}
