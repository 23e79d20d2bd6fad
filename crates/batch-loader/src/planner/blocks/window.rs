//! Examples that are mixed.

use std::ops::Range;
use std::sync::Arc;

use tfxio_core::random::{Stream as Numbers, derive};

use super::layout::BlockRange;
use super::rows::{self, WindowRows};
use crate::Result;
use crate::item::{Chunk, Item, Span, Unit};
use crate::planner::fetch::{find, gone};
use crate::planner::{ExamplePlan, GlobalOrder};
use crate::progress::ItemPosition;

/// Bounds of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) epoch: u64,
    /// Its number in its stream.
    pub(super) number: u64,
    /// Number of the stream's examples that precede it in the epoch.
    pub(super) before: u64,
    /// Its position in the order of blocks, and the position after the last.
    pub(super) start: u64,
    pub(super) end: u64,
}

impl Bounds {
    /// Returns the numbers by which the examples of the window of a stream are drawn.
    pub(super) fn numbers(&self, plan: &ExamplePlan, stream: u64) -> Numbers {
        Numbers::new(derive(plan.seed, "mix", &[self.epoch, stream, self.number]))
    }
}

/// The examples of a window, as far as they were read.
pub(super) struct Window {
    pub(super) bounds: Bounds,
    /// The position up to which they were read.
    pub(super) read: u64,
    /// Examples that were read after that position, about.
    coming: u64,
    segments: Vec<Segment>,
    /// Chunks of all segments, and where each example is a row: the chunk and its row. Only of records.
    rows: Vec<(u32, u32)>,
    chunks: Vec<Arc<Chunk>>,
    /// Records that are copied as they are read, and all of them once they were.
    copying: Option<WindowRows>,
    copied: Option<Arc<WindowRows>>,
    /// The example at each position; made once all were read. Empty where records are copied.
    order: Vec<u32>,
}

/// Examples of a block, and the chunks that hold them.
struct Segment {
    range: BlockRange,
    chunks: Vec<Arc<Chunk>>,
}

impl Window {
    /// A window of which nothing was read, with room for its records where these are copied.
    pub(super) fn new(bounds: Bounds, copying: Option<WindowRows>) -> Self {
        let (segments, rows, chunks, order) = Default::default();
        let copied = None;
        Self { bounds, read: bounds.start, coming: 0, segments, rows, chunks, copying, copied, order }
    }

    /// Returns the records that were copied.
    pub(super) fn into_rows(self) -> Option<Arc<WindowRows>> {
        self.copied
    }

    pub(super) fn len(&self) -> u64 {
        self.bounds.end.saturating_sub(self.bounds.start)
    }

    pub(super) fn is_read(&self) -> bool {
        self.read >= self.bounds.end
    }

    /// Returns about how many examples were read.
    pub(super) fn progress(&self) -> u64 {
        self.read.saturating_sub(self.bounds.start).saturating_add(self.coming).min(self.len())
    }

    /// Notes that examples were read that [`add`](Self::add) will add.
    pub(super) fn come(&mut self, examples: u64) {
        self.coming = self.coming.saturating_add(examples);
    }

    /// Adds the next examples, which are in these chunks.
    pub(super) fn add(&mut self, range: BlockRange, chunks: Vec<Arc<Chunk>>) {
        (self.read, self.coming) = (range.end, 0);
        self.segments.push(Segment { range, chunks });
    }

    /// Copies the next records, which are rows of a chunk that follow each other; `None` if they are not such as those before.
    pub(super) fn copy(&mut self, chunk: &Chunk, rows: Range<usize>) -> Option<()> {
        self.read = self.read.saturating_add(rows.len() as u64);
        self.copying.as_mut()?.append(chunk, rows)
    }

    /// Returns the record at a position of the window, where records are copied.
    pub(super) fn copied(&self, position: u64) -> Option<(&Arc<WindowRows>, rows::Span)> {
        let at = usize::try_from(position).ok()?;
        let copied = self.copied.as_ref()?;
        Some((copied, copied.at(at)?))
    }

    /// Draws the order of the examples, once all were read.
    ///
    /// # Errors
    /// A record is not there.
    pub(super) fn mix(&mut self, plan: &ExamplePlan, examples: &GlobalOrder, stream: u64) -> Result<()> {
        if self.segments.is_empty() {
            if let Some(mut rows) = self.copying.take() {
                rows.mix();
                self.copied = Some(Arc::new(rows));
            }
            return Ok(());
        }
        let mut numbers = self.bounds.numbers(plan, stream);
        self.order = (0..u32::try_from(self.len()).unwrap_or(u32::MAX)).collect();
        shuffle(&mut self.order, &mut numbers);
        if plan.unit != Unit::Row {
            return Ok(());
        }
        self.rows.reserve(self.order.len());
        for Segment { range, chunks } in std::mem::take(&mut self.segments) {
            let (mut chunk, mut row) = (0, 0);
            let first = examples.indexed(range.example)?;
            for more in 0..range.end - range.start {
                let position = if examples.are_records() {
                    ItemPosition { record: first.record + more, ..first }
                } else {
                    examples.indexed(range.example + more)?
                };
                // The rows of chunks follow each other as the examples do; those before the first are of another window.
                loop {
                    let Some(records) = chunks.get(chunk).map(|chunk: &Arc<Chunk>| &chunk.records) else {
                        return Err(gone(&position));
                    };
                    match records.get(row) {
                        Some(&record) if record < position.record => row += 1,
                        Some(&record) if record == position.record => break,
                        Some(_) => return Err(gone(&position)),
                        None => (chunk, row) = (chunk + 1, 0),
                    }
                }
                let of_all = self.chunks.len() + chunk;
                self.rows.push((
                    u32::try_from(of_all).unwrap_or(u32::MAX),
                    u32::try_from(row).unwrap_or(u32::MAX),
                ));
                row += 1;
            }
            self.chunks.extend(chunks);
        }
        Ok(())
    }

    /// Returns the example at a position of the window.
    ///
    /// # Errors
    /// A record of it is not there.
    pub(super) fn item(
        &self,
        position: u64,
        plan: &ExamplePlan,
        examples: &GlobalOrder,
    ) -> Result<Option<Item>> {
        let at = usize::try_from(position).ok().and_then(|position| self.order.get(position));
        let Some(&at) = at else { return Ok(None) };
        if plan.unit == Unit::Row {
            let row = self.rows.get(at as usize);
            return Ok(row.and_then(|&(chunk, start)| {
                let chunk = Arc::clone(self.chunks.get(chunk as usize)?);
                Some(Item { first: Span { chunk, start, len: 1 }, rest: None })
            }));
        }
        let at = self.bounds.start.saturating_add(u64::from(at));
        let segment = self.segments.partition_point(|segment| segment.range.end <= at);
        let Some(Segment { range, chunks }) = self.segments.get(segment) else { return Ok(None) };
        let mut position = examples.indexed(range.example.saturating_add(at.saturating_sub(range.start)))?;
        position.part = position.part.saturating_add(plan.first);
        find(chunks, plan.unit, &position).map(Some).ok_or_else(|| gone(&position))
    }
}

/// Draws an order of all of them, each being equally likely.
pub(super) fn shuffle<T>(all: &mut [T], numbers: &mut Numbers) {
    for last in (1..all.len()).rev() {
        let other = usize::try_from(numbers.below(last as u64 + 1)).unwrap_or(0);
        all.swap(last, other);
    }
}
