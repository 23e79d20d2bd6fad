//! The examples of one data set, epoch after epoch.

use std::sync::Arc;

use super::blocks::{BlockReader, Drawn};
use super::empty::{EMPTY_EPOCHS, Left};
use super::even::Quota;
use super::fetch;
use super::global::GlobalReader;
use super::interleave::Interleave;
use super::shuffle::Buffer;
use super::{ExamplePlan, Order};
use crate::Result;
use crate::feed::Feeds;
use crate::item::Item;
use crate::progress::{BufferChange, Progress};
use crate::state::ItemPositions;
use crate::stats::Counters;

/// The examples of a data set in their order.
pub(super) struct Examples {
    plan: Arc<ExamplePlan>,
    left: Left,
    epoch: u64,
    /// Examples of this epoch that came in already.
    examples: u64,
    source: ExampleSource,
    buffer: Option<Buffer>,
    /// This host's quota of the epoch, if hosts are made even.
    quota: Option<Quota>,
    /// The epoch of the example that came last.
    pub(super) last: u64,
    /// Epochs without an example since the last that had one.
    empty: u32,
    /// Changes of the buffer since the last batch.
    changes: Vec<BufferChange>,
    /// The shuffle buffer of a saved state, until its examples are read again.
    held: ItemPositions,
}

enum ExampleSource {
    Interleave(Interleave),
    Global(GlobalReader),
    Blocks(BlockReader),
}

impl Examples {
    pub(super) fn new(plan: Arc<ExamplePlan>, counters: &Arc<Counters>, progress: &Progress) -> Self {
        let source = match &plan.order {
            Order::Global(_) => ExampleSource::Global(GlobalReader::new(&plan, progress.position)),
            Order::Blocks(_) => ExampleSource::Blocks(BlockReader::new(progress.position)),
            _ => ExampleSource::Interleave(Interleave::new(&plan, progress)),
        };
        let buffer = match plan.order {
            Order::Shuffled { elements, .. } => Some(Buffer::new(elements, plan.seed, progress)),
            _ => None,
        };
        let held = progress.buffer.clone();
        let (epoch, examples) = (progress.epoch, progress.examples);
        Self {
            quota: plan.quota(epoch, examples.saturating_add(held.0.len() as u64)),
            last: epoch,
            left: Left::new(counters, &plan),
            plan,
            epoch,
            examples,
            source,
            buffer,
            empty: 0,
            changes: Vec::new(),
            held,
        }
    }

    /// Returns how many examples are in the shuffle buffer.
    pub(super) fn buffered(&self) -> usize {
        self.buffer.as_ref().map_or(0, Buffer::len)
    }

    /// Reads again what a saved state held in the shuffle buffer.
    pub(super) fn read_again(&mut self, feeds: &Feeds) -> Result<()> {
        let Some(buffer) = &mut self.buffer else { return Ok(()) };
        fetch::all(feeds, self.plan.unit, std::mem::take(&mut self.held), |item| buffer.push(item))
    }

    /// The next example of all epochs.
    pub(super) fn next(&mut self, feeds: &Feeds) -> Result<Option<Item>> {
        loop {
            let ends = self.plan.epochs.is_some_and(|epochs| self.epoch >= epochs);
            if ends && matches!(self.source, ExampleSource::Interleave(_)) {
                return Ok(None);
            }
            if let Some(item) = self.next_of_epoch(feeds)? {
                self.examples = self.examples.saturating_add(1);
                self.last = match &self.source {
                    ExampleSource::Global(global) => global.positions.epoch,
                    ExampleSource::Blocks(blocks) => blocks.positions.epoch,
                    ExampleSource::Interleave(_) => self.epoch,
                };
                return Ok(Some(item));
            }
            self.empty = if self.examples == 0 { self.empty + 1 } else { 0 };
            let is_last = !self.plan.epochs_differ() || self.empty > EMPTY_EPOCHS;
            if self.empty > 0 && (is_last || self.plan.leaves_nothing(&self.left)) {
                // Endless repetition of nothing would never end, and what was asked for does not come.
                let goes_on = self
                    .plan
                    .epochs
                    .is_none_or(|epochs| self.plan.epochs_differ() && self.epoch.saturating_add(1) < epochs);
                if goes_on || self.plan.leaves_nothing(&self.left) {
                    return Err(self.plan.gives_up(self.empty, &self.left));
                }
                let leftover = self.left.over;
                tracing::warn!(epoch = self.epoch, leftover, "no example came of the whole data set");
                return Ok(None);
            }
            if !matches!(self.source, ExampleSource::Interleave(_)) {
                return Ok(None);
            }
            tracing::debug!(epoch = self.epoch, examples = self.examples, "end of an epoch");
            self.epoch = self.epoch.saturating_add(1);
            self.examples = 0;
            self.quota = self.plan.quota(self.epoch, 0);
            if let ExampleSource::Interleave(interleave) = &mut self.source {
                interleave.begin(&self.plan, self.epoch);
            }
            if let Some(buffer) = &mut self.buffer {
                buffer.begin(self.plan.seed, self.epoch);
            }
        }
    }

