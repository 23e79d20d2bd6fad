//! What a data set of TFRecord files is asked for.

use std::sync::Arc;

use example_codec::{OffsetWidth, UnknownFeatures};
use tfxio_core::Error;

use super::columns::Columns;
use super::format::LogicalFormat;
use super::{DecoderOptions, RecordOptions, Sample, TfRecordTfxIo};
use crate::tfrecord::files;

/// Builds a [`TfRecordTfxIo`]. [`ExampleTfxIoBuilder`](crate::ExampleTfxIoBuilder) has an example.
#[derive(Clone, Debug)]
pub struct TfRecordTfxIoBuilder<F: LogicalFormat> {
    pub(crate) format: F,
    patterns: Vec<Arc<str>>,
    pub(super) schema: Option<F::Schema>,
    pub(super) sample: Option<Sample>,
    unknown_features: Option<UnknownFeatures>,
    other_messages: Option<UnknownFeatures>,
    pub(super) offsets: Option<OffsetWidth>,
    fixed_size_lists: bool,
    pub(super) raw_record_column: Option<Arc<str>>,
    pub(super) source_column: Option<Arc<str>>,
    pub(super) records: RecordOptions,
}

impl<F: LogicalFormat> TfRecordTfxIoBuilder<F> {
    pub(super) fn new(patterns: Vec<Arc<str>>) -> Self {
        Self {
            format: F::default(),
            patterns,
            schema: None,
            sample: None,
            unknown_features: None,
            other_messages: None,
            offsets: None,
            fixed_size_lists: false,
            raw_record_column: None,
            source_column: None,
            records: RecordOptions::default(),
        }
    }

    /// Fixes the features, their order and their kinds. Default: none; the first read then infers one schema for the whole
    /// data set, from the records that [`Sample::DEFAULT`] says, and all reads have its columns.
    #[must_use]
    pub fn schema(mut self, schema: F::Schema) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Infers one schema for the whole data set, when it is first needed, from some or all of the records. A schema that
    /// was given goes first. Default: not.
    #[must_use]
    pub fn infer_schema(mut self, sample: Sample) -> Self {
        self.sample = Some(sample);
        self
    }

    /// Says what to do with a feature that the schema does not have. Default: with a schema that was given, pass over it,
    /// as TFX does; with an inferred one, refuse the record.
    #[must_use]
    pub fn unknown_features(mut self, action: UnknownFeatures) -> Self {
        self.unknown_features = Some(action);
        self
    }

    /// Says what to do with a record that is another message by the looks of it: a tf.SequenceExample with feature lists in
    /// a data set of tf.Examples, or bytes [from which no feature comes](example_codec::is_other_message). Default: as with
    /// unknown features.
    #[must_use]
    pub fn other_messages(mut self, action: UnknownFeatures) -> Self {
        self.other_messages = Some(action);
        self
    }

    /// What inference does with such records.
    pub(super) fn others(&self) -> UnknownFeatures {
        self.other_messages.or(self.unknown_features).unwrap_or(UnknownFeatures::Refuse)
    }

    /// Sets the width of offsets. Default: 64 bits; where tensors are read, whatever their row splits have.
    #[must_use]
    pub fn offsets(mut self, width: OffsetWidth) -> Self {
        self.offsets = Some(width);
        self
    }

    /// Makes features whose length the schema fixes `FixedSizeList` columns, sequence features excepted. Default: false.
    /// Where tensors are read, their shapes decide.
    #[must_use]
    pub fn fixed_size_lists(mut self, on: bool) -> Self {
        self.fixed_size_lists = on;
        self
    }

    /// Appends a column with the record itself. Default: none.
    #[must_use]
    pub fn raw_record_column(mut self, name: impl Into<Arc<str>>) -> Self {
        self.raw_record_column = Some(name.into());
        self
    }

    /// Appends a column with the file and the byte that each row came from. Default: none.
    #[must_use]
    pub fn source_column(mut self, name: impl Into<Arc<str>>) -> Self {
        self.source_column = Some(name.into());
        self
    }

    /// Sets how the files are read: compression, checksums, limits, threads.
    #[must_use]
    pub fn record_options(mut self, options: RecordOptions) -> Self {
        self.records = options;
        self
    }

    /// The data set. Finds the files, and opens none but that of the schema.
    ///
    /// # Errors
    /// `Io` when a file or a shard is missing; `InvalidArgument` for a pattern that cannot be read, for none at all, and
    /// for options that contradict the schema. With a schema of TensorFlow Metadata also what reading it meets, and for
    /// representations that were given whatever is wrong with them.
    pub fn build(self) -> Result<TfRecordTfxIo<F>, Error> {
        let files = files::expand(&self.patterns, &self.records)?.into();
        TfRecordTfxIo::new(files, self)
    }

    /// What a decoder of some columns is asked for; the features are those of a schema that was given, or not.
    pub(super) fn decoder_options(&self, columns: &Columns, is_given: bool) -> DecoderOptions {
        // Where the schema was inferred, an unknown feature must not be dropped.
        let default = if is_given { UnknownFeatures::Ignore } else { UnknownFeatures::Refuse };
        DecoderOptions {
            selection: columns.selection.clone(),
            raw_record: columns.raw_record.clone(),
            source: columns.source.clone(),
            offsets: self.offsets.unwrap_or_default(),
            fixed_size_lists: self.fixed_size_lists,
            unknown_features: self.unknown_features.unwrap_or(default),
            other_messages: self.other_messages,
            limits: self.records.limits,
        }
    }
}
