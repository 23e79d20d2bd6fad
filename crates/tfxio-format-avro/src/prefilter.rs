//! Decoding in two steps: the columns of a filter, and then the requested columns of the records that satisfy it.

use arrow_array::RecordBatch;
use avro_path::container::Block;
use avro_path::{AvroDecoder, BlockCursor};
use tfxio_core::Result;

use tfxio_scan::filter::{Share, TwoSteps};

/// Decodes the columns of a filter, and decides for which records the requested columns are decoded.
///
/// Whether a block is decoded in one or two steps depends on its records alone, and affects neither rows nor errors.
pub(super) struct Prefilter {
    steps: TwoSteps,
    /// Decodes the columns of the filter.
    first: AvroDecoder,
    /// Whether each record of the batch was decoded in full.
    taken: Vec<bool>,
    /// Whether rows have gathered to which the filter is to be applied.
    is_mixed: bool,
    /// Positions of records in a block.
    starts: Vec<BlockCursor>,
}

impl Prefilter {
    pub(super) fn new(steps: TwoSteps, first: AvroDecoder) -> Self {
        Self { steps, first, taken: Vec::new(), is_mixed: false, starts: Vec::new() }
    }

    /// Returns the number of records of the batch.
    pub(super) fn records(&self) -> usize {
        self.taken.len()
    }

    /// Decodes records of a block until it ends or the batch has `most` records. Returns whether it ended.
    pub(super) fn decode(
        &mut self,
        decoder: &mut AvroDecoder,
        block: &Block<'_>,
        cursor: &mut BlockCursor,
        most: usize,
    ) -> Result<bool> {
        let left = usize::try_from(block.count().saturating_sub(cursor.records())).unwrap_or(usize::MAX);
        let records = left.min(most.saturating_sub(self.taken.len()));
        let sampled = if self.steps.is_all() { 0 } else { Share::sample(records) };
        let share = self.in_two_steps(decoder, block, cursor, sampled)?;
        let rest = records.saturating_sub(sampled);
        if self.steps.is_all() || share.is_large() {
            self.at_once(decoder, block, cursor, rest)?;
        } else {
            self.in_two_steps(decoder, block, cursor, rest)?;
        }
        if records < left {
            return Ok(false);
        }
        // Whether bytes are left over.
        cursor.decode(block, &mut self.first, 0)
    }

    /// Decodes the columns of the filter of some records, and then all columns of the records that satisfy it.
    fn in_two_steps(
        &mut self,
        decoder: &mut AvroDecoder,
        block: &Block<'_>,
        cursor: &mut BlockCursor,
        records: usize,
    ) -> Result<Share> {
        let (mut passed, mut left) = (0, records);
        while left > 0 {
            let read = self.some_in_two_steps(decoder, block, cursor, left)?;
            passed += read.passed;
            left = left.saturating_sub(read.records);
        }
        Ok(Share { passed, records })
    }

    /// Decodes as many of some records as have room for the columns of the filter.
    fn some_in_two_steps(
        &mut self,
        decoder: &mut AvroDecoder,
        block: &Block<'_>,
        cursor: &mut BlockCursor,
        records: usize,
    ) -> Result<Share> {
        self.starts.clear();
        let mut failed = None;
        for _ in 0..records {
            let (start, most) = (*cursor, self.first.rows().saturating_add(1));
            match cursor.decode(block, &mut self.first, most) {
                Ok(_) => self.starts.push(start),
                Err(_) if self.first.is_full() => break,
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        let holds = self.steps.hold(&self.first.flush()?)?;
        let (before, mut passed) = (self.taken.len(), 0);
        self.taken.resize(before.saturating_add(self.starts.len()), false);
        for row in holds.set_indices() {
            let Some(start) = self.starts.get(row) else { break };
            let (mut start, most) = (*start, decoder.rows().saturating_add(1));
            if let Err(error) = start.decode(block, decoder, most) {
                if decoder.is_full() {
                    // It is the first of the next batch.
                    *cursor = start;
                    self.taken.truncate(before.saturating_add(row));
                }
                return Err(error);
            }
            if let Some(taken) = self.taken.get_mut(before.saturating_add(row)) {
                *taken = true;
            }
            passed += 1;
        }
        failed.map_or(Ok(Share { passed, records: self.starts.len() }), Err)
    }

    /// Decodes all columns. The filter is applied to the batch.
    fn at_once(
        &mut self,
        decoder: &mut AvroDecoder,
        block: &Block<'_>,
        cursor: &mut BlockCursor,
        records: usize,
    ) -> Result<()> {
        self.is_mixed |= records > 0;
        let end = self.taken.len().saturating_add(records);
        while self.taken.len() < end {
            let before = decoder.rows();
            let most = before.saturating_add(end.saturating_sub(self.taken.len()));
            let decoded = cursor.decode(block, decoder, most);
            let more = decoder.rows().saturating_sub(before);
            self.taken.resize(self.taken.len().saturating_add(more), true);
            let Err(error) = decoded else { continue };
            if decoder.is_full() {
                return Err(error);
            }
            // A record that does not satisfy the filter is read for its columns only.
            cursor.decode(block, &mut self.first, 1)?;
            if self.steps.hold(&self.first.flush()?)?.count_set_bits() > 0 {
                return Err(error);
            }
            self.taken.push(false);
        }
        Ok(())
    }

    /// Returns the rows of what the decoder has gathered that satisfy the filter, with the columns that are asked for, and
    /// whether each record is one of them.
    pub(super) fn finish(&mut self, columns: RecordBatch) -> Result<(RecordBatch, Vec<bool>)> {
        let mut kept = std::mem::take(&mut self.taken);
        if !std::mem::take(&mut self.is_mixed) {
            return Ok((self.steps.project(columns)?, kept));
        }
        let (columns, holds) = self.steps.select(columns)?;
        let taken = kept.iter_mut().filter(|taken| **taken);
        taken.zip(holds.iter()).for_each(|(taken, holds)| *taken = holds);
        Ok((columns, kept))
    }
}
