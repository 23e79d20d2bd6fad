//! Batches whose memory goes back to the thread that took it.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::RecordBatch;

/// The most batches that are kept, of each worker.
const MOST: usize = 8;

/// Batches that a worker has handed out and that are dropped by it once nobody else holds them.
///
/// Memory that another thread frees goes to the pool of the allocator from which this thread takes memory at the same
/// time, and the two wait for each other: with two threads and batches of 40 columns a third of the time was lost.
#[derive(Debug, Default)]
pub struct DeferredDrops(VecDeque<RecordBatch>);

impl DeferredDrops {
    /// Notes a batch that is handed out.
    pub fn lend(&mut self, batch: &RecordBatch) {
        if self.0.len() == MOST {
            // Somebody keeps it: it is left to them.
            self.0.pop_front();
        }
        self.0.push_back(batch.clone());
    }

    /// Drops what nobody else holds any more.
    pub fn take_back(&mut self) {
        self.0.retain(|batch| batch.columns().iter().any(|column| Arc::strong_count(column) > 1));
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{ArrayRef, Int64Array};

    use super::*;

    #[test]
    fn batches_are_kept_while_somebody_else_has_them() {
        let batch = |value| {
            let column: ArrayRef = Arc::new(Int64Array::from(vec![value]));
            RecordBatch::try_from_iter([("a", column)]).unwrap()
        };
        let mut lent = DeferredDrops::default();
        let mut batches = (0..10).map(batch).collect::<Vec<_>>();
        batches.iter().for_each(|batch| lent.lend(batch));
        assert_eq!(lent.0, &batches[2..]);
        batches.truncate(5);
        lent.take_back();
        assert_eq!(lent.0, &batches[2..]);
    }
}
