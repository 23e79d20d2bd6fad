//! Columns that threads work on apart from each other.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::ArrayRef;
use tfxio_base::{Error, Result, Work};

use super::described_batches::DescribedBatches;
use crate::Statistics;
use crate::statistics::{BatchRows, Column};

/// Each column with the values that wait for it. A column is worked on by one thread at a time, in the order of the batches, so
/// that the result is that of one thread.
pub(super) struct ColumnQueues(Vec<ColumnQueue>);

struct ColumnQueue {
    column: Mutex<Column>,
    waiting: Mutex<VecDeque<(ArrayRef, Arc<BatchRows>)>>,
}

/// Batches of a column that may wait; with more, whoever comes waits for the thread that works on it.
const MOST_WAITING: usize = 8;

impl ColumnQueues {
    pub(super) fn new(columns: Vec<Column>) -> Self {
        let queue = |column| ColumnQueue { column: Mutex::new(column), waiting: Mutex::default() };
        Self(columns.into_iter().map(queue).collect())
    }

    /// Works on all that waits.
    pub(super) fn drain(&self) -> Result<()> {
        self.0.iter().try_for_each(|queue| queue.drain(0))
    }

    /// Returns the columns, in their order.
    pub(super) fn take(&self) -> Vec<Column> {
        self.0.iter().map(|queue| lock(&queue.column).clone()).collect()
    }
}

impl ColumnQueue {
    /// Works on what waits, unless another thread does already and no more than `most` waits.
    fn drain(&self, most: usize) -> Result<()> {
        loop {
            let waiting = lock(&self.waiting).len();
            if waiting == 0 {
                return Ok(());
            }
            let mut column = match self.column.try_lock() {
                Ok(column) => column,
                Err(_) if waiting > most => lock(&self.column),
                // That thread looks again before it leaves.
                Err(_) => return Ok(()),
            };
            loop {
                let Some((array, rows)) = lock(&self.waiting).pop_front() else { break };
                column.update(&array, &rows)?;
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The batches, and the rows that were counted.
pub(super) struct BatchSource {
    pub(super) batches: DescribedBatches,
    pub(super) statistics: Arc<Mutex<Statistics>>,
}

/// Takes a batch apart into its columns, and works on columns that no other thread works on.
pub(super) struct Worker {
    queues: Arc<ColumnQueues>,
    /// The queue that is looked at first: threads begin at different ones.
    first: usize,
    has_job: bool,
}

impl Worker {
    pub(super) fn new(queues: Arc<ColumnQueues>) -> Self {
        Self { queues, first: 0, has_job: false }
    }
}

impl Work for Worker {
    type Source = BatchSource;
    type Output = ();
    type Error = Error;

    fn read(&mut self, source: &mut BatchSource) -> Result<bool> {
        let Some((whole, described)) = source.batches.next()? else { return Ok(false) };
        let mut statistics = lock(&source.statistics);
        let rows = Arc::new(statistics.rows(&whole, &described)?);
        for (index, array) in statistics.arrays(&described)? {
            if let Some(queue) = self.queues.0.get(index) {
                lock(&queue.waiting).push_back((array, Arc::clone(&rows)));
            }
        }
        self.has_job = true;
        // A number far from those of the batches before.
        self.first = (statistics.num_rows() as usize).wrapping_mul(0x9e37_79b9) >> 7;
        Ok(true)
    }

    fn next(&mut self) -> Result<Option<()>> {
        if std::mem::take(&mut self.has_job) {
            let queues = &self.queues.0;
            let first = self.first.checked_rem(queues.len()).unwrap_or(0);
            for queue in queues.iter().skip(first).chain(queues.iter().take(first)) {
                queue.drain(MOST_WAITING)?;
            }
        }
        Ok(None)
    }
}
