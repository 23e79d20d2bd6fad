//! Runs of consecutive blocks in memory of their own, cut from a container for threads to share.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use super::block::{Block, BlockPosition};
use super::codec::Codec;
use super::frame::{Parsed, Window, is_from_below};
use super::header::Header;
use super::parser::{BlockParser, ParseStep};
use super::reader::ContainerReader;
use crate::Result;

/// The most of a run that is in the next one too, as a divisor: of blocks that are stored as they are, and of compressed
/// ones.
const LITTLE: (usize, usize) = (4, 32);

/// Consecutive blocks as they are stored, in memory of their own.
#[derive(Debug)]
pub(super) struct StoredRun {
    pub(super) buffer: Vec<u8>,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Position of the first block.
    pub(super) position: BlockPosition,
    /// Records of the blocks that belong to this run.
    pub(super) records: Range<u64>,
}

/// Borders of batches: `rows` records each, from the record `first` on.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchBorders {
    pub(super) first: u64,
    pub(super) rows: u64,
}

impl BatchBorders {
    /// Returns the last border in a range of records, its end included.
    fn last_border(&self, records: &Range<u64>) -> Option<u64> {
        let beyond = records.end.checked_sub(self.first)?.checked_rem(self.rows)?;
        records.end.checked_sub(beyond).filter(|border| *border > records.start)
    }
}

/// Consecutive blocks of a container, in memory, for one thread; see [`ContainerReader::map_runs`].
#[derive(Debug)]
pub struct BlockRun {
    parser: BlockParser,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    records: Range<u64>,
    /// Bytes of the block that was lent last, as it is stored.
    lent: usize,
    /// Bytes of the block that was lent last, after decompression.
    last: Option<u64>,
    /// Bytes of the blocks before it, as far as nobody has taken them into account.
    pub(super) done: Option<u64>,
}

impl BlockRun {
    /// Returns a run without blocks; [`begin`](Self::begin) gives it some.
    pub(super) fn new(parser: BlockParser) -> Self {
        Self { parser, buffer: Vec::new(), start: 0, end: 0, records: 0..0, lent: 0, last: None, done: None }
    }

    /// Returns the memory of a run that is done.
    pub(super) fn release(&mut self) -> Vec<u8> {
        (self.start, self.end, self.lent) = (0, 0, 0);
        std::mem::take(&mut self.buffer)
    }

    /// Continues with a run.
    pub(super) fn begin(&mut self, run: StoredRun) {
        let again = run.position.first_record < run.records.start;
        self.parser.begin(run.position, again);
        (self.buffer, self.start, self.end, self.lent) = (run.buffer, run.start, run.end, 0);
        self.records = run.records;
    }

    /// Returns the container's header: schema, codec, metadata.
    #[must_use]
    pub fn header(&self) -> &Arc<Header> {
        self.parser.header()
    }

    /// Returns the numbers of the records that are this run's. Those of [`map_batches`](ContainerReader::map_batches) may
    /// begin within the first block and end within the last one, which the next run has as well.
    #[must_use]
    pub fn records(&self) -> Range<u64> {
        self.records.clone()
    }

    /// Lends the next block, or `None` at the end of the run.
    ///
    /// # Errors
    /// As [`ContainerReader::next_block`].
    pub fn next_block(&mut self) -> Result<Option<Block<'_>>> {
        self.start += std::mem::take(&mut self.lent);
        if let Some(bytes) = self.last.take() {
            self.done = Some(self.done.unwrap_or_default().saturating_add(bytes));
        }
        let bytes = self.buffer.get(self.start..self.end).unwrap_or_default();
        let ParseStep::Block(whole) = self.parser.step(Window { bytes, is_end: true })? else {
            return Ok(None);
        };
        self.lent = whole;
        let block = self.parser.lent(bytes);
        self.last = block.map(|block| block.bytes().len() as u64);
        Ok(block)
    }

    /// Lends the block of the last [`next_block`](Self::next_block) once more. `None` before the first block, after the
    /// last one and after an error.
    #[must_use]
    pub fn last_block(&self) -> Option<Block<'_>> {
        self.parser.lent(self.buffer.get(self.start..self.end).unwrap_or_default())
    }
}

impl<R: Read> ContainerReader<R> {
    /// Cuts off the next blocks, of `target` bytes or less, but at least one. `None` at the end, and after an error.
    ///
    /// Records before `from` belong to the previous run, whose last block is then the first one again. If a batch ends
    /// among the blocks, so does the run, unless it costs too much to have the block of the border in two runs.
    ///
    /// Fails only with errors of the source. If a block is damaged, the run ends with as much of it as is there, so
    /// that the error is found when the run is read. The blocks are in `memory` then.
    pub(super) fn next_run(
        &mut self,
        target: usize,
        memory: Vec<u8>,
        from: u64,
        batches: BatchBorders,
    ) -> Result<Option<StoredRun>> {
        let Self { input, parser, lent, .. } = self;
        input.take(std::mem::take(lent));
        let Some(position) = parser.next_position()? else { return Ok(None) };
        input.move_to(memory);
        // What was read before an error counts first.
        let failed = input.fill_up(target).err();
        let window = input.window().bytes;
        let mut bytes = parser.pass_blocks(window, u64::MAX);
        let mut records = from.max(position.first_record)..parser.position().first_record;
        let mut taken = bytes;
        if bytes > 0 {
            if let Some(error) = failed {
                parser.fail_later(error);
            } else if let Some(border) = batches.last_border(&records)
                && let Some(again) =
                    parser.return_to(border, &position, window.get(..bytes).unwrap_or_default())
            {
                (taken, bytes) = again;
                records.end = border;
            }
        } else {
            bytes = match failed.map_or_else(|| input.look(|window| parser.frame(window)), Err) {
                Ok(Some(head)) => {
                    parser.pass(head);
                    head.whole()
                }
                Ok(None) => {
                    parser.end();
                    return Ok(None);
                }
                Err(error) if is_from_below(&error) => return Err(parser.fail(error)),
                Err(_) => {
                    parser.end();
                    usize::MAX
                }
            };
            taken = bytes;
            records.end = if bytes < usize::MAX { parser.position().first_record } else { u64::MAX };
        }
        let (buffer, window) = input.cut(taken);
        let end = window.end.min(window.start.saturating_add(bytes));
        Ok(Some(StoredRun { buffer, start: window.start, end, position, records }))
    }
}

impl BlockParser {
    /// Returns to the block with the record before which a batch ends, or that after it, after the blocks of a window,
    /// which begin at `start`. Returns the bytes before that block, and those up to its end if it has records before the
    /// border. `None`, and nothing is changed, if the block is too large to be opened twice.
    fn return_to(&mut self, border: u64, start: &BlockPosition, window: &[u8]) -> Option<(usize, usize)> {
        let end = self.position().clone();
        self.begin(start.clone(), false);
        let before = self.pass_blocks(window, border);
        let mut split = 0;
        if self.position().first_record < border {
            let rest = Window { bytes: window.get(before..).unwrap_or_default(), is_end: true };
            if let Ok(Parsed::Done(Some(head))) = self.frame(rest) {
                split = head.whole();
            }
        }
        let part = if matches!(self.header().codec(), Codec::Null) { LITTLE.0 } else { LITTLE.1 };
        if before == 0 || split > before / part {
            self.begin(end, false);
            return None;
        }
        Some((before, before + split))
    }
}