    /// Returns the next records of a shuffle of blocks, at most `count`, of which somebody else makes examples; `None` of any
    /// other order, and where there are none.
    pub(super) fn draw(&mut self, count: usize, feeds: &Feeds) -> Result<Option<Drawn>> {
        let ExampleSource::Blocks(blocks) = &mut self.source else { return Ok(None) };
        let drawn = blocks.draw(count, feeds, &self.plan)?;
        if let Some(drawn) = &drawn {
            self.examples = self.examples.saturating_add(drawn.len() as u64);
            self.last = blocks.positions.epoch;
        }
        Ok(drawn)
    }

    fn next_of_epoch(&mut self, feeds: &Feeds) -> Result<Option<Item>> {
        let left = &mut self.left;
        match (&mut self.source, &mut self.buffer) {
            (ExampleSource::Global(global), _) => global.next(feeds, &self.plan),
            (ExampleSource::Blocks(blocks), _) => blocks.next(feeds, &self.plan),
            (ExampleSource::Interleave(interleave), None) => {
                next_of(interleave, &mut self.quota, self.epoch, feeds, &self.plan, left)
            }
            (ExampleSource::Interleave(interleave), Some(buffer)) => {
                while buffer.wants_more() {
                    match next_of(interleave, &mut self.quota, self.epoch, feeds, &self.plan, left)? {
                        Some(item) => {
                            self.changes.push(BufferChange::Push(item.position(self.plan.unit)));
                            buffer.push(item);
                        }
                        None => buffer.drained = true,
                    }
                }
                let Some((slot, item)) = buffer.draw() else { return Ok(None) };
                self.changes.push(BufferChange::Remove(slot));
                Ok(Some(item))
            }
        }
    }

    /// Returns the changes of the shuffle buffer since they were taken last, and how far has been read.
    pub(super) fn save(&mut self) -> (Vec<BufferChange>, Progress) {
        let mut progress = Progress { epoch: self.epoch, examples: self.examples, ..Progress::default() };
        match &self.source {
            ExampleSource::Interleave(interleave) => interleave.save(&mut progress, self.plan.unit),
            ExampleSource::Global(global) => progress.position = global.positions.reached(&self.plan),
            ExampleSource::Blocks(blocks) => progress.position = blocks.positions.reached(&self.plan),
        }
        if let Some(buffer) = &self.buffer {
            buffer.save(&mut progress);
        }
        (std::mem::take(&mut self.changes), progress)
    }
}

/// The next example of the files of an epoch, of as many as this host takes.
fn next_of(
    interleave: &mut Interleave,
    quota: &mut Option<Quota>,
    epoch: u64,
    feeds: &Feeds,
    plan: &ExamplePlan,
    left: &mut Left,
) -> Result<Option<Item>> {
    let Some(quota) = quota else { return interleave.next(feeds, plan, left) };
    loop {
        if quota.taken >= quota.most {
            interleave.stop();
            return Ok(None);
        }
        if let Some(item) = interleave.next(feeds, plan, left)? {
            (quota.taken, quota.lap) = (quota.taken + 1, quota.lap + 1);
            return Ok(Some(item));
        }
        if !quota.repeats || quota.lap == 0 {
            return Err(quota.unmet());
        }
        quota.lap = 0;
        interleave.begin(plan, epoch);
    }
}
