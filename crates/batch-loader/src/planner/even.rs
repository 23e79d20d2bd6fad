//! Number of examples of a host, and how it is made equal for all hosts.

use tfxio_core::Count;
use tfxio_core::random::{Stream, derive};

use super::cut::draw;
use super::positions::end_of_all;
use super::{ExamplePlan, order};
use crate::config::{Even, Shard, Stride};
use crate::error::Locate as _;
use crate::{Error, Kind, Result};

/// Method to make hosts even, and the counts that it needs.
#[derive(Clone, Debug)]
pub(crate) struct EvenPlan {
    pub(crate) even: Even,
    /// The units of each file: records, or steps where windows are counted in them.
    pub(crate) units: Vec<u64>,
}

/// Number of examples that this host takes of an epoch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quota {
    pub(super) most: u64,
    pub(super) taken: u64,
    /// Whether the host begins again with its examples until it has enough.
    pub(super) repeats: bool,
    /// Examples taken since it began again.
    pub(super) lap: u64,
}

impl ExamplePlan {
    /// Returns how many examples are cut from a file of `units` units in an epoch, over all hosts.
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
        let mut stream =
            Stream::new(derive(self.seed, "window", &[epoch, u64::from(self.first) + part as u64]));
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

    /// Returns the number of a host's examples in an epoch before hosts are made even; `files` has the examples of each
    /// file.
    fn examples_of_host(&self, host: u64, files: &[u64]) -> u64 {
        let hosts = self.shard.map_or(1, |shard| u64::from(shard.count).max(1));
        let of_files = |examples: u64| examples / hosts + u64::from(host < examples % hosts);
        if order::shards_by_file(self) {
            let (first, step) = (usize::try_from(host), usize::try_from(hosts));
            let own = files.iter().skip(first.unwrap_or(usize::MAX)).step_by(step.unwrap_or(usize::MAX));
            return own.copied().fold(0, u64::saturating_add);
        }
        files.iter().copied().map(of_files).fold(0, u64::saturating_add)
    }

    /// The hosts among which those are that have fewest and most examples. There may be billions of hosts, but not
    /// where each has files of its own; otherwise no host has fewer than the next.
    fn hosts_to_compare(&self) -> Vec<u64> {
        let hosts = self.shard.map_or(1, |shard| u64::from(shard.count).max(1));
        if order::shards_by_file(self) { (0..hosts).collect() } else { vec![0, hosts - 1] }
    }

    /// The examples of this host in an epoch; not for a global order.
    pub(crate) fn examples_of_epoch(&self, epoch: u64, units: &[u64], even: Option<Even>) -> u64 {
        let files = self.examples_of_files(epoch, units);
        let hosts = self.hosts_to_compare().into_iter().map(|host| self.examples_of_host(host, &files));
        match even {
            Some(Even::Drop) => hosts.min().unwrap_or(0),
            Some(Even::Repeat) => hosts.max().unwrap_or(0),
            None => self.examples_of_host(self.shard.map_or(0, |shard| u64::from(shard.index)), &files),
        }
    }

    fn examples_of_files(&self, epoch: u64, units: &[u64]) -> Vec<u64> {
        let files = units.iter().enumerate();
        files.map(|(part, &units)| self.examples_of_file(epoch, part, units)).collect()
    }

    /// Refuses to make hosts even where one of them has no example in any epoch.
    pub(crate) fn check_even(&self) -> Result<()> {
        let (Some(plan), Some(Shard { count, .. })) = (&self.even, self.shard) else { return Ok(()) };
        let host = if self.order.examples().is_some() {
            // Hosts take turns over all epochs, and those that repeat go on with examples of the others.
            let all = end_of_all(self);
            let lacks = if plan.even == Even::Drop { all < u64::from(count) } else { all == 0 };
            lacks.then_some(all)
        } else if self.epochs_differ() {
            // Windows that are drawn may fit into the next epoch.
            None
        } else {
            let files = self.examples_of_files(0, &plan.units);
            self.hosts_to_compare().into_iter().find(|&host| self.examples_of_host(host, &files) == 0)
        };
        let Some(host) = host else { return Ok(()) };
        let (what, hint) = match plan.even {
            Even::Drop => ("so nothing would be left of any", "take fewer hosts, or leave `even` out"),
            Even::Repeat => ("so it has none to repeat", "take fewer hosts, or give \"drop\""),
        };
        let what = format!("shard {host} of {count} has no example, {what}");
        Err(Error::new(Kind::InvalidValue, what).help(hint).at_json("even"))
    }

    /// Returns this host's quota of an epoch, of which it has `taken` examples; `None` for all examples that it has.
    pub(super) fn quota(&self, epoch: u64, taken: u64) -> Option<Quota> {
        let plan = self.even.as_ref().filter(|_| self.shard.is_some())?;
        if self.order.examples().is_some() {
            return None;
        }
        let most = self.examples_of_epoch(epoch, &plan.units, Some(plan.even));
        // A lap that was begun before a restore had an example, or there would be none to go on with.
        Some(Quota { most, taken, repeats: plan.even == Even::Repeat, lap: taken })
    }
}

impl Quota {
    /// Returns the error when a host's files end before it has its share.
    #[cold]
    pub(super) fn unmet(&self) -> Error {
        if self.repeats {
            let what =
                "this host has no example in an epoch in which others have some, so it has none to repeat";
            return Error::new(Kind::InvalidValue, what)
                .help("give \"even\": \"drop\", or shorter windows")
                .at_json("even");
        }
        let (taken, most) = (self.taken, self.most);
        let (taken, were) = (Count::of(taken, "example"), Count::of(most, "example").verb("was", "were"));
        let what = format!("the files of this host hold {taken}, where {most} {were} counted");
        Error::new(Kind::State, what).help("they were changed since they were indexed; start anew")
    }
}
