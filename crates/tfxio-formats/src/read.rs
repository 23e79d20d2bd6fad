//! Reading whole data sets.

mod batches;
#[cfg(feature = "async")]
mod stream;

use std::sync::Arc;

use tfxio_core::{Dataset, Result, ScanRequest};

pub use self::batches::Batches;
#[cfg(feature = "async")]
pub use self::stream::BatchStream;

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

    /// As [`read`](Self::read), as a stream on the runtime of the caller: each batch is read by a task on
    /// [`ScanRequest::spawn`], or, where none is set, within `poll`, which blocks. No other thread is started. Errors of opening
    /// are the first item.
    ///
    /// ```
    /// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits@3.tfrecord");
    /// use std::pin::pin;
    /// use std::sync::Arc;
    ///
    /// use futures_core::Stream as _;
    /// use tfxio_formats::tfxio_core::{ScanRequest, Spawn};
    /// use tfxio_formats::{DatasetExt, open};
    ///
    /// /// The blocking pool of a runtime.
    /// #[derive(Debug)]
    /// struct Tokio(tokio::runtime::Handle);
    ///
    /// impl Spawn for Tokio {
    ///     fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
    ///         self.0.spawn_blocking(task);
    ///     }
    /// }
    ///
    /// let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    /// let rows = runtime.block_on(async {
    ///     let spawn = Tokio(tokio::runtime::Handle::current());
    ///     let mut stream = pin!(open(pattern)?.read_stream(ScanRequest::new().spawn(Arc::new(spawn))));
    ///     let mut rows = 0;
    ///     while let Some(batch) = std::future::poll_fn(|context| stream.as_mut().poll_next(context)).await {
    ///         rows += batch?.num_rows();
    ///     }
    ///     Ok::<_, tfxio_formats::Error>(rows)
    /// })?;
    /// assert_eq!(rows, 1797);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "async")]
    fn read_stream(&self, request: ScanRequest) -> BatchStream;

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

    #[cfg(feature = "async")]
    fn read_stream(&self, request: ScanRequest) -> BatchStream {
        BatchStream::new(Arc::clone(self), request)
    }

    fn count(&self) -> Result<u64> {
        let mut rows = 0u64;
        for partition in self.partitions(u64::MAX)? {
            rows = rows.saturating_add(self.count_rows(&partition, &ScanRequest::new())?);
        }
        Ok(rows)
    }
}
