//! Arrow to tf.Example.
//!
//! Records are written from the last byte to the first ([`back`]): when a length has to be written, the bytes that it
//! counts are already written. So no pass over the values is needed that only adds up sizes, and no length is ever moved.
//! [`column`] turns the columns of a batch into writers of one row, [`values`] and [`strings`] by the kind of their values
//! and [`cell`] independently of it; [`output`] is what the caller gets.
//!
//! Small cells are written by [`block`], some rows at once, column by column: rows of one short value with a head that
//! [`short`] has ready, the others as single rows.

mod back;
mod block;
mod builder;
mod cell;
mod column;
mod options;
mod output;
mod plan;
mod ragged;
mod row_set;
mod scalars;
mod sequence;
mod short;
mod strings;
mod values;

use arrow_array::RecordBatch;
use arrow_schema::Schema;

pub use self::builder::{ExampleEncoderBuilder, SequenceExampleEncoderBuilder};
pub use self::options::EncoderOptions;
pub use self::output::EncodedExamples;
use self::plan::Context;
pub use self::ragged::{FeaturePartition, RaggedColumn};
pub use self::sequence::SequenceExampleEncoder;
use crate::Error;

/// Encodes record batches as tf.Example records, one a row.
///
/// | column | feature |
/// | --- | --- |
/// | list of `Int64` | `int64_list` |
/// | list of `Float32` | `float_list` |
/// | list of `Binary`, `LargeBinary` or `BinaryView` | `bytes_list` |
/// | `Null` | a `Feature` in which no list is set |
///
/// Lists may be `List`, `LargeList` or `FixedSizeList`. A column of scalars is a list of one value a row, and integers, booleans and floats
/// of fewer bits are widened, unless [`EncoderOptions::scalars`] is false. A null row becomes a `Feature` in which no list is set, as TFX
/// writes it; an empty list becomes a list without values. Both decode to what they were. Values are packed, features are
/// in the order of the columns.
///
/// An encoder holds no buffer: it can be shared between threads, each with its own
/// [`EncodedExamples`].
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::builder::{Int64Builder, LargeListBuilder};
/// use arrow_array::{ArrayRef, RecordBatch};
/// use example_codec::{EncodedExamples, ExampleEncoder};
///
/// let mut labels = LargeListBuilder::new(Int64Builder::new());
/// labels.append_value([Some(5)]);
/// labels.append_null();
/// let batch = RecordBatch::try_from_iter([("label", Arc::new(labels.finish()) as ArrayRef)])?;
///
/// let encoder = ExampleEncoder::builder(&batch.schema()).build()?;
/// let mut examples = EncodedExamples::new();
/// encoder.encode(&batch, &mut examples)?;
/// assert_eq!(examples.len(), 2);
/// assert_eq!(examples.get(0), Some(&b"\x0a\x10\x0a\x0e\x0a\x05label\x12\x05\x1a\x03\x0a\x01\x05"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ExampleEncoder {
    features: Context,
}

/// Tag of the map of an `Example`.
const FEATURES: u8 = 0x0a;

impl ExampleEncoder {
    /// Returns a builder of an encoder for batches of a schema, with the default options.
    #[must_use]
    pub fn builder(schema: &Schema) -> ExampleEncoderBuilder<'_> {
        ExampleEncoderBuilder::new(schema)
    }

    /// Encodes a batch; what `output` held before is gone.
    ///
    /// # Errors
    /// `NullValue` for a null inside a list, with row and column; `WrongLength` for a list that its uniform
    /// row length does not divide; `UnsupportedColumn` for a batch of another schema; `LimitExceeded` for a record or a batch that is longer than the limits
    /// allow. `output` is then empty.
    pub fn encode(&self, batch: &RecordBatch, output: &mut EncodedExamples) -> Result<(), Error> {
        output.clear();
        let apart = self.features.take_apart(batch)?;
        let columns = self.features.columns(&apart)?;
        self.features.write(batch.num_rows(), &[(FEATURES, &columns)], output)
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
