//! How many records, or steps, each file has, and where they are.

use std::sync::Arc;

use tfxio_core::Entries;

use crate::source::{Kept, PartRecords};

/// The units of all files of a data set: records, or steps where windows are counted in them.
#[derive(Clone, Debug)]
pub(crate) struct Units {
    /// The records of the files.
    pub(crate) records: Vec<PartRecords>,
    /// Those of each file that a filter keeps; nothing where all are.
    pub(crate) kept: Arc<[Kept]>,
    /// How many it leaves out.
    pub(crate) filtered: u64,
    /// The units of records.
    pub(crate) steps: Steps,
    /// Where each file can be entered; nothing unless blocks are cut there.
    pub(crate) entries: Arc<[Entries]>,
}

/// How many units records have.
#[derive(Clone, Debug)]
pub(crate) enum Steps {
    /// Every record has as many; 1 unless windows are counted in steps.
    Equal(u64),
    /// For each file, where each record's steps begin among all of the file, and where the last ends.
    Starts(Vec<Vec<u64>>),
}

impl Units {
    /// The units of a file.
    pub(crate) fn of(&self, part: usize) -> u64 {
        match &self.steps {
            Steps::Equal(steps) => {
                let kept = self.kept.get(part).map(Kept::len);
                let records = kept.or_else(|| self.records.get(part).map(|part| part.records));
                records.unwrap_or(0).saturating_mul(*steps)
            }
            Steps::Starts(starts) => starts.get(part).and_then(|starts| starts.last()).copied().unwrap_or(0),
        }
    }

    /// Whether each record of the files is a unit.
    pub(super) fn are_records(&self) -> bool {
        self.kept.is_empty() && matches!(self.steps, Steps::Equal(1))
    }

    /// The units of each file.
    pub(crate) fn all(&self) -> Vec<u64> {
        (0..self.records.len()).map(|part| self.of(part)).collect()
    }

    /// The record in which a unit of a file lies, and how many units of the record lie before it.
    pub(crate) fn record(&self, part: usize, unit: u64) -> Option<(u64, u64)> {
        let (nth, before) = self.nth(part, unit)?;
        Some((self.kept.get(part).map_or(Some(nth), |kept| kept.record(nth))?, before))
    }

    /// The same, with the record counted among those that are kept.
    fn nth(&self, part: usize, unit: u64) -> Option<(u64, u64)> {
        match &self.steps {
            Steps::Equal(steps) => Some((unit.checked_div(*steps)?, unit.checked_rem(*steps)?)),
            Steps::Starts(starts) => {
                let starts = starts.get(part)?;
                // Records without steps begin where the one after them does.
                let record = starts.partition_point(|&start| start <= unit).checked_sub(1)?;
                Some((record as u64, unit - starts.get(record)?))
            }
        }
    }
}
