//! All records at once.

use arrow_array::RecordBatch;
use tfxio_core::Origin;

use crate::{Error, ExampleDecoder, ExampleEncoder};

/// Decodes serialised tf.Examples into one batch, a row each, with the features that they have as columns.
///
/// An [`ExampleDecoder`] takes options, and records one by one.
///
/// ```
/// use example_codec::Example;
///
/// let records = [Example::new().int64("label", [5]).to_vec(), Example::new().int64("label", [7]).to_vec()];
/// let batch = example_codec::decode_all(&records)?;
/// assert_eq!(batch.num_rows(), 2);
/// # Ok::<(), example_codec::Error>(())
/// ```
///
/// # Errors
/// As [`ExampleDecoder::push`], with the number of the record.
pub fn decode_all<R: AsRef<[u8]>>(records: &[R]) -> Result<RecordBatch, Error> {
    let mut decoder = ExampleDecoder::builder().build()?;
    for (record, index) in records.iter().zip(0..) {
        decoder.push(record.as_ref(), Origin::record(index))?;
    }
    decoder.flush()
}

/// Encodes the rows of a batch as tf.Examples.
///
/// An [`ExampleEncoder`] takes options, and writes all records into one buffer.
///
/// # Errors
/// As [`ExampleEncoderBuilder::build`](crate::ExampleEncoderBuilder::build) and [`ExampleEncoder::encode`].
pub fn encode_all(batch: &RecordBatch) -> Result<Vec<Vec<u8>>, Error> {
    ExampleEncoder::builder(&batch.schema()).build()?.encode_to_vec(batch)
}
