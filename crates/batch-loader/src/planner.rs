//! The planner: which example comes when. It sees positions and chunks but moves no values.
//!
//! Everything it does follows from the configuration, the seed and the order of records in their files, so
//! that the number of threads changes nothing.

mod blocks;
mod bucket;
mod compact;
mod cut;
mod empty;
mod even;
mod examples;
mod fetch;
mod global;
mod interleave;
mod lengths;
mod mixture;
mod order;
mod pack;
mod plan;
mod planned;
mod positions;
mod shuffle;
mod units;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use tfxio_core::Count;

pub(crate) use self::blocks::{BlockOrder, BlockSizes, Drawn};
use self::bucket::Buckets;
pub(crate) use self::bucket::{BucketPlan, Budget};
use self::compact::Pinned;
use self::empty::{EMPTY_EPOCHS, epochs_text};
pub(crate) use self::even::EvenPlan;
pub(crate) use self::global::GlobalOrder;
pub(crate) use self::lengths::Measured;
use self::lengths::truncates;
pub use self::mixture::Exhausted;
use self::mixture::Mixture;
pub(crate) use self::mixture::Shares;
pub(crate) use self::pack::PackPlan;
use self::pack::Packer;
pub(crate) use self::plan::{Batching, ExamplePlan, Longest, Order};
pub(crate) use self::planned::{Examples, Planned};
pub(crate) use self::positions::end_of_all;
pub(crate) use self::units::{Steps, Units};
use crate::error::Locate as _;
use crate::feed::Feeds;
use crate::item::Item;
use crate::packing::Packing;
use crate::progress::{BatchStep, Progress};
use crate::state::ItemPositions;
use crate::stats::{Counters, count};
use crate::{Error, Kind, Result};

/// Plans batches, from the position of a loader on.
pub(crate) struct Planner {
    mixture: Mixture,
    plan: Arc<ExamplePlan>,
    counters: Arc<Counters>,
    waiting: Waiting,
    /// Chunks of which examples wait.
    pinned: Pinned,
    /// Examples that waited in the buckets or rows of a saved state, until they are read again, and how much of the one that is
    /// split was given out.
    waited: (Vec<ItemPositions>, u64),
    /// Whether the last example was planned.
    ended: bool,
    /// Epoch, in each data set, of the first example that was left out since the last one, of any data set, that was
    /// not.
    dropped: Vec<Option<u64>>,
}

/// Examples that wait for others.
enum Waiting {
    None,
    Buckets(Buckets),
    Rows(Packer),
}

/// The examples of a batch, and their positions in rows.
type Together = (Vec<Item>, Option<Packing>);

impl Planner {
    /// Returns the planner of data sets, which are planned as the first but for their files and seeds.
    pub(crate) fn new(
        plan: Arc<ExamplePlan>,
        plans: Vec<Arc<ExamplePlan>>,
        shares: Shares,
        counters: Arc<Counters>,
        restore: Option<&Progress>,
    ) -> Self {
        Self {
            waiting: match plan.batching.clone() {
                Batching::InOrder => Waiting::None,
                Batching::Buckets(plan) => Waiting::Buckets(Buckets::new(plan)),
                Batching::Packed(plan) => Waiting::Rows(Packer::new(plan)),
            },
            pinned: Pinned::new(|held| &held.waits),
            waited: restore.map(|progress| (progress.buckets.clone(), progress.split)).unwrap_or_default(),
            dropped: vec![None; plans.len()],
            mixture: Mixture::new(plans, shares, &counters, restore),
            plan,
            counters,
            ended: false,
        }
    }

    /// Plans the next batch; `None` at the end.
    pub(crate) fn batch(&mut self, feeds: &Feeds) -> Result<Option<Planned>> {
        self.read_again(feeds)?;
        if let Some(drawn) = self.draw(feeds)? {
            let is_dropped = drawn.len() < self.plan.batch_size && self.drops_remainder();
            let planned = Planned { step: self.step(), examples: Examples::Drawn(drawn), packing: None };
            return Ok(Some(planned).filter(|_| !is_dropped));
        }
        let together = match &self.waiting {
            Waiting::None => self.next_items(feeds)?.map(|items| (items, None)),
            Waiting::Buckets(_) => self.next_bucket(feeds)?.map(|items| (items, None)),
            Waiting::Rows(_) => self.next_rows(feeds)?,
        };
        self.counters.buffered.store(self.mixture.buffered() as u64, Relaxed);
        Ok(together.map(|(items, packing)| Planned {
            step: self.step(),
            examples: Examples::Items(items),
            packing,
        }))
    }

