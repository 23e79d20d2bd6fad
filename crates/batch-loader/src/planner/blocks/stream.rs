//! One of the streams of which batches take turns.

use std::collections::VecDeque;
use std::sync::Arc;

use super::BlockOrder;
use super::drawn::Spare;
use super::layout::{BlockRange, Layout};
use super::rows::{Span, WindowRows};
use super::window::{Bounds, Window};
use crate::error::Locate;
use crate::feed::{Feed, Feeds, Start};
use crate::item::{Chunk, Item};
use crate::planner::ExamplePlan;
use crate::planner::fetch::gone;
use crate::progress::ItemPosition;
use crate::source::{PartRun, RecordPosition};
use crate::{Error, Kind, Result};

/// Blocks of a stream that are open at once: the one that is read, and the next.
const OPEN: usize = 2;

/// Resources that the streams of a host share.
#[derive(Default)]
pub(super) struct Shared {
    /// The orders of blocks of the epochs that are read.
    layouts: VecDeque<(u64, Arc<Layout>)>,
    pub(super) spare: Spare,
}

impl Shared {
    /// Returns the order of an epoch. Orders of earlier epochs are dropped once two later ones exist.
    pub(super) fn of(&mut self, order: &BlockOrder, plan: &ExamplePlan, epoch: u64) -> Arc<Layout> {
        if let Some((_, layout)) = self.layouts.iter().find(|(of, _)| *of == epoch) {
            return Arc::clone(layout);
        }
        let layout = Arc::new(order.layout(plan.seed, epoch));
        self.layouts.push_back((epoch, Arc::clone(&layout)));
        if self.layouts.len() > 2 {
            self.layouts.pop_front();
        }
        layout
    }
}

/// A stream: its share of every epoch, window after window.
pub(super) struct Stream {
    number: u64,
    /// The window that is given out, and the next.
    windows: VecDeque<Window>,
    /// Blocks that are open, in the order in which they are read.
    open: VecDeque<Block>,
    /// The window, and the position in it, with which the block after those begins; `None` after the last.
    next: Option<(u64, u64)>,
    /// Number of examples of the first window that were given out.
    given: u64,
    /// Error in the window that is being read, until it is needed.
    failed: Option<Error>,
}

/// Part of a block in a stream, as far as it is read.
struct Block {
    epoch: u64,
    range: BlockRange,
    feed: Option<Feed>,
    /// Chunks with examples that no window has yet.
    chunks: Vec<Arc<Chunk>>,
    /// Number of rows of the first chunk that were copied.
    copied: usize,
}

/// The share of a stream of an epoch's examples: the position of the first, and their number.
fn share(order: &BlockOrder, stream: u64) -> (u64, u64) {
    let (all, streams) = (order.examples.len(), order.streams.max(1));
    let (each, more) = (all / streams, all % streams);
    (stream * each + stream.min(more), each + u64::from(stream < more))
}

impl BlockOrder {
    /// Returns the window of an example of a stream, and the number of examples before it in the window. `before`
    /// examples of the epoch precede it in the stream.
    fn window_of(&self, stream: u64, epoch: u64, before: u64) -> (Bounds, u64) {
        let (start, len) = share(self, stream);
        let windows = len.div_ceil(self.window).max(1);
        let (each, more) = (len / windows, len % windows);
        let longer = more * (each + 1);
        let number = match before.checked_sub(longer) {
            None => before / (each + 1),
            Some(rest) => more + rest / each.max(1),
        };
        let from = number * each + number.min(more);
        let count = each + u64::from(number < more);
        let bounds = Bounds { epoch, number, before: from, start: start + from, end: start + from + count };
        (bounds, before.saturating_sub(from))
    }

    /// Returns a window of which nothing was read.
    fn window(&self, stream: u64, bounds: Bounds, plan: &ExamplePlan, shared: &mut Shared) -> Window {
        let rows = self.copies(plan.unit).then(|| {
            let bytes = bounds.end.saturating_sub(bounds.start).saturating_mul(self.example);
            WindowRows::new(bounds.numbers(plan, stream), bytes, shared.spare.pop())
        });
        Window::new(bounds, rows)
    }

