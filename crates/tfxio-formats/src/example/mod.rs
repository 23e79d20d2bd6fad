//! tf.Example on TFRecord.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::Schema;
use example_codec::{ExampleDecoder, ExampleSchema, FeatureSpec, SchemaInference, UnknownFeatures};
use tfxio_core::{Error, Limits, Origin};

use crate::dataset::format::{DecoderOptions, Format, InferSchema, Selection, first_of};
use crate::dataset::{TfRecordTfxIo, TfRecordTfxIoBuilder};
use crate::record_formats::of_arrow;

/// The messages `tensorflow.Example`: features by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Example;

/// A data set of tf.Example records in TFRecord files.
///
/// ```
/// use tfxio_formats::{ExampleTfxIo, ReadOptions, Sample, TfxIo};
/// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits-*.tfrecord");
///
/// let dataset = ExampleTfxIo::builder([pattern]).infer_schema(Sample::All).build()?;
/// let names = dataset.arrow_schema()?.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
/// assert_eq!(names, ["id", "image", "label"]);
///
/// let mut rows = 0;
/// for batch in dataset.read_all(&ReadOptions::default())? {
///     rows += batch?.num_rows();
/// }
/// assert_eq!(rows, 1797);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type ExampleTfxIo = TfRecordTfxIo<Example>;

/// Builds an [`ExampleTfxIo`].
///
/// ```
/// use tfxio_formats::example_codec::{ExampleSchema, FeatureKind, FeatureSpec};
/// use tfxio_formats::{ExampleTfxIo, TfxIo};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits-00000-of-00003.tfrecord");
///
/// let schema = ExampleSchema::new([
///     FeatureSpec::new("image", FeatureKind::Float).fixed_len(64),
///     FeatureSpec::new("label", FeatureKind::Int64).required(),
/// ])?;
/// let dataset = ExampleTfxIo::builder([file])
///     .schema(schema)
///     .fixed_size_lists(true)
///     .raw_record_column("raw_record")
///     .build()?;
/// assert_eq!(dataset.arrow_schema()?.fields().len(), 3);
/// # Ok::<(), tfxio_formats::Error>(())
/// ```
pub type ExampleTfxIoBuilder = TfRecordTfxIoBuilder<Example>;

impl Format for Example {
    type Schema = ExampleSchema;
    type Decoder = ExampleDecoder;
    type Inference = SchemaInference;

    fn inference(&self, limits: Limits, others: UnknownFeatures) -> SchemaInference {
        let inference = SchemaInference::default().limits(limits);
        inference.mixed_kinds(true).other_messages(others)
    }

    fn decoder(&self, schema: &ExampleSchema, options: &DecoderOptions) -> Result<ExampleDecoder, Error> {
        let mut builder = ExampleDecoder::builder()
            .schema(schema.clone())
            .offsets(options.offsets)
            .fixed_size_lists(options.fixed_size_lists)
            .unknown_features(options.unknown_features)
            .limits(options.limits);
        if let Some(action) = options.other_messages {
            builder = builder.other_messages(action);
        }
        if let Some(selection) = &options.selection {
            builder = builder.projection(selection.columns.iter().cloned());
        }
        if let Some(name) = &options.raw_record {
            builder = builder.raw_record_column(name.clone());
        }
        if let Some(name) = &options.source {
            builder = builder.source_column(name.clone());
        }
        builder.build()
    }

    fn sequence_column<'a>(&'a self, _: &ExampleSchema) -> Option<&'a Arc<str>> {
        None
    }

    fn features(schema: &ExampleSchema) -> Selection {
        let names = schema.features().iter().map(|feature| feature.name.clone());
        Selection { columns: names.collect(), sequence: Vec::new() }
    }

    #[cfg(feature = "tensors")]
    fn of_metadata(&self, schema: &tensor_repr::Schema) -> Result<ExampleSchema, Error> {
        crate::schema::example_schema(schema)
    }

    #[cfg(feature = "tensors")]
    fn of_kinds(
        &self,
        kinds: &std::collections::BTreeMap<tensor_repr::ColumnPath, example_codec::FeatureKind>,
    ) -> Result<ExampleSchema, Error> {
        let (columns, _, others) = crate::schema::of_kinds(kinds, None);
        crate::schema::refuse_paths(&others, "a tf.Example has no structs")?;
        ExampleSchema::new(columns)
    }

    fn of_arrow(&self, schema: &Schema, raw_record: Option<&str>) -> Result<ExampleSchema, Error> {
        let fields = schema.fields().iter().map(|field| &**field);
        of_arrow::features(fields.filter(|field| Some(field.name().as_str()) != raw_record))
    }

    fn with_lengths(schema: ExampleSchema, lengths: &HashMap<Arc<str>, u32>) -> Result<ExampleSchema, Error> {
        with_lengths(&schema, lengths)
    }
}

/// The schema in which only these features have a fixed number of values.
pub(crate) fn with_lengths(
    schema: &ExampleSchema,
    lengths: &HashMap<Arc<str>, u32>,
) -> Result<ExampleSchema, Error> {
    let specs = schema
        .features()
        .iter()
        .map(|feature| FeatureSpec { fixed_len: lengths.get(&feature.name).copied(), ..feature.clone() });
    ExampleSchema::new(specs)
}

impl InferSchema for SchemaInference {
    type Schema = ExampleSchema;

    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        self.push(record, origin)
    }

    fn records(&self) -> u64 {
        self.records()
    }

    fn finish(&self) -> ExampleSchema {
        self.finish()
    }

    fn describe(&self, schema: &Schema, _: Option<&str>) -> tfxio_core::SchemaReport {
        crate::record_formats::describe::of_examples(self, schema)
    }

    fn mixed(&self, selection: Option<&Selection>) -> Option<Error> {
        first_of(self.kind_mismatches(), selection.map(|all| &*all.columns))
    }
}