    /// Returns the records of the next batch where they come in an order of blocks as they are drawn, so that whoever makes the
    /// batch puts them together; `None` for all others, and at the end.
    fn draw(&mut self, feeds: &Feeds) -> Result<Option<Drawn>> {
        match &self.waiting {
            Waiting::None if self.plan.truncated.is_empty() && !self.ended => {
                self.mixture.draw(self.plan.batch_size, feeds)
            }
            _ => Ok(None),
        }
    }

    fn next_items(&mut self, feeds: &Feeds) -> Result<Option<Vec<Item>>> {
        let mut items = Vec::with_capacity(self.plan.batch_size.min(1 << 16));
        while items.len() < self.plan.batch_size {
            match self.next(feeds)? {
                Some(item) => items.push(item),
                None => break,
            }
        }
        let is_dropped = items.len() < self.plan.batch_size && self.drops_remainder();
        Ok(Some(items).filter(|items| !items.is_empty() && !is_dropped))
    }

    fn next_bucket(&mut self, feeds: &Feeds) -> Result<Option<Vec<Item>>> {
        while let Some(item) = self.next(feeds)? {
            let Waiting::Buckets(buckets) = &mut self.waiting else { break };
            let tokens = buckets.tokens_of(&item);
            if self.is_too_long(&item, tokens, feeds)? {
                continue;
            }
            let Waiting::Buckets(buckets) = &mut self.waiting else { break };
            self.pinned.add(&item);
            if let Some(full) = buckets.push(item, tokens) {
                return Ok(Some(full));
            }
            self.let_go();
        }
        let is_dropped = self.drops_remainder();
        match &mut self.waiting {
            Waiting::Buckets(buckets) if !is_dropped => Ok(buckets.pop()),
            _ => Ok(None),
        }
    }

    fn next_rows(&mut self, feeds: &Feeds) -> Result<Option<Together>> {
        let rows = self.plan.batch_size;
        let together = |(items, packing)| (items, Some(packing));
        loop {
            let Waiting::Rows(packer) = &mut self.waiting else { return Ok(None) };
            if let Some(full) = packer.take_full(rows) {
                return Ok(Some(together(full)));
            }
            let Some(item) = self.next(feeds)? else { break };
            let Waiting::Rows(packer) = &self.waiting else { return Ok(None) };
            let length = packer.length(&item).map_err(|lengths| self.differ(&item, lengths, feeds))?;
            if self.is_too_long(&item, length, feeds)? {
                continue;
            }
            if let Waiting::Rows(packer) = &mut self.waiting {
                self.pinned.add(&item);
                packer.push(item, length);
                self.let_go();
            }
        }
        let drops = self.drops_remainder();
        let Waiting::Rows(packer) = &mut self.waiting else { return Ok(None) };
        let is_dropped = drops && packer.rows() < rows;
        Ok(if is_dropped { None } else { packer.take_rest(rows).map(together) })
    }

    /// Compacts the chunks of waiting examples, once they may hold much memory.
    fn let_go(&mut self) {
        if self.pinned.is_due() {
            match &mut self.waiting {
                Waiting::None => {}
                Waiting::Buckets(buckets) => _ = self.pinned.compact(buckets.items_mut().collect()),
                Waiting::Rows(packer) => _ = self.pinned.compact(packer.items_mut().collect()),
            }
        }
    }

    /// Returns the next example; `None` at the end.
    fn next(&mut self, feeds: &Feeds) -> Result<Option<Item>> {
        if self.ended {
            return Ok(None);
        }
        let item = self.mixture.next(feeds)?;
        self.ended = item.is_none();
        if let Some(item) = item.as_ref().filter(|_| !self.plan.truncated.is_empty()) {
            count(&self.counters.examples_truncated, u64::from(truncates(&self.plan.truncated, item)));
        }
        Ok(item)
    }

    /// Whether a last batch of fewer examples is left out.
    fn drops_remainder(&self) -> bool {
        self.plan.drop_remainder && self.plan.epochs.is_some()
    }

