//! Rows without columns, which are only counted.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};
use tfxio_core::Result;

use super::{Failure, GroupReader};

/// Counts rows by the numbers of the first of each group.
pub(super) struct Counted {
    pub(super) first_rows: Vec<u64>,
    pub(super) left: u64,
    pub(super) batch_rows: usize,
}

impl GroupReader for Counted {
    fn enter(&mut self, group: usize, rows: Range<u64>) -> Result<Vec<Range<u64>>, Failure> {
        let row = |group: usize| self.first_rows.get(group).copied().unwrap_or_default();
        let of_group = row(group.saturating_add(1)).saturating_sub(row(group));
        let rows = rows.start..rows.end.min(of_group);
        self.left = rows.end.saturating_sub(rows.start);
        Ok(vec![rows])
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, Failure> {
        let rows = self.batch_rows.max(1).min(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.left -= rows as u64;
        Ok((rows > 0).then(|| no_columns(&Arc::new(Schema::empty()), rows)).transpose()?)
    }
}

/// Returns rows without columns.
pub(super) fn no_columns(schema: &SchemaRef, rows: usize) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), Vec::new(), &options)?)
}
