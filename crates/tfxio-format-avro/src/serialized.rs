//! The records of a file as they are serialized.

use std::fmt;
use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder as _, LargeBinaryBuilder};
use arrow_array::{Array as _, LargeBinaryArray};
use avro_path::container::{Block, ContainerReader};
use avro_path::datum::{DatumReader, SkipPlan};
use avro_path::{AvroSchema, Resolution};
use tfxio_core::{Cancel, Error, Input, Limits, Result, Store};

use super::resolved::resolution;

/// The records of an Avro file one after the other, each serialized by itself: without the blocks and the compression of the file,
/// with the file's schema or another. [`AvroFeatures`](super::AvroFeatures) makes tensors of them.
///
/// ```
/// use arrow_array::Array as _;
/// use tfxio_core::Cancel;
/// use tfxio_formats::{AvroRecords, FileStore};
/// # let people = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/avro/people.avro");
///
/// let mut records = AvroRecords::open(&FileStore::default(), people, None, &Cancel::new())?;
/// let mut count = 0;
/// while let Some(batch) = records.next_batch(1 << 20)? {
///     count += batch.len();
/// }
/// assert_eq!(count, 2);
/// # Ok::<(), tfxio_core::Error>(())
/// ```
pub struct AvroRecords {
    reader: ContainerReader<Box<dyn Input>>,
    schema: AvroSchema,
    copy: Copy,
    /// Records of the last block that came out, and their bytes.
    done: (u64, usize),
    /// Error to return after the records before it.
    failed: Option<Error>,
}

impl AvroRecords {
    /// Opens a file of a store. With a schema, records come out as this schema writes them, resolved by the rules of the Avro
    /// specification; without, they come out as stored.
    ///
    /// # Errors
    /// When the file cannot be opened or is not an Avro object container, and when its records can never be read with the schema.
    pub fn open(store: &dyn Store, file: &str, schema: Option<&AvroSchema>, cancel: &Cancel) -> Result<Self> {
        let (name, limits): (Arc<str>, _) = (file.into(), Limits::default());
        let input = store.open(file, 0..u64::MAX, cancel)?;
        let reader = ContainerReader::builder(input).limits(limits).name(Arc::clone(&name)).build()?;
        let writer = reader.header().schema().clone();
        let schema = schema.unwrap_or(&writer).clone();
        let resolution = resolution(&writer, &schema, &limits, &name)?;
        let copy = Copy { plan: SkipPlan::new(&writer), writer, resolution };
        Ok(Self { reader, schema, copy, done: (0, 0), failed: None })
    }

    /// Returns the schema of the records that come out.
    #[must_use]
    pub fn schema(&self) -> &AvroSchema {
        &self.schema
    }

    /// Returns the next records: as many as take `bytes` bytes of memory, one at least; `None` at the end.
    ///
    /// # Errors
    /// When the file is damaged or a record cannot be resolved, after the records before it.
    pub fn next_batch(&mut self, bytes: usize) -> Result<Option<LargeBinaryArray>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let mut records = LargeBinaryBuilder::new();
        match self.fill(bytes, &mut records) {
            Err(error) if records.is_empty() => return Err(error),
            Err(error) => self.failed = Some(error),
            Ok(()) => {}
        }
        let records = records.finish();
        Ok((!records.is_empty()).then_some(records))
    }

    fn fill(&mut self, bytes: usize, out: &mut LargeBinaryBuilder) -> Result<()> {
        loop {
            if let Some(block) = self.reader.last_block()
                && self.copy.records(&block, &mut self.done, bytes, out)?
            {
                return Ok(());
            }
            if self.reader.next_block()?.is_none() {
                return Ok(());
            }
            self.done = (0, 0);
        }
    }
}

/// Copy of records, resolved where their schema differs.
struct Copy {
    writer: AvroSchema,
    plan: SkipPlan,
    /// Resolution to the schema of the records; `None` where it is the file's.
    resolution: Option<Resolution>,
}

impl Copy {
    /// Appends the records of a block that are not `done`. Returns whether there are as many bytes as wanted.
    fn records(
        &self,
        block: &Block<'_>,
        done: &mut (u64, usize),
        bytes: usize,
        out: &mut LargeBinaryBuilder,
    ) -> Result<bool> {
        let mut resolved = Vec::new();
        for record in block.records(&self.writer, &self.plan).after(done.0, done.1) {
            let record = record?;
            match &self.resolution {
                None => out.append_value(record),
                Some(resolution) => {
                    resolved.clear();
                    let applied = resolution.apply(&mut DatumReader::new(record), &mut resolved);
                    applied.map_err(|error| block.locate(error, done.0, 0))?;
                    out.append_value(&resolved);
                }
            }
            *done = (done.0.saturating_add(1), done.1.saturating_add(record.len()));
            // A record without bytes takes an offset.
            let taken = size_of_val(out.offsets_slice()).saturating_add(out.values_slice().len());
            if taken >= bytes {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl fmt::Debug for AvroRecords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AvroRecords").field("schema", &self.schema.text()).finish_non_exhaustive()
    }
}