    /// Whether an example is left out for its length.
    ///
    /// # Errors
    /// It is longer than it may be, or all examples of an epoch of each data set were left out.
    fn is_too_long(&mut self, item: &Item, length: usize, feeds: &Feeds) -> Result<bool> {
        let Some(longest) = self.plan.longest.filter(|longest| length > longest.tokens || length == 0) else {
            self.dropped.fill(None);
            return Ok(false);
        };
        if length > 0 && !longest.drops {
            return Err(self.located(item, longest.exceeded(length), feeds));
        }
        count(&self.counters.examples_dropped, 1);
        let epoch = self.mixture.epoch();
        if let Some(first) = self.dropped.get_mut(self.mixture.last()) {
            first.get_or_insert(epoch);
        }
        // The epochs between were left out as a whole, and so would the next.
        let epochs = if self.plan.examples_differ() { EMPTY_EPOCHS } else { 1 };
        let is_futile = self.mixture.have_passed(&self.dropped, epochs);
        if is_futile { Err(longest.leaves_nothing(epochs)) } else { Ok(true) }
    }

    /// Reads again what a saved state held in buffers, buckets and rows.
    fn read_again(&mut self, feeds: &Feeds) -> Result<()> {
        self.mixture.read_again(feeds)?;
        let (waited, split) = std::mem::take(&mut self.waited);
        let numbered = waited.iter().enumerate();
        let mut numbers = numbered.flat_map(|(number, positions)| positions.0.iter().map(move |_| number));
        let positions =
            ItemPositions(waited.iter().flat_map(|positions| positions.0.iter().copied()).collect());
        let split = usize::try_from(split).unwrap_or(usize::MAX);
        let waiting = &mut self.waiting;
        fetch::all(feeds, self.plan.unit, positions, |item| match (numbers.next(), &mut *waiting) {
            (Some(bucket), Waiting::Buckets(buckets)) => buckets.put(bucket, item),
            (Some(row), Waiting::Rows(packer)) => packer.put(row, item, split),
            _ => {}
        })?;
        if let Waiting::Rows(packer) = waiting
            && !waited.is_empty()
        {
            packer.restored();
        }
        Ok(())
    }

    /// Returns the changes of the batch that was just put together.
    fn step(&mut self) -> BatchStep {
        let (buckets, split) = match &self.waiting {
            Waiting::None => (Vec::new(), 0),
            Waiting::Buckets(buckets) => (buckets.positions(self.plan.unit), 0),
            Waiting::Rows(packer) => packer.positions(self.plan.unit),
        };
        BatchStep { buckets, split, ..self.mixture.step() }
    }

    #[cold]
    fn located(&self, item: &Item, error: Error, feeds: &Feeds) -> Error {
        let position = item.position(self.plan.unit);
        let error = error.in_record(position.record, Some(position.byte).filter(|byte| *byte > 0));
        match feeds.parts.names().get(position.part as usize) {
            Some(file) => error.in_file(Arc::clone(file)),
            None => error,
        }
    }

    /// Two tensors of an example that is packed have other lengths.
    #[cold]
    fn differ(&self, item: &Item, [first, other]: [(usize, usize); 2], feeds: &Feeds) -> Error {
        let name = |tensor: usize| self.plan.names.get(tensor).map_or("", |name| &**name);
        let what = format!(
            "the tensor {:?} has {}, {:?} has {}",
            name(first.0),
            Count::of(first.1, "token"),
            name(other.0),
            other.1
        );
        let error = Error::new(Kind::Record, what).help(
            "all tensors of an example that is packed have the same length along their first dimension",
        );
        self.located(item, error, feeds)
    }
}

impl Longest {
    #[cold]
    fn exceeded(&self, length: usize) -> Error {
        let Self { tokens, key, .. } = self;
        let what =
            format!("the example has {}, more than the {tokens} of `{key}`", Count::of(length, "token"));
        let split = if *key == "pack.length" { ", or set `split` to true" } else { "" };
        Error::new(Kind::Record, what)
            .help(format!("raise `{key}`, or set `too_long` to \"drop\" or \"truncate\"{split}"))
    }

    #[cold]
    fn leaves_nothing(&self, epochs: u32) -> Error {
        let Self { tokens, key, .. } = self;
        let epochs = epochs_text(epochs);
        let what = format!("no example of {epochs} has between 1 and {tokens} tokens, as `{key}` asks for");
        Error::new(Kind::InvalidValue, what)
            .help(format!("raise `{key}`, or set `too_long` to \"truncate\""))
            .at_json(*key)
    }
}
