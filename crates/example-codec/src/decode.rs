//! tf.Example to Arrow, and in [`sequence`] tf.SequenceExample.
//!
//! A record is decoded in two passes: [`walk`] finds where the feature of each column lies,
//! [`column`] appends its values to the column's [`store`]. [`names`] and [`entries`] make the first
//! fast, [`feature`] is what the second falls back on; [`buffer`] is memory that is used again.
//! [`core`] joins them, [`extra`] are columns that are not features, [`explain`] words the errors.

mod buffer;
mod column;
mod core;
mod entries;
mod explain;
mod extra;
mod feature;
mod name_table;
mod names;
mod options;
mod sequence;
mod store;
mod walk;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tfxio_core::{Origin, RecordDecoder};

pub use self::options::{ExampleDecoderBuilder, OffsetWidth, UnknownFeatures};
pub use self::sequence::{SequenceExampleDecoder, SequenceExampleDecoderBuilder};
use crate::Error;

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
pub struct ExampleDecoder(Width);

enum Width {
    Bits32(Box<core::Core<i32>>),
    Bits64(Box<core::Core<i64>>),
}

impl ExampleDecoder {
    /// A builder with the defaults.
    #[must_use]
    pub fn builder() -> ExampleDecoderBuilder {
        ExampleDecoderBuilder::default()
    }

    fn new(options: ExampleDecoderBuilder) -> Result<Self, Error> {
        Ok(Self(match options.offsets {
            OffsetWidth::Bits32 => Width::Bits32(Box::new(core::Core::new(options)?)),
            OffsetWidth::Bits64 => Width::Bits64(Box::new(core::Core::new(options)?)),
        }))
    }

    /// The schema of every batch, or `None` without a schema of features: the columns are then
    /// those of each batch.
    #[must_use]
    pub fn schema(&self) -> Option<SchemaRef> {
        match &self.0 {
            Width::Bits32(core) => core.schema(),
            Width::Bits64(core) => core.schema(),
        }
    }

    /// Appends a serialized tf.Example as one row.
    ///
    /// # Errors
    /// `Malformed` and `NameNotUtf8` for bytes that are no tf.Example; `KindMismatch`,
    /// `MissingFeature`, `WrongLength` and `UnknownFeature` for a record that does not fit the
    /// schema or, without one, the records before it; `LimitExceeded`. The decoder is then as it was
    /// before the call.
    pub fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        match &mut self.0 {
            Width::Bits32(core) => core.push(record, origin),
            Width::Bits64(core) => core.push(record, origin),
        }
    }

    /// Rows gathered since the last flush.
    #[must_use]
    pub fn rows(&self) -> usize {
        match &self.0 {
            Width::Bits32(core) => core.rows(),
            Width::Bits64(core) => core.rows(),
        }
    }

    /// Hands out the gathered rows as a batch, which may have none.
    ///
    /// # Errors
    /// `Arrow` when Arrow refuses the columns; the rows are then gone.
    pub fn flush(&mut self) -> Result<RecordBatch, Error> {
        match &mut self.0 {
            Width::Bits32(core) => core.flush(),
            Width::Bits64(core) => core.flush(),
        }
    }
}

impl std::fmt::Debug for ExampleDecoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExampleDecoder")
            .field("schema", &self.schema())
            .field("rows", &self.rows())
            .finish_non_exhaustive()
    }
}

impl RecordDecoder for ExampleDecoder {
    fn schema(&self) -> Option<SchemaRef> {
        self.schema()
    }

    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        self.push(record, origin)
    }

    fn rows(&self) -> usize {
        self.rows()
    }

    fn flush(&mut self) -> Result<RecordBatch, Error> {
        self.flush()
    }
}
