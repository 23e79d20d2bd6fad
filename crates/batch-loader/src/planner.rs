//! The planner: which example comes when. It sees positions and chunks but moves no values.
//!
//! Everything it does follows from the configuration, the seed and the order of records in their files, so
//! that the number of threads changes nothing.

mod bucket;
mod cut;
mod empty;
mod even;
mod fetch;
mod global;
mod order;
mod plan;
mod shuffle;
mod turns;
mod units;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::bucket::Buckets;
use self::empty::EMPTY_EPOCHS;
pub(crate) use self::even::EvenPlan;
use self::even::Quota;
use self::fetch::Fetching;
use self::global::GlobalReader;
pub(crate) use self::global::{GlobalOrder, global_end};
pub(crate) use self::plan::{BucketPlan, Order, Plan};
use self::shuffle::Buffer;
use self::turns::Turns;
pub(crate) use self::units::{Steps, Units};
use crate::engine::{Feeds, Planned};
use crate::item::Item;
use crate::progress::{Change, Committed, Progress, Step};
use crate::stats::{Counters, count};
use crate::{Error, Kind, Result};

/// Plans batches from where a loader stands.
pub(crate) struct Planner {
    plan: Arc<Plan>,
    counters: Arc<Counters>,
    epoch: u64,
    /// Examples of this epoch that came in already.
    examples: u64,
    source: Source,
    buffer: Option<Buffer>,
    buckets: Option<Buckets>,
    /// What this host takes of the epoch, if hosts are made even.
    quota: Option<Quota>,
    /// The epoch of the example that came last.
    last: u64,
    /// Epochs without an example since the last that had one.
    empty: u32,
    /// Changes of the buffer since the last batch.
    changes: Vec<Change>,
    /// Whether the last example was planned.
    ended: bool,
    /// Where the loader was restored from, until the examples that it held are read again.
    restore: Option<Committed>,
}

enum Source {
    Turns(Turns),
    Global(GlobalReader),
}

impl Planner {
    pub(crate) fn new(plan: Arc<Plan>, counters: Arc<Counters>, restore: Option<Committed>) -> Self {
        let progress = restore.as_ref().map(|committed| committed.progress.clone()).unwrap_or_default();
        let source = match &plan.order {
            Order::Global(_) => Source::Global(GlobalReader::new(&plan, progress.position)),
            _ => Source::Turns(Turns::new(&plan, &progress)),
        };
        let buffer = match plan.order {
            Order::Shuffled { elements, .. } => Some(Buffer::new(elements, plan.seed, &progress)),
            _ => None,
        };
        let buckets = plan.buckets.clone().map(Buckets::new);
        let (epoch, examples) = (progress.epoch, progress.examples);
        let held = restore.as_ref().map_or(0, |committed| committed.buffer.len() as u64);
        let quota = plan.quota(epoch, examples.saturating_add(held));
        Self {
            quota,
            last: epoch,
            plan,
            counters,
            epoch,
            examples,
            source,
            buffer,
            buckets,
            empty: 0,
            changes: Vec::new(),
            ended: false,
            restore,
        }
    }

    /// Plans the next batch; `None` at the end.
    pub(crate) fn batch(&mut self, feeds: &Feeds) -> Result<Option<Planned>> {
        self.read_again(feeds)?;
        if self.ended && self.buckets.is_none() {
            return Ok(None);
        }
        let items = match &self.buckets {
            None => self.next_items(feeds)?,
            Some(_) => self.next_bucket(feeds)?,
        };
        Ok(items.map(|items| Planned { step: self.step(), items }))
    }

    fn next_items(&mut self, feeds: &Feeds) -> Result<Option<Vec<Item>>> {
        let mut items = Vec::with_capacity(self.plan.batch_size.min(1 << 16));
        while items.len() < self.plan.batch_size && !self.ended {
            match self.next(feeds)? {
                Some(item) => items.push(item),
                None => self.ended = true,
            }
        }
        let short = items.len() < self.plan.batch_size;
        let dropped = short && self.plan.drop_remainder && self.plan.epochs.is_some();
        Ok(Some(items).filter(|items| !items.is_empty() && !dropped))
    }

    fn next_bucket(&mut self, feeds: &Feeds) -> Result<Option<Vec<Item>>> {
        while !self.ended {
            let item = self.next(feeds)?;
            self.ended = item.is_none();
            let full = item.and_then(|item| self.buckets.as_mut()?.push(item));
            if full.is_some() {
                return Ok(full);
            }
        }
        let dropped = self.plan.drop_remainder && self.plan.epochs.is_some();
        Ok(self.buckets.as_mut().filter(|_| !dropped).and_then(Buckets::pop))
    }

    /// Reads again what a saved state held in buffers.
    fn read_again(&mut self, feeds: &Feeds) -> Result<()> {
        let Some(committed) = self.restore.take() else { return Ok(()) };
        let waiting = committed.progress.buckets.iter().flatten();
        let places = committed.buffer.iter().chain(waiting).copied().collect::<Vec<_>>();
        if places.is_empty() {
            return Ok(());
        }
        let mut fetching = Fetching::start(feeds, self.plan.unit, places)?;
        if let Some(buffer) = &mut self.buffer {
            for _ in &committed.buffer {
                buffer.push(fetching.next(feeds)?.ok_or_else(no_more)?);
            }
            count_to(&self.counters.buffered, buffer.len());
        }
        if let Some(buckets) = &mut self.buckets {
            for (bucket, places) in committed.progress.buckets.iter().enumerate() {
                for _ in places {
                    buckets.put(bucket, fetching.next(feeds)?.ok_or_else(no_more)?);
                }
            }
        }
        Ok(())
    }

