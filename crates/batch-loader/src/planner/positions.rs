//! The positions that hosts take of an order over all epochs.

use super::ExamplePlan;
use crate::config::Even;

/// The positions of one host.
///
/// The epochs follow each other in one sequence of positions, of which `count` hosts take every `count`-th. So after
/// the same number of examples all hosts together have taken exactly the positions below one number, from which any
/// other number of hosts can go on.
pub(super) struct Positions {
    /// The position from which the hosts take turns, and how many examples this one has taken since.
    base: u64,
    taken: u64,
    /// Whether this host has come to its end.
    ended: bool,
    /// The epoch of the example given last.
    pub(super) epoch: u64,
}

/// Returns the position after the last epoch of an order of all examples; 0 of any other order.
pub(crate) fn end_of_all(plan: &ExamplePlan) -> u64 {
    match plan.order.examples() {
        Some(order) => plan.epochs.map_or(u64::MAX, |epochs| epochs.saturating_mul(order.len())),
        None => 0,
    }
}

impl ExamplePlan {
    /// The position before which this host takes examples, where the hosts take turns from `base` on.
    fn end_of_host(&self, base: u64) -> u64 {
        let end = end_of_all(self);
        let (Some(even), Some(shard)) = (&self.even, self.shard) else { return end };
        let hosts = u64::from(shard.count).max(1);
        let rest = end.saturating_sub(base);
        let turns = match even.even {
            Even::Drop => rest / hosts,
            Even::Repeat => rest.div_ceil(hosts),
        };
        base.saturating_add(turns.saturating_mul(hosts))
    }

    /// Returns the number of this host and how many there are.
    fn host(&self) -> (u64, u64) {
        self.shard.map_or((0, 1), |shard| (u64::from(shard.index), u64::from(shard.count).max(1)))
    }

    /// Returns how many of the first `positions` positions are this host's.
    pub(crate) fn share_of(&self, positions: u64, even: Option<Even>) -> u64 {
        let (index, hosts) = self.host();
        match even {
            Some(Even::Drop) => positions / hosts,
            Some(Even::Repeat) => positions.div_ceil(hosts),
            None => positions.saturating_sub(index).div_ceil(hosts),
        }
    }
}

impl Positions {
    /// The positions of a host that all hosts take from `base` on.
    pub(super) fn new(base: u64) -> Self {
        Self { base, taken: 0, ended: false, epoch: 0 }
    }

    /// Returns the position of the example that this host takes after `before` others; `None` where it has come to its end.
    pub(super) fn nth(&self, plan: &ExamplePlan, before: u64) -> Option<u64> {
        let (index, hosts) = plan.host();
        let position = before.checked_mul(hosts)?.checked_add(self.base.checked_add(index)?)?;
        Some(position).filter(|position| *position < plan.end_of_host(self.base))
    }

    /// Returns the position of the next example of this host; `None` at its end.
    pub(super) fn next(&self, plan: &ExamplePlan) -> Option<u64> {
        self.nth(plan, self.taken)
    }

    /// Returns the epoch of a position, and the position in that epoch's order. What is repeated after the last epoch is the
    /// beginning of that.
    pub(super) fn at(position: u64, plan: &ExamplePlan, examples: u64) -> (u64, u64) {
        let examples = examples.max(1);
        match (plan.epochs, position.checked_sub(end_of_all(plan))) {
            (Some(epochs), Some(after)) => (epochs.saturating_sub(1), after % examples),
            _ => (position / examples, position % examples),
        }
    }

    /// Notes that the next example was taken, which is of an epoch.
    pub(super) fn take(&mut self, epoch: u64) {
        self.taken += 1;
        self.epoch = epoch;
    }

    /// Notes that this host has come to its end.
    pub(super) fn end(&mut self) {
        self.ended = true;
    }

    /// Returns how many examples this host has taken.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// Returns the position that all hosts together have reached, if they have taken equally many: the end for a host that
    /// is at its own, of which others have taken one more.
    pub(super) fn reached(&self, plan: &ExamplePlan) -> u64 {
        let (_, hosts) = plan.host();
        let end = end_of_all(plan);
        if self.ended { end } else { self.base.saturating_add(self.taken.saturating_mul(hosts)).min(end) }
    }
}
