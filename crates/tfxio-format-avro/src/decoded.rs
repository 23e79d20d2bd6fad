//! Rows, and which records they were.

use std::sync::Arc;

use arrow_array::RecordBatch;
use tfxio_core::{Batch, Origins};

use super::cursor::Spans;

/// Rows, and the records that they were made of.
pub(super) struct Decoded {
    pub(super) rows: RecordBatch,
    /// All records, including the ones that a filter leaves out.
    pub(super) spans: Spans,
    /// Whether each record is a row, where there is a filter.
    pub(super) kept: Option<Vec<bool>>,
    /// Whether the next record has no room in this batch.
    pub(super) is_full: bool,
}

impl Decoded {
    /// Returns the number of records.
    pub(super) fn records(&self) -> usize {
        self.kept.as_ref().map_or(self.rows.num_rows(), Vec::len)
    }

    /// Leaves the first `records` records.
    pub(super) fn cut(&mut self, records: usize) {
        if records >= self.records() {
            return;
        }
        self.spans = self.spans.take(records);
        let rows = match &mut self.kept {
            Some(kept) => {
                kept.truncate(records);
                kept.iter().filter(|kept| **kept).count()
            }
            None => records,
        };
        self.rows = self.rows.slice(0, rows.min(self.rows.num_rows()));
    }

    /// Leaves the first `rows` rows, and the records up to the last of them.
    pub(super) fn limit(&mut self, rows: u64) {
        if rows >= self.rows.num_rows() as u64 {
            return;
        }
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        let records = match &self.kept {
            Some(kept) => {
                let row = kept.iter().enumerate().filter(|(_, kept)| **kept).nth(rows);
                row.map_or(kept.len(), |(record, _)| record)
            }
            None => rows,
        };
        self.cut(records);
    }

    /// Returns the rows with their origins.
    pub(super) fn into_batch(self, file: &Arc<str>) -> Batch {
        let all = self.spans.origins(file);
        let origins = match &self.kept {
            Some(kept) => of_rows(&all, kept),
            None => all,
        };
        Batch::new(self.rows, origins)
    }
}

/// Returns the origins of the records that are rows.
fn of_rows(all: &Origins, kept: &[bool]) -> Origins {
    let mut origins = Origins::default();
    for (record, _) in kept.iter().enumerate().filter(|(_, kept)| **kept) {
        match all.get(record) {
            Some(origin) => origins.push(origin.file, origin.record, origin.byte),
            None => origins.push_unknown(1),
        }
    }
    origins
}
