//! Requests of a scan.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tfxio_base::{Cancel, Limits, OnError, Spawn, Threading};

use crate::{ColumnPath, Predicate};

/// Rows of a batch without columns.
const COUNTED_ROWS: usize = 1 << 16;

/// Request of a scan: columns, rows, limits and threads. Serializable, but for [`cancel`](Self::cancel),
/// [`spawn`](Self::spawn) and the report of [`on_error`](Self::on_error), which are of one process.
///
/// ```
/// use tfxio_core::ScanRequest;
///
/// let request = ScanRequest::new().columns(["label", "image"]).batch_rows(512).limit(10_000);
/// assert_eq!(request.batch_rows, 512);
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ScanRequest {
    /// Columns to read, in this order; `None` (the default) reads all. An empty list gives batches without columns that
    /// keep their number of rows, and is answered without decoding.
    pub columns: Option<Vec<Column>>,
    /// Rows a batch, at least 1. The last batch of a partition may have fewer. Default 1,024.
    pub batch_rows: usize,
    /// Bytes of records after which a batch is full before it has [`batch_rows`](Self::batch_rows) rows, for a format that
    /// knows the sizes of its records; each batch has at least one. Default: no bound.
    pub batch_bytes: Option<u64>,
    /// Maximum number of rows of the whole scan. A scan stops reading there. It counts rows that satisfy the filter, so
    /// that a scan which does not apply the filter exactly leaves the limit to what reads above it. Default: no limit.
    pub limit: Option<u64>,
    /// Predicate that a scan may use to skip rows: it may return rows that do not satisfy it, unless
    /// [`Dataset::applies_filter`](crate::Dataset::applies_filter) returns true. Default: none.
    pub filter: Option<Predicate>,
    /// Bounds on what the data may claim.
    pub limits: Limits,
    /// Whether damaged records end the scan or are skipped. Default: they end it.
    pub on_error: OnError,
    /// Number of threads that may work on the scan, the caller's included; at least 1. Rows, their order and the borders
    /// of batches are the same for any number. Default 1: the caller's thread does everything.
    pub threads: usize,
    /// Token that ends every wait of the scan with an error of kind [`Cancelled`](tfxio_base::ErrorKind::Cancelled).
    #[serde(skip)]
    pub cancel: Cancel,
    /// Runner of further threads. Default: plain threads of the operating system.
    #[serde(skip)]
    pub spawn: Option<Arc<dyn Spawn>>,
}

impl Default for ScanRequest {
    fn default() -> Self {
        Self {
            columns: None,
            batch_rows: 1024,
            batch_bytes: None,
            limit: None,
            filter: None,
            limits: Limits::default(),
            on_error: OnError::default(),
            threads: 1,
            cancel: Cancel::default(),
            spawn: None,
        }
    }
}

impl ScanRequest {
    /// Returns a request of all columns in batches of 1,024 rows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads only these columns, in this order.
    #[must_use]
    pub fn columns<C: Into<Column>>(mut self, columns: impl IntoIterator<Item = C>) -> Self {
        self.columns = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the rows a batch; 0 counts as 1.
    #[must_use]
    pub fn batch_rows(mut self, rows: usize) -> Self {
        self.batch_rows = rows.max(1);
        self
    }

    /// Sets the bytes of records after which a batch is full.
    #[must_use]
    pub fn batch_bytes(mut self, bytes: u64) -> Self {
        self.batch_bytes = Some(bytes);
        self
    }

    /// Sets the maximum number of rows.
    #[must_use]
    pub fn limit(mut self, rows: u64) -> Self {
        self.limit = Some(rows);
        self
    }

    /// Sets the predicate. A comparison with a column of lists is true for a row where it is for any value of the list.
    #[must_use]
    pub fn filter(mut self, filter: Predicate) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Sets the bounds on what the data may claim.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets whether damaged records end the scan or are skipped.
    #[must_use]
    pub fn on_error(mut self, on_error: OnError) -> Self {
        self.on_error = on_error;
        self
    }

    /// Sets the number of threads; 0 counts as 1.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Sets the token that ends the scan.
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// Sets where further threads come from.
    #[must_use]
    pub fn spawn(mut self, spawn: Arc<dyn Spawn>) -> Self {
        self.spawn = Some(spawn);
        self
    }

    /// Returns a request of the same columns of all rows: without a filter and a limit.
    #[must_use]
    pub fn all_rows(&self) -> Self {
        Self { filter: None, limit: None, ..self.clone() }
    }

    /// Returns a request that counts rows: of no columns, in large batches, of all rows.
    #[must_use]
    pub fn counting(&self) -> Self {
        Self { batch_bytes: None, ..self.all_rows() }.columns([""; 0]).batch_rows(COUNTED_ROWS)
    }

    /// Returns the maximum number of rows of the next batch of a scan that has returned `rows` rows and does not apply the
    /// filter: 0 at the limit.
    #[must_use]
    pub fn next_rows(&self, rows: u64) -> usize {
        let limit = self.limit.filter(|_| self.filter.is_none()).unwrap_or(u64::MAX);
        self.batch_rows.min(usize::try_from(limit.saturating_sub(rows)).unwrap_or(usize::MAX))
    }

    /// Returns threads, where they come from, and what ends them, for a pool.
    #[must_use]
    pub fn threading(&self) -> Threading {
        let threading = Threading::new().threads(self.threads).cancel(self.cancel.clone());
        match &self.spawn {
            Some(spawn) => threading.spawn(Arc::clone(spawn)),
            None => threading,
        }
    }
}

/// A column of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Column {
    /// Path of the column, or of a field inside of it.
    pub path: ColumnPath,
    /// Layout of its lists.
    #[serde(default, skip_serializing_if = "Layout::is_as_schema")]
    pub layout: Layout,
}

impl Column {
    /// Returns a column in the layout of the schema.
    #[must_use]
    pub fn new(path: impl Into<ColumnPath>) -> Self {
        Self { path: path.into(), layout: Layout::AsSchema }
    }

    /// Sets the layout of its lists.
    #[must_use]
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }
}

impl<P: Into<ColumnPath>> From<P> for Column {
    fn from(path: P) -> Self {
        Self::new(path)
    }
}

/// The layout of the outermost list of a column, so that a tensor can share its memory. A format that cannot give it keeps
/// the layout of the schema: the schema of the scan has the layout that is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Layout {
    /// As in the schema of the data set.
    #[default]
    AsSchema,
    /// Lists with 32-bit offsets.
    List,
    /// Lists with 64-bit offsets.
    LargeList,
    /// Lists of this length without offsets. A row of another length is an error.
    FixedSizeList(u32),
}

impl Layout {
    fn is_as_schema(&self) -> bool {
        *self == Self::AsSchema
    }
}
