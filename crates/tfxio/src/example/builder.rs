//! What a data set of tf.Example records is asked for.

use std::sync::{Arc, Mutex};

use example_codec::{ExampleDecoder, ExampleDecoderBuilder, ExampleSchema, OffsetWidth, UnknownFeatures};
use tfxio_core::Error;

use super::columns::Columns;
use super::{ExampleTfxIo, RecordOptions, Sample, unknown_features};
use crate::tfrecord::files;

/// Builds an [`ExampleTfxIo`].
///
/// ```
/// use tfxio::example_codec::{ExampleSchema, FeatureKind, FeatureSpec};
/// use tfxio::{ExampleTfxIo, TfxIo};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits-00000-of-00003.tfrecord");
///
/// let schema = ExampleSchema::new([
///     FeatureSpec::new("image", FeatureKind::Float).with_fixed_len(64),
///     FeatureSpec::new("label", FeatureKind::Int64).required(),
/// ])?;
/// let dataset = ExampleTfxIo::builder([file])
///     .schema(schema)
///     .fixed_size_lists(true)
///     .raw_record_column("raw_record")
///     .build()?;
/// assert_eq!(dataset.arrow_schema()?.fields().len(), 3);
/// # Ok::<(), tfxio::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExampleTfxIoBuilder {
    patterns: Vec<Arc<str>>,
    pub(super) schema: Option<ExampleSchema>,
    pub(super) sample: Option<Sample>,
    pub(super) unknown_features: Option<UnknownFeatures>,
    pub(super) offsets: OffsetWidth,
    pub(super) fixed_size_lists: bool,
    pub(super) raw_record_column: Option<Arc<str>>,
    pub(super) source_column: Option<Arc<str>>,
    pub(super) records: RecordOptions,
}

impl ExampleTfxIoBuilder {
    pub(super) fn new(patterns: Vec<Arc<str>>) -> Self {
        Self {
            patterns,
            schema: None,
            sample: None,
            unknown_features: None,
            offsets: OffsetWidth::default(),
            fixed_size_lists: false,
            raw_record_column: None,
            source_column: None,
            records: RecordOptions::default(),
        }
    }

    /// Fixes the features, their order and their kinds. Default: none; each read then infers its columns from the first
    /// [`Sample::DEFAULT`] records of its split.
    #[must_use]
    pub fn schema(mut self, schema: ExampleSchema) -> Self {
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

    /// Sets the width of offsets. Default: 64 bits.
    #[must_use]
    pub fn offsets(mut self, width: OffsetWidth) -> Self {
        self.offsets = width;
        self
    }

    /// Makes features whose length the schema fixes `FixedSizeList` columns. Default: false.
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

    /// The data set. Finds the files, and opens none.
    ///
    /// # Errors
    /// `Io` when a file or a shard is missing; `InvalidArgument` for a pattern that cannot be read, for none at all, and
    /// for options that contradict the schema.
    pub fn build(self) -> Result<ExampleTfxIo, Error> {
        let files = files::expand(&self.patterns, &self.records)?.into();
        if let Some(schema) = &self.schema {
            self.decoder(schema.clone(), &Columns::new(&self, None)).build()?;
        }
        Ok(ExampleTfxIo { files, options: self, inferred: Mutex::new(None) })
    }

    /// A decoder of the features and the further columns.
    pub(super) fn decoder(&self, schema: ExampleSchema, columns: &Columns) -> ExampleDecoderBuilder {
        let mut builder = ExampleDecoder::builder()
            .with_schema(schema)
            .with_offsets(self.offsets)
            .with_fixed_size_lists(self.fixed_size_lists)
            .with_unknown_features(unknown_features(self))
            .with_limits(self.records.limits);
        if let Some(features) = columns.features() {
            builder = builder.with_projection(features.iter().cloned());
        }
        if let Some(name) = columns.raw_record() {
            builder = builder.with_raw_record_column(name);
        }
        if let Some(name) = columns.source() {
            builder = builder.with_source_column(name);
        }
        builder
    }
}
