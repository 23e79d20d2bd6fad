//! Position within a block whose records are decoded.

use crate::container::Block;
use crate::datum::{DatumReader, SkipPlan};
use crate::plan::AvroDecoder;
use crate::{AvroSchema, Origin, Result};

/// Cursor into a block: the next record is `records` records and `bytes` bytes after the first.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockCursor {
    records: u64,
    bytes: usize,
}

impl BlockCursor {
    /// Returns the number of records before it.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Returns the offset in the block at which the next record begins.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Moves past a record of `bytes` bytes without decoding it.
    pub fn pass_over(&mut self, bytes: usize) {
        self.records += 1;
        self.bytes += bytes;
    }

    /// Moves to the record number `record` of the block, or to its end, without decoding the records before. The plan
    /// is one of the block's schema.
    ///
    /// # Errors
    /// When a record on the way is cut off. The position has file, block and record.
    pub fn pass_to(
        &mut self,
        block: &Block<'_>,
        schema: &AvroSchema,
        plan: &SkipPlan,
        record: u64,
    ) -> Result<()> {
        let mut reader = DatumReader::at(block.bytes(), self.bytes);
        while self.records < record.min(block.count()) {
            let start = reader.position();
            let skipped = plan.skip(schema.root(), &mut reader);
            skipped.map_err(|error| block.locate(error, self.records, start))?;
            self.pass_over(reader.position() - start);
        }
        Ok(())
    }

    /// Decodes records until the block ends or the decoder has `most` rows. Returns whether the block has ended.
    ///
    /// # Errors
    /// When a record cannot be decoded, where the cursor then stays, or bytes are left over after the last one. The position
    /// has file, block and record.
    pub fn decode(&mut self, block: &Block<'_>, decoder: &mut AvroDecoder, most: usize) -> Result<bool> {
        while self.records < block.count() {
            if decoder.rows() >= most {
                return Ok(false);
            }
            let rest = block.bytes().get(self.bytes..).unwrap_or_default();
            // The block, which knows better, says where an error is.
            let read = decoder.push_first(rest, Origin::default());
            self.pass_over(read.map_err(|error| block.locate(error, self.records, 0))?);
        }
        block.finish(&DatumReader::at(block.bytes(), self.bytes))?;
        Ok(true)
    }
}