    /// Returns the window after another.
    fn window_after(&self, stream: u64, window: Bounds, epochs: Option<u64>) -> Option<Bounds> {
        let (start, len) = share(self, stream);
        let before = window.end.saturating_sub(start);
        if before < len {
            return Some(self.window_of(stream, window.epoch, before).0);
        }
        let epoch = window.epoch.saturating_add(1);
        epochs.is_none_or(|epochs| epoch < epochs).then(|| self.window_of(stream, epoch, 0).0)
    }
}

impl Stream {
    /// A stream that goes on with the example that `before` others of its epoch precede, and begins to read.
    pub(super) fn new(
        number: u64,
        (epoch, before): (u64, u64),
        (feeds, plan, order): (&Feeds, &ExamplePlan, &BlockOrder),
        shared: &mut Shared,
    ) -> Result<Self> {
        let (bounds, _) = order.window_of(number, epoch, before);
        let mut stream = Self {
            number,
            windows: VecDeque::from([order.window(number, bounds, plan, shared)]),
            open: VecDeque::new(),
            next: Some((epoch, bounds.start)),
            given: 0,
            failed: None,
        };
        stream.open_ahead((feeds, plan, order), shared)?;
        Ok(stream)
    }

    /// Returns the example that `before` others of its epoch precede. They are asked for in ascending order.
    pub(super) fn item(
        &mut self,
        at: (u64, u64),
        context: (&Feeds, &ExamplePlan, &BlockOrder),
        shared: &mut Shared,
    ) -> Result<Option<Item>> {
        let Some(at) = self.enter(at, context, shared)? else { return Ok(None) };
        let (_, plan, order) = context;
        let Some(window) = self.windows.front() else { return Ok(None) };
        let item = window.item(at, plan, &order.examples)?;
        self.read_ahead(context, shared);
        Ok(item)
    }

    /// Returns the record at a position of an epoch, where records are copied. Positions are asked for in ascending
    /// order.
    pub(super) fn copied(
        &mut self,
        at: (u64, u64),
        context: (&Feeds, &ExamplePlan, &BlockOrder),
        shared: &mut Shared,
    ) -> Result<Option<(&Arc<WindowRows>, Span)>> {
        let Some(at) = self.enter(at, context, shared)? else { return Ok(None) };
        self.read_ahead(context, shared);
        Ok(self.windows.front().and_then(|window| window.copied(at)))
    }

    /// Reads the window of an example, and returns the example's position in it.
    fn enter(
        &mut self,
        (epoch, before): (u64, u64),
        context: (&Feeds, &ExamplePlan, &BlockOrder),
        shared: &mut Shared,
    ) -> Result<Option<u64>> {
        let (_, plan, order) = context;
        if let Some(window) =
            self.windows.front().filter(|window| window.is_read() && window.bounds.epoch == epoch)
            && let Some(at) = before.checked_sub(window.bounds.before)
            && at < window.len()
        {
            self.given = at + 1;
            return Ok(Some(at));
        }
        let (bounds, at) = order.window_of(self.number, epoch, before);
        let is_ahead =
            |window: &Window| (window.bounds.epoch, window.bounds.number) <= (bounds.epoch, bounds.number);
        if !self.windows.front().is_some_and(is_ahead) {
            // A host that has to repeat examples begins the last epoch again.
            *self = Self::new(self.number, (epoch, before), context, shared)?;
        }
        while self.windows.front().is_some_and(|window| window.bounds != bounds) {
            // All of it has to be read, as its blocks may go on in the next.
            self.read_all(context, shared)?;
            if self.windows.len() < 2 {
                self.begin_next(plan, order, shared);
            }
            if let Some(rows) = self.windows.pop_front().and_then(Window::into_rows) {
                shared.spare.keep(rows);
            }
        }
        self.read_all(context, shared)?;
        self.given = at + 1;
        Ok((!self.windows.is_empty()).then_some(at))
    }

