//! Avro records in memory as tensors.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use avro_path::program::KeyOptions;
use avro_path::{AvroDecoder, AvroSchema, KeyProgram};
use tensor_repr::{Adapter, FeatureSpec, TensorBatch, TensorSpec};
use tfxio_core::{Error, Limits, Origin, Result};

use super::specs::Bound;

/// Feature specs compiled for an Avro schema: serialized records in memory become tensors, or the columns of these.
///
/// It is for records without a file: messages, values of a key-value store, cells of a column. Files are read by
/// [`AvroFormat`](super::AvroFormat), whose option `features` takes the same specs. The name of a spec is its key expression,
/// unless it has a key of its own. Immutable; clones share it.
///
/// ```
/// use tfxio_formats::AvroFeatures;
/// use tfxio_formats::avro_path::AvroSchema;
/// use tfxio_formats::avro_path::datum::write;
/// use tfxio_formats::tensor_repr::feature_specs_from_json;
///
/// let schema = AvroSchema::parse(
///     r#"{"type": "record", "name": "person", "fields": [
///         {"name": "age", "type": "int"}, {"name": "scores", "type": {"type": "array", "items": "float"}}]}"#,
/// )?;
/// let specs = feature_specs_from_json(
///     r#"{"age": {"kind": "FixedLen", "shape": [], "dtype": "int32"},
///         "scores[*]": {"kind": "FixedLen", "shape": [2], "dtype": "float32", "default": 0.5}}"#,
/// )?;
/// let features = AvroFeatures::builder(&schema, &specs).build()?;
///
/// // An age of 36, and one score.
/// let mut record = Vec::new();
/// write::long(&mut record, 36);
/// write::long(&mut record, 1);
/// write::float(&mut record, 2.0);
/// write::long(&mut record, 0);
///
/// let tensors = features.tensors(&mut features.decoder(), &[record])?;
/// assert_eq!(tensors.dense("age")?.values().as_slice::<i32>(), Some(&[36][..]));
/// assert_eq!(tensors.dense("scores[*]")?.values().as_slice::<f32>(), Some(&[2.0, 0.5][..]));
/// # Ok::<(), tfxio_formats::Error>(())
/// ```
#[derive(Clone)]
pub struct AvroFeatures {
    program: KeyProgram,
    adapter: Arc<Adapter>,
    limits: Limits,
}

/// Compiles feature specs: see [`AvroFeatures::builder`].
#[derive(Clone, Debug)]
pub struct AvroFeaturesBuilder<'s> {
    schema: &'s AvroSchema,
    specs: &'s BTreeMap<String, FeatureSpec>,
    writer: Option<&'s AvroSchema>,
    options: KeyOptions,
    limits: Limits,
}

impl<'s> AvroFeaturesBuilder<'s> {
    /// Sets the schema that the records were written with, where it is another than that of the keys. Default: the same.
    #[must_use]
    pub fn writer(mut self, writer: &'s AvroSchema) -> Self {
        self.writer = Some(writer);
        self
    }

    /// Sets the layout of the columns. Default: [stored types](KeyOptions::stored), offsets of 64 bits.
    #[must_use]
    pub fn options(mut self, options: KeyOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the limits of a record and of a batch. Default: [`Limits::default`].
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Compiles the specs.
    ///
    /// # Errors
    /// When a key is not valid or does not fit the schema, a spec does not fit its column, or records of the writer's schema can
    /// never be read with the other one. The error names the tensor.
    pub fn build(self) -> Result<AvroFeatures> {
        let Bound { columns, arrow, representations } = Bound::new(self.schema, self.specs, self.options)?;
        let adapter = Adapter::builder(arrow, representations).build()?;
        let names = columns.names();
        let named = names.iter().map(String::as_str).zip(columns.keys());
        let builder = KeyProgram::builder(self.schema, named).options(self.options);
        let program = match self.writer {
            Some(writer) => builder.writer(writer).build()?,
            None => builder.build()?,
        };
        Ok(AvroFeatures { program, adapter: Arc::new(adapter), limits: self.limits })
    }
}

impl AvroFeatures {
    /// Returns a builder of the tensors of these names, by keys into records of a schema.
    #[must_use]
    pub fn builder<'s>(
        schema: &'s AvroSchema,
        specs: &'s BTreeMap<String, FeatureSpec>,
    ) -> AvroFeaturesBuilder<'s> {
        let (options, limits) = (KeyOptions::stored(), Limits::default());
        AvroFeaturesBuilder { schema, specs, writer: None, options, limits }
    }

    /// Returns the schema of the columns: one for each key.
    #[must_use]
    pub fn arrow_schema(&self) -> SchemaRef {
        self.program.arrow_schema()
    }

    /// Returns the names of the tensors with their specs.
    #[must_use]
    pub fn specs(&self) -> &[(Arc<str>, TensorSpec)] {
        self.adapter.specs()
    }

    /// Returns a decoder of records. It uses the memory of batches that nobody holds any more again, so that it is worth keeping.
    #[must_use]
    pub fn decoder(&self) -> AvroDecoder {
        self.program.decoder().limits(self.limits)
    }

    /// Returns the columns of the records, a row for each. The decoder is empty afterwards, also after an error.
    ///
    /// # Errors
    /// What [`AvroDecoder::push`] refuses of a record, with its number, counted from 0.
    pub fn columns<R: AsRef<[u8]>>(&self, decoder: &mut AvroDecoder, records: &[R]) -> Result<RecordBatch> {
        for (number, record) in (0..).zip(records) {
            if let Err(error) = decoder.push(record.as_ref(), Origin::record(number)) {
                // The records before it are not those of the next batch.
                decoder.flush()?;
                return Err(error);
            }
        }
        decoder.flush()
    }

    /// Returns the tensors of the records, the first dimension of which is the records.
    ///
    /// # Errors
    /// As [`columns`](Self::columns), and when a record does not fit a shape or lacks a value that has no default, with the number
    /// of the record and the name of the tensor.
    pub fn tensors<R: AsRef<[u8]>>(&self, decoder: &mut AvroDecoder, records: &[R]) -> Result<TensorBatch> {
        let columns = self.columns(decoder, records)?;
        self.adapter.tensors(&columns).map_err(of_record)
    }
}

/// Returns an error about a row as one about the record that it was.
fn of_record(mut error: Error) -> Error {
    if let Some(row) = error.position_mut().row.take() {
        return error.or_at(&Origin::record(row).position());
    }
    error
}

impl fmt::Debug for AvroFeatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let specs = self.specs().iter().map(|(name, spec)| (name, spec.to_string()));
        f.debug_map().entries(specs).finish()
    }
}
