//! A permutation of the whole data set in place of a buffer.

use std::collections::VecDeque;

use tfxio_core::random::derive;

use super::fetch::Fetching;
use super::{Order, Plan, Units};
use crate::config::Even;
use crate::engine::Feeds;
use crate::error::Locate;
use crate::item::{Item, Unit};
use crate::permutation::Permutation;
use crate::progress::ItemPlace;
use crate::{Error, Kind, Result};

/// The most examples whose positions are looked up and read together, so that reads are few and large. Nothing of that
/// shows in the order.
const TOGETHER: usize = 1024;
/// Bytes of records at which such a group is full before: for each reading thread, and the least. Two groups are
/// held, one that is handed out and one that is read.
pub(crate) const GROUP_BYTES: (u64, u64) = (2 << 20, 4 << 20);

/// What a global order is made from: where every example of the data set lies.
#[derive(Debug)]
pub(crate) struct GlobalOrder {
    units: Units,
    /// The number of examples before each file, and of all at the end.
    starts: Vec<u64>,
    /// The length of a window and the distance from one to the next, in units.
    window: (u64, u64),
}

impl GlobalOrder {
    /// An order of the examples of files with these units.
    pub(crate) fn new(units: Units, window: (u64, u64)) -> Self {
        let mut starts = vec![0u64];
        for part in 0..units.records.len() {
            let windows = match units.of(part).checked_sub(window.0) {
                Some(rest) => rest / window.1.max(1) + 1,
                None => 0,
            };
            starts.push(starts.last().copied().unwrap_or(0).saturating_add(windows));
        }
        Self { units, starts, window }
    }

    /// All examples of an epoch.
    pub(crate) fn len(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    fn place(&self, example: u64) -> Option<ItemPlace> {
        let part = self.starts.partition_point(|&start| start <= example).checked_sub(1)?;
        let records = self.units.records.get(part)?.records;
        let unit = (example - self.starts.get(part)?) * self.window.1;
        let (record, step) = self.units.record(part, unit)?;
        if record >= records {
            return None;
        }
        let (last, _) = self.units.record(part, unit + self.window.0 - 1)?;
        Some(ItemPlace {
            part: u32::try_from(part).ok()?,
            step: u32::try_from(step).ok()?,
            len: u32::try_from(self.window.0).ok()?,
            records: u32::try_from(last - record + 1).ok()?,
            record,
            byte: 0,
        })
    }

    /// Returns where an example lies.
    ///
    /// # Errors
    /// The index does not have its records.
    fn indexed(&self, example: u64) -> Result<ItemPlace> {
        self.place(example).ok_or_else(|| {
            Error::new(Kind::State, format!("example {example} of the data set is not in the index"))
                .help("the file was changed since it was indexed; index it again")
        })
    }

    /// The bytes that are read for an example.
    fn bytes(&self, place: &ItemPlace) -> u64 {
        let records = self.units.records.get(place.part as usize);
        records.map_or(0, |part| part.bytes_of(u64::from(place.records)))
    }
}

/// The position after the last epoch of a global order; 0 of any other order.
pub(crate) fn global_end(plan: &Plan) -> u64 {
    match &plan.order {
        Order::Global(order) => plan.epochs.map_or(u64::MAX, |epochs| epochs.saturating_mul(order.len())),
        _ => 0,
    }
}

impl Plan {
    /// The position before which this host takes examples, where the hosts take turns from `base` on.
    fn global_end_of_host(&self, base: u64) -> u64 {
        let end = global_end(self);
        let (Some(even), Some(shard)) = (&self.even, self.shard) else { return end };
        let hosts = u64::from(shard.count).max(1);
        let rest = end.saturating_sub(base);
        let turns = match even.even {
            Even::Drop => rest / hosts,
            Even::Repeat => rest.div_ceil(hosts),
        };
        base.saturating_add(turns.saturating_mul(hosts))
    }

    /// Returns how many of the first `positions` positions are this host's.
    pub(crate) fn share_of(&self, positions: u64, even: Option<Even>) -> u64 {
        let (index, hosts) =
            self.shard.map_or((0, 1), |shard| (u64::from(shard.index), u64::from(shard.count).max(1)));
        match even {
            Some(Even::Drop) => positions / hosts,
            Some(Even::Repeat) => positions.div_ceil(hosts),
            None => positions.saturating_sub(index).div_ceil(hosts),
        }
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
    /// The epoch of the example given last.
    pub(super) epoch: u64,
    unit: Unit,
    /// The group that is handed out, and the next.
    groups: VecDeque<Fetching>,
}

impl GlobalReader {
    pub(super) fn new(plan: &Plan, position: u64) -> Self {
        let groups = VecDeque::new();
        Self { base: position, taken: 0, asked: 0, ended: false, epoch: 0, unit: plan.unit, groups }
    }

