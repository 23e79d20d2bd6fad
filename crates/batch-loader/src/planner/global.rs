//! A permutation of the whole data set in place of a buffer.

use std::collections::VecDeque;
use std::sync::Arc;

use tfrecord_io::Index;

use super::fetch::{Fetched, Fetching};
use super::{Order, Plan};
use crate::engine::{Halt, Shared};
use crate::item::{Item, Unit};
use crate::permutation::Permutation;
use crate::progress::ItemPlace;
use crate::random::derive;

/// Examples whose places are looked up and read together, so that reads are few and large. Nothing of
/// that shows in the order.
const TOGETHER: u64 = 1024;

/// What a global order is made from: where every example of the data set lies.
#[derive(Debug)]
pub(crate) struct GlobalOrder {
    /// The indexes of the files.
    pub(crate) indexes: Vec<Arc<Index>>,
    /// The number of examples before each file, and of all at the end.
    pub(crate) starts: Vec<u64>,
    /// The units of records.
    steps: Steps,
    /// The length of a window and the distance from one to the next, in units.
    pub(crate) window: (u64, u64),
}

/// How many units records have.
#[derive(Debug)]
pub(crate) enum Steps {
    /// Every record has as many; 1 unless windows are counted in steps.
    Equal(u64),
    /// For each file, where each record's steps begin among all of the file, and where the last ends.
    Starts(Vec<Vec<u64>>),
}

impl Steps {
    /// The units of all records of a file.
    fn all(&self, part: usize, records: u64) -> u64 {
        match self {
            Self::Equal(steps) => records.saturating_mul(*steps),
            Self::Starts(starts) => starts.get(part).and_then(|starts| starts.last()).copied().unwrap_or(0),
        }
    }

    /// The record in which a unit of a file lies, and how many units of the record lie before it.
    fn record(&self, part: usize, unit: u64) -> Option<(u64, u64)> {
        match self {
            Self::Equal(steps) => Some((unit.checked_div(*steps)?, unit.checked_rem(*steps)?)),
            Self::Starts(starts) => {
                let starts = starts.get(part)?;
                // Records without steps begin where the one behind them does.
                let record = starts.partition_point(|&start| start <= unit).checked_sub(1)?;
                Some((record as u64, unit - starts.get(record)?))
            }
        }
    }
}

impl GlobalOrder {
    /// An order of the examples of files with these indexes.
    pub(crate) fn new(indexes: Vec<Arc<Index>>, steps: Steps, window: (u64, u64)) -> Self {
        let mut starts = vec![0u64];
        for (part, index) in indexes.iter().enumerate() {
            let units = steps.all(part, index.len());
            let windows = match units.checked_sub(window.0) {
                Some(rest) => rest / window.1.max(1) + 1,
                None => 0,
            };
            starts.push(starts.last().copied().unwrap_or(0).saturating_add(windows));
        }
        Self { indexes, starts, steps, window }
    }

    /// All examples of an epoch.
    pub(crate) fn len(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    fn place(&self, example: u64) -> Option<ItemPlace> {
        let part = self.starts.partition_point(|&start| start <= example).checked_sub(1)?;
        let index = self.indexes.get(part)?;
        let unit = (example - self.starts.get(part)?) * self.window.1;
        let (record, step) = self.steps.record(part, unit)?;
        let (last, _) = self.steps.record(part, unit + self.window.0 - 1)?;
        Some(ItemPlace {
            part: u32::try_from(part).ok()?,
            step: u32::try_from(step).ok()?,
            len: u32::try_from(self.window.0).ok()?,
            records: u32::try_from(last - record + 1).ok()?,
            record,
            byte: index.offset(record)?,
        })
    }
}

/// The position behind the last epoch of a global order; 0 of any other order.
pub(crate) fn global_end(plan: &Plan) -> u64 {
    match &plan.order {
        Order::Global(order) => plan.epochs.map_or(u64::MAX, |epochs| epochs.saturating_mul(order.len())),
        _ => 0,
    }
}

/// Reads the examples of this host in the global order.
///
/// The epochs stand one after the other in one sequence of positions, of which `count` hosts take every
/// `count`-th. So after the same number of examples all hosts together have taken exactly the positions below
/// one number, from which any other number of hosts can go on.
pub(super) struct GlobalReader {
    /// The position from which the hosts take turns, and how many examples this one has taken since.
    base: u64,
    taken: u64,
    /// How many of this host's examples were asked for.
    asked: u64,
    /// Whether this host has come to its end.
    ended: bool,
    unit: Unit,
    waiting: VecDeque<(Fetching, Vec<ItemPlace>)>,
    ready: VecDeque<Item>,
}

impl GlobalReader {
    pub(super) fn new(plan: &Plan, position: u64) -> Self {
        Self {
            base: position,
            taken: 0,
            asked: 0,
            ended: false,
            unit: plan.unit,
            waiting: VecDeque::new(),
            ready: VecDeque::new(),
        }
    }

    /// The position that all hosts together have reached, if they have taken equally many: the end for a host that
    /// is at its own, of which others have taken one more.
    pub(super) fn position(&self, plan: &Plan) -> u64 {
        let hosts = plan.shard.map_or(1, |shard| u64::from(shard.count));
        let end = global_end(plan);
        if self.ended { end } else { self.base.saturating_add(self.taken.saturating_mul(hosts)).min(end) }
    }

    pub(super) fn next(&mut self, shared: &Shared, plan: &Plan) -> Result<Option<Item>, Halt> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                self.taken += 1;
                return Ok(Some(item));
            }
            // The next examples are read while these are used.
            while self.waiting.len() < 2 {
                let places = self.places(plan);
                if places.is_empty() {
                    break;
                }
                self.waiting.push_back((Fetched::start(shared, self.unit, &places), places));
            }
            let Some((fetching, places)) = self.waiting.pop_front() else {
                self.ended = true;
                return Ok(None);
            };
            let fetched = fetching.finish(shared)?;
            for place in &places {
                self.ready.push_back(fetched.item(place)?);
            }
        }
    }

    /// The places of the next examples of this host.
    fn places(&mut self, plan: &Plan) -> Vec<ItemPlace> {
        let Order::Global(order) = &plan.order else { return Vec::new() };
        let examples = order.len();
        let (index, hosts) =
            plan.shard.map_or((0, 1), |shard| (u64::from(shard.index), u64::from(shard.count)));
        let end = global_end(plan);
        let mut places = Vec::new();
        let mut permutation: Option<(u64, Permutation)> = None;
        while examples > 0 && (places.len() as u64) < TOGETHER {
            let position = self
                .asked
                .checked_mul(hosts)
                .and_then(|more| more.checked_add(self.base.checked_add(index)?));
            let Some(position) = position.filter(|&position| position < end) else { break };
            self.asked += 1;
            let (epoch, at) = (position / examples, position % examples);
            let permutation = match &mut permutation {
                Some((of, permutation)) if *of == epoch => permutation,
                other => {
                    let key = derive(plan.seed, "global", &[epoch]);
                    &mut other.insert((epoch, Permutation::new(key, examples))).1
                }
            };
            places.extend(order.place(permutation.at(at)));
        }
        places
    }
}
