//! The planner: which example comes when. It sees positions and chunks but moves no values.
//!
//! Everything it does follows from the configuration, the seed and the order of records in their files, so
//! that the number of threads changes nothing.

mod bucket;
mod cut;
mod empty;
mod even;
mod examples;
mod fetch;
mod global;
mod mixture;
mod order;
mod plan;
mod shuffle;
mod turns;
mod units;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use self::bucket::Buckets;
pub(crate) use self::even::EvenPlan;
pub(crate) use self::global::{GROUP_BYTES, GlobalOrder, global_end};
pub use self::mixture::Exhausted;
use self::mixture::Mixture;
pub(crate) use self::mixture::Shares;
pub(crate) use self::plan::{BucketPlan, Order, Plan};
pub(crate) use self::units::{Steps, Units};
use crate::Result;
use crate::engine::{Feeds, Planned};
use crate::item::Item;
use crate::progress::{Progress, Step};
use crate::state::Places;
use crate::stats::{Counters, count};

/// Plans batches from where a loader stands.
pub(crate) struct Planner {
    mixture: Mixture,
    plan: Arc<Plan>,
    counters: Arc<Counters>,
    buckets: Option<Buckets>,
    /// Examples that waited in the buckets of a saved state, until they are read again.
    waited: Vec<Places>,
    /// Whether the last example was planned.
    ended: bool,
}

impl Planner {
    /// Returns the planner of data sets, which are planned as the first but for their files and seeds.
    pub(crate) fn new(
        plan: Arc<Plan>,
        plans: Vec<Arc<Plan>>,
        shares: Shares,
        counters: Arc<Counters>,
        restore: Option<&Progress>,
    ) -> Self {
        Self {
            buckets: plan.buckets.clone().map(Buckets::new),
            waited: restore.map(|progress| progress.buckets.clone()).unwrap_or_default(),
            mixture: Mixture::new(plans, shares, &counters, restore),
            plan,
            counters,
            ended: false,
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
        self.counters.buffered.store(self.mixture.buffered() as u64, Relaxed);
        Ok(items.map(|items| Planned { step: self.step(), items }))
    }

    fn next_items(&mut self, feeds: &Feeds) -> Result<Option<Vec<Item>>> {
        let mut items = Vec::with_capacity(self.plan.batch_size.min(1 << 16));
        while items.len() < self.plan.batch_size && !self.ended {
            match self.mixture.next(feeds)? {
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
            let item = self.mixture.next(feeds)?;
            self.ended = item.is_none();
            let full = item.and_then(|item| self.buckets.as_mut()?.push(item));
            if full.is_some() {
                return Ok(full);
            }
        }
        let dropped = self.plan.drop_remainder && self.plan.epochs.is_some();
        Ok(self.buckets.as_mut().filter(|_| !dropped).and_then(Buckets::pop))
    }

    /// Reads again what a saved state held in buffers and buckets.
    fn read_again(&mut self, feeds: &Feeds) -> Result<()> {
        self.mixture.read_again(feeds)?;
        let waited = std::mem::take(&mut self.waited);
        let Some(buckets) = &mut self.buckets else { return Ok(()) };
        for (bucket, places) in waited.into_iter().enumerate() {
            fetch::all(feeds, self.plan.unit, places, |item| buckets.put(bucket, item))?;
        }
        Ok(())
    }

    /// What the batch that was just put together changes.
    fn step(&mut self) -> Step {
        let buckets = self.buckets.as_ref().map(|buckets| buckets.places(self.plan.unit));
        Step { buckets: buckets.unwrap_or_default(), ..self.mixture.step() }
    }
}

/// Counts a window that was cut, and what was left over at the end of a file.
fn count_window(counters: &Counters, windows: u64, leftover: u64) {
    count(&counters.windows, windows);
    count(&counters.leftover, leftover);
}
