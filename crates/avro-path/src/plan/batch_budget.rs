//! Limits of a datum and of a batch that is gathered.

use tfxio_core::{Count, Limits};

use crate::buffers::Offset;
use crate::{Error, ErrorKind, Result};

/// Number of bytes that a batch may still get before its bytes or its greatest offset could exceed their limits: only
/// then is it measured.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BatchBudget {
    left: u64,
    /// Array items without bytes in the rows so far.
    empty_items: u64,
    /// Whether a datum was refused because the batch would have been too large with it.
    is_full: bool,
}

impl BatchBudget {
    /// Returns whether a datum was refused because the batch would have been too large with it.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns how many array items without bytes the next datum may have.
    #[inline]
    pub(super) fn empty_left(&self, limits: &Limits) -> u64 {
        limits.empty_items.saturating_sub(self.empty_items)
    }

    /// Notes how many are left after a datum.
    #[inline]
    pub(super) fn set_empty_left(&mut self, left: u64, limits: &Limits) {
        self.empty_items = limits.empty_items.saturating_sub(left);
    }

    /// Adds a datum of `read` bytes, which takes `most` bytes of the batch at most; `measure` gives the bytes of the batch
    /// and its greatest offset.
    ///
    /// # Errors
    /// Of kind [`LimitExceeded`](ErrorKind::LimitExceeded) when the datum or the batch is larger than the limits, or an
    /// offset greater than the maximum of `O`.
    #[inline]
    pub(super) fn add<O: Offset>(
        &mut self,
        read: usize,
        most: u64,
        limits: &Limits,
        measure: impl FnOnce() -> (usize, usize),
    ) -> Result<()> {
        if read as u64 > limits.record_bytes {
            return Err(large_datum(read, limits));
        }
        if let Some(left) = self.left.checked_sub(most) {
            self.left = left;
            return Ok(());
        }
        let (bytes, last) = measure();
        self.is_full = bytes as u64 > limits.batch_bytes || last > O::MAX_OFFSET;
        if self.is_full {
            return Err(if last > O::MAX_OFFSET { long_column() } else { large_batch(limits) });
        }
        self.left = limits.batch_bytes.min(O::MAX_OFFSET as u64).saturating_sub(bytes.max(last) as u64);
        Ok(())
    }
}

/// Counts list items against the limit, of which `left` are left.
#[inline]
pub(super) fn claim(left: &mut u64, count: u64) -> Result<()> {
    *left = left.checked_sub(count).ok_or_else(too_many_items)?;
    Ok(())
}

/// Counts list items without bytes against the limit of a batch, of which `left` are left.
#[inline]
pub(super) fn claim_empty(left: &mut u64, count: u64) -> Result<()> {
    *left = left.checked_sub(count).ok_or_else(too_many_empty_items)?;
    Ok(())
}

#[cold]
fn too_many_empty_items() -> Error {
    let what = "the rows of the batch have more array items without bytes (nulls, records without fields) than the limit \
                allows";
    Error::new(ErrorKind::LimitExceeded, what).help(
        "the file may be damaged here; raise Limits::empty_items or read smaller batches if this is meant",
    )
}

#[cold]
fn too_many_items() -> Error {
    Error::new(ErrorKind::LimitExceeded, "the datum has more list items than the limit allows")
        .help("raise Limits::list_items if this is meant")
}

#[cold]
fn large_datum(read: usize, limits: &Limits) -> Error {
    let what = format!("the datum has {}, the limit is {}", Count::of(read, "byte"), limits.record_bytes);
    Error::new(ErrorKind::LimitExceeded, what).help("raise Limits::record_bytes if this is meant")
}

#[cold]
fn large_batch(limits: &Limits) -> Error {
    let what = format!("the batch has more than {}", Count::of(limits.batch_bytes, "byte"));
    Error::new(ErrorKind::LimitExceeded, what).help("flush before, or raise Limits::batch_bytes")
}

#[cold]
fn long_column() -> Error {
    let what = "a column of the batch is longer than 32-bit offsets can say";
    Error::new(ErrorKind::LimitExceeded, what).help("use 64-bit offsets, or flush smaller batches")
}
