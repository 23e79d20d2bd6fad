//! Differences between tf.Example and tf.SequenceExample.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use example_codec::{Kind, OffsetWidth, UnknownFeatures};
use proto_wire::{Reader, WireType};
use tfxio_base::Remedy;
use tfxio_core::{Error, Limits, Origin, RecordDecoder, SchemaReport};

/// Adds advice to the error of a record that holds another message.
fn explain_other(error: Error) -> Error {
    if error.detail() != Some(&Kind::OtherMessage) {
        return error;
    }
    error.remedied_by(Remedy::StateRecords).and_help(
        "to copy the records, whatever they hold, convert from TFRecord to TFRecord; to read them as tf.Examples without \
         features all the same, state the format of the records: `example`, on the command line `--as example`",
    )
}

/// Adds advice on reading records without their feature lists.
pub(super) fn explain_lists(error: Error) -> Error {
    if error.detail() == Some(&Kind::OtherMessage) {
        return explain_other(error);
    }
    error.remedied_by(Remedy::StateRecords).and_help(
        "to read the records as tf.Examples, without their feature lists, state the format of the records: `example`, on the \
         command line `--as example`",
    )
}

/// Decoding of the records of a format.
pub(super) trait Format: Clone + fmt::Debug + Default + Send + Sync + 'static {
    /// The features of a data set.
    type Schema: Clone + fmt::Debug + Send + Sync + 'static;
    /// Makes batches of records.
    type Decoder: RecordDecoder + Send + 'static;
    /// Makes a schema of records.
    type Inference: InferSchema<Schema = Self::Schema> + Send + Sync + 'static;

    /// An inference that has seen nothing, in which a feature may have several kinds. `others` determines the handling of records of
    /// another message.
    fn inference(&self, limits: Limits, others: UnknownFeatures) -> Self::Inference;

    /// Adds to the error of a record what can be done about it: it may be readable as another message.
    fn explain(&self, record: &[u8], error: Error) -> Error {
        let _ = record;
        explain_other(error)
    }

    /// A decoder of the features of a schema, or of some of them.
    fn decoder(&self, schema: &Self::Schema, options: &DecoderOptions) -> Result<Self::Decoder, Error>;

    /// The name of the column in which sequence features are, if a schema has any.
    fn sequence_column<'a>(&'a self, schema: &Self::Schema) -> Option<&'a Arc<str>>;

    /// All features of a schema.
    fn features(schema: &Self::Schema) -> Selection;

    /// The features of columns that were fixed before.
    fn of_arrow(&self, schema: &arrow_schema::Schema) -> Result<Self::Schema, Error>;

    /// The features of a schema of TensorFlow Metadata.
    #[cfg(feature = "tensors")]
    fn of_metadata(&self, schema: &tensor_repr::TfmdSchema) -> Result<Self::Schema, Error>;

    /// The schema of features that are named by their columns' paths, with their kinds.
    #[cfg(feature = "tensors")]
    fn of_kinds(
        &self,
        kinds: &std::collections::BTreeMap<tensor_repr::ColumnPath, example_codec::FeatureKind>,
    ) -> Result<Self::Schema, Error>;

    /// The schema in which only these features have a fixed number of values.
    fn with_lengths(
        schema: Self::Schema,
        lengths: &std::collections::HashMap<Arc<str>, u32>,
    ) -> Result<Self::Schema, Error>;
}

/// Infers features from records.
pub(super) trait InferSchema {
    /// The features of a data set.
    type Schema;

    /// Looks at a record.
    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error>;

    /// Takes over what another has seen, of records that come after.
    fn merge(&mut self, other: &Self) -> Result<(), Error>;

    /// The features seen.
    fn finish(&self) -> Self::Schema;

    /// Describes the features seen, whose columns a schema has; sequence features are in a column of this name.
    fn describe(&self, schema: &arrow_schema::Schema, sequence_column: Option<&str>) -> SchemaReport;

    /// The error of the first of some features, or of all, that has several kinds.
    fn mixed(&self, selection: Option<&Selection>) -> Option<Error>;
}

/// Some features of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Selection {
    /// Features with columns of their own.
    pub(super) columns: Vec<Arc<str>>,
    /// Features in the column of sequence features.
    pub(super) sequence: Vec<Arc<str>>,
}

/// Options of a decoder, for both formats.
#[derive(Clone, Debug)]
pub(super) struct DecoderOptions {
    /// The features; all if there is none.
    pub(super) selection: Option<Selection>,
    /// The name of the column with the record itself.
    pub(super) raw_record: Option<Arc<str>>,
    /// The width of offsets.
    pub(super) offsets: OffsetWidth,
    /// Whether features with a fixed number of values are `FixedSizeList`s.
    pub(super) fixed_size_lists: bool,
    /// Handling of features that the schema does not have.
    pub(super) unknown_features: UnknownFeatures,
    /// Handling of records of another message.
    pub(super) other_messages: UnknownFeatures,
    /// Bounds of decoding.
    pub(super) limits: Limits,
}

/// The first of the errors of features that is about one of these names, or of all.
pub(super) fn first_of(errors: Vec<Error>, names: Option<&[Arc<str>]>) -> Option<Error> {
    let names = names.filter(|_| !errors.is_empty()).map(|names| names.iter().collect::<HashSet<_>>());
    let is_asked = |error: &Error| match (&names, &error.position().column) {
        (Some(names), Some(column)) => names.contains(column),
        _ => true,
    };
    errors.into_iter().find(is_asked)
}

/// Returns whether a record has the field of feature lists, read or not.
pub(super) fn has_lists(record: &[u8]) -> bool {
    let mut reader = Reader::new(record);
    while let Ok(Some(tag)) = reader.tag() {
        if (tag.field, tag.wire) == (2, WireType::Len) {
            return true;
        }
        if reader.skip(tag).is_err() {
            break;
        }
    }
    false
}
