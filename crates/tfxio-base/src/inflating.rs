//! A clock of the time that threads spend on decompression.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::Spawn;

thread_local! {
    /// The clock that runs while this thread decompresses.
    static CLOCK: Cell<Option<InflateClock>> = const { Cell::new(None) };
    /// Nanoseconds that this thread has spent on decompression while it had a clock.
    static SPENT: Cell<u64> = const { Cell::new(0) };
}

/// Clock of the time that threads spend on decompression, threads of a pool included. Clones are the same clock.
///
/// Readers decompress within [`inflating`], which asks for the clock of the thread. Without one no time is taken.
///
/// ```
/// use tfxio_base::{InflateClock, inflating};
///
/// let clock = InflateClock::new();
/// let read = || inflating(|| (0..1000u32).map(|byte| byte ^ 3).collect::<Vec<_>>());
/// read();
/// assert!(clock.elapsed().is_zero(), "nobody asked");
/// clock.during(read);
/// assert!(!clock.elapsed().is_zero());
/// ```
#[derive(Clone, Debug, Default)]
pub struct InflateClock(Arc<AtomicU64>);

impl InflateClock {
    /// Returns a clock at 0.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the time of all threads together.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.0.load(Relaxed))
    }

    /// Does some work on this thread with the clock. Another one that the thread has goes on afterwards.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        let _before = Restored(CLOCK.replace(Some(self.clone())));
        work()
    }

    /// Returns a runner of tasks that have the clock.
    #[must_use]
    pub fn spawn(&self, spawn: Arc<dyn Spawn>) -> Arc<dyn Spawn> {
        Arc::new(Clocked { clock: self.clone(), spawn })
    }

    /// Returns the time that this thread has spent on decompression with any clock.
    #[must_use]
    pub fn of_this_thread() -> Duration {
        Duration::from_nanos(SPENT.get())
    }
}

/// Decompresses, on the clock of this thread if it has one.
pub fn inflating<T>(work: impl FnOnce() -> T) -> T {
    // What decompresses within it is counted once.
    let Some(clock) = CLOCK.take() else { return work() };
    let time = Arc::clone(&clock.0);
    let running = Restored(Some(clock));
    let begun = Instant::now();
    let done = work();
    // A clock of the system may be coarser than the work.
    let nanos = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX).max(1);
    drop(running);
    time.fetch_add(nanos, Relaxed);
    SPENT.set(SPENT.get().saturating_add(nanos));
    done
}

/// Clock of a thread that was taken from it, and is given back, after a panic as well.
struct Restored(Option<InflateClock>);

impl Drop for Restored {
    fn drop(&mut self) {
        CLOCK.set(self.0.take());
    }
}

/// Runner of tasks that have a clock.
struct Clocked {
    clock: InflateClock,
    spawn: Arc<dyn Spawn>,
}

impl fmt::Debug for Clocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spawn.fmt(f)
    }
}

impl Spawn for Clocked {
    fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        let clock = self.clock.clone();
        self.spawn.spawn(Box::new(move || clock.during(task)));
    }

    fn may_wait(&self) -> bool {
        self.spawn.may_wait()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::Threads;

    /// Works until a clock of the system has gone on.
    fn work() {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(2) {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn only_threads_with_the_clock_count_and_each_time_once() {
        let (clock, other) = (InflateClock::new(), InflateClock::new());
        inflating(work);
        assert_eq!((clock.elapsed(), InflateClock::of_this_thread()), (Duration::ZERO, Duration::ZERO));
        let begun = Instant::now();
        clock.during(|| {
            inflating(|| inflating(work));
            other.during(|| inflating(work));
            inflating(work);
        });
        let all = begun.elapsed();
        assert!(clock.elapsed() >= Duration::from_millis(4) && other.elapsed() >= Duration::from_millis(2));
        assert!(clock.elapsed() + other.elapsed() <= all, "what is within counts once");
        assert_eq!(InflateClock::of_this_thread(), clock.elapsed() + other.elapsed());
        let before = clock.elapsed();
        inflating(work);
        assert_eq!(clock.elapsed(), before);
    }

    #[test]
    fn tasks_have_the_clock_and_a_panic_leaves_none() {
        let clock = InflateClock::new();
        let (sender, receiver) = mpsc::channel();
        let spawn = clock.spawn(Arc::new(Threads));
        assert!(spawn.may_wait());
        spawn.spawn(Box::new(move || {
            inflating(work);
            let _ = sender.send(InflateClock::of_this_thread());
        }));
        assert_eq!(receiver.recv(), Ok(clock.elapsed()));
        assert!(clock.elapsed() >= Duration::from_millis(2));
        let before = clock.elapsed();
        let failed = std::panic::catch_unwind(|| {
            clock.during(|| inflating(|| std::panic::resume_unwind(Box::new(()))))
        });
        assert!(failed.is_err());
        inflating(work);
        assert_eq!(clock.elapsed(), before);
    }
}
