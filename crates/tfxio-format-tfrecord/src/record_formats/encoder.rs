//! Rows as tf.Example and tf.SequenceExample.

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use example_codec::{EncodedExamples, EncoderOptions, ExampleEncoder, SequenceExampleEncoder};
use tfxio_core::{FormatOptions, RecordEncoder, Result};

use super::features::Features;
use super::options;
use super::sequence::SEQUENCE_COLUMN;

/// Makes records of rows.
pub(super) struct MessageEncoder {
    features: Features,
    encode: Encode,
    examples: EncodedExamples,
}

type Encode = Box<dyn FnMut(&RecordBatch, &mut EncodedExamples) -> Result<()> + Send>;

impl MessageEncoder {
    pub(super) fn example(schema: &SchemaRef, options: &FormatOptions) -> Result<Self> {
        let features = Features::new(schema)?;
        let settings = settings(schema, options);
        #[cfg(feature = "tensors")]
        let settings = settings.ragged_features(super::ragged::features(features.schema(), options)?);
        let encoder = ExampleEncoder::builder(features.schema()).options(settings).build()?;
        let encode = Box::new(move |batch: &RecordBatch, examples: &mut _| encoder.encode(batch, examples));
        Ok(Self { features, encode, examples: EncodedExamples::new() })
    }

    pub(super) fn sequence_example(schema: &SchemaRef, options: &FormatOptions) -> Result<Self> {
        let features = Features::with_sequences(schema, Some(sequence_column(options)))?;
        let (column, settings) = (sequence_column(options), settings(schema, options));
        let encoder = SequenceExampleEncoder::builder(features.schema(), column).options(settings).build()?;
        let encode = Box::new(move |batch: &RecordBatch, examples: &mut _| encoder.encode(batch, examples));
        Ok(Self { features, encode, examples: EncodedExamples::new() })
    }
}

impl RecordEncoder for MessageEncoder {
    fn encode(&mut self, batch: &RecordBatch, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let Self { features, encode, examples } = self;
        encode(&features.batch(batch)?, examples)?;
        examples.iter().try_for_each(take)
    }
}

/// Returns whether a schema has a column of sequence features.
pub(super) fn has_sequences(schema: &SchemaRef, options: &FormatOptions) -> bool {
    let column = schema.column_with_name(sequence_column(options));
    column.is_some_and(|(_, field)| matches!(field.data_type(), DataType::Struct(_)))
}

fn sequence_column(options: &FormatOptions) -> &str {
    options.text(options::SEQUENCE_COLUMN).unwrap_or(SEQUENCE_COLUMN)
}

fn settings(schema: &SchemaRef, options: &FormatOptions) -> EncoderOptions {
    let raw_record = options.text(options::RAW_RECORD_COLUMN);
    let raw_record = raw_record.filter(|name| schema.column_with_name(name).is_some());
    // The cast before makes lists of scalars, and reports what that loses.
    EncoderOptions::default()
        .scalars(false)
        .text(true)
        .limits(options.request.limits)
        .ignored_columns(raw_record)
}
