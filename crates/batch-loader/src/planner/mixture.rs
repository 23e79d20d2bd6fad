//! Several data sets, mixed by weight.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tfxio_core::random::{Stream, derive};

use super::ExamplePlan;
use super::blocks::Drawn;
use super::examples::Examples;
use crate::Result;
use crate::feed::Feeds;
use crate::item::Item;
use crate::progress::{BatchStep, Progress};
use crate::stats::Counters;

/// Behaviour of a mixture when one of its data sets has been read `epochs` times. Without `epochs` that never happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Exhausted {
    /// The others go on, in the proportions that they have to each other: every record comes once an epoch.
    #[default]
    Leave,
    /// The mixture ends, where an example of that data set would come next.
    Stop,
}

/// Shares of the data sets in a mixture.
#[derive(Clone, Debug)]
pub(crate) struct Shares {
    /// The share of each, at least 1.
    pub(crate) weights: Vec<u64>,
    pub(crate) exhausted: Exhausted,
    /// The seed of the order in which data sets take turns.
    pub(crate) seed: u64,
}

/// The examples of data sets, each example of one that is drawn by weight.
pub(super) struct Mixture {
    sources: Vec<Examples>,
    shares: Shares,
    /// Whether each source is known to be exhausted.
    ended: Vec<bool>,
    stream: Stream,
    /// The data set of the example that came last.
    last: usize,
}

impl Mixture {
    pub(super) fn new(
        plans: Vec<Arc<ExamplePlan>>,
        shares: Shares,
        counters: &Arc<Counters>,
        restore: Option<&Progress>,
    ) -> Self {
        let start = Progress::default();
        let all = restore.unwrap_or(&start);
        let mut stream = Stream::new(derive(shares.seed, "mixture", &[]));
        stream.counter = all.draws;
        let each = plans.into_iter().enumerate();
        let sources = each.map(|(number, plan)| {
            Examples::new(plan, counters, all.mixed.get(number).map_or(all, |state| &state.0))
        });
        let sources = sources.collect::<Vec<_>>();
        Self { ended: vec![false; sources.len()], sources, shares, stream, last: 0 }
    }

    /// Reads again what a saved state held in shuffle buffers.
    pub(super) fn read_again(&mut self, feeds: &Feeds) -> Result<()> {
        self.sources.iter_mut().try_for_each(|source| source.read_again(feeds))
    }

    /// Returns how many examples are in shuffle buffers.
    pub(super) fn buffered(&self) -> usize {
        self.sources.iter().map(Examples::buffered).sum()
    }

    /// Returns the number of the data set of the example that came last.
    pub(super) fn last(&self) -> usize {
        self.last
    }

    /// Returns whether every data set that has not ended has come more than some epochs after one of its own that is given.
    pub(super) fn have_passed(&self, epochs_of: &[Option<u64>], epochs: u32) -> bool {
        let passed = |(source, first): (&Examples, &Option<u64>)| {
            first.is_some_and(|first| source.last > first.saturating_add(u64::from(epochs)))
        };
        self.sources.iter().zip(epochs_of).zip(&self.ended).all(|(pair, ended)| *ended || passed(pair))
    }

    /// Returns the epoch of the example that came last.
    pub(super) fn epoch(&self) -> u64 {
        self.sources.get(self.last).map_or(0, |source| source.last)
    }

    /// Returns the next records of one data set in a shuffle of blocks, as [`Examples::draw`] does; `None` of a mixture.
    pub(super) fn draw(&mut self, count: usize, feeds: &Feeds) -> Result<Option<Drawn>> {
        match &mut self.sources[..] {
            [source] => source.draw(count, feeds),
            _ => Ok(None),
        }
    }

    /// Returns the next example; `None` at the end.
    pub(super) fn next(&mut self, feeds: &Feeds) -> Result<Option<Item>> {
        if let [source] = &mut self.sources[..] {
            return source.next(feeds);
        }
        // Each example is drawn anew from all data sets, so that what was drawn does not depend on which of them are known to be
        // exhausted: a loader that goes on from a state does not know.
        let drawn = self.stream.counter;
        let mut left_out = vec![];
        while let Some(number) = draw(&mut self.stream, &self.shares.weights, &left_out) {
            let item = match (self.sources.get_mut(number), self.ended.get(number)) {
                (Some(source), Some(false)) => source.next(feeds)?,
                _ => None,
            };
            if item.is_some() {
                self.last = number;
                return Ok(item);
            }
            self.ended.iter_mut().skip(number).take(1).for_each(|ended| *ended = true);
            if self.shares.exhausted == Exhausted::Stop {
                // A loader that goes on from the last batch draws the same, and ends too.
                self.stream.counter = drawn;
                break;
            }
            left_out.push(number);
        }
        Ok(None)
    }

    /// Returns what was read since the last step.
    pub(super) fn step(&mut self) -> BatchStep {
        BatchStep {
            epoch: self.epoch(),
            read: self.sources.iter_mut().map(Examples::save).collect(),
            draws: self.stream.counter,
            ..BatchStep::default()
        }
    }
}

/// Draws one of the data sets that are not left out; `None` if all are.
fn draw(stream: &mut Stream, weights: &[u64], left_out: &[usize]) -> Option<usize> {
    let open = || weights.iter().enumerate().filter(|(number, _)| !left_out.contains(number));
    let all = open().map(|(_, weight)| *weight).fold(0, u64::saturating_add);
    if all == 0 {
        return None;
    }
    let mut left = stream.below(all);
    open().find_map(|(number, weight)| match left.checked_sub(*weight) {
        None => Some(number),
        Some(rest) => {
            left = rest;
            None
        }
    })
}
