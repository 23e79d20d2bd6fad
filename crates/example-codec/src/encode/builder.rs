//! Builders of the encoders.

use arrow_schema::Schema;

use super::plan::Context;
use super::{EncoderOptions, ExampleEncoder, SequenceExampleEncoder};
use crate::Error;

/// Makes an [`ExampleEncoder`]: see [`ExampleEncoder::builder`].
#[derive(Clone, Debug)]
pub struct ExampleEncoderBuilder<'s> {
    schema: &'s Schema,
    options: EncoderOptions,
}

impl<'s> ExampleEncoderBuilder<'s> {
    pub(super) fn new(schema: &'s Schema) -> Self {
        Self { schema, options: EncoderOptions::default() }
    }

    /// Sets which columns are encoded, and how.
    #[must_use]
    pub fn options(mut self, options: EncoderOptions) -> Self {
        self.options = options;
        self
    }

    /// Makes the encoder.
    ///
    /// # Errors
    /// `UnsupportedColumn` for a column of a type that tf.Example cannot hold; `InvalidSchema` when two
    /// columns or features have one name; `UnknownColumn` when a column that is to be left out, or to be
    /// taken apart, is not there; `InvalidOption` for a uniform row length of 0 and for a column with two
    /// lists of partitions.
    pub fn build(self) -> Result<ExampleEncoder, Error> {
        Ok(ExampleEncoder { features: Context::new(self.schema, self.options)? })
    }
}

/// Makes a [`SequenceExampleEncoder`]: see [`SequenceExampleEncoder::builder`].
#[derive(Clone, Debug)]
pub struct SequenceExampleEncoderBuilder<'s> {
    schema: &'s Schema,
    sequence_column: &'s str,
    options: EncoderOptions,
}

impl<'s> SequenceExampleEncoderBuilder<'s> {
    pub(super) fn new(schema: &'s Schema, sequence_column: &'s str) -> Self {
        Self { schema, sequence_column, options: EncoderOptions::default() }
    }

    /// Sets which columns are encoded, and how.
    #[must_use]
    pub fn options(mut self, options: EncoderOptions) -> Self {
        self.options = options;
        self
    }

    /// Makes the encoder.
    ///
    /// # Errors
    /// `UnsupportedColumn` for a column or a field of a type that tf.SequenceExample cannot hold, and for a
    /// struct of another name; `InvalidSchema` when two columns, or two fields, have one name;
    /// `UnknownColumn` and `InvalidOption` as [`ExampleEncoderBuilder::build`].
    pub fn build(self) -> Result<SequenceExampleEncoder, Error> {
        SequenceExampleEncoder::try_new(self.schema, self.sequence_column, self.options)
    }
}
