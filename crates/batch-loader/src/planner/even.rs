//! How many examples a host gets, and how all hosts get equally many.

use super::cut::draw;
use super::{Order, Plan, order};
use crate::config::{Even, Shard, Stride};
use crate::random::{Stream, derive};
use crate::{Error, ErrorKind, Result};

/// How hosts are made even, and what that is counted from.
#[derive(Clone, Debug)]
pub(crate) struct EvenPlan {
    pub(crate) even: Even,
    /// The units of each file: records, or steps where windows are counted in them.
    pub(crate) units: Vec<u64>,
}

/// How many examples this host takes of an epoch, and how many it has taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quota {
    pub(super) most: u64,
    pub(super) taken: u64,
    /// Whether the host begins again with its examples until it has enough.
    pub(super) repeats: bool,
    /// Examples taken since it began again.
    pub(super) lap: u64,
}

impl Plan {
    /// The examples that are cut from a file of so many units in an epoch, those of all hosts together.
    fn examples_of_file(&self, epoch: u64, part: usize, units: u64) -> u64 {
        let (min, max) = (self.window.0 as u64, self.window.1 as u64);
        let fixed = match self.stride {
            Stride::Window => Some(min),
            Stride::Range { min, max } => (min >= max).then_some(min as u64),
        };
        if let Some(stride) = fixed.filter(|_| min >= max) {
            return units.checked_sub(min).map_or(0, |rest| rest / stride.max(1) + 1);
        }
        // As the file will be cut: the same numbers are drawn in the same order.
        let mut stream = Stream::new(derive(self.seed, "window", &[epoch, part as u64]));
        let (mut at, mut examples) = (0u64, 0u64);
        loop {
            let len = draw(&mut stream, self.window);
            if units.saturating_sub(at) < len as u64 {
                return examples;
            }
            let stride = match self.stride {
                Stride::Window => len,
                Stride::Range { min, max } => draw(&mut stream, (min, max)),
            };
            examples += 1;
            at = at.saturating_add(stride.max(1) as u64);
        }
    }

    /// The examples of each host in an epoch, before they are made even.
    fn examples_of_hosts(&self, epoch: u64, units: &[u64]) -> Vec<u64> {
        let hosts = self.shard.map_or(1, |shard| u64::from(shard.count));
        let mut of_hosts = vec![0u64; usize::try_from(hosts).unwrap_or(1)];
        for (part, &units) in units.iter().enumerate() {
            let examples = self.examples_of_file(epoch, part, units);
            for (host, all) in (0..).zip(&mut of_hosts) {
                let mine = if order::shards_by_file(self) {
                    if part as u64 % hosts == host { examples } else { 0 }
                } else {
                    examples / hosts + u64::from(host < examples % hosts)
                };
                *all = all.saturating_add(mine);
            }
        }
        of_hosts
    }

    /// The examples of this host in an epoch; not for a global order.
    pub(crate) fn examples_of_epoch(&self, epoch: u64, units: &[u64], even: Option<Even>) -> u64 {
        let hosts = self.examples_of_hosts(epoch, units);
        let own = self.shard.map_or(0, |shard| shard.index as usize);
        let examples = match even {
            Some(Even::Drop) => hosts.iter().min(),
            Some(Even::Repeat) => hosts.iter().max(),
            None => hosts.get(own),
        };
        examples.copied().unwrap_or(0)
    }

    /// Refuses to make hosts even where one of them has no example in any epoch.
    pub(crate) fn check_even(&self) -> Result<()> {
        let (Some(plan), Some(Shard { count, .. })) = (&self.even, self.shard) else { return Ok(()) };
        let empty = match &self.order {
            // Hosts take turns over all epochs.
            Order::Global(_) => return Ok(()),
            _ if self.epochs_differ() => None,
            _ => self.examples_of_hosts(0, &plan.units).iter().position(|&examples| examples == 0),
        };
        let Some(host) = empty else { return Ok(()) };
        let (what, hint) = match plan.even {
            Even::Drop => ("so nothing would be left of any", "take fewer hosts, or leave `even` out"),
            Even::Repeat => ("so it has none to repeat", "take fewer hosts, or give \"drop\""),
        };
        let what = format!("shard {host} of {count} has no example, {what}");
        Err(Error::new(ErrorKind::InvalidValue, what).with_hint(hint).at_path("even"))
    }

    /// What this host takes of an epoch, `taken` of which it has; `None` for all that it has.
    pub(super) fn quota(&self, epoch: u64, taken: u64) -> Option<Quota> {
        let plan = self.even.as_ref().filter(|_| self.shard.is_some())?;
        if matches!(self.order, Order::Global(_)) {
            return None;
        }
        let most = self.examples_of_epoch(epoch, &plan.units, Some(plan.even));
        // A lap that was begun before a restore had an example, or there would be none to go on with.
        Some(Quota { most, taken, repeats: plan.even == Even::Repeat, lap: taken })
    }
}

impl Quota {
    /// What is wrong when a host's files end before it has its share.
    #[cold]
    pub(super) fn unmet(&self) -> Error {
        if self.repeats {
            let what =
                "this host has no example in an epoch in which others have some, so it has none to repeat";
            return Error::new(ErrorKind::InvalidValue, what)
                .with_hint("give \"even\": \"drop\", or shorter windows")
                .at_path("even");
        }
        let (taken, most) = (self.taken, self.most);
        let what = format!("the files of this host hold {taken} examples, where {most} were counted");
        Error::new(ErrorKind::State, what).with_hint("they were changed since they were indexed; start anew")
    }
}
