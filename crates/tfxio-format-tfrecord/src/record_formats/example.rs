//! tf.Example.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::Schema;
use example_codec::{ExampleDecoder, ExampleSchema, ExampleSchemaInference, UnknownFeatures};
use tfxio_core::{Error, Limits, Origin};

use super::format::{DecoderOptions, Format, InferSchema, Selection, first_of};

/// The messages `tensorflow.Example`: features by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Example;

impl Format for Example {
    type Schema = ExampleSchema;
    type Decoder = ExampleDecoder;
    type Inference = ExampleSchemaInference;

    fn inference(&self, limits: Limits, others: UnknownFeatures) -> ExampleSchemaInference {
        let inference = ExampleSchemaInference::default().limits(limits);
        inference.mixed_kinds(true).other_messages(others)
    }

    fn decoder(&self, schema: &ExampleSchema, options: &DecoderOptions) -> Result<ExampleDecoder, Error> {
        let mut builder = ExampleDecoder::builder()
            .schema(schema.clone())
            .offsets(options.offsets)
            .fixed_size_lists(options.fixed_size_lists)
            .unknown_features(options.unknown_features)
            .other_messages(options.other_messages)
            .limits(options.limits);
        if let Some(selection) = &options.selection {
            builder = builder.projection(selection.columns.iter().cloned());
        }
        if let Some(name) = &options.raw_record {
            builder = builder.raw_record_column(name.clone());
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
    fn of_metadata(&self, schema: &tensor_repr::TfmdSchema) -> Result<ExampleSchema, Error> {
        super::metadata::example_schema(schema)
    }

    #[cfg(feature = "tensors")]
    fn of_kinds(
        &self,
        kinds: &std::collections::BTreeMap<tensor_repr::ColumnPath, example_codec::FeatureKind>,
    ) -> Result<ExampleSchema, Error> {
        let (columns, _, others) = super::metadata::of_kinds(kinds, None);
        super::metadata::refuse_paths(&others, "a tf.Example has no structs")?;
        ExampleSchema::new(columns)
    }

    fn of_arrow(&self, schema: &Schema) -> Result<ExampleSchema, Error> {
        ExampleSchema::of_columns(schema)
    }

    fn with_lengths(schema: ExampleSchema, lengths: &HashMap<Arc<str>, u32>) -> Result<ExampleSchema, Error> {
        with_lengths(&schema, lengths)
    }
}

/// The schema in which only these features have a fixed number of values.
pub(super) fn with_lengths(
    schema: &ExampleSchema,
    lengths: &HashMap<Arc<str>, u32>,
) -> Result<ExampleSchema, Error> {
    let mut specs = schema.features().to_vec();
    for spec in &mut specs {
        spec.fixed_len = lengths.get(&spec.name).copied();
    }
    ExampleSchema::new(specs)
}

impl InferSchema for ExampleSchemaInference {
    type Schema = ExampleSchema;

    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        self.push(record, origin)
    }

    fn merge(&mut self, other: &Self) -> Result<(), Error> {
        self.merge(other)
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
