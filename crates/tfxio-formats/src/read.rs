//! Reading whole data sets.

mod batches;
mod projection;

use std::sync::Arc;

use tfxio_core::{Dataset, Result, ScanRequest};

pub use self::batches::Batches;

/// What every `Arc<dyn Dataset>` has beside the methods of the trait.
///
/// ```
/// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits@3.tfrecord");
/// use tfxio_formats::{DatasetExt, open};
/// use tfxio_formats::tfxio_core::ScanRequest;
///
/// let dataset = open(pattern)?;
/// assert_eq!(dataset.count()?, 1797);
/// let request = ScanRequest::new().columns(["label"]).filter("label = 7".parse()?).limit(10);
/// let mut rows = 0;
/// for batch in dataset.read(request)? {
///     rows += batch?.num_rows();
/// }
/// assert_eq!(rows, 10);
/// # Ok::<(), tfxio_formats::Error>(())
/// ```
pub trait DatasetExt {
    /// Reads all partitions, one after the other, and exactly the rows that satisfy the filter of the request; its limit
    /// counts them. Batches may hold rows of several files.
    ///
    /// # Errors
    /// Where damaged records are skipped and all of them were, the iterator ends with an error.
    /// When a file cannot be opened, a column does not exist, or the filter does not fit the types of columns. Errors in
    /// the data come from the iterator.
    fn read(&self, request: ScanRequest) -> Result<Batches>;

    /// Returns the number of rows: from indexes, footers or block headers where there are any, else by framing alone.
    ///
    /// # Errors
    /// When a file cannot be read to its end.
    fn count(&self) -> Result<u64>;
}

impl DatasetExt for Arc<dyn Dataset> {
    fn read(&self, request: ScanRequest) -> Result<Batches> {
        Batches::new(Arc::clone(self), request)
    }

    fn count(&self) -> Result<u64> {
        let mut rows = 0u64;
        for partition in self.partitions(u64::MAX)? {
            rows = rows.saturating_add(self.count_rows(&partition, &ScanRequest::new())?);
        }
        Ok(rows)
    }
}
