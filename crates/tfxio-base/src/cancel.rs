//! Ending work from another thread.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::{Error, ErrorKind, Result};

/// Ends the work of whoever holds a clone of it, waits included. Clones are the same token.
///
/// A token of its own that nobody else holds, which is the default, is never cancelled. Once cancelled, a token stays so.
///
/// ```
/// use tfxio_base::{Cancel, ErrorKind};
///
/// let cancel = Cancel::new();
/// let stop = cancel.clone();
/// let worker = std::thread::spawn(move || {
///     while cancel.check().is_ok() {
///         std::thread::yield_now(); // some of the work
///     }
///     cancel.check()
/// });
/// stop.cancel();
/// assert_eq!(worker.join().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
/// ```
#[derive(Clone, Default)]
pub struct Cancel(Arc<Inner>);

#[derive(Default)]
struct Inner {
    cancelled: AtomicBool,
    waiters: Mutex<Waiters>,
    /// Guard of the callback at the parent token, which cancels this one too.
    parent: OnceLock<CancelGuard>,
}

#[derive(Default)]
struct Waiters {
    next: u64,
    wake: BTreeMap<u64, Arc<dyn Fn() + Send + Sync>>,
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Waiters> {
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cancel(&self) {
        // The flag goes first: whoever registers after the map was emptied sees it (see `on_cancel`).
        self.cancelled.store(true, Ordering::SeqCst);
        let waiters = std::mem::take(&mut self.lock().wake);
        // Without the lock: a waiter may take its own, under which others register.
        for wake in waiters.into_values() {
            wake();
        }
    }
}

impl Cancel {
    /// Returns a new token, which is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a token that is cancelled with this one, and can be cancelled alone: for the parts of a scan that is dropped.
    #[must_use]
    pub fn child(&self) -> Self {
        let child = Self::new();
        let weak = Arc::downgrade(&child.0);
        let guard = self.on_cancel(move || {
            if let Some(child) = weak.upgrade() {
                child.cancel();
            }
        });
        // It was not set before.
        let _ = child.0.parent.set(guard);
        child
    }

    /// Ends all work that has this token, and wakes whoever waits.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Returns whether [`cancel`](Self::cancel) was called.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    /// Returns an error if [`cancel`](Self::cancel) was called. For long work to ask now and then.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Cancelled`].
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() {
            return Err(Error::new(ErrorKind::Cancelled, "the operation was cancelled"));
        }
        Ok(())
    }

    /// Calls `wake` when the token is cancelled, at once if it is already, until the guard is dropped.
    ///
    /// For waits: `wake` takes the lock of the condition that is waited for, releases it and notifies all, so that a waiter
    /// that has asked [`is_cancelled`](Self::is_cancelled) under the lock does not miss it. It is called at most once, by the
    /// thread that cancels, perhaps while the guard is dropped by another one.
    #[must_use = "dropping the guard unregisters the callback"]
    pub fn on_cancel(&self, wake: impl Fn() + Send + Sync + 'static) -> CancelGuard {
        let wake: Arc<dyn Fn() + Send + Sync> = Arc::new(wake);
        let mut waiters = self.0.lock();
        let key = waiters.next;
        waiters.next += 1;
        waiters.wake.insert(key, Arc::clone(&wake));
        drop(waiters);
        // `cancel` stores the flag, then empties the map under the lock. Either it finds this waiter, or its emptying came
        // before the insertion, and then the flag is seen here.
        if self.is_cancelled() && self.0.lock().wake.remove(&key).is_some() {
            wake();
        }
        CancelGuard { token: self.clone(), key }
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancel").field("is_cancelled", &self.is_cancelled()).finish_non_exhaustive()
    }
}

/// Unregisters a callback of [`Cancel::on_cancel`] when dropped.
#[derive(Debug)]
pub struct CancelGuard {
    token: Cancel,
    key: u64,
}

impl Drop for CancelGuard {
    fn drop(&mut self) {
        let wake = self.token.0.lock().wake.remove(&self.key);
        // Dropped without the lock: what the callback holds may hold a guard itself.
        drop(wake);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::{Condvar, mpsc};

    use super::*;

    fn counter(cancel: &Cancel) -> (Arc<AtomicUsize>, CancelGuard) {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let guard = cancel.on_cancel(move || {
            counted.fetch_add(1, Ordering::SeqCst);
        });
        (calls, guard)
    }

    #[test]
    fn callbacks_run_once_before_or_after() {
        let cancel = Cancel::new();
        let (before, _before) = counter(&cancel);
        let (unregistered, guard) = counter(&cancel);
        drop(guard);
        cancel.check().unwrap();
        cancel.clone().cancel();
        cancel.cancel();
        let (after, _after) = counter(&cancel);
        assert_eq!([before, unregistered, after].map(|calls| calls.load(Ordering::SeqCst)), [1, 0, 1]);
        assert_eq!(cancel.check().unwrap_err().kind(), ErrorKind::Cancelled);
        assert!(!Cancel::default().is_cancelled());
    }

    #[test]
    fn a_child_ends_with_its_parent_and_alone() {
        let parent = Cancel::new();
        let (alone, child) = (parent.child(), parent.child());
        let grandchild = child.child();
        let (calls, _guard) = counter(&grandchild);
        alone.cancel();
        assert!(alone.is_cancelled() && !parent.is_cancelled() && !child.is_cancelled());
        parent.cancel();
        assert!(child.is_cancelled() && grandchild.is_cancelled() && parent.child().is_cancelled());
        assert_eq!(calls.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn waits_end() {
        let cancel = Cancel::new();
        let gate = Arc::new((Mutex::new(()), Condvar::new()));
        let (told, waits) = mpsc::channel();
        let waiter = {
            let (cancel, gate) = (cancel.clone(), Arc::clone(&gate));
            std::thread::spawn(move || {
                let woken = Arc::clone(&gate);
                let _guard = cancel.on_cancel(move || {
                    drop(woken.0.lock());
                    woken.1.notify_all();
                });
                let mut lock = gate.0.lock().unwrap();
                told.send(()).unwrap();
                while !cancel.is_cancelled() {
                    lock = gate.1.wait(lock).unwrap();
                }
            })
        };
        waits.recv().unwrap();
        cancel.cancel();
        waiter.join().unwrap();
    }

    #[test]
    fn registering_and_cancelling_at_once_misses_nothing() {
        for _ in 0..if cfg!(miri) { 10 } else { 500 } {
            let cancel = Cancel::new();
            let other = cancel.clone();
            let canceller = std::thread::spawn(move || other.cancel());
            let (calls, _guard) = counter(&cancel);
            canceller.join().unwrap();
            // Registered before: called by the canceller. After: called at once.
            assert_eq!(calls.load(Ordering::SeqCst), 1);
        }
    }
}
