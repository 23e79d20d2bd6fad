//! Rows are dealt out to files, and gathered into blocks.

use std::collections::VecDeque;
use std::mem;

use tfrecord_io::Sharding;

use super::EncodedRows;

/// Bytes of a block whose borders do not show.
const BLOCK_LEN: usize = 256 << 10;

/// Rows of one file that follow each other.
#[derive(Debug, PartialEq, Eq)]
pub struct Block {
    /// Index of the file.
    pub shard: usize,
    /// The rows, one after the other.
    pub bytes: Vec<u8>,
    /// Number of rows.
    pub rows: u64,
}

/// Deals out rows to files, and gathers the rows of each file into blocks.
#[derive(Debug)]
pub(super) struct Dealer {
    sharding: Option<(Sharding, usize)>,
    block_len: Option<usize>,
    head_len: u64,
    /// Blocks that are not full, of each file that is written in turn.
    open: Vec<Block>,
    /// The file whose turn it is.
    next: usize,
    /// Bytes and rows of the shard by size that is being written.
    bytes: u64,
    shard_rows: u64,
    rows: u64,
}

impl Dealer {
    /// Returns a dealer to one file, or to shards, of which there are this many if they are written in turn.
    pub(super) fn new(sharding: Option<(Sharding, usize)>, block_len: Option<usize>, head_len: u64) -> Self {
        let files = match sharding {
            Some((Sharding::RoundRobin, shards)) => shards,
            _ => 1,
        };
        let open = (0..files).map(|shard| Block { shard, bytes: Vec::new(), rows: 0 }).collect();
        Self { sharding, block_len, head_len, open, next: 0, bytes: head_len, shard_rows: 0, rows: 0 }
    }

    /// Returns the number of rows that were dealt out.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Deals out rows. Appends the blocks that are full.
    pub(super) fn deal(&mut self, rows: EncodedRows, blocks: &mut VecDeque<Block>) {
        let count = rows.ends.len() as u64;
        self.rows = self.rows.saturating_add(count);
        if let (None, None, [open]) = (self.sharding, self.block_len, &self.open[..])
            && open.rows == 0
        {
            if count > 0 {
                blocks.push_back(Block { shard: 0, bytes: rows.bytes, rows: count });
            }
            return;
        }
        let mut start = 0;
        for end in &rows.ends {
            let row = rows.bytes.get(start..*end).unwrap_or_default();
            start = *end;
            self.begin_shard(row.len(), blocks);
            if let Some(open) = self.open.get_mut(self.next) {
                open.bytes.extend_from_slice(row);
                open.rows += 1;
                if open.bytes.len() >= self.block_len.unwrap_or(BLOCK_LEN) {
                    blocks.push_back(taken(open));
                }
            }
            self.next = (self.next + 1) % self.open.len().max(1);
        }
    }

    /// Begins another shard by size where the last one is full, which it is with the row that reaches its size.
    fn begin_shard(&mut self, row_len: usize, blocks: &mut VecDeque<Block>) {
        let Some((Sharding::BySize(bytes), _)) = self.sharding else { return };
        if self.bytes >= bytes && self.shard_rows > 0 {
            self.end(blocks);
            (self.bytes, self.shard_rows) = (self.head_len, 0);
            self.open.iter_mut().for_each(|open| open.shard += 1);
        }
        self.bytes = self.bytes.saturating_add(row_len as u64);
        self.shard_rows += 1;
    }

    /// Appends the blocks that are not full.
    pub(super) fn end(&mut self, blocks: &mut VecDeque<Block>) {
        blocks.extend(self.open.iter_mut().filter(|open| open.rows > 0).map(taken));
    }
}

/// Takes the rows of a block; the next one is expected to be as long.
fn taken(open: &mut Block) -> Block {
    let room = Vec::with_capacity(open.bytes.len());
    Block { shard: open.shard, bytes: mem::replace(&mut open.bytes, room), rows: mem::take(&mut open.rows) }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use tfrecord_io::Sharding;

    use super::{Block, Dealer};
    use crate::row_sink::EncodedRows;

    /// Deals out rows of these lengths in batches, and returns the lengths of the blocks of each shard.
    fn dealt(mut dealer: Dealer, lengths: &[usize], batch: usize) -> Vec<(usize, usize, u64)> {
        let mut blocks = VecDeque::new();
        for lengths in lengths.chunks(batch) {
            let mut rows = EncodedRows::default();
            for length in lengths {
                let push = |out: &mut Vec<u8>| {
                    out.resize(out.len() + length, 7);
                    Ok(())
                };
                rows.push(push).expect("a row");
            }
            dealer.deal(rows, &mut blocks);
        }
        assert_eq!(dealer.rows(), lengths.len() as u64);
        dealer.end(&mut blocks);
        blocks.into_iter().map(|Block { shard, bytes, rows }| (shard, bytes.len(), rows)).collect()
    }

    #[test]
    fn borders_of_blocks_depend_on_the_rows_alone() {
        let lengths = [3, 0, 4, 9, 1, 1, 1, 12, 2];
        for batch in 1..10 {
            let file = Dealer::new(None, Some(5), 0);
            let blocks = [(0, 7, 3), (0, 9, 1), (0, 15, 4), (0, 2, 1)];
            assert_eq!(dealt(file, &lengths, batch), blocks, "{batch}");
            let turns = Dealer::new(Some((Sharding::RoundRobin, 2)), Some(5), 0);
            let blocks = [(0, 7, 2), (1, 9, 2), (1, 13, 2), (0, 4, 3)];
            assert_eq!(dealt(turns, &lengths, batch), blocks, "{batch}");
            // The head counts, and a shard ends with the row that reaches its size.
            let sized = Dealer::new(Some((Sharding::BySize(10), 0)), Some(8), 1);
            let blocks = [(0, 16, 4), (1, 15, 4), (2, 2, 1)];
            assert_eq!(dealt(sized, &lengths, batch), blocks, "{batch}");
        }
    }

    #[test]
    fn a_shard_has_a_row_even_if_its_head_is_as_large_as_it_may_be() {
        let sized = Dealer::new(Some((Sharding::BySize(2), 0)), None, 5);
        assert_eq!(dealt(sized, &[0, 1], 2), [(0, 0, 1), (1, 1, 1)]);
    }
}
