//! Number and positions of the records, or steps, of each file.

use std::sync::Arc;

use tfxio_core::Entries;

use crate::source::{PartRecords, RecordSet};

/// The units of all files of a data set: records, or steps where windows are counted in them.
#[derive(Clone, Debug)]
pub(crate) struct Units {
    /// The records of the files.
    pub(crate) records: Vec<PartRecords>,
    /// The records of each file that a filter keeps; empty where all are kept.
    pub(crate) kept: Arc<[RecordSet]>,
    /// Number of records that the filter leaves out.
    pub(crate) filtered: u64,
    /// The units of records.
    pub(crate) steps: Steps,
    /// Entry points of each file; empty unless blocks begin at them.
    pub(crate) entries: Arc<[Entries]>,
}

/// Number of units of each record.
#[derive(Clone, Debug)]
pub(crate) enum Steps {
    /// Every record has as many; 1 unless windows are counted in steps.
    Equal(u64),
    /// For each file, the start of each record's steps among all steps of the file, and the end of the last.
    Starts(Vec<Vec<u64>>),
}

impl Units {
    /// The units of a file.
    pub(crate) fn of(&self, part: usize) -> u64 {
        match &self.steps {
            Steps::Equal(steps) => {
                let kept = self.kept.get(part).map(RecordSet::len);
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

    /// Returns the record of a unit of a file, and the number of units before it in that record.
    pub(crate) fn record(&self, part: usize, unit: u64) -> Option<(u64, u64)> {
        let (nth, before) = self.nth(part, unit)?;
        Some((self.kept.get(part).map_or(Some(nth), |kept| kept.record(nth))?, before))
    }

    /// Returns the same, with the record counted among the ones that the filter keeps.
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
