//! The shuffle buffer.

use crate::item::Item;
use crate::progress::Progress;
use crate::random::{Stream, derive};

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
        Some((u32::try_from(at).unwrap_or(u32::MAX), item))
    }

    pub(super) fn save(&self, progress: &mut Progress) {
        progress.draws = self.stream.counter;
        progress.drained = self.drained;
    }
}
