//! tf.Example to Arrow, and in [`sequence`] tf.SequenceExample.
//!
//! A record is decoded in two passes: [`walk`] finds the range of each column's feature, [`column`] appends its values to
//! the column's [`store`]. [`names`] and [`entries`] make the first fast, [`feature`] is the fallback of the second;
//! [`buffer`] is memory that is used again. Records that look like earlier ones are decoded in one pass by a [`template`].
//! [`core`] joins them and [`front`] is its public face, [`extra`] are columns that are not features, [`explain`] words the
//! errors.

mod buffer;
mod column;
mod core;
mod entries;
pub(crate) mod explain;
mod extra;
pub(crate) mod feature;
mod front;
mod name_table;
pub(crate) mod names;
mod offset;
mod options;
#[cfg(target_arch = "x86_64")]
pub(crate) mod processor;
mod sequence;
mod store;
pub(crate) mod template;
mod values;
pub(crate) mod walk;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tfxio_core::{Origin, RecordDecoder};

use self::front::decoder;
pub use self::options::{ExampleDecoderBuilder, OffsetWidth, UnknownFeatures};
pub use self::sequence::{SequenceExampleDecoder, SequenceExampleDecoderBuilder};
#[cfg(feature = "fuzzing")]
pub use self::template::trial;
use crate::Error;

decoder! {
    /// Decodes tf.Example records, one row each, into record batches.
    ///
    /// The wire bytes go straight into Arrow buffers; no message objects are built, and the buffers of
    /// batches that the consumer has dropped are used again.
    ///
    /// | feature | column |
    /// | --- | --- |
    /// | `int64_list` | `LargeList<Int64>` |
    /// | `float_list` | `LargeList<Float32>` |
    /// | `bytes_list` | `LargeList<LargeBinary>` |
    /// | no value in any row of the batch, without a schema | `Null` |
    ///
    /// A record without the feature, or with a `Feature` in which none of the three lists is set, has a
    /// null; a list without values is an empty list. [`ExampleDecoderBuilder`] has the options.
    ///
    /// ```
    /// use example_codec::ExampleDecoder;
    /// use tfxio_core::Origin;
    ///
    /// // features { feature { key: "a" value { int64_list { value: [5] } } } }
    /// let record = b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x05";
    /// let mut decoder = ExampleDecoder::builder().build()?;
    /// decoder.push(record, Origin::record(0))?;
    /// let batch = decoder.flush()?;
    /// assert_eq!(batch.schema().field(0).name(), "a");
    /// assert_eq!(batch.num_rows(), 1);
    /// # Ok::<(), example_codec::Error>(())
    /// ```
    ExampleDecoder of ExampleDecoderBuilder,
    /// Appends a serialized tf.Example as one row.
    ///
    /// # Errors
    /// `Malformed` and `NameNotUtf8` for bytes that are not a tf.Example; `KindMismatch`, `MissingFeature`, `WrongLength`
    /// and `UnknownFeature` for a record that does not fit the schema or, without one, the records before it;
    /// `LimitExceeded`. The decoder is then as it was before the call.
    push
}

impl ExampleDecoder {
    fn new(options: ExampleDecoderBuilder) -> Result<Self, Error> {
        Ok(Self(match options.offsets {
            OffsetWidth::Bits32 => Box::new(core::Core::<i32>::new(options)?),
            OffsetWidth::Bits64 => Box::new(core::Core::<i64>::new(options)?),
        }))
    }
}