    /// The next example of all epochs.
    fn next(&mut self, feeds: &Feeds) -> Result<Option<Item>> {
        loop {
            let ends = self.plan.epochs.is_some_and(|epochs| self.epoch >= epochs);
            if ends && matches!(self.source, Source::Turns(_)) {
                return Ok(None);
            }
            if let Some(item) = self.next_of_epoch(feeds)? {
                self.examples = self.examples.saturating_add(1);
                self.last = match &self.source {
                    Source::Global(global) => global.epoch,
                    Source::Turns(_) => self.epoch,
                };
                return Ok(Some(item));
            }
            self.empty = if self.examples == 0 { self.empty + 1 } else { 0 };
            if self.empty > 0 && (!self.plan.epochs_differ() || self.empty > EMPTY_EPOCHS) {
                let stats = self.counters.snapshot();
                // Endless repetition of nothing would never end, and what was asked for does not come.
                let goes_on = self
                    .plan
                    .epochs
                    .is_none_or(|epochs| self.plan.epochs_differ() && self.epoch.saturating_add(1) < epochs);
                if goes_on {
                    return Err(self.plan.gives_up(self.empty, &stats));
                }
                let leftover = stats.leftover;
                tracing::warn!(epoch = self.epoch, leftover, "no example came of the whole data set");
                return Ok(None);
            }
            if matches!(self.source, Source::Global(_)) {
                return Ok(None);
            }
            tracing::debug!(epoch = self.epoch, examples = self.examples, "end of an epoch");
            self.epoch = self.epoch.saturating_add(1);
            self.examples = 0;
            self.quota = self.plan.quota(self.epoch, 0);
            if let Source::Turns(turns) = &mut self.source {
                turns.begin(&self.plan, self.epoch);
            }
            if let Some(buffer) = &mut self.buffer {
                buffer.begin(self.plan.seed, self.epoch);
            }
        }
    }

    fn next_of_epoch(&mut self, feeds: &Feeds) -> Result<Option<Item>> {
        let counters = &self.counters;
        match (&mut self.source, &mut self.buffer) {
            (Source::Global(global), _) => global.next(feeds, &self.plan),
            (Source::Turns(turns), None) => {
                next_of(turns, &mut self.quota, self.epoch, feeds, &self.plan, counters)
            }
            (Source::Turns(turns), Some(buffer)) => {
                while buffer.wants_more() {
                    match next_of(turns, &mut self.quota, self.epoch, feeds, &self.plan, counters)? {
                        Some(item) => {
                            self.changes.push(Change::Push(item.place(self.plan.unit)));
                            buffer.push(item);
                        }
                        None => buffer.drained = true,
                    }
                }
                let Some((slot, item)) = buffer.draw() else { return Ok(None) };
                self.changes.push(Change::Remove(slot));
                count_to(&counters.buffered, buffer.len());
                Ok(Some(item))
            }
        }
    }

    /// What the batch that was just put together changes.
    fn step(&mut self) -> Step {
        let mut progress = Progress { epoch: self.epoch, examples: self.examples, ..Progress::default() };
        match &self.source {
            Source::Turns(turns) => turns.save(&mut progress, self.plan.unit),
            Source::Global(global) => progress.position = global.position(&self.plan),
        }
        if let Some(buffer) = &self.buffer {
            buffer.save(&mut progress);
        }
        if let Some(buckets) = &self.buckets {
            progress.buckets = buckets.places(self.plan.unit);
        }
        Step { changes: std::mem::take(&mut self.changes), progress, epoch: self.last }
    }
}

/// The next example of the files of an epoch, of as many as this host takes.
fn next_of(
    turns: &mut Turns,
    quota: &mut Option<Quota>,
    epoch: u64,
    feeds: &Feeds,
    plan: &Plan,
    counters: &Counters,
) -> Result<Option<Item>> {
    let Some(quota) = quota else { return turns.next(feeds, plan, counters) };
    loop {
        if quota.taken >= quota.most {
            turns.stop();
            return Ok(None);
        }
        if let Some(item) = turns.next(feeds, plan, counters)? {
            (quota.taken, quota.lap) = (quota.taken + 1, quota.lap + 1);
            return Ok(Some(item));
        }
        if !quota.repeats || quota.lap == 0 {
            return Err(quota.unmet());
        }
        quota.lap = 0;
        turns.begin(plan, epoch);
    }
}

/// What cannot be: every position that was asked for gives an example or an error.
#[cold]
fn no_more() -> Error {
    Error::new(Kind::State, "the state holds other examples than it says").help("start anew")
}

fn count_to(counter: &std::sync::atomic::AtomicU64, value: usize) {
    counter.store(value as u64, std::sync::atomic::Ordering::Relaxed);
}

/// Counts a window that was cut, and what was left over at the end of a file.
fn count_window(counters: &Counters, windows: u64, leftover: u64) {
    count(&counters.windows, windows);
    count(&counters.leftover, leftover);
}
