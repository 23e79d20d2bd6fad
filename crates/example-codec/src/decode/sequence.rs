//! tf.SequenceExample to Arrow.
//!
//! The context of a record is decoded as a tf.Example is, by [`super::core`]. The map of its feature lists is walked by the
//! same [walk](super::walk); [`lists`] appends what was found, [`column`] is one sequence feature under construction,
//! [`steps`] reads the steps of one list in the form in which everybody writes them, and [`short_steps`] the steps of few
//! values. [`core`] joins context and lists.

mod bits;
mod column;
mod core;
mod explain;
mod lists;
mod options;
mod short_steps;
mod short_strings;
mod steps;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tfxio_core::{Origin, RecordDecoder};

pub use self::options::SequenceExampleDecoderBuilder;
use super::OffsetWidth;
use super::front::decoder;
use crate::Error;

decoder! {
    /// Decodes tf.SequenceExample records, one row each, into record batches.
    ///
    /// | in the record | column |
    /// | --- | --- |
    /// | a context feature | as [`ExampleDecoder`](crate::ExampleDecoder) decodes it |
    /// | all sequence features | one `Struct`, named `##SEQUENCE##` unless another name is given |
    /// | a feature list | its field: `LargeList<LargeList<T>>`, a list of steps, each a list of values |
    /// | a feature list without a kind in any step of the batch, without a schema | `LargeList<Null>` |
    ///
    /// The context columns come first. A record without the list has a null; a list without steps is an
    /// empty list. A step in which none of the three lists is set is a null inner list; one with an empty
    /// list is an empty inner list. The struct itself is never null. Without a schema a batch of records
    /// without feature lists has no struct column; where they are there and empty, it has one without fields.
    ///
    /// ```
    /// use arrow_array::cast::AsArray;
    /// use example_codec::SequenceExampleDecoder;
    /// use tfxio_core::Origin;
    ///
    /// // feature_lists { feature_list { key: "s" value {
    /// //     feature { int64_list { value: [5, 6] } } feature {} } } }
    /// let record = b"\x12\x11\x0a\x0f\x0a\x01s\x12\x0a\x0a\x06\x1a\x04\x0a\x02\x05\x06\x0a\x00";
    /// let mut decoder = SequenceExampleDecoder::builder().build()?;
    /// decoder.push(record, Origin::record(0))?;
    /// let batch = decoder.flush()?;
    /// let sequence = batch.column_by_name("##SEQUENCE##").expect("there is a list").as_struct();
    /// let steps = sequence.column(0).as_list::<i64>().value(0);
    /// assert_eq!(steps.len(), 2);
    /// assert_eq!(steps.null_count(), 1);
    /// # Ok::<(), example_codec::Error>(())
    /// ```
    SequenceExampleDecoder of SequenceExampleDecoderBuilder,
    /// Appends a serialized tf.SequenceExample as one row.
    ///
    /// # Errors
    /// As [`ExampleDecoder::push`](crate::ExampleDecoder::push). A feature list that mixes kinds, within
    /// a record, between records or against the schema, is a `KindMismatch` that names list and step.
    /// `InvalidOption` for a context feature with the name of the column of the sequence features,
    /// in a batch that has such a column. The decoder is then as it was before the call.
    push
}

impl SequenceExampleDecoder {
    fn new(options: SequenceExampleDecoderBuilder) -> Result<Self, Error> {
        Ok(Self(match options.context.offsets {
            OffsetWidth::Bits32 => Box::new(core::Core::<i32>::new(options)?),
            OffsetWidth::Bits64 => Box::new(core::Core::<i64>::new(options)?),
        }))
    }
}
