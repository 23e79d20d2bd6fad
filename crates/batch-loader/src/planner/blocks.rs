//! Blocks of records in a permutation of their own, whose records are mixed within windows.
//!
//! The order of an epoch follows from the seed, the epoch and the data set alone. Blocks are drawn by a keyed bijection and
//! laid one after the other; the examples in them are cut into as many streams of one length as the data set has room for, and
//! each stream into windows of about as many bytes, in which examples are drawn in a random order. Batches take turns among
//! the streams. A host of as many as divide the streams has streams of its own, and no number of hosts changes the order.

mod drawn;
mod layout;
mod reader;
mod rows;
mod stream;
mod window;

use tfxio_core::Entries;

pub(crate) use self::drawn::Drawn;
use self::layout::Layout;
pub(super) use self::reader::BlockReader;
use super::GlobalOrder;
use crate::item::Unit;

/// Bytes of tensors of a block of a file that can be entered everywhere.
const BLOCK_BYTES: u64 = 1 << 20;
/// Blocks that a small data set is cut into, and the least examples of one.
const BLOCKS: u64 = 96;
const SMALL_BLOCK: u64 = 1024;
/// Blocks of which examples are mixed at a time, where little memory may be held, and the least examples of one.
const MIXED_BLOCKS: u64 = 16;
const SMALLEST_BLOCK: u64 = 256;
/// The least bytes of a window.
const WINDOW_BYTES: u64 = 3 << 20;
/// Windows that a stream holds: the one that is given out, the next, and one of which the last batches are not made.
const WINDOWS: u64 = 3;
/// Bytes held for an example beside its tensors: its file, record and position.
const BESIDE: u64 = 64;
/// Streams that a data set may have: numbers that many numbers of hosts divide.
const STREAMS: [u64; 7] = [24, 12, 8, 6, 4, 3, 2];
/// Bytes of tensors of a record that is copied before it is drawn.
const COPIED: u64 = 4 << 10;
/// Bytes, and number, of records that are drawn together.
const TOGETHER_BYTES: u64 = 256 << 10;
const TOGETHER: u64 = 1024;
/// Blocks that each stream needs, since a block that two streams share is read twice.
const BLOCKS_OF_STREAM: u64 = 4;

/// Size of examples, and the memory for them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockSizes {
    /// About the bytes of tensors of an example.
    pub(crate) example: u64,
    /// The bytes of tensors that may be held.
    pub(crate) held: u64,
    /// The number of streams, if it is given.
    pub(crate) streams: Option<u32>,
}

/// Order of blocks: the blocks of a data set, its streams and windows.
#[derive(Debug)]
pub(crate) struct BlockOrder {
    examples: GlobalOrder,
    /// The first example of each block, and the number of all at the end.
    blocks: Vec<u64>,
    streams: u64,
    /// The most examples of a window.
    window: u64,
    /// About the bytes of an example.
    example: u64,
}

impl BlockOrder {
    /// An order of examples.
    pub(crate) fn new(examples: GlobalOrder, sizes: BlockSizes) -> Self {
        let each = sizes.example.max(1);
        // Few records are cut into as many blocks as mix them, and none is so small that opening it costs more than reading.
        let mixed = sizes.held / WINDOWS / each.saturating_add(BESIDE);
        let of_block = (BLOCK_BYTES / each).min((examples.len() / BLOCKS).max(SMALL_BLOCK));
        let of_block = of_block.min((mixed / MIXED_BLOCKS).max(SMALLEST_BLOCK)).max(1);
        let mut blocks = Vec::new();
        for part in 0..examples.units.records.len() {
            cut(&examples, part, of_block, &mut blocks);
        }
        let count = blocks.len() as u64;
        blocks.push(examples.len());
        let fits = |streams: &u64| {
            count / streams >= BLOCKS_OF_STREAM && sizes.held / streams >= WINDOWS * WINDOW_BYTES
        };
        let streams = sizes.streams.map_or_else(
            || STREAMS.into_iter().find(fits).unwrap_or(1),
            |streams| u64::from(streams).clamp(1, count.max(1)),
        );
        let window = (sizes.held / streams / WINDOWS / each.saturating_add(BESIDE)).max(1);
        Self { examples, blocks, streams, window, example: each }
    }

    /// Returns all examples.
    pub(crate) fn examples(&self) -> &GlobalOrder {
        &self.examples
    }

    /// Returns how many blocks, streams and examples of a window there are.
    pub(crate) fn numbers(&self) -> [u64; 3] {
        [self.blocks.len().saturating_sub(1) as u64, self.streams, self.window]
    }

    /// Returns about the bytes of tensors of an example.
    pub(crate) fn example_bytes(&self) -> u64 {
        self.example
    }

    /// Returns how many files are read at once, about.
    pub(crate) fn open_at_once(&self) -> usize {
        usize::try_from(self.streams).unwrap_or(usize::MAX)
    }

    /// Whether records are laid one after the other before they are drawn: small ones, of which each would else be looked up
    /// through the chunk that holds it.
    fn copies(&self, unit: Unit) -> bool {
        unit == Unit::Row && self.example <= COPIED
    }

    /// Returns how many records are drawn together.
    fn together(&self) -> usize {
        usize::try_from((TOGETHER_BYTES / self.example).clamp(1, TOGETHER)).unwrap_or(1)
    }

    /// Returns the order of the blocks in an epoch.
    fn layout(&self, seed: u64, epoch: u64) -> Layout {
        Layout::new(&self.blocks, seed, epoch)
    }
}

/// Appends the first examples of the blocks of a file.
fn cut(examples: &GlobalOrder, part: usize, of_block: u64, blocks: &mut Vec<u64>) {
    let start = |part: usize| examples.starts.get(part).copied().unwrap_or_default();
    let (first, end) = (start(part), start(part + 1));
    let count = end.saturating_sub(first);
    if count == 0 {
        return;
    }
    match examples.units.entries.get(part) {
        Some(Entries::Everywhere) => {
            let parts = count.div_ceil(of_block);
            let (each, more) = (count / parts, count % parts);
            blocks.extend((0..parts).map(|part| first + part * each + part.min(more)));
        }
        Some(Entries::At(records)) => {
            let mut last = first;
            blocks.push(first);
            for &record in records {
                let example = first_after(examples, part, (last, end), record);
                let is_large = example - last >= of_block && (end - example) * 2 >= of_block;
                if is_large {
                    blocks.push(example);
                    last = example;
                }
            }
        }
        _ => blocks.push(first),
    }
}

/// Returns the first example from `from` on, before `end`, that begins with a record or after it.
fn first_after(examples: &GlobalOrder, part: usize, (from, end): (u64, u64), record: u64) -> u64 {
    if examples.are_records() {
        let first = examples.starts.get(part).copied().unwrap_or_default();
        return first.saturating_add(record).clamp(from, end);
    }
    let (mut low, mut high) = (from, end);
    while low < high {
        let middle = low + (high - low) / 2;
        match examples.position(middle) {
            Some(position) if position.record < record => low = middle + 1,
            _ => high = middle,
        }
    }
    low
}
