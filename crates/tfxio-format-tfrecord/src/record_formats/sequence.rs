//! tf.SequenceExample.

use std::sync::Arc;

use example_codec::{
    ExampleSchemaInference, Kind, SequenceExampleDecoder, SequenceExampleSchema,
    SequenceExampleSchemaInference, UnknownFeatures,
};
use tfxio_core::{Error, Limits, Origin};

use super::format::{DecoderOptions, Format, InferSchema, Selection, explain_lists, first_of};

/// The messages `tensorflow.SequenceExample`: context features, and feature lists, which have a feature for each step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SequenceExample {
    column: Arc<str>,
}

impl SequenceExample {
    /// Messages whose sequence features are in a column of this name.
    pub(super) fn with_column(name: &str) -> Self {
        Self { column: name.into() }
    }
}

impl Default for SequenceExample {
    fn default() -> Self {
        Self { column: SEQUENCE_COLUMN.into() }
    }
}

/// The name that TFX gives to the column of the sequence features.
pub(super) const SEQUENCE_COLUMN: &str = "##SEQUENCE##";

impl Format for SequenceExample {
    type Schema = SequenceExampleSchema;
    type Decoder = SequenceExampleDecoder;
    type Inference = SequenceExampleSchemaInference;

    fn inference(&self, limits: Limits, others: UnknownFeatures) -> SequenceExampleSchemaInference {
        let inference = SequenceExampleSchemaInference::default().limits(limits);
        inference.mixed_kinds(true).other_messages(others)
    }

    fn explain(&self, record: &[u8], error: Error) -> Error {
        let is_other = error.detail() == Some(&Kind::OtherMessage);
        let is_example = || ExampleSchemaInference::default().push(record, Origin::default()).is_ok();
        if is_other || is_example() { explain_lists(error) } else { error }
    }

    fn decoder(
        &self,
        schema: &SequenceExampleSchema,
        options: &DecoderOptions,
    ) -> Result<SequenceExampleDecoder, Error> {
        let mut builder = SequenceExampleDecoder::builder()
            .schema(schema.clone())
            .sequence_column(Arc::clone(&self.column))
            .offsets(options.offsets)
            .fixed_size_lists(options.fixed_size_lists)
            .unknown_features(options.unknown_features)
            .other_messages(options.other_messages)
            .limits(options.limits);
        if let Some(Selection { columns, sequence }) = &options.selection {
            builder = builder.projection(columns.iter().cloned(), sequence.iter().cloned());
        }
        if let Some(name) = &options.raw_record {
            builder = builder.raw_record_column(name.clone());
        }
        builder.build()
    }

    fn sequence_column<'a>(&'a self, schema: &SequenceExampleSchema) -> Option<&'a Arc<str>> {
        (!schema.sequence().features().is_empty()).then_some(&self.column)
    }

    fn features(schema: &SequenceExampleSchema) -> Selection {
        let names = |schema: &example_codec::ExampleSchema| {
            schema.features().iter().map(|feature| feature.name.clone()).collect()
        };
        Selection { columns: names(schema.context()), sequence: names(schema.sequence()) }
    }

    #[cfg(feature = "tensors")]
    fn of_metadata(&self, schema: &tensor_repr::TfmdSchema) -> Result<SequenceExampleSchema, Error> {
        super::metadata::sequence_example_schema(schema, &self.column)
    }

    #[cfg(feature = "tensors")]
    fn of_kinds(
        &self,
        kinds: &std::collections::BTreeMap<tensor_repr::ColumnPath, example_codec::FeatureKind>,
    ) -> Result<SequenceExampleSchema, Error> {
        use example_codec::ExampleSchema;

        let (context, sequence, others) = super::metadata::of_kinds(kinds, Some(&self.column));
        let why = format!("only sequence features are in a struct, and it is called {:?}", self.column);
        super::metadata::refuse_paths(&others, &why)?;
        Ok(SequenceExampleSchema::new(ExampleSchema::new(context)?, ExampleSchema::new(sequence)?))
    }

    fn of_arrow(&self, schema: &arrow_schema::Schema) -> Result<SequenceExampleSchema, Error> {
        SequenceExampleSchema::of_columns(schema, &self.column)
    }

    fn with_lengths(
        schema: SequenceExampleSchema,
        lengths: &std::collections::HashMap<Arc<str>, u32>,
    ) -> Result<SequenceExampleSchema, Error> {
        let (context, sequence) = schema.into_parts();
        Ok(SequenceExampleSchema::new(super::example::with_lengths(&context, lengths)?, sequence))
    }
}

impl InferSchema for SequenceExampleSchemaInference {
    type Schema = SequenceExampleSchema;

    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        self.push(record, origin)
    }

    fn merge(&mut self, other: &Self) -> Result<(), Error> {
        self.merge(other)
    }

    fn finish(&self) -> SequenceExampleSchema {
        self.finish()
    }

    fn describe(&self, schema: &arrow_schema::Schema, column: Option<&str>) -> tfxio_core::SchemaReport {
        crate::record_formats::describe::of_sequences(self, schema, column.unwrap_or_default())
    }

    fn mixed(&self, selection: Option<&Selection>) -> Option<Error> {
        let context = || first_of(self.mixed_context_kinds(), selection.map(|all| &*all.columns));
        let lists = || first_of(self.mixed_sequence_kinds(), selection.map(|all| &*all.sequence));
        context().or_else(|| lists().map(explain_lists))
    }
}
