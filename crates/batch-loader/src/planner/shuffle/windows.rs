//! Windows in the shuffle buffer: of chunks from which little is needed, that is copied.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::Buffer;
use crate::item::{Chunk, Item, Span};

/// The least bytes of chunks that come in between two looks, and what a window in the buffer counts for: a look at all
/// of them has to cost less than parsing what came.
pub(super) const FEW_BYTES: usize = 4 << 20;
const WINDOW_BYTES: usize = 256;

/// What the windows in the buffer need of a chunk.
struct Needed {
    chunk: Arc<Chunk>,
    ranges: Vec<Range<usize>>,
    /// The chunk that replaces it, and where each range begins in it.
    copy: Option<(Arc<Chunk>, Vec<usize>)>,
}

impl Buffer {
    pub(super) fn push_window(&mut self, item: Item) {
        for span in item.spans() {
            if !span.chunk.held.counted.swap(true, Relaxed) {
                self.windows.0 = self.windows.0.saturating_add(span.chunk.memory());
            }
        }
        self.items.push(item);
        if self.windows.0 >= self.windows.1 {
            self.compact_windows();
        }
    }

    /// Copies what windows need of chunks of which they need no more than half, and lets the chunks go. Windows share
    /// the copy of what they share.
    fn compact_windows(&mut self) {
        let mut all: HashMap<*const Chunk, Needed> = HashMap::new();
        for span in self.items.iter().flat_map(Item::spans) {
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
            needed.compact();
            let chunk = needed.copy.as_ref().map_or(&needed.chunk, |(copy, _)| copy);
            kept = kept.saturating_add(chunk.memory());
        }
        let mut rows: HashMap<*const Chunk, usize> = HashMap::new();
        for item in &mut self.items {
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
        // Windows of one record are counted as rows are: those of these chunks that had gone are let go.
        for (chunk, live) in rows {
            let came = all.get(&chunk).map_or(0, |needed| needed.chunk.held.came.load(Relaxed) as usize);
            self.dead = self.dead.saturating_sub(came.saturating_sub(live));
        }
        let windows = self.items.len().saturating_mul(WINDOW_BYTES);
        self.windows = (0, FEW_BYTES.max(windows).max(kept.saturating_mul(2)));
    }
}

impl Needed {
    /// Copies what is needed, if that is no more than half and nobody else holds the chunk.
    fn compact(&mut self) {
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
            copy.held.counted.store(true, Relaxed);
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
