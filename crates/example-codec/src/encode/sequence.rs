//! Arrow to tf.SequenceExample.
//!
//! The context is written as a tf.Example is. A feature list is an entry of a second map, whose value holds
//! a `Feature` for each step; [`steps`] writes these with what [`super::values`] has for the values.

mod steps;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Schema};

use self::steps::{ListPlan, plans};
use super::cell::Column;
use super::plan::{Context, planned};
use super::scalars::StepScalars;
use super::{EncodedExamples, EncoderOptions, SequenceExampleEncoderBuilder};
use crate::error::Locate;
use crate::{Error, Kind};

/// Tags of the two maps of a `SequenceExample`.
const CONTEXT: u8 = 0x0a;
const FEATURE_LISTS: u8 = 0x12;

/// Encodes record batches as tf.SequenceExample records, one a row: the inverse of
/// [`SequenceExampleDecoder`](crate::SequenceExampleDecoder).
///
/// | column | in the record |
/// | --- | --- |
/// | the struct column of the sequence features | the feature lists |
/// | its field, a list of lists of `Int64`, `Float32` or byte strings | a feature list: a step for each inner list |
/// | its field, a list of values, or of lists of narrower numbers | a feature list, as [scalars](EncoderOptions::scalars) are features: a list of one value a step |
/// | every other column | a feature of the context, as [`ExampleEncoder`](crate::ExampleEncoder) writes it |
///
/// A row in which a field is null has no such feature list, an outer list without items is a feature list
/// without steps, a null inner list a step in which no list is set.
///
/// ```
/// use example_codec::{SequenceExampleDecoder, SequenceExampleEncoder};
/// use tfxio_core::Origin;
///
/// // feature_lists { feature_list { key: "s" value {
/// //     feature { int64_list { value: [5, 6] } } feature {} } } }
/// let record = b"\x0a\x00\x12\x11\x0a\x0f\x0a\x01s\x12\x0a\x0a\x06\x1a\x04\x0a\x02\x05\x06\x0a\x00";
/// let mut decoder = SequenceExampleDecoder::builder().build()?;
/// decoder.push(record, Origin::record(0))?;
/// let batch = decoder.flush()?;
///
/// let encoder = SequenceExampleEncoder::builder(&batch.schema(), "##SEQUENCE##").build()?;
/// assert_eq!(encoder.encode_to_vec(&batch)?, [record]);
/// # Ok::<(), example_codec::Error>(())
/// ```
#[derive(Debug)]
pub struct SequenceExampleEncoder {
    context: Context,
    /// The struct column: its number and name, and its fields.
    lists: Option<(usize, String, DataType, Vec<ListPlan>)>,
    /// Conversion of its fields, where any has scalars.
    scalars: Option<StepScalars>,
}

impl SequenceExampleEncoder {
    /// Returns a builder of an encoder for batches of a schema, with the default options. The column named
    /// `sequence_column`, if there is one and it is a struct, holds the sequence features.
    #[must_use]
    pub fn builder<'s>(schema: &'s Schema, sequence_column: &'s str) -> SequenceExampleEncoderBuilder<'s> {
        SequenceExampleEncoderBuilder::new(schema, sequence_column)
    }

    pub(super) fn try_new(
        schema: &Schema,
        sequence_column: &str,
        mut options: EncoderOptions,
    ) -> Result<Self, Error> {
        let mut scalars = None;
        let lists = match schema.fields().find(sequence_column) {
            Some((index, field)) if !options.ignored_columns.contains(field.name()) => {
                match field.data_type() {
                    DataType::Struct(fields) => {
                        scalars =
                            options.scalars.then(|| StepScalars::new(index, field.name(), fields)).flatten();
                        let data_type = scalars.as_ref().map_or(field.data_type(), StepScalars::data_type);
                        let fields = match data_type {
                            DataType::Struct(fields) => fields,
                            _ => fields,
                        };
                        let lists =
                            plans(fields, options.text).map_err(|error| match error.position().column {
                                None => error.in_feature(sequence_column),
                                Some(_) => error,
                            })?;
                        Some((index, field.name().clone(), data_type.clone(), lists))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some((_, name, ..)) = &lists {
            options.ignored_columns.push(name.clone());
        }
        Ok(Self { context: Context::new(schema, options)?, lists, scalars })
    }

    /// Encodes a batch; what `output` held before is gone.
    ///
    /// # Errors
    /// As [`ExampleEncoder::encode`](crate::ExampleEncoder::encode). `output` is then empty.
    pub fn encode(&self, batch: &RecordBatch, output: &mut EncodedExamples) -> Result<(), Error> {
        output.clear();
        let lists = self.scalars.as_ref().map(|scalars| scalars.lists(batch)).transpose()?;
        let batch = lists.as_ref().unwrap_or(batch);
        let apart = self.context.take_apart(batch)?;
        let context = self.context.columns(&apart)?;
        let lists = self.columns(batch)?;
        let maps = [(CONTEXT, context.as_slice()), (FEATURE_LISTS, lists.as_deref().unwrap_or_default())];
        let count = 1 + usize::from(lists.is_some());
        self.context.write(batch.num_rows(), maps.get(..count).unwrap_or_default(), output)
    }

    /// Returns the feature lists of a batch.
    fn columns<'a>(&'a self, batch: &'a RecordBatch) -> Result<Option<Vec<Column<'a>>>, Error> {
        let Some((index, name, data_type, plans)) = &self.lists else { return Ok(None) };
        let array = planned(*index, name, data_type, batch.schema_ref().fields(), batch.columns())?;
        let lists = array.as_struct_opt().ok_or_else(|| {
            Error::new(Kind::UnsupportedColumn, "the column is not a struct").in_feature(name)
        })?;
        let columns = plans.iter().zip(lists.columns());
        columns.map(|(plan, column)| plan.column(column, array.nulls())).collect::<Result<_, _>>().map(Some)
    }

    /// Encodes a batch into a vector for each record. Convenient; [`encode`](Self::encode) is faster.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_to_vec(&self, batch: &RecordBatch) -> Result<Vec<Vec<u8>>, Error> {
        let mut output = EncodedExamples::new();
        self.encode(batch, &mut output)?;
        Ok(output.iter().map(<[u8]>::to_vec).collect())
    }
}
