//! The memory of all readers together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that all readers which share it may have under way and waiting together.
///
/// A part that is wanted at once is requested in any case, so that every reader goes on: at most one part of each reader is
/// beyond the budget. Clones share it.
///
/// ```
/// let budget = tfrecord_io::store::Budget::new(256 << 20);
/// assert_eq!(budget.taken(), 0);
/// ```
#[derive(Clone, Debug)]
pub struct Budget(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    bytes: u64,
    taken: AtomicU64,
}

/// Bytes of a budget, which are given back when this is dropped.
#[derive(Debug)]
pub(super) struct Taken {
    budget: Budget,
    bytes: u64,
}

impl Budget {
    /// Returns a budget of this number of bytes.
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        Self(Arc::new(Shared { bytes, taken: AtomicU64::new(0) }))
    }

    /// Returns the bytes that are under way or waiting now.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.0.taken.load(Ordering::Relaxed)
    }

    /// Takes some bytes. `None` if there are not as many, unless they are wanted at once.
    pub(super) fn take(&self, bytes: u64, at_once: bool) -> Option<Taken> {
        let more = |taken: u64| {
            let sum = taken.saturating_add(bytes);
            (at_once || sum <= self.0.bytes).then_some(sum)
        };
        self.0.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Taken { budget: self.clone(), bytes })
    }
}

impl Default for Budget {
    /// Returns a budget without an end.
    fn default() -> Self {
        Self::new(u64::MAX)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let less = |taken: u64| Some(taken.saturating_sub(self.bytes));
        // Never refused.
        let _ = self.budget.0.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_at_once_is_granted_and_nothing_else_beyond() {
        let budget = Budget::new(10);
        let first = budget.take(6, false);
        assert!(first.is_some() && budget.take(5, false).is_none());
        let second = budget.take(5, true);
        assert_eq!(budget.taken(), 11);
        drop((first, second));
        assert_eq!(budget.taken(), 0);
    }
}