    /// The epoch and the position in its order of what stands at a position. What is repeated after the last epoch is the
    /// beginning of that.
    fn at(position: u64, plan: &Plan, examples: u64) -> (u64, u64) {
        let examples = examples.max(1);
        match (plan.epochs, position.checked_sub(global_end(plan))) {
            (Some(epochs), Some(after)) => (epochs.saturating_sub(1), after % examples),
            _ => (position / examples, position % examples),
        }
    }

    /// The position that all hosts together have reached, if they have taken equally many: the end for a host that
    /// is at its own, of which others have taken one more.
    pub(super) fn position(&self, plan: &Plan) -> u64 {
        let hosts = plan.shard.map_or(1, |shard| u64::from(shard.count));
        let end = global_end(plan);
        if self.ended { end } else { self.base.saturating_add(self.taken.saturating_mul(hosts)).min(end) }
    }

    pub(super) fn next(&mut self, feeds: &Feeds, plan: &Plan) -> Result<Option<Item>> {
        let (index, hosts) =
            plan.shard.map_or((0, 1), |shard| (u64::from(shard.index), u64::from(shard.count)));
        loop {
            // The next examples are read while these are used.
            while self.groups.len() < 2 {
                let places = self.places(plan)?;
                if places.is_empty() {
                    break;
                }
                self.groups.push_back(Fetching::start(feeds, self.unit, places)?);
            }
            let Some(group) = self.groups.front_mut() else {
                self.ended = true;
                return Ok(None);
            };
            let item = group.next(feeds).map_err(Locate::without_skip)?;
            if let Some(item) = item {
                if let Order::Global(order) = &plan.order {
                    let turn = self.base.saturating_add(self.taken.saturating_mul(hosts));
                    (self.epoch, _) = Self::at(turn.saturating_add(index), plan, order.len());
                }
                self.taken += 1;
                return Ok(Some(item));
            }
            self.groups.pop_front();
        }
    }

    /// The positions of the next examples of this host.
    fn places(&mut self, plan: &Plan) -> Result<Vec<ItemPlace>> {
        let Order::Global(order) = &plan.order else { return Ok(Vec::new()) };
        let examples = order.len();
        let (index, hosts) =
            plan.shard.map_or((0, 1), |shard| (u64::from(shard.index), u64::from(shard.count)));
        let end = plan.global_end_of_host(self.base);
        let mut places = Vec::new();
        let mut permutation: Option<(u64, Permutation)> = None;
        let full = GROUP_BYTES.0.saturating_mul(plan.open_ahead as u64).max(GROUP_BYTES.1);
        let mut bytes = 0u64;
        while examples > 0 && places.len() < TOGETHER && bytes < full {
            let position = self
                .asked
                .checked_mul(hosts)
                .and_then(|more| more.checked_add(self.base.checked_add(index)?));
            let Some(position) = position.filter(|&position| position < end) else { break };
            self.asked += 1;
            let (epoch, at) = Self::at(position, plan, examples);
            let permutation = match &mut permutation {
                Some((of, permutation)) if *of == epoch => permutation,
                other => {
                    let key = derive(plan.seed, "global", &[epoch]);
                    &mut other.insert((epoch, Permutation::new(key, examples))).1
                }
            };
            let mut place = order.indexed(permutation.at(at))?;
            bytes = bytes.saturating_add(order.bytes(&place));
            place.part = place.part.saturating_add(plan.first);
            places.push(place);
        }
        Ok(places)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails so")]
mod tests {
    use crate::source::PartRecords;

    use super::*;
    use crate::planner::units::Steps;

    /// An example is an error, and not passed over, where the index has fewer records than were counted.
    #[test]
    fn an_example_that_the_index_does_not_have() {
        let units = Units {
            records: vec![PartRecords { records: 3, bytes: 0 }],
            kept: [].into(),
            filtered: 0,
            steps: Steps::Starts(vec![vec![0, 1, 2, 3, 4, 5]]),
        };
        let order = GlobalOrder::new(units, (1, 1));
        assert_eq!(order.len(), 5);
        assert_eq!(order.indexed(2).unwrap().record, 2);
        for example in [3, 4, 5, u64::MAX] {
            let error = order.indexed(example).unwrap_err();
            assert_eq!(error.detail(), Some(&Kind::State));
            assert_eq!(
                error.to_string(),
                format!(
                    "example {example} of the data set is not in the index; the file was changed since it was \
                     indexed; index it again"
                )
            );
        }
    }
}