    /// Reads all of the first window.
    fn read_all(&mut self, context: (&Feeds, &ExamplePlan, &BlockOrder), shared: &mut Shared) -> Result<()> {
        while self.windows.front().is_some_and(|window| !window.is_read()) {
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            self.read(0, context, shared)?;
        }
        Ok(())
    }

    /// Reads as much of the next window as was given out of the first.
    fn read_ahead(&mut self, context: (&Feeds, &ExamplePlan, &BlockOrder), shared: &mut Shared) {
        let (_, plan, order) = context;
        if self.windows.len() < 2 && !self.begin_next(plan, order, shared) {
            return;
        }
        let Some(len) = self.windows.front().map(Window::len) else { return };
        while self.failed.is_none()
            && let Some(next) = self.windows.get(1)
            && !next.is_read()
            && next.progress().saturating_mul(len) < self.given.saturating_mul(next.len())
        {
            // What comes before is given out first.
            self.failed = self.read(1, context, shared).err();
        }
    }

    /// Begins the window after the last, if there is one.
    fn begin_next(&mut self, plan: &ExamplePlan, order: &BlockOrder, shared: &mut Shared) -> bool {
        let last = self.windows.back().map(|window| window.bounds);
        let next = last.and_then(|last| order.window_after(self.number, last, plan.epochs));
        self.windows.extend(next.map(|bounds| order.window(self.number, bounds, plan, shared)));
        next.is_some()
    }

    /// Opens the next blocks.
    fn open_ahead(
        &mut self,
        (feeds, plan, order): (&Feeds, &ExamplePlan, &BlockOrder),
        shared: &mut Shared,
    ) -> Result<()> {
        let (start, len) = share(order, self.number);
        while self.open.len() < OPEN
            && let Some((epoch, at)) = self.next
        {
            let end = start.saturating_add(len);
            let Some(range) = shared.of(order, plan, epoch).range(at, end) else {
                let epoch = epoch.saturating_add(1);
                let goes_on = len > 0 && plan.epochs.is_none_or(|epochs| epoch < epochs);
                self.next = goes_on.then_some((epoch, start));
                continue;
            };
            let (part, run) = records(order, range)?;
            let feed = feeds.open(part.saturating_add(plan.first), Start::Runs(vec![run]))?;
            self.open.push_back(Block { epoch, range, feed: Some(feed), chunks: Vec::new(), copied: 0 });
            self.next = Some((epoch, range.end));
        }
        Ok(())
    }

    /// Reads one chunk of a window, or ends a part of it.
    fn read(
        &mut self,
        number: usize,
        context: (&Feeds, &ExamplePlan, &BlockOrder),
        shared: &mut Shared,
    ) -> Result<()> {
        let (_, plan, order) = context;
        self.open_ahead(context, shared)?;
        let (Some(window), Some(block)) = (self.windows.get_mut(number), self.open.front_mut()) else {
            return Err(ended());
        };
        if block.epoch != window.bounds.epoch {
            return Err(ended());
        }
        if order.copies(plan.unit) {
            block.copy_to(window, order)?
        } else {
            block.lend_to(window, order)?
        }
        if window.read >= block.range.end {
            self.open.pop_front();
        }
        if window.is_read() {
            window.mix(plan, &order.examples, self.number)?;
        }
        Ok(())
    }
}

