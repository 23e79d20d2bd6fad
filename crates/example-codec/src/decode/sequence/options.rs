//! Options of a decoder of SequenceExamples.

use std::sync::Arc;

use tfxio_core::Limits;

use super::super::{ExampleDecoderBuilder, OffsetWidth, UnknownFeatures};
use super::SequenceExampleDecoder;
use crate::{Error, ExampleSchema, SequenceExampleSchema};

/// The name that TFX gives to the column of the sequence features.
const SEQUENCE_COLUMN: &str = "##SEQUENCE##";

/// Builds a [`SequenceExampleDecoder`].
///
/// Without a schema the columns of each batch, and the fields of its struct column, are inferred from its
/// records and sorted by name.
///
/// ```
/// use example_codec::{
///     ExampleSchema, FeatureKind, FeatureField, SequenceExampleDecoder, SequenceExampleSchema,
/// };
///
/// let context = ExampleSchema::new([FeatureField::new("user", FeatureKind::Int64)])?;
/// let sequence = ExampleSchema::new([FeatureField::new("clicks", FeatureKind::Int64)])?;
/// let mut decoder = SequenceExampleDecoder::builder()
///     .schema(SequenceExampleSchema::new(context, sequence))
///     .sequence_column("lists")
///     .build()?;
/// let batch = decoder.flush()?;
/// let names: Vec<_> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
/// assert_eq!(names, ["user", "lists"]);
/// # Ok::<(), example_codec::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SequenceExampleDecoderBuilder {
    /// Options of the context, and the common ones.
    pub(super) context: ExampleDecoderBuilder,
    pub(super) schema: Option<ExampleSchema>,
    pub(super) projection: Option<Vec<Arc<str>>>,
    pub(super) column: Arc<str>,
}

impl Default for SequenceExampleDecoderBuilder {
    fn default() -> Self {
        Self {
            context: ExampleDecoderBuilder::default(),
            schema: None,
            projection: None,
            column: Arc::from(SEQUENCE_COLUMN),
        }
    }
}

impl SequenceExampleDecoderBuilder {
    /// Fixes the columns, their order and their kinds. A schema without sequence features makes batches
    /// without the struct column. Default: inferred from each batch.
    #[must_use]
    pub fn schema(mut self, schema: SequenceExampleSchema) -> Self {
        let (context, sequence) = schema.into_parts();
        self.context = self.context.schema(context);
        self.schema = Some(sequence);
        self
    }

    /// Names the struct column of the sequence features. Default: `##SEQUENCE##`, as in TFX.
    #[must_use]
    pub fn sequence_column(mut self, name: impl Into<Arc<str>>) -> Self {
        self.column = name.into();
        self
    }

    /// Reads only these context features and these sequence features, in this order; the rest of a record is skipped by its
    /// length. If the list of sequence features is empty, the struct column is left out. Default: all. With a schema every
    /// name must be in it; without one, a name that no record of a batch has makes a column or a field of type `Null`.
    #[must_use]
    pub fn projection<C, S>(mut self, context: C, sequence: S) -> Self
    where
        C: IntoIterator,
        C::Item: Into<Arc<str>>,
        S: IntoIterator,
        S::Item: Into<Arc<str>>,
    {
        self.context = self.context.projection(context);
        self.projection = Some(sequence.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the width of offsets, of both levels of sequence features too. Default: 64 bits.
    #[must_use]
    pub fn offsets(mut self, width: OffsetWidth) -> Self {
        self.context = self.context.offsets(width);
        self
    }

    /// Makes context features whose length the schema fixes `FixedSizeList` columns, as
    /// [`ExampleDecoderBuilder::fixed_size_lists`] does. Default: false.
    #[must_use]
    pub fn fixed_size_lists(mut self, on: bool) -> Self {
        self.context = self.context.fixed_size_lists(on);
        self
    }

    /// Appends a column of that name with the record itself, as a list of one byte string, after the
    /// struct column. Default: none.
    #[must_use]
    pub fn raw_record_column(mut self, name: impl Into<Arc<str>>) -> Self {
        self.context = self.context.raw_record_column(name);
        self
    }

    /// Appends a column of that name, after all others, with the origin of each row, as
    /// [`ExampleDecoderBuilder::source_column`] does. Default: none.
    #[must_use]
    pub fn source_column(mut self, name: impl Into<Arc<str>>) -> Self {
        self.context = self.context.source_column(name);
        self
    }

    /// Sets the policy for a context feature or a feature list that the schema does not have. Default: ignore it.
    #[must_use]
    pub fn unknown_features(mut self, action: UnknownFeatures) -> Self {
        self.context = self.context.unknown_features(action);
        self
    }

    /// Sets the policy for a record that looks like another message: [one of whose fields none belongs to a
    /// feature](crate::is_other_message). Default: as with an unknown feature.
    #[must_use]
    pub fn other_messages(mut self, action: UnknownFeatures) -> Self {
        self.context = self.context.other_messages(action);
        self
    }

    /// Sets whether a list without values must have the kind of its feature or feature list, as
    /// [`ExampleDecoderBuilder::kinds_of_empty_lists`] does. Default: false.
    #[must_use]
    pub fn kinds_of_empty_lists(mut self, on: bool) -> Self {
        self.context = self.context.kinds_of_empty_lists(on);
        self
    }

    /// Sets the limits. `columns` bounds the context features and, separately, the sequence features; a
    /// step counts as one of the `list_items`, as each of its values does. Default: [`Limits::default`].
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.context = self.context.limits(limits);
        self
    }

    /// Returns the decoder.
    ///
    /// # Errors
    /// `UnknownColumn` for a projected name that the schema does not have; `InvalidSchema` when two
    /// columns would have one name; `InvalidOption` for 0 or more than 2^31 − 1 values of fixed
    /// length; `LimitExceeded` for more columns than the limits allow.
    pub fn build(self) -> Result<SequenceExampleDecoder, Error> {
        SequenceExampleDecoder::new(self)
    }
}
