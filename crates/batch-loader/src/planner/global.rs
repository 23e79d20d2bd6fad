//! A permutation of the whole data set in place of a buffer.

use std::collections::VecDeque;

use tfxio_core::Entries;
use tfxio_core::random::derive;

use super::fetch::Fetching;
use super::positions::Positions;
use super::{ExamplePlan, Order, Units};
use crate::error::Locate;
use crate::feed::Feeds;
use crate::item::{Item, Unit};
use crate::permutation::Permutation;
use crate::progress::ItemPosition;
use crate::source::GROUP_BYTES;
use crate::{Error, Kind, Result};

/// The most examples whose positions are looked up and read together, so that reads are few and large. Nothing of that
/// shows in the order.
const TOGETHER: usize = 1024;

/// Global order: the positions of all examples of the data set.
#[derive(Debug)]
pub(crate) struct GlobalOrder {
    pub(super) units: Units,
    /// The number of examples before each file, and of all at the end.
    pub(super) starts: Vec<u64>,
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

    /// Returns about how often each record is read in an epoch. A group of examples that are read together reads each
    /// block that contains one of them as a whole.
    pub(crate) fn reads(&self) -> f64 {
        let (mut entries, mut all) = (0u64, 0u64);
        for (of_part, records) in self.units.entries.iter().zip(&self.units.records) {
            all = all.saturating_add(records.records);
            entries = entries.saturating_add(match of_part {
                Entries::At(starts) => (starts.len() as u64).max(1),
                _ => records.records,
            });
        }
        let groups = all.div_ceil(TOGETHER as u64);
        if entries == 0 || groups == 0 {
            return 1.0;
        }
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let (entries, groups, together) = (entries as f64, groups as f64, all as f64 / groups as f64);
        (groups * (1.0 - (1.0 - 1.0 / entries).powf(together))).max(1.0)
    }

    /// Whether the examples are all records of the files.
    pub(super) fn are_records(&self) -> bool {
        self.units.are_records() && self.window == (1, 1)
    }

    /// All examples of an epoch.
    pub(crate) fn len(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Returns the position of an example; `None` if the index does not have it.
    pub(super) fn position(&self, example: u64) -> Option<ItemPosition> {
        let part = self.starts.partition_point(|&start| start <= example).checked_sub(1)?;
        let records = self.units.records.get(part)?.records;
        let unit = (example - self.starts.get(part)?) * self.window.1;
        let (record, step) = self.units.record(part, unit)?;
        if record >= records {
            return None;
        }
        let (last, _) = self.units.record(part, unit + self.window.0 - 1)?;
        Some(ItemPosition {
            part: u32::try_from(part).ok()?,
            step: u32::try_from(step).ok()?,
            len: u32::try_from(self.window.0).ok()?,
            records: u32::try_from(last - record + 1).ok()?,
            record,
            byte: 0,
        })
    }

    /// Returns the position of an example.
    ///
    /// # Errors
    /// The index does not have its records.
    pub(super) fn indexed(&self, example: u64) -> Result<ItemPosition> {
        self.position(example).ok_or_else(|| {
            Error::new(Kind::State, format!("example {example} of the data set is not in the index"))
                .help("the file was changed since it was indexed; index it again")
        })
    }

    /// The bytes that are read for an example.
    fn bytes(&self, position: &ItemPosition) -> u64 {
        let records = self.units.records.get(position.part as usize);
        records.map_or(0, |part| part.bytes_of(u64::from(position.records)))
    }
}

/// Reads the examples of this host in the global order.
pub(super) struct GlobalReader {
    pub(super) positions: Positions,
    /// Number of this host's examples that were asked for.
    asked: u64,
    unit: Unit,
    /// The group that is handed out, and the next.
    groups: VecDeque<Fetching>,
}

impl GlobalReader {
    pub(super) fn new(plan: &ExamplePlan, position: u64) -> Self {
        let groups = VecDeque::new();
        Self { positions: Positions::new(position), asked: 0, unit: plan.unit, groups }
    }

    pub(super) fn next(&mut self, feeds: &Feeds, plan: &ExamplePlan) -> Result<Option<Item>> {
        loop {
            // The next examples are read while these are used.
            while self.groups.len() < 2 {
                let positions = self.positions(plan)?;
                if positions.is_empty() {
                    break;
                }
                self.groups.push_back(Fetching::start(feeds, self.unit, positions)?);
            }
            let Some(group) = self.groups.front_mut() else {
                self.positions.end();
                return Ok(None);
            };
            let item = group.next(feeds).map_err(Locate::without_skip)?;
            if let Some(item) = item {
                let examples = plan.order.examples().map_or(0, GlobalOrder::len);
                let position = self.positions.next(plan).unwrap_or_default();
                let (epoch, _) = Positions::at(position, plan, examples);
                self.positions.take(epoch);
                return Ok(Some(item));
            }
            self.groups.pop_front();
        }
    }

    /// The positions of the next examples of this host.
    fn positions(&mut self, plan: &ExamplePlan) -> Result<Vec<ItemPosition>> {
        let Order::Global(order) = &plan.order else { return Ok(Vec::new()) };
        let examples = order.len();
        let mut positions = Vec::new();
        let mut permutation: Option<(u64, Permutation)> = None;
        let full = GROUP_BYTES.0.saturating_mul(plan.open_ahead as u64).max(GROUP_BYTES.1);
        let mut bytes = 0u64;
        while examples > 0 && positions.len() < TOGETHER && bytes < full {
            let Some(position) = self.positions.nth(plan, self.asked) else { break };
            self.asked += 1;
            let (epoch, at) = Positions::at(position, plan, examples);
            let permutation = match &mut permutation {
                Some((of, permutation)) if *of == epoch => permutation,
                other => {
                    let key = derive(plan.seed, "global", &[epoch]);
                    &mut other.insert((epoch, Permutation::new(key, examples))).1
                }
            };
            let mut position = order.indexed(permutation.at(at))?;
            bytes = bytes.saturating_add(order.bytes(&position));
            position.part = position.part.saturating_add(plan.first);
            positions.push(position);
        }
        Ok(positions)
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
            entries: [].into(),
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
