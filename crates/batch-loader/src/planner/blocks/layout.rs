//! The blocks of an epoch, one after the other.

use tfxio_core::random::derive;

use crate::permutation::Permutation;

/// The order of the blocks in an epoch.
#[derive(Debug)]
pub(super) struct Layout {
    /// The first example of each block, in the order of the epoch.
    firsts: Vec<u64>,
    /// Number of examples before each block, and of all at the end.
    starts: Vec<u64>,
}

/// Examples that follow each other in a file, and in the order of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockRange {
    /// The number of the first example.
    pub(super) example: u64,
    /// Its position in the order of blocks, and the position after the last.
    pub(super) start: u64,
    pub(super) end: u64,
}

impl Layout {
    /// The order of blocks with these first examples, the last of which is the number of all.
    pub(super) fn new(blocks: &[u64], seed: u64, epoch: u64) -> Self {
        let count = blocks.len().saturating_sub(1) as u64;
        let order = Permutation::new(derive(seed, "blocks", &[epoch]), count);
        let mut starts = Vec::with_capacity(blocks.len());
        let mut firsts = Vec::with_capacity(blocks.len());
        starts.push(0u64);
        for position in 0..count {
            let block = usize::try_from(order.at(position)).unwrap_or(usize::MAX);
            let first = blocks.get(block).copied().unwrap_or_default();
            let next = blocks.get(block.saturating_add(1)).copied().unwrap_or(first);
            firsts.push(first);
            starts.push(starts.last().copied().unwrap_or_default() + next.saturating_sub(first));
        }
        Self { firsts, starts }
    }

    /// Returns the examples from a position up to the end of its block or to `end`; `None` at the end.
    pub(super) fn range(&self, start: u64, end: u64) -> Option<BlockRange> {
        if start >= end {
            return None;
        }
        // No block is empty.
        let block = self.starts.partition_point(|first| *first <= start).checked_sub(1)?;
        let first = self.starts.get(block)?;
        let example = self.firsts.get(block)?.checked_add(start.checked_sub(*first)?)?;
        let end = end.min(*self.starts.get(block + 1)?);
        (start < end).then_some(BlockRange { example, start, end })
    }
}
