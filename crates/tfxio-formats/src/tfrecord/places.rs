//! Which record a row comes from.

use std::sync::{Arc, Mutex, PoisonError};

use tfxio_core::Split;

use super::part::Part;

/// The records that a queue has read, in the order of the rows that they become: a record makes one row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places(Arc<Mutex<Vec<Stretch>>>);

/// Records of one split that follow each other.
#[derive(Debug)]
struct Stretch {
    split: Split,
    /// The row of the first record, counted over all splits.
    row: u64,
    /// The number of the first record.
    record: u64,
    records: u64,
}

impl Places {
    /// Notes the records of a part, which come after those before.
    pub(super) fn note(&self, split: &Split, part: &Part) {
        let mut stretches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        part.each_number(|record| {
            let row = match stretches.last_mut() {
                Some(last) if last.record + last.records == record && last.split == *split => {
                    last.records += 1;
                    return;
                }
                last => last.map_or(0, |last| last.row + last.records),
            };
            stretches.push(Stretch { split: split.clone(), row, record, records: 1 });
        });
    }

    /// Notes that the rows from this one on are the records of a split, from its first on.
    #[cfg(feature = "avro")]
    pub(crate) fn begin(&self, split: &Split, row: u64) {
        let mut stretches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stretches.push(Stretch { split: split.clone(), row, record: 0, records: u64::MAX - row });
    }

    /// The split and the number of the record that became a row, counted over all splits.
    pub(crate) fn of(&self, row: u64) -> Option<(Split, u64)> {
        let stretches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = stretches.partition_point(|stretch| stretch.row <= row).checked_sub(1)?;
        let stretch = stretches.get(at)?;
        let after = row - stretch.row;
        (after < stretch.records).then(|| (stretch.split.clone(), stretch.record + after))
    }
}
