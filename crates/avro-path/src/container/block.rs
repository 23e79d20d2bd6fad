//! Blocks, as readers lend them.

use std::sync::Arc;

use tfxio_core::Count;

use super::frame::Head;
use super::header::Header;
use crate::datum::{DatumReader, SkipPlan, write_json};
use crate::schema::AvroSchema;
use crate::{Error, ErrorKind, Kind, Limits, Result};

/// Position of a block in its container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockPosition {
    /// The file, if its name is known.
    pub file: Option<Arc<str>>,
    /// Number of the block among the blocks that the reader has read, from 0.
    pub number: u64,
    /// Offset of its first byte in the file.
    pub offset: u64,
    /// Number of its first record among the records that the reader has read, from 0.
    pub first_record: u64,
}

impl BlockPosition {
    /// Returns the position of the first block after a header.
    pub(super) fn first(header: &Header) -> Self {
        Self { offset: header.len(), ..Self::default() }
    }

    /// Moves to the position after a block with this head.
    pub(super) fn pass(&mut self, head: &Head) {
        self.offset = self.offset.saturating_add(head.whole() as u64);
        self.number = self.number.saturating_add(1);
        self.first_record = self.first_record.saturating_add(head.count);
    }

    /// Returns the same error at this block.
    pub(crate) fn locate(&self, mut error: Error) -> Error {
        let position = error.position_mut();
        position.file = self.file.clone();
        position.block = Some(self.number);
        position.byte = Some(self.offset);
        error
    }
}

/// A block after decompression: its records, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    pub(super) position: &'a BlockPosition,
    pub(super) count: u64,
    pub(super) bytes: &'a [u8],
}

impl<'a> Block<'a> {
    /// Returns the position of the block.
    #[must_use]
    pub fn position(&self) -> &'a BlockPosition {
        self.position
    }

    /// Returns the number of records that the block claims to have. A block too short for them was refused, but whether
    /// its bytes are exactly this number of records shows only when they are read.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the records' bytes.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the records one by one, found by skipping over them.
    ///
    /// A decoder that finds the end of each record itself needs no such pass: it reads [`bytes`](Self::bytes) with one
    /// [`DatumReader`] and hands it to [`finish`](Self::finish) after the last record.
    ///
    /// ```
    /// use avro_path::AvroSchema;
    /// use avro_path::container::{ContainerReader, ContainerWriter};
    /// use avro_path::datum::{SkipPlan, write};
    ///
    /// let schema = AvroSchema::parse("\"string\"")?;
    /// let mut writer = ContainerWriter::builder(Vec::new(), &schema).build()?;
    /// for text in ["a", "bc"] {
    ///     writer.write_with(|out| {
    ///         write::string(out, text);
    ///         Ok(())
    ///     })?;
    /// }
    /// let file = writer.finish()?;
    ///
    /// let plan = SkipPlan::new(&schema);
    /// let mut reader = ContainerReader::new(&file[..])?;
    /// while let Some(block) = reader.next_block()? {
    ///     let records = block.records(&schema, &plan).collect::<Result<Vec<_>, _>>()?;
    ///     assert_eq!(records, [&b"\x02a"[..], b"\x04bc"]);
    /// }
    /// # Ok::<(), avro_path::Error>(())
    /// ```
    #[must_use]
    pub fn records<'b>(&self, schema: &'b AvroSchema, plan: &'b SkipPlan) -> Records<'a, 'b> {
        Records { block: *self, reader: DatumReader::new(self.bytes), schema, plan, done: 0, ended: false }
    }

    /// Checks that a reader of this block's bytes has come to their end.
    ///
    /// # Errors
    /// Of kind [`Block`](Kind::Block) when bytes are left over: the block holds more than its head claims.
    pub fn finish(&self, reader: &DatumReader<'_>) -> Result<()> {
        match reader.rest().len() {
            0 => Ok(()),
            left => {
                let left = Count::of(left, "byte");
                let (are, records) = (left.verb("is", "are"), Count::of(self.count, "record"));
                let what = format!("{left} {are} left over after the block's {records}");
                let error = Error::new(Kind::Block, what).at_record_byte(reader.position());
                Err(self.position.locate(error))
            }
        }
    }

    /// Returns the error with the position of a record of this block: its number within the block, which starts at 0, and the
    /// byte of the block at which it begins.
    #[must_use]
    pub fn locate(&self, error: Error, record: u64, start: usize) -> Error {
        let mut error = self.position.locate(error);
        let position = error.position_mut();
        position.record = Some(self.position.first_record.saturating_add(record));
        // Readers count from the beginning of the block.
        position.record_byte = position.record_byte.map(|byte| byte.saturating_sub(start as u64));
        error
    }
}

/// The records of a block. Ends after the first error. Made by [`Block::records`].
#[derive(Clone, Debug)]
pub struct Records<'a, 'b> {
    block: Block<'a>,
    reader: DatumReader<'a>,
    schema: &'b AvroSchema,
    plan: &'b SkipPlan,
    done: u64,
    ended: bool,
}

impl<'a> Iterator for Records<'a, '_> {
    type Item = Result<&'a [u8]>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        if self.done == self.block.count {
            self.ended = true;
            return self.block.finish(&self.reader).err().map(Err);
        }
        let start = self.reader.position();
        if let Err(error) = self.plan.skip(self.schema.root(), &mut self.reader) {
            self.ended = true;
            return Some(Err(self.wrong(error, start)));
        }
        self.done += 1;
        Some(Ok(self.reader.since(start)))
    }
}

impl Records<'_, '_> {
    /// Skips the first `records` records, which have `bytes` bytes.
    #[must_use]
    pub fn after(mut self, records: u64, bytes: usize) -> Self {
        self.done = records;
        // More bytes than there are is the end of them.
        self.reader = DatumReader::at(self.block.bytes, bytes.min(self.block.bytes.len()));
        self
    }

    /// Returns the error of the current record. A plan does not know at which field it fails, while reading the values
    /// does, and may find an earlier fault.
    #[cold]
    fn wrong(&self, error: Error, start: usize) -> Error {
        let bytes = self.block.bytes.get(start..).unwrap_or_default();
        let read = write_json(self.schema, &mut DatumReader::new(bytes), &Limits::default(), &mut Vec::new());
        match read {
            Err(better) if !better.is(ErrorKind::LimitExceeded) => self.block.locate(better, self.done, 0),
            _ => self.block.locate(error, self.done, start),
        }
    }
}
