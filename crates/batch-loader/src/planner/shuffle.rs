//! The shuffle buffer.

#[cfg(test)]
mod tests;
mod windows;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use tfxio_core::random::{Stream, derive};

use super::compact::Pinned;
use crate::item::{Chunk, Item, Span};
use crate::progress::Progress;

/// Rows that have gone and are still held, for each row in the buffer, at which they are too many.
const DEAD: usize = 2;
/// So few are never too many.
const FEW: usize = 1024;

/// Holds examples of one epoch and gives them out in random order: filled up before each draw, every slot is
/// equally likely.
pub(super) struct Buffer {
    items: Vec<Item>,
    elements: usize,
    stream: Stream,
    /// Rows that went out and are still held, because others of their chunks are in the buffer.
    dead: usize,
    /// Number of such rows at which chunks are compacted next.
    compact_at: usize,
    /// Chunks of which windows came in.
    windows: Pinned,
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
        Self {
            items: Vec::new(),
            elements: elements.max(1),
            stream,
            dead: 0,
            compact_at: FEW,
            windows: Pinned::new(|held| &held.counted),
            drained: progress.drained,
        }
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
            self.items.push(item);
        } else {
            self.push_window(item);
        }
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
            let held = &item.first.chunk.held;
            let live = held.live.fetch_sub(1, Relaxed).saturating_sub(1);
            if live == 0 {
                // The chunk goes, and with it the rows that went before.
                self.dead = self.dead.saturating_sub((held.came.load(Relaxed) as usize).saturating_sub(1));
            } else {
                self.dead += 1;
            }
            if self.dead >= self.compact_at.max(self.items.len().saturating_mul(DEAD)) {
                self.compact();
            }
        }
        Some((u32::try_from(at).unwrap_or(u32::MAX), item))
    }

    /// Copies the rows that are left of chunks of which most have gone, and lets the chunks go.
    ///
    /// A chunk is held as long as one of its rows is, and the last of a hundred stays five times as long as they do on
    /// average. One walk over the buffer after as many draws as it has slots costs a draw next to nothing.
    fn compact(&mut self) {
        let mut sparse: HashMap<*const Chunk, Vec<usize>> = HashMap::new();
        for (slot, item) in self.items.iter().enumerate() {
            let (chunk, held) = (&item.first.chunk, &item.first.chunk.held);
            let (came, live) = (held.came.load(Relaxed), held.live.load(Relaxed));
            // Not before all its rows have come in.
            let whole = came as usize >= chunk.rows();
            if item.is_row() && whole && live.saturating_mul(DEAD as u32 + 1) <= came {
                sparse.entry(Arc::as_ptr(chunk)).or_default().push(slot);
            }
        }
        for mut slots in sparse.into_values() {
            let row = |slot: &usize| self.items.get(*slot).map_or(0, |item| item.first.start as usize);
            slots.sort_unstable_by_key(row);
            let rows = slots.iter().map(row).collect::<Vec<_>>();
            let chunk = slots.first().and_then(|&slot| self.items.get(slot)).map(|item| &item.first.chunk);
            let Some(chunk) = chunk.map(Arc::clone) else { continue };
            let Some(taken) = chunk.take(&rows).map(Arc::new) else { continue };
            let came = chunk.held.came.load(Relaxed) as usize;
            self.dead = self.dead.saturating_sub(came.saturating_sub(slots.len()));
            for (slot, row) in slots.into_iter().zip(0..) {
                if let Some(item) = self.items.get_mut(slot) {
                    item.first = Span { chunk: Arc::clone(&taken), start: row, len: 1 };
                    taken.held.came.fetch_add(1, Relaxed);
                    taken.held.live.fetch_add(1, Relaxed);
                }
            }
        }
        // Those of chunks that are still coming in stay: not every draw is to look at them again.
        self.compact_at = self.dead.saturating_mul(2).max(FEW);
    }

    pub(super) fn save(&self, progress: &mut Progress) {
        progress.draws = self.stream.counter;
        progress.drained = self.drained;
    }
}
