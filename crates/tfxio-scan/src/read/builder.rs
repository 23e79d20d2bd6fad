//! Options of the read loop.

use std::fmt;
use std::sync::Arc;

use tfxio_core::{Dataset, Partition, Result, ScanCounts, ScanRequest};

use super::Batches;

/// Observer of the scans of a read loop.
pub trait ScanWatch: Send {
    /// Notes that partitions are read by a scan of their own.
    ///
    /// # Errors
    /// An error ends reading.
    fn opening(&mut self, partitions: &[Partition]) -> Result<()> {
        let _ = partitions;
        Ok(())
    }

    /// Notes that a scan has come to its end: its counts, and the number of its rows.
    ///
    /// # Errors
    /// An error ends reading.
    fn ended(&mut self, counts: ScanCounts, rows: u64) -> Result<()> {
        let _ = (counts, rows);
        Ok(())
    }
}

/// Options of [`Batches`].
///
/// ```
/// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
/// use tfxio_scan::Batches;
/// use tfxio_scan::tfxio_core::ScanRequest;
///
/// let dataset = tfxio_formats::open(pattern)?;
/// let last = dataset.partitions(u64::MAX)?.split_off(2);
/// let batches = Batches::builder(dataset, ScanRequest::new().columns(["label"])).partitions(last).build()?;
/// let rows = batches.map(|batch| Ok(batch?.num_rows())).sum::<tfxio_scan::tfxio_core::Result<usize>>()?;
/// assert_eq!(rows, 599);
/// # Ok::<(), tfxio_scan::tfxio_core::Error>(())
/// ```
#[must_use]
pub struct BatchesBuilder {
    pub(super) dataset: Arc<dyn Dataset>,
    pub(super) request: ScanRequest,
    pub(super) partitions: Option<Vec<Partition>>,
    pub(super) dropped: u64,
    pub(super) is_hint: bool,
    pub(super) watch: Option<Box<dyn ScanWatch>>,
}

impl BatchesBuilder {
    pub(super) fn new(dataset: Arc<dyn Dataset>, request: ScanRequest) -> Self {
        Self { dataset, request, partitions: None, dropped: 0, is_hint: false, watch: None }
    }

    /// Reads these partitions, one after the other. Default: all partitions of the data set.
    pub fn partitions(mut self, partitions: Vec<Partition>) -> Self {
        self.partitions = Some(partitions);
        self
    }

    /// Leaves out the first rows that satisfy the filter, of this number. Default: 0.
    pub fn dropped(mut self, rows: u64) -> Self {
        self.dropped = rows;
        self
    }

    /// Takes the filter as a hint: scans may skip rows by it, and rows that they return beside it are returned. The caller evaluates it
    /// where the data set [does not apply it](Dataset::applies_filter). Default: false.
    pub fn filter_is_hint(mut self, is_hint: bool) -> Self {
        self.is_hint = is_hint;
        self
    }

    /// Sets the observer of scans. Default: none.
    pub fn watch(mut self, watch: impl ScanWatch + 'static) -> Self {
        self.watch = Some(Box::new(watch));
        self
    }

    /// Opens the first partition.
    ///
    /// # Errors
    /// When a file cannot be opened, a column does not exist, or the filter does not fit the types of columns.
    pub fn build(self) -> Result<Batches> {
        Batches::of_builder(self)
    }
}

impl fmt::Debug for BatchesBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchesBuilder").field("request", &self.request).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
