//! The shuffle buffer.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crate::item::{Chunk, Item, Piece};
use crate::progress::Progress;
use crate::random::{Stream, derive};

/// Chunks of fewer rows are not worth copying.
const FEW: usize = 16;

/// Holds examples of one epoch and gives them out in random order: filled up before each draw, every slot is
/// equally likely.
pub(super) struct Buffer {
    items: Vec<Item>,
    elements: usize,
    stream: Stream,
    /// Whether the epoch has no more examples to come in.
    pub(super) drained: bool,
}

/// The stream from which slots are drawn in an epoch.
fn stream(seed: u64, epoch: u64) -> Stream {
    Stream::new(derive(seed, "shuffle", &[epoch]))
}

impl Buffer {
    pub(super) fn new(elements: usize, seed: u64, progress: &Progress) -> Self {
        let mut stream = stream(seed, progress.epoch);
        stream.counter = progress.draws;
        Self { items: Vec::new(), elements: elements.max(1), stream, drained: progress.drained }
    }

    /// Begins an epoch. The buffer is empty then: no example of one epoch comes among another's.
    pub(super) fn begin(&mut self, seed: u64, epoch: u64) {
        self.stream = stream(seed, epoch);
        self.drained = false;
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn wants_more(&self) -> bool {
        !self.drained && self.items.len() < self.elements
    }

    pub(super) fn push(&mut self, item: Item) {
        if item.is_row() {
            let held = &item.first.chunk.held;
            held.came.fetch_add(1, Relaxed);
            held.live.fetch_add(1, Relaxed);
        }
        self.items.push(item);
    }

    /// Takes an example from a random slot, which the last one then fills.
    pub(super) fn draw(&mut self) -> Option<(u32, Item)> {
        if self.items.is_empty() {
            return None;
        }
        let slot = self.stream.below(self.items.len() as u64);
        let at = usize::try_from(slot).unwrap_or(usize::MAX).min(self.items.len() - 1);
        let item = self.items.swap_remove(at);
        if item.is_row() {
            self.let_go(&item.first.chunk);
        }
        Some((u32::try_from(at).unwrap_or(u32::MAX), item))
    }

    /// A row of a chunk went out. A chunk is held as long as one of its rows is, and the last of a hundred stays five
    /// times as long as they do on average: when a quarter is left, that is copied and the chunk let go.
    fn let_go(&mut self, chunk: &Arc<Chunk>) {
        let live = chunk.held.live.fetch_sub(1, Relaxed).saturating_sub(1) as usize;
        let came = chunk.held.came.load(Relaxed) as usize;
        // Not before all its rows have come in.
        if came < FEW || came < chunk.rows() || live == 0 || live > came / 4 {
            return;
        }
        let of_chunk = |item: &&mut Item| item.is_row() && Arc::ptr_eq(&item.first.chunk, chunk);
        let mut left = self.items.iter_mut().filter(of_chunk).collect::<Vec<_>>();
        let rows = left.iter().map(|item| item.first.start as usize).collect::<Vec<_>>();
        let Some(taken) = chunk.take(&rows).map(Arc::new) else { return };
        for (item, row) in left.iter_mut().zip(0..) {
            item.first = Piece { chunk: Arc::clone(&taken), start: row, len: 1 };
            taken.held.came.fetch_add(1, Relaxed);
            taken.held.live.fetch_add(1, Relaxed);
        }
    }

    pub(super) fn save(&self, progress: &mut Progress) {
        progress.draws = self.stream.counter;
        progress.drained = self.drained;
    }
}
