//! Offsets of the blocks of a file.

use std::sync::Arc;

use avro_path::container::BlockPosition;

/// Offsets of the blocks of a file, as far as they were needed.
#[derive(Debug)]
pub(super) struct Table {
    /// Offset and number of the first record of the blocks that are kept.
    blocks: Vec<(u64, u64)>,
    /// Blocks whose number this divides are kept.
    step: u64,
    /// Position of the next block, or of the end of the file.
    pub(super) next: Option<BlockPosition>,
    pub(super) is_complete: bool,
    /// Block that was found last between kept ones.
    pub(super) between: Option<BlockPosition>,
}

/// A block of a table.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) position: BlockPosition,
    /// Offset just past the block.
    pub(super) end: u64,
    /// Number of the first record after the block.
    pub(super) next_record: u64,
}

/// The last block before an offset or a record, as a table has it.
pub(super) enum Nearest {
    Exact(Found),
    /// It is this block or one after it.
    From(BlockPosition),
    /// There is none.
    None,
}

impl Default for Table {
    fn default() -> Self {
        Self { blocks: Vec::new(), step: 1, next: None, is_complete: false, between: None }
    }
}

impl Table {
    /// Appends the block after the last. Of more than `most` blocks, every second is kept, of twice as many every fourth, and
    /// so on.
    pub(super) fn push(&mut self, number: u64, offset: u64, first_record: u64, most: usize) {
        if number.is_multiple_of(self.step) {
            self.blocks.push((offset, first_record));
        }
        while self.blocks.len() > most.max(1) {
            let mut is_kept = false;
            self.blocks.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
            self.step = self.step.saturating_mul(2);
        }
    }

    /// Returns the position of the first block of the file, or the one where it would begin.
    pub(super) fn first(&self, file: &Arc<str>) -> BlockPosition {
        self.position(file, 0).or_else(|| self.next.clone()).unwrap_or_default()
    }

    /// Returns the last block for whose offset and first record `is_before` holds, which does up to some block.
    pub(super) fn last_before(&self, file: &Arc<str>, is_before: impl Fn(u64, u64) -> bool) -> Nearest {
        let count = self.blocks.partition_point(|(offset, first)| is_before(*offset, *first));
        let Some((at, position)) = count.checked_sub(1).and_then(|at| Some((at, self.position(file, at)?)))
        else {
            return Nearest::None;
        };
        if self.step > 1 {
            let between = self.between.clone();
            let between = between.filter(|block| {
                block.number > position.number && is_before(block.offset, block.first_record)
            });
            return Nearest::From(between.unwrap_or(position));
        }
        let next = self.next.as_ref().map(|next| (next.offset, next.first_record));
        let next = self.blocks.get(at + 1).copied().or(next);
        let (end, next_record) = next.unwrap_or((position.offset, position.first_record));
        Nearest::Exact(Found { position, end, next_record })
    }

    /// Returns the block at an offset, if it is kept.
    pub(super) fn at(&self, file: &Arc<str>, offset: u64) -> Option<BlockPosition> {
        let at = self.blocks.binary_search_by_key(&offset, |(block, _)| *block).ok()?;
        self.position(file, at)
    }

    /// Returns a kept block by its index.
    fn position(&self, file: &Arc<str>, at: usize) -> Option<BlockPosition> {
        let &(offset, first_record) = self.blocks.get(at)?;
        let number = self.step.saturating_mul(at as u64);
        Some(BlockPosition { file: Some(Arc::clone(file)), number, offset, first_record })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_blocks_are_kept_in_bounds() {
        for most in [0, 1, 2, 3, 10, 1000] {
            let mut table = Table::default();
            for number in 0..5000 {
                table.push(number, 100 + 20 * number, 3 * number, most);
                assert!(table.blocks.len() <= most.max(1));
                // Up to which block a reader has to go on from the one before.
                assert!(table.step == 1 || table.step <= 2 * (number + 1) / most.max(1) as u64);
            }
            let file = Arc::from("a.avro");
            for record in [0, 1, 7777, 14_999] {
                let Nearest::From(position) = table.last_before(&file, |_, first| first <= record) else {
                    panic!("{most}: the blocks are not all kept");
                };
                assert_eq!(
                    (position.offset, position.first_record),
                    (100 + 20 * position.number, 3 * position.number)
                );
                assert!((position.first_record..position.first_record + 3 * table.step).contains(&record));
            }
        }
    }
}