impl Block {
    /// Gives a window the examples that it lacks, from the chunks that were read or else from the next chunk.
    fn lend_to(&mut self, window: &mut Window, order: &BlockOrder) -> Result<()> {
        let end = self.range.end.min(window.bounds.end);
        let range = BlockRange {
            example: self.range.example + window.read.saturating_sub(self.range.start),
            start: window.read,
            end,
        };
        let last = order.examples.indexed(range.example + (end - range.start).saturating_sub(1))?;
        let last = last.record.saturating_add(u64::from(last.records)).saturating_sub(1);
        let has_all =
            self.chunks.last().and_then(|chunk| chunk.records.last()).is_some_and(|read| *read >= last);
        if !has_all && let Some(feed) = &mut self.feed {
            match feed.next().map_err(Locate::without_skip)? {
                Some(parsed) if parsed.chunk.rows() > 0 => {
                    window.come(parsed.chunk.rows() as u64);
                    self.chunks.push(parsed.chunk);
                }
                Some(_) => {}
                None => self.feed = None,
            }
            return Ok(());
        }
        let is_over = end >= self.range.end;
        let chunks = if is_over {
            std::mem::take(&mut self.chunks)
        } else {
            // The next window may begin in the last of them, and an example of it in those before.
            let chunks = self.chunks.clone();
            let next = order.examples.indexed(range.example + (end - range.start))?.record;
            self.chunks.retain(|chunk| chunk.records.last().is_some_and(|last| *last >= next));
            chunks
        };
        window.add(range, chunks);
        Ok(())
    }

    /// Copies the records of one chunk that a window lacks.
    fn copy_to(&mut self, window: &mut Window, order: &BlockOrder) -> Result<()> {
        let end = self.range.end.min(window.bounds.end);
        let example = self.range.example + window.read.saturating_sub(self.range.start);
        let first = order.examples.indexed(example)?;
        let Some(chunk) = self.chunks.first() else {
            match self.feed.as_mut().map(Feed::next).transpose().map_err(Locate::without_skip)?.flatten() {
                Some(parsed) if parsed.chunk.rows() > 0 => self.chunks.push(parsed.chunk),
                Some(_) => {}
                None => return Err(gone(&first)),
            }
            return Ok(());
        };
        let missing = usize::try_from(end.saturating_sub(window.read)).unwrap_or(usize::MAX);
        let rows = self.copied..chunk.rows().min(self.copied.saturating_add(missing));
        // What was counted has to come, and nothing else.
        let records = chunk.records.get(rows.clone()).unwrap_or_default();
        if order.examples.are_records() {
            if let Some((after, _)) =
                (0u64..).zip(records).find(|(after, record)| **record != first.record + after)
            {
                return Err(gone(&ItemPosition { record: first.record + after, ..first }));
            }
        } else {
            for (after, record) in (0u64..).zip(records) {
                let position = order.examples.indexed(example + after)?;
                if *record != position.record {
                    return Err(gone(&position));
                }
            }
        }
        window.copy(chunk, rows.clone()).ok_or_else(|| unlike(&first))?;
        self.copied = rows.end;
        if self.copied >= chunk.rows() {
            self.chunks.clear();
            self.copied = 0;
        }
        Ok(())
    }
}

/// Returns the records of some examples of a block, and their file.
fn records(order: &BlockOrder, range: BlockRange) -> Result<(u32, PartRun)> {
    let first = order.examples.indexed(range.example)?;
    let last = order.examples.indexed(range.example + (range.end - range.start).saturating_sub(1))?;
    let end = last.record.saturating_add(u64::from(last.records));
    let from = RecordPosition { record: first.record, byte: first.byte };
    Ok((first.part, PartRun { from, count: end.saturating_sub(first.record) }))
}

/// Returns the error of blocks that end before the window does that they were counted for, which cannot be.
#[cold]
fn ended() -> Error {
    let what = "the files hold fewer records than were counted";
    Error::new(Kind::State, what).help("they were changed since they were indexed; start anew")
}

/// Returns the error of a record whose tensors have other dimensions than those before.
#[cold]
fn unlike(position: &ItemPosition) -> Error {
    let what = "the tensors of this record have other dimensions than those of records before";
    Error::new(Kind::Record, what).help("shuffle through a buffer").in_record(position.record, None)
}
