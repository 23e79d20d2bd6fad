//! Rows of a part of a file, made on the thread that asks for them.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use avro_path::datum::SkipPlan;
use avro_path::{AvroSchema, BlockCursor};
use tfxio_core::{Cancel, Result};

use super::blocks::Blocks;
use super::cursor::{Cursor, Span, Spans};
use super::decoded::Decoded;
use super::decoder::Decoder;

/// Rows made of records.
pub(super) enum RecordRows {
    Decoded(Box<Decoder>),
    /// Number of records, for batches without columns.
    Counted(usize, SchemaRef),
}

impl RecordRows {
    /// Returns the number of records.
    fn len(&self) -> usize {
        match self {
            Self::Decoded(decoder) => decoder.records(),
            Self::Counted(rows, _) => *rows,
        }
    }

    /// Returns whether a record was refused for the rows before it alone.
    fn is_full(&self) -> bool {
        matches!(self, Self::Decoded(decoder) if decoder.is_full())
    }

    /// Returns the rows of these records.
    fn flush(&mut self, spans: Spans) -> Result<Decoded> {
        let (rows, kept) = match self {
            Self::Decoded(decoder) => decoder.flush()?,
            Self::Counted(rows, schema) => {
                let options = RecordBatchOptions::new().with_row_count(Some(std::mem::take(rows)));
                (RecordBatch::try_new_with_options(Arc::clone(schema), Vec::new(), &options)?, None)
            }
        };
        Ok(Decoded { rows, spans, kept, is_full: false })
    }
}

/// Reads blocks and makes rows of them.
pub(super) struct Serial {
    blocks: Blocks,
    rows: RecordRows,
    /// Position at which the file can be entered again, with no record skipped.
    entry: Cursor,
    /// Number of the first record that is wanted.
    wanted: u64,
    /// Number of the first record of the first block.
    base: u64,
    /// The block that is being read.
    current: Option<Current>,
    schema: AvroSchema,
    /// Finds the ends of records that are not wanted.
    plan: Option<SkipPlan>,
}

/// A step of a scan.
enum ScanStep {
    /// Records were read, or passed over.
    Read,
    /// The next record has no room beside the rows that there are.
    Full,
    /// The blocks are exhausted.
    End,
}

/// Progress within a block.
#[derive(Default)]
struct Current {
    records: u64,
    progress: BlockCursor,
}

impl Serial {
    /// Begins at a cursor, at which the blocks begin.
    pub(super) fn new(blocks: Blocks, rows: RecordRows, cursor: Cursor) -> Self {
        // A reader that skips counts from the first record that it meets.
        let base = if matches!(blocks, Blocks::Skipping(_)) { cursor.first } else { 0 };
        Self {
            entry: Cursor { skip: 0, ..cursor },
            wanted: cursor.record(),
            base,
            current: None,
            schema: blocks.header().schema().clone(),
            plan: None,
            blocks,
            rows,
        }
    }

    /// Returns the rows of up to `most` records, fewer where more would not be within the limits, and none at the end.
    pub(super) fn next(&mut self, most: usize, cancel: &Cancel) -> Result<Option<Decoded>> {
        let mut spans = Spans::default();
        let mut is_full = false;
        while self.rows.len() < most && !is_full {
            cancel.check()?;
            match self.step(most, &mut spans)? {
                ScanStep::Read => {}
                ScanStep::Full => is_full = true,
                ScanStep::End => break,
            }
        }
        if self.rows.len() == 0 {
            return Ok(None);
        }
        Ok(Some(Decoded { is_full, ..self.rows.flush(spans)? }))
    }

    /// Reads records of a block until it ends, there are `most` rows, or the next has no room beside them.
    fn step(&mut self, most: usize, spans: &mut Spans) -> Result<ScanStep> {
        if self.current.is_none() && !self.enter()? {
            return Ok(ScanStep::End);
        }
        let Some(current) = &mut self.current else { return Ok(ScanStep::End) };
        let count = self.blocks.count();
        let (offset, ..) = self.blocks.position();
        let before = current.records;
        let ended = match &mut self.rows {
            RecordRows::Counted(rows, _) => {
                let room = most.saturating_sub(*rows);
                let taken = usize::try_from(count - before).unwrap_or(usize::MAX).min(room);
                *rows += taken;
                current.records += taken as u64;
                Ok(current.records == count)
            }
            RecordRows::Decoded(decoder) => {
                let Some(block) = self.blocks.last_block() else { return Ok(ScanStep::End) };
                let decoded = decoder.decode(&block, &mut current.progress, most);
                current.records = current.progress.records();
                decoded
            }
        };
        let after = current.records;
        for record in runs(&self.blocks, before, after) {
            let number = self.base.saturating_add(self.blocks.number_of(record.start));
            let at = Cursor { skip: number.saturating_sub(self.entry.first), ..self.entry };
            spans.push(Span { at, offset, rows: record.end - record.start });
        }
        match ended {
            Ok(true) => self.current = None,
            Ok(false) => {}
            // By itself it may be within the limits.
            Err(_) if self.rows.is_full() => return Ok(ScanStep::Full),
            Err(error) => {
                let length = self.blocks.pass_over(current.progress.bytes(), error)?;
                current.progress.pass_over(length);
                current.records = current.progress.records();
            }
        }
        Ok(ScanStep::Read)
    }

    /// Goes on to the next block with a record that is wanted, and to that record. Returns whether there is one.
    fn enter(&mut self) -> Result<bool> {
        loop {
            if !self.blocks.next_block()? {
                return Ok(false);
            }
            let (offset, block, is_entry) = self.blocks.position();
            let first = self.base.saturating_add(self.blocks.first_number());
            if is_entry {
                self.entry = Cursor { offset, block, first, is_exact: true, ..self.entry };
            }
            let count = self.blocks.count();
            let last = self.base.saturating_add(self.blocks.number_of(count.saturating_sub(1)));
            if count > 0 && last < self.wanted {
                continue;
            }
            let mut current = Current::default();
            if first < self.wanted {
                self.pass_unwanted(&mut current, count)?;
            }
            self.current = Some(current);
            return Ok(true);
        }
    }

    /// Passes over the records of the last block that are not wanted.
    fn pass_unwanted(&mut self, current: &mut Current, count: u64) -> Result<()> {
        let Some(block) = self.blocks.last_block() else {
            // Numbers of heads have no gaps.
            current.records = self.wanted.saturating_sub(self.blocks.number_of(0)).min(count);
            return Ok(());
        };
        let is_wanted =
            |record: &u64| self.base.saturating_add(self.blocks.number_of(*record)) >= self.wanted;
        let first = (0..count).find(is_wanted).unwrap_or(count);
        let plan = self.plan.get_or_insert_with(|| SkipPlan::new(&self.schema));
        current.progress.pass_to(&block, &self.schema, plan, first)?;
        current.records = current.progress.records();
        Ok(())
    }
}

/// Cuts records of the last block where their numbers have a gap.
fn runs(blocks: &Blocks, start: u64, end: u64) -> Vec<std::ops::Range<u64>> {
    let mut runs: Vec<std::ops::Range<u64>> = Vec::new();
    if start >= end {
        return runs;
    }
    let has_gaps = blocks.number_of(end - 1).saturating_sub(blocks.number_of(start)) > end - 1 - start;
    if !has_gaps {
        runs.push(start..end);
        return runs;
    }
    for record in start..end {
        match runs.last_mut() {
            Some(last) if blocks.number_of(record) == blocks.number_of(record - 1).saturating_add(1) => {
                last.end = record + 1;
            }
            _ => runs.push(record..record + 1),
        }
    }
    runs
}
