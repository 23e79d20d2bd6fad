//! Encoder of rows of columns as records.

mod bind;
mod keyed;
mod other;
mod write;

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tfxio_base::{Limits, Position, Result};

use self::bind::Bound;
use crate::MessageDescriptor;

/// Writes rows as messages of a type: the inverse of [`MessageDecoder`](crate::MessageDecoder).
///
/// Columns are found by the names of the fields, in any order; a field without a column is absent. Each column may have
/// either [layout](crate::Layout), with 32- or 64-bit offsets, and an enum may be names or numbers. Numbers may have another type
/// than the field, if each of them is one of its type; a column of type `Null` has none. A map may be a struct whose fields
/// are its keys, as the objects of JSON are read; a key whose value is null is not in the map. Fields are written in the
/// order of their numbers, so that the same row gives the same bytes.
///
/// ```
/// # #[cfg(feature = "sources")] {
/// use message_codec::{DescriptorSet, MessageEncoder, MessagePlan, Origin};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let file = dir.path().join("person.proto");
/// # std::fs::write(&file, r#"syntax = "proto3"; message Person { string name = 1; repeated int32 scores = 2; }"#).unwrap();
/// // message Person { string name = 1; repeated int32 scores = 2; }
/// let person = DescriptorSet::compile([file], [])?.message("Person")?;
/// let record = b"\x0a\x03Ada\x12\x02\x07\x08";
/// let mut decoder = MessagePlan::builder(person.clone()).build()?.decoder();
/// decoder.push(record, Origin::record(0))?;
/// let batch = decoder.flush()?;
///
/// let encoder = MessageEncoder::builder(person, batch.schema()).build()?;
/// assert_eq!(encoder.encode_to_vec(&batch)?, [record]);
/// # }
/// # Ok::<(), message_codec::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MessageEncoder {
    message: MessageDescriptor,
    schema: SchemaRef,
    unknown_fields: Option<Arc<str>>,
    limits: Limits,
}

/// Builds a [`MessageEncoder`].
#[derive(Clone, Debug)]
#[must_use]
pub struct MessageEncoderBuilder {
    encoder: MessageEncoder,
}

impl MessageEncoderBuilder {
    /// Sets the name of binary columns, of the root and of messages in it, whose bytes are appended as they are: see
    /// [`MessagePlanBuilder::unknown_fields`](crate::MessagePlanBuilder::unknown_fields). Default: none.
    pub fn unknown_fields(mut self, column: impl Into<Arc<str>>) -> Self {
        self.encoder.unknown_fields = Some(column.into());
        self
    }

    /// Sets the bounds: of [`Limits::record_bytes`], at most 2147483647 count. Default [`Limits::default`].
    pub fn limits(mut self, limits: Limits) -> Self {
        self.encoder.limits = limits;
        self
    }

    /// Checks the columns.
    ///
    /// # Errors
    /// `Unsupported` for a column that the message does not have, with the nearest field, or of a type that does not fit it;
    /// `SchemaMismatch` for a required field without a column.
    pub fn build(self) -> Result<MessageEncoder> {
        let empty = RecordBatch::new_empty(Arc::clone(&self.encoder.schema));
        Bound::root(&self.encoder, &empty)?;
        Ok(self.encoder)
    }
}

impl MessageEncoder {
    /// Returns a builder of an encoder of batches of a schema.
    pub fn builder(message: MessageDescriptor, schema: SchemaRef) -> MessageEncoderBuilder {
        MessageEncoderBuilder {
            encoder: Self { message, schema, unknown_fields: None, limits: Limits::default() },
        }
    }

    /// Passes each row of a batch to `take` as a record, in order.
    ///
    /// # Errors
    /// `SchemaMismatch` for a value that the message cannot hold and give back: a null in a list, a null of a field without
    /// presence, several values of a singular field, two members of a oneof, a name that is not of the enum, a key that comes
    /// twice in a map, bytes of unknown fields or of a group that are not whole fields; for columns of another schema;
    /// `LimitExceeded` for a row of more bytes than a record may have; and what `take` returns.
    pub fn encode(&self, batch: &RecordBatch, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let root = Bound::root(self, batch)?;
        let mut record = Vec::new();
        let most = usize::try_from(self.limits.record_bytes).unwrap_or(usize::MAX).min(i32::MAX as usize);
        for row in 0..batch.num_rows() {
            record.clear();
            root.write_record(row, most, &mut record)
                .map_err(|error| error.or_at(&Position::new().row(row as u64)))?;
            take(&record)?;
        }
        Ok(())
    }

    /// Encodes a batch into a vector for each record. Convenient; [`encode`](Self::encode) is faster.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_to_vec(&self, batch: &RecordBatch) -> Result<Vec<Vec<u8>>> {
        let mut records = Vec::with_capacity(batch.num_rows());
        self.encode(batch, &mut |record| {
            records.push(record.to_vec());
            Ok(())
        })?;
        Ok(records)
    }
}
