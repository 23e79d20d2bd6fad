//! Ends of the row groups of a file that is written.
//!
//! They depend on the memory that the columns take, not on their encoded size: so they are known before anything is encoded, and are the
//! same whatever encodes them.

use arrow_array::RecordBatch;

use tfxio_scan::row_bytes;

/// Bytes of columns at which a row group ends, unless the options specify another number.
pub(super) const ROW_GROUP_BYTES: u64 = 64 << 20;

/// Assigns the rows of one batch after the other to row groups.
#[derive(Clone, Debug)]
pub(super) struct Cuts {
    most_rows: u64,
    most_bytes: u64,
    /// Rows and bytes of the current row group.
    rows: u64,
    bytes: u64,
}

impl Cuts {
    /// Returns the cuts of a file whose row groups have at most this many rows, and end with the batch that reaches this many
    /// bytes.
    pub(super) fn new(most_rows: Option<u64>, most_bytes: Option<u64>) -> Self {
        let most_rows = most_rows.unwrap_or(u64::MAX).max(1);
        Self { most_rows, most_bytes: most_bytes.unwrap_or(ROW_GROUP_BYTES), rows: 0, bytes: 0 }
    }

    /// Takes the first rows of a batch, which belong to the current row group, and returns them and whether it ends with them. Nothing
    /// remains of a batch without rows.
    pub(super) fn take(&mut self, batch: &mut RecordBatch) -> Option<(RecordBatch, bool)> {
        if batch.num_rows() == 0 {
            return None;
        }
        let room = usize::try_from(self.most_rows.saturating_sub(self.rows)).unwrap_or(usize::MAX);
        let count = batch.num_rows().min(room);
        let first = batch.slice(0, count);
        *batch = batch.slice(count, batch.num_rows() - count);
        self.rows = self.rows.saturating_add(count as u64);
        self.bytes = self.bytes.saturating_add(row_bytes::of_batch(&first));
        let ends = self.rows >= self.most_rows || self.bytes > self.most_bytes;
        if ends {
            (self.rows, self.bytes) = (0, 0);
        }
        Some((first, ends))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array};

    use super::*;

    /// The rows of the row groups that batches of these sizes become.
    fn cut(mut cuts: Cuts, sizes: &[usize]) -> Vec<Vec<usize>> {
        let mut groups = vec![Vec::new()];
        for size in sizes {
            let column: ArrayRef = Arc::new(Int64Array::from(vec![0; *size]));
            let mut batch = RecordBatch::try_from_iter([("a", column)]).unwrap();
            while let Some((rows, ends)) = cuts.take(&mut batch) {
                groups.last_mut().unwrap().push(rows.num_rows());
                if ends {
                    groups.push(Vec::new());
                }
            }
        }
        groups
    }

    #[test]
    fn row_groups_end_by_rows_and_by_bytes() {
        let cuts = Cuts::new;
        assert_eq!(cut(cuts(None, None), &[3, 0, 4]), [vec![3, 4]]);
        assert_eq!(cut(cuts(Some(3), None), &[2, 2, 7]), [vec![2, 1], vec![1, 2], vec![3], vec![2]]);
        assert_eq!(cut(cuts(Some(0), None), &[2]), [vec![1], vec![1], vec![]]);
        assert_eq!(cut(cuts(None, Some(0)), &[2, 3]), [vec![2], vec![3], vec![]]);
        assert_eq!(cut(cuts(None, Some(40)), &[2, 3, 1, 6]), [vec![2, 3, 1], vec![6], vec![]]);
        assert_eq!(cut(cuts(Some(4), Some(30)), &[3, 3, 4]), [vec![3, 1], vec![2, 2], vec![2]]);
    }
}
