//! Scans whose batches are changed.

use std::error::Error as StdError;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_schema::SchemaRef;
use tfxio_base::{Result, panic_text};

use crate::{Batch, Partition, Scan, ScanCounts, Seek};

/// Error of a function that a program gives, to be called with batches. An [`Error`](tfxio_base::Error) keeps its kind and position.
pub type MapError = Box<dyn StdError + Send + Sync>;

/// Calls a function that a program gives; its panic is an error as well, and no fault of the reader that calls it.
///
/// # Errors
/// The error of the function, or the message of its panic.
pub fn call_given<T>(call: impl FnOnce() -> Result<T, MapError>) -> Result<T, MapError> {
    // What a panic leaves half done is the function's own.
    catch_unwind(AssertUnwindSafe(call))
        .unwrap_or_else(|panic| Err(format!("it panicked: {}", panic_text(&*panic)).into()))
}

/// A scan whose batches are changed one by one, each to one of as many rows. It is divided, entered and counted as the scan below it.
///
/// ```
/// use std::sync::Arc;
/// use tfxio_core::{Batch, ChangedScan, Scan};
///
/// /// Returns a scan of the first column alone.
/// fn first_column(scan: Box<dyn Scan>) -> tfxio_core::Result<Box<dyn Scan>> {
///     let schema = Arc::new(scan.schema().project(&[0])?);
///     Ok(Box::new(ChangedScan::new(scan, schema, |batch| {
///         let (columns, origins) = batch.into_parts();
///         Ok(Batch::new(columns.project(&[0])?, origins))
///     })))
/// }
/// ```
pub struct ChangedScan<F> {
    scan: Box<dyn Scan>,
    schema: SchemaRef,
    change: F,
    has_failed: bool,
}

impl<F> fmt::Debug for ChangedScan<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChangedScan").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl<F: FnMut(Batch) -> Result<Batch> + Send> ChangedScan<F> {
    /// Returns a scan whose batches have this schema and are made by `change` from the batches of `scan`.
    #[must_use]
    pub fn new(scan: Box<dyn Scan>, schema: SchemaRef, change: F) -> Self {
        Self { scan, schema, change, has_failed: false }
    }
}

impl<F: FnMut(Batch) -> Result<Batch> + Send> Scan for ChangedScan<F> {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        if self.has_failed {
            return Ok(None);
        }
        let Some(batch) = self.scan.next_batch()? else { return Ok(None) };
        let changed = (self.change)(batch);
        self.has_failed = changed.is_err();
        changed.map(Some)
    }

    fn try_split(&mut self, fraction: f64) -> Result<Option<Partition>> {
        self.scan.try_split(fraction)
    }

    fn remaining(&self) -> Option<Partition> {
        self.scan.remaining()
    }

    fn seek(&mut self, record: u64) -> Result<Seek> {
        self.scan.seek(record)
    }

    fn seek_to_byte(&mut self, record: u64, byte: u64) -> Result<Seek> {
        self.scan.seek_to_byte(record, byte)
    }

    fn counts(&self) -> ScanCounts {
        self.scan.counts()
    }
}
