//! Statistics of whole data sets.

mod column_queues;
mod described_batches;

use std::sync::{Arc, Mutex, PoisonError};

use tfxio_base::{Nested, Ordered, Result};
use tfxio_core::{Dataset, ScanRequest};

use self::column_queues::{BatchSource, ColumnQueues, Worker};
use self::described_batches::DescribedBatches;
use crate::{Statistics, StatisticsList, StatisticsOptions};

/// Statistics of every `Arc<dyn Dataset>`.
///
/// ```
/// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
/// use tfxio_core::ScanRequest;
/// use tfxio_stats::{StatisticsExt, StatisticsOptions};
///
/// let dataset = tfxio_formats::open(pattern)?;
/// let request = ScanRequest::new().columns(["label"]).threads(2);
/// let list = dataset.stats(StatisticsOptions::default(), request)?;
/// assert_eq!(list.num_examples(0), Some(1797));
/// # Ok::<(), tfxio_stats::Error>(())
/// ```
pub trait StatisticsExt {
    /// Reads all that a request asks for, and returns statistics of it: the rows that satisfy its filter, up to its limit,
    /// and its columns. Columns that only the filter, weights or slices need are read, too, and not described. The threads
    /// of the request read and count; the result does not depend on their number.
    ///
    /// If nothing is left out (no filter, no limit, no skipped records), the number of rows is compared with the number
    /// declared by indexes, footers, block headers or the framing of the files.
    ///
    /// # Errors
    /// The errors of reading, with their positions; `Malformed` ([`Kind::RowCount`](crate::Kind::RowCount)) when there are
    /// more or fewer rows than there should be; the errors of [`Statistics::update`].
    fn stats(&self, options: StatisticsOptions, request: ScanRequest) -> Result<StatisticsList> {
        self.accumulate(options, request).map(|statistics| statistics.finish())
    }

    /// As [`stats`](Self::stats), without finishing them, so that they can be merged with statistics of other data.
    ///
    /// # Errors
    /// As [`stats`](Self::stats).
    fn accumulate(&self, options: StatisticsOptions, request: ScanRequest) -> Result<Statistics>;
}

impl StatisticsExt for Arc<dyn Dataset> {
    fn accumulate(&self, options: StatisticsOptions, request: ScanRequest) -> Result<Statistics> {
        let threading = request.threading();
        let nested = Nested::new();
        let mut inner = request;
        if threading.threads > 1 {
            inner.spawn = Some(nested.threading(&threading).spawn);
        }
        let mut batches = DescribedBatches::new(Arc::clone(self), inner, &options)?;
        let mut statistics = Statistics::builder(batches.schema()).options(options).build();
        if threading.threads <= 1 {
            while let Some((whole, described)) = batches.next()? {
                statistics.update_columns(&whole, &described)?;
            }
            return Ok(statistics);
        }
        let queues = Arc::new(ColumnQueues::new(statistics.take_columns()));
        let statistics = Arc::new(Mutex::new(statistics));
        let source = BatchSource { batches, statistics: Arc::clone(&statistics) };
        let shared = Arc::clone(&queues);
        let pool = Ordered::over(source, &threading, nested, move || Ok(Worker::new(Arc::clone(&shared))))?;
        for finished in pool {
            finished?;
        }
        queues.drain()?;
        let mut statistics = statistics.lock().unwrap_or_else(PoisonError::into_inner).clone();
        statistics.put_columns(queues.take());
        Ok(statistics)
    }
}
