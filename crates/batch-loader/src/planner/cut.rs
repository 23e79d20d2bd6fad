//! Cuts the chunks of one file into examples: records, or windows of records or of steps.

use std::collections::VecDeque;
use std::sync::Arc;

use tfxio_core::random::{Stream, derive};

use super::empty::Left;
use super::{ExamplePlan, order};
use crate::config::Stride;
use crate::error::Locate as _;
use crate::feed::{Feed, Feeds, Parsed, Start};
use crate::item::{Item, Span, Unit};
use crate::progress::PartProgress;
use crate::source::RecordPosition;
use crate::{Error, Kind, Result};

/// One open file.
pub(super) struct Cutter {
    part: u32,
    feed: Option<Feed>,
    /// Chunks that are not passed, in order.
    chunks: VecDeque<Parsed>,
    /// Their units.
    units: usize,
    /// Start of the next example, in units from the start of the first chunk. It may be after the last chunk.
    at: usize,
    /// End of the last window, counted in the same way: all units before it were in a window.
    used: usize,
    /// Position of the record after the last chunk.
    next: RecordPosition,
    ended: bool,
    /// Examples that were cut, including the ones of other hosts.
    cut: u64,
    /// Lengths and strides of windows.
    stream: Stream,
}

/// A number of `range`, both ends included. One that is certain is not drawn.
pub(super) fn draw(stream: &mut Stream, (low, high): (usize, usize)) -> usize {
    if high <= low {
        return low;
    }
    let below = (high - low) as u64 + 1;
    low.saturating_add(usize::try_from(stream.below(below)).unwrap_or(0))
}

impl Cutter {
    /// A file from its start, whose feed is open.
    pub(super) fn new(plan: &ExamplePlan, epoch: u64, part: u32, feed: impl Into<Option<Feed>>) -> Self {
        let stream = Stream::new(derive(plan.seed, "window", &[epoch, u64::from(part)]));
        Self {
            part,
            feed: feed.into(),
            chunks: VecDeque::new(),
            units: 0,
            at: 0,
            used: 0,
            next: RecordPosition::default(),
            ended: false,
            cut: 0,
            stream,
        }
    }

    /// A file from where a saved state left it, to be opened.
    pub(super) fn restored(plan: &ExamplePlan, epoch: u64, part: &PartProgress) -> Self {
        let mut cutter = Self::new(plan, epoch, part.part, None);
        cutter.at = usize::try_from(part.step).unwrap_or(usize::MAX);
        cutter.next = RecordPosition { record: part.record, byte: part.byte };
        cutter.cut = part.cut;
        cutter.stream.counter = part.draws;
        cutter
    }

    pub(super) fn open(&mut self, feeds: &Feeds) -> Result<()> {
        if self.feed.is_none() {
            self.feed = Some(feeds.open(self.part, Start::From(self.next))?);
        }
        Ok(())
    }

    /// Whether the next example can be cut without waiting, as far as a glance tells.
    pub(super) fn is_ready(&self) -> bool {
        self.chunks.front().is_some_and(|parsed| self.at < parsed.chunk.units())
            || self.feed.as_ref().is_none_or(Feed::is_ready)
    }

    /// The next example of this host; `None` at the end of the file.
    pub(super) fn next(&mut self, plan: &ExamplePlan, left: &mut Left) -> Result<Option<Item>> {
        loop {
            let len = draw(&mut self.stream, plan.window);
            let Some(available) = self.read_to(len, left)? else { return Ok(None) };
            if available < len {
                let end = self.at.saturating_add(available);
                left.count_over(end.saturating_sub(self.used.max(self.at)) as u64);
                self.chunks.clear();
                (self.units, self.at, self.used) = (0, 0, 0);
                return Ok(None);
            }
            let stride = match plan.stride {
                Stride::Window => len,
                Stride::Range { min, max } => draw(&mut self.stream, (min, max)),
            };
            let mine = match plan.shard {
                Some(shard) if !order::shards_by_file(plan) => {
                    self.cut % u64::from(shard.count) == u64::from(shard.index)
                }
                _ => true,
            };
            let item = if mine { Some(self.item(len).ok_or_else(|| self.too_long(len))?) } else { None };
            self.cut = self.cut.saturating_add(1);
            self.used = self.at.saturating_add(len);
            self.at = self.at.saturating_add(stride.max(1));
            self.pass();
            if item.is_some() {
                if plan.unit != Unit::Row {
                    left.count_window();
                }
                return Ok(item);
            }
        }
    }

    /// Reads until there are `len` units from where the next example begins, or the file ends. How many there are.
    fn read_to(&mut self, len: usize, left: &mut Left) -> Result<Option<usize>> {
        loop {
            let available = self.units.saturating_sub(self.at);
            if available >= len {
                return Ok(Some(available));
            }
            let parsed = match &mut self.feed {
                Some(feed) if !self.ended => feed.next()?,
                _ => None,
            };
            let Some(parsed) = parsed else {
                self.ended = true;
                return Ok((available > 0).then_some(available));
            };
            self.next = parsed.next;
            left.count_filtered(parsed.chunk.filtered);
            self.units = self.units.saturating_add(parsed.chunk.units());
            self.chunks.push_back(parsed);
            self.pass();
        }
    }

    /// Drops the chunks that are before the next example.
    fn pass(&mut self) {
        while let Some(parsed) = self.chunks.front() {
            let units = parsed.chunk.units();
            if self.at < units {
                return;
            }
            self.at -= units;
            self.used = self.used.saturating_sub(units);
            self.units = self.units.saturating_sub(units);
            self.next = parsed.next;
            self.chunks.pop_front();
        }
    }

    #[cold]
    fn too_long(&self, len: usize) -> Error {
        let what = format!("a window of {len} lies among more than 4294967295 steps that were read together");
        Error::new(Kind::LimitExceeded, what)
            .help("write fewer steps a record")
            .in_record(self.next.record, Some(self.next.byte))
    }

    /// The next `len` units, which are there; `None` if there are more than can be counted.
    fn item(&self, len: usize) -> Option<Item> {
        let (mut at, mut missing) = (self.at, len);
        let mut spans = Vec::new();
        let mut first = None;
        for parsed in &self.chunks {
            let units = parsed.chunk.units();
            if at >= units {
                at -= units;
                continue;
            }
            let take = missing.min(units - at);
            let span = Span {
                chunk: Arc::clone(&parsed.chunk),
                start: u32::try_from(at).ok()?,
                len: u32::try_from(take).ok()?,
            };
            if first.is_none() {
                first = Some(span)
            } else {
                spans.push(span)
            }
            at = 0;
            missing -= take;
            if missing == 0 {
                break;
            }
        }
        let rest = (!spans.is_empty()).then(|| spans.into_boxed_slice());
        first.map(|first| Item { first, rest })
    }

    pub(super) fn save(&self, unit: Unit) -> PartProgress {
        let mut progress = PartProgress {
            part: self.part,
            record: self.next.record,
            byte: self.next.byte,
            step: self.at as u64,
            cut: self.cut,
            draws: self.stream.counter,
        };
        if let Some(parsed) = self.chunks.front() {
            let (row, step) = parsed.chunk.row_of(unit, self.at);
            progress.record = parsed.chunk.records.get(row).copied().unwrap_or(progress.record);
            progress.byte = parsed.chunk.bytes.get(row).copied().unwrap_or(0);
            progress.step = step as u64;
        }
        progress
    }
}
