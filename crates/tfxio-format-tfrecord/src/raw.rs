//! Records as they are, in a column of bytes.

use std::sync::Arc;

use arrow_array::{ArrayRef, LargeBinaryArray, LargeListArray, RecordBatch};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use tfxio_core::{Count, Error, ErrorKind, Limits, Origin, RecordDecoder};

/// Puts each record into one column, as a list of one byte string: `LargeList<LargeBinary>`, the form that TFX
/// components expect.
///
/// ```
/// use tfxio_formats::{Origin, RawRecordDecoder, RecordDecoder};
///
/// let mut decoder = RawRecordDecoder::new("raw_record");
/// decoder.push(b"anything", Origin::record(0))?;
/// let batch = decoder.flush()?;
/// assert_eq!((batch.num_rows(), batch.schema().field(0).name().as_str()), (1, "raw_record"));
/// # Ok::<(), tfxio_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct RawRecordDecoder {
    schema: SchemaRef,
    bytes: Vec<u8>,
    /// Ends of the records in `bytes`, after a zero.
    ends: Vec<i64>,
    limits: Limits,
    /// Bytes and records of the batch before.
    expected: (usize, usize),
}

impl RawRecordDecoder {
    /// A decoder whose column has this name.
    #[must_use]
    pub fn new(column: &str) -> Self {
        Self {
            schema: schema(column),
            bytes: Vec::new(),
            ends: vec![0],
            limits: Limits::default(),
            expected: (0, 0),
        }
    }

    /// Sets the limits, of which `record_bytes` and `batch_bytes` count here. Default: [`Limits::default`].
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

impl RecordDecoder for RawRecordDecoder {
    fn schema(&self) -> Option<SchemaRef> {
        Some(Arc::clone(&self.schema))
    }

    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        if record.len() as u64 > self.limits.record_bytes {
            return Err(too_long("the record", "record_bytes", self.limits.record_bytes, origin));
        }
        let bytes = self.bytes.len().saturating_add(record.len()) as u64;
        if bytes > self.limits.batch_bytes {
            return Err(too_long("the batch", "batch_bytes", self.limits.batch_bytes, origin));
        }
        if self.bytes.is_empty() {
            self.bytes.reserve(self.expected.0);
            self.ends.reserve(self.expected.1);
        }
        self.bytes.extend_from_slice(record);
        self.ends.push(self.bytes.len() as i64);
        Ok(())
    }

    fn rows(&self) -> usize {
        self.ends.len() - 1
    }

    fn flush(&mut self) -> Result<RecordBatch, Error> {
        self.expected = (self.bytes.len(), self.ends.len());
        let bytes = std::mem::take(&mut self.bytes);
        let ends = std::mem::replace(&mut self.ends, vec![0]);
        batch(Arc::clone(&self.schema), bytes, ends)
    }
}

/// A batch with one column, which holds each record as a list of one byte string.
///
/// ```
/// use tfxio_formats::raw_records_to_record_batch;
/// let batch = raw_records_to_record_batch([&b"one"[..], b"two"], "raw_record")?;
/// assert_eq!(batch.num_rows(), 2);
/// # Ok::<(), tfxio_formats::Error>(())
/// ```
///
/// # Errors
/// `LimitExceeded` when the records are longer than the default [`Limits`] allow.
pub fn raw_records_to_record_batch<R: AsRef<[u8]>>(
    records: impl IntoIterator<Item = R>,
    column: &str,
) -> Result<RecordBatch, Error> {
    let mut decoder = RawRecordDecoder::new(column);
    for (index, record) in records.into_iter().enumerate() {
        decoder.push(record.as_ref(), Origin::record(index as u64))?;
    }
    decoder.flush()
}

pub(crate) fn schema(column: &str) -> SchemaRef {
    let item = Field::new_list_field(DataType::LargeBinary, true);
    Arc::new(Schema::new(vec![Field::new(column, DataType::LargeList(Arc::new(item)), true)]))
}

fn batch(schema: SchemaRef, bytes: Vec<u8>, ends: Vec<i64>) -> Result<RecordBatch, Error> {
    let rows = ends.len().saturating_sub(1);
    let values = LargeBinaryArray::try_new(
        OffsetBuffer::new(ScalarBuffer::from(ends)),
        Buffer::from_vec(bytes),
        None,
    )?;
    let item = Arc::new(Field::new_list_field(DataType::LargeBinary, true));
    let lists = OffsetBuffer::from_repeated_length(1, rows);
    let column: ArrayRef = Arc::new(LargeListArray::try_new(item, lists, Arc::new(values), None)?);
    Ok(RecordBatch::try_new(schema, vec![column])?)
}

fn too_long(what: &str, limit: &str, most: u64, origin: Origin<'_>) -> Error {
    let message = format!(
        "{what} is longer than the limit of {}; raise `{limit}` or read smaller batches",
        Count::of(most, "byte")
    );
    Error::new(ErrorKind::LimitExceeded, message).at(origin.position())
}
