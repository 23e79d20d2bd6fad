//! Compaction of chunks: waiting examples that need little of a chunk get a copy of it, and the chunk is dropped.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::item::{Chunk, Held, Item, Span};

/// The least bytes of chunks that come in between two looks, and what an example that waits counts for: a look at all
/// of them has to cost less than parsing what came.
pub(super) const FEW_BYTES: usize = 4 << 20;
const ITEM_BYTES: usize = 256;

/// The bytes of chunks that examples hold, as far as it is known without looking at all of them.
pub(super) struct Pinned {
    /// Whether a chunk was counted.
    flag: fn(&Held) -> &AtomicBool,
    /// Bytes of chunks that came in since the last look at which can be let go, and at how many it is taken.
    came: usize,
    look_at: usize,
}

/// Units of a chunk that examples need.
struct Needed {
    chunk: Arc<Chunk>,
    ranges: Vec<Range<usize>>,
    /// The chunk that replaces it, and where each range begins in it.
    copy: Option<(Arc<Chunk>, Vec<usize>)>,
}

impl Pinned {
    /// Returns the count of a kind of examples, which marks the chunks that it counted.
    pub(super) fn new(flag: fn(&Held) -> &AtomicBool) -> Self {
        Self { flag, came: 0, look_at: FEW_BYTES }
    }

    /// Counts the chunks of an example.
    pub(super) fn add(&mut self, item: &Item) {
        for span in item.spans() {
            let counted = (self.flag)(&span.chunk.held);
            if !counted.load(Relaxed) {
                counted.store(true, Relaxed);
                self.came = self.came.saturating_add(span.chunk.memory());
            }
        }
    }

    /// Returns whether so much came in that a look is due.
    pub(super) fn is_due(&self) -> bool {
        self.came >= self.look_at
    }

    /// Copies the needed units of chunks of which examples need at most half, and drops the chunks. Examples share the
    /// copies. Returns the number of rows that had left the shuffle buffer and are dropped with the chunks.
    pub(super) fn compact(&mut self, mut items: Vec<&mut Item>) -> usize {
        let mut all: HashMap<*const Chunk, Needed> = HashMap::new();
        for span in items.iter().flat_map(|item| item.spans()) {
            let needed = all.entry(Arc::as_ptr(&span.chunk)).or_insert_with(|| Needed {
                chunk: Arc::clone(&span.chunk),
                ranges: Vec::new(),
                copy: None,
            });
            let start = span.start as usize;
            needed.ranges.push(start..start.saturating_add(span.len as usize));
        }
        let mut kept = 0usize;
        for needed in all.values_mut() {
            needed.compact(self.flag);
            let chunk = needed.copy.as_ref().map_or(&needed.chunk, |(copy, _)| copy);
            kept = kept.saturating_add(chunk.memory());
        }
        let mut rows: HashMap<*const Chunk, usize> = HashMap::new();
        for item in &mut items {
            let row = item.is_row();
            for span in std::iter::once(&mut item.first).chain(item.rest.iter_mut().flatten()) {
                let Some(needed) = all.get(&Arc::as_ptr(&span.chunk)) else { continue };
                let Some(moved) = needed.moved(span) else { continue };
                if row {
                    *rows.entry(Arc::as_ptr(&span.chunk)).or_default() += 1;
                    moved.chunk.held.came.fetch_add(1, Relaxed);
                    moved.chunk.held.live.fetch_add(1, Relaxed);
                }
                *span = moved;
            }
        }
        let least = FEW_BYTES.max(items.len().saturating_mul(ITEM_BYTES));
        (self.came, self.look_at) = (0, least.max(kept.saturating_mul(2)));
        let gone = rows.into_iter().map(|(chunk, live)| {
            let came = all.get(&chunk).map_or(0, |needed| needed.chunk.held.came.load(Relaxed) as usize);
            came.saturating_sub(live)
        });
        gone.sum()
    }
}

impl Needed {
    /// Copies the needed units, if they are at most half of the chunk and nobody else holds it.
    fn compact(&mut self, flag: fn(&Held) -> &AtomicBool) {
        // This one holds it once.
        if Arc::strong_count(&self.chunk) > self.ranges.len() + 1 {
            return;
        }
        self.ranges.sort_unstable_by_key(|range| range.start);
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(self.ranges.len());
        for range in self.ranges.drain(..) {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        let mut units = 0;
        let starts = merged.iter().map(|range| {
            units += range.len();
            units - range.len()
        });
        let starts = starts.collect::<Vec<_>>();
        if units.saturating_mul(2) <= self.chunk.units()
            && let Some(copy) = self.chunk.take_units(&merged)
        {
            flag(&copy.held).store(true, Relaxed);
            self.copy = Some((Arc::new(copy), starts));
        }
        self.ranges = merged;
    }

    /// The same part of the copy.
    fn moved(&self, span: &Span) -> Option<Span> {
        let (copy, starts) = self.copy.as_ref()?;
        let start = span.start as usize;
        let at = self.ranges.partition_point(|range| range.start <= start).checked_sub(1)?;
        let start = starts.get(at)?.checked_add(start.checked_sub(self.ranges.get(at)?.start)?)?;
        Some(Span { chunk: Arc::clone(copy), start: u32::try_from(start).ok()?, len: span.len })
    }
}
