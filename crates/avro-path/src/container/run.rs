//! Runs of consecutive blocks in memory of their own, cut from a container for threads to share.

use std::io::Read;
use std::sync::Arc;

use super::block::{Block, BlockPlace};
use super::frame::{Window, is_from_below};
use super::header::Header;
use super::parser::{BlockParser, Step};
use super::reader::ContainerReader;
use crate::Result;

/// Consecutive blocks as they are stored, in memory of their own.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) buffer: Vec<u8>,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where the first one stands.
    pub(super) place: BlockPlace,
}

/// Consecutive blocks of a container, in memory, for one thread; see [`ContainerReader::map_runs`].
#[derive(Debug)]
pub struct BlockRun {
    parser: BlockParser,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Bytes of the block that was lent last, as it is stored.
    lent: usize,
    /// Bytes of the block that was lent last, after decompression.
    last: Option<u64>,
    /// Bytes of the blocks before it, as far as nobody has taken them into account.
    pub(super) done: Option<u64>,
}

impl BlockRun {
    /// Of no blocks; [`begin`](Self::begin) gives it some.
    pub(super) fn new(parser: BlockParser) -> Self {
        Self { parser, buffer: Vec::new(), start: 0, end: 0, lent: 0, last: None, done: None }
    }

    /// Goes on with a run. Returns the memory of the one before.
    pub(super) fn begin(&mut self, run: Run) -> Vec<u8> {
        self.parser.begin(run.place);
        (self.start, self.end, self.lent) = (run.start, run.end, 0);
        std::mem::replace(&mut self.buffer, run.buffer)
    }

    /// The container's header: schema, codec, metadata.
    #[must_use]
    pub fn header(&self) -> &Arc<Header> {
        self.parser.header()
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
        let Step::Block(whole) = self.parser.step(Window { bytes, is_end: true })? else { return Ok(None) };
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
    /// Of the errors only those of the source are found here. Where a block is damaged, the run ends with what is there
    /// of it, so that who reads the run finds the error. `spare` becomes the memory of what follows.
    pub(super) fn next_run(&mut self, target: usize, spare: Vec<u8>) -> Result<Option<Run>> {
        let Self { input, parser, lent, .. } = self;
        input.take(std::mem::take(lent));
        let Some(place) = parser.next_place()? else { return Ok(None) };
        // What was read before an error counts first.
        let failed = input.fill_up(whole_blocks(target, parser.last_size())).err();
        let mut bytes = parser.pass_blocks(input.window().bytes);
        if bytes > 0 {
            if let Some(error) = failed {
                parser.fail_later(error);
            }
        } else {
            bytes = match failed.map_or_else(|| input.look(|window| parser.frame(window)), Err) {
                Ok(Some(head)) => {
                    parser.pass(&head);
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
        }
        let (buffer, start, end) = input.cut(bytes, spare);
        Ok(Some(Run { buffer, start, end, place }))
    }
}

/// Returns how many bytes to read for blocks of `target` bytes, if they have about the size of the last one: as few as
/// possible of another, since these have to be moved.
fn whole_blocks(target: usize, size: usize) -> usize {
    match target.checked_div(size) {
        // And a little more, since sizes vary.
        Some(blocks @ 1..) => (blocks * size + size / 16).min(target),
        _ => target,
    }
}
