//! A data set of one physical and one logical format.

use std::sync::Arc;

use arrow_array::RecordBatchReader;
use arrow_schema::SchemaRef;

use crate::{Error, Split};

/// A reader of batches that can be sent to another thread.
pub type BoxedBatchReader = Box<dyn RecordBatchReader + Send>;

/// What a caller asks of [`TfxIo::read`].
///
/// ```
/// use tfxio_core::ReadOptions;
/// let options = ReadOptions::default().with_batch_size(128).with_projection(["label", "image"]);
/// assert_eq!(options.batch_size, 128);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Columns to read, in this order; `None` (the default) reads all.
    pub projection: Option<Vec<Arc<str>>>,
    /// Rows a batch, at least 1. The last batch of a split may have fewer. Default 1,024.
    pub batch_size: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { projection: None, batch_size: 1024 }
    }
}

impl ReadOptions {
    /// Reads only these columns, in this order.
    #[must_use]
    pub fn with_projection<I>(mut self, columns: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<Arc<str>>,
    {
        self.projection = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the rows a batch; 0 is taken as 1.
    #[must_use]
    pub fn with_batch_size(mut self, rows: usize) -> Self {
        self.batch_size = rows.max(1);
        self
    }
}

/// A data set of one physical format (TFRecord, Parquet, …) and one logical format (tf.Example,
/// raw bytes, …), read as Arrow record batches.
///
/// `splits` and `read` are all that a distributed engine needs. `read` works without a schema;
/// what needs one answers [`ErrorKind::SchemaRequired`](crate::ErrorKind::SchemaRequired), never a
/// guess. The design is TensorFlow RFC 162, Standardized TFX Inputs.
pub trait TfxIo: Send + Sync {
    /// The schema of the batches that [`read`](Self::read) yields without a projection.
    ///
    /// # Errors
    /// `SchemaRequired` where neither a schema was given nor inference was asked for; otherwise
    /// whatever reading the data for inference meets.
    fn arrow_schema(&self) -> Result<SchemaRef, Error>;

    /// Cuts the data set into parts of about `target_bytes` that can be read independently and
    /// yield every record exactly once.
    ///
    /// # Errors
    /// When a file cannot be opened or its framing is broken where it must be cut.
    fn splits(&self, target_bytes: u64) -> Result<Vec<Split>, Error>;

    /// Reads one split as batches of one schema.
    ///
    /// # Errors
    /// When the split cannot be opened or a projected column does not exist. Errors in the data
    /// come from the reader.
    fn read(&self, split: &Split, options: &ReadOptions) -> Result<BoxedBatchReader, Error>;
}
