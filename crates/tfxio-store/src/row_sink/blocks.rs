//! Blocks that several threads pack.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tfxio_core::{Error, Result, Work};

use super::dealer::{Block, Dealer};
use super::{Encoded, Pack, lock};

/// Blocks of encoded batches, in order.
pub(super) struct Blocks {
    encoded: Box<dyn Iterator<Item = Result<Encoded>> + Send>,
    dealer: Arc<Mutex<Dealer>>,
    ready: VecDeque<Block>,
    /// Error after the blocks that are ready.
    failed: Option<Error>,
    has_ended: bool,
}

impl Blocks {
    pub(super) fn new(
        encoded: impl Iterator<Item = Result<Encoded>> + Send + 'static,
        dealer: Arc<Mutex<Dealer>>,
    ) -> Self {
        Self { encoded: Box::new(encoded), dealer, ready: VecDeque::new(), failed: None, has_ended: false }
    }

    fn next(&mut self) -> Result<Option<Block>> {
        loop {
            if let Some(block) = self.ready.pop_front() {
                return Ok(Some(block));
            }
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            if self.has_ended {
                return Ok(None);
            }
            match self.encoded.next().transpose()? {
                Some(encoded) => {
                    lock(&self.dealer).deal(encoded.rows, &mut self.ready);
                    self.failed = encoded.failed;
                }
                None => {
                    lock(&self.dealer).end(&mut self.ready);
                    self.has_ended = true;
                }
            }
        }
    }
}

/// Packs one block at a time.
pub(super) struct Packing<P> {
    packer: P,
    block: Option<Block>,
}

impl<P> Packing<P> {
    pub(super) fn new(packer: P) -> Self {
        Self { packer, block: None }
    }
}

/// A block, as it is stored.
pub(super) struct PackedBlock<T> {
    pub(super) shard: usize,
    pub(super) rows: u64,
    pub(super) packed: T,
}

impl<P: Pack> Work for Packing<P> {
    type Source = Blocks;
    type Output = PackedBlock<P::Packed>;
    type Error = Error;

    fn read(&mut self, blocks: &mut Blocks) -> Result<bool> {
        self.block = blocks.next()?;
        Ok(self.block.is_some())
    }

    fn next(&mut self) -> Result<Option<Self::Output>> {
        let Some(block) = self.block.take() else { return Ok(None) };
        let (shard, rows) = (block.shard, block.rows);
        Ok(Some(PackedBlock { shard, rows, packed: self.packer.pack(block)? }))
    }

    fn is_done(&self) -> bool {
        self.block.is_none()
    }
}
