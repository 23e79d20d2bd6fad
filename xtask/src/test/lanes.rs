//! Jobs side by side: a test program that waits, or has one long test left, leaves processors to the next.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The largest number of lanes by default: each test program has as many threads as there are processors.
const MAX_LANES: usize = 4;

/// Returns the number of lanes where nothing is asked for.
pub fn default() -> usize {
    std::thread::available_parallelism().map_or(1, |processors| processors.get().min(MAX_LANES))
}

/// Does the jobs, in their order, this many at a time.
pub fn run<J: Sync>(jobs: &[J], lanes: usize, work: impl Fn(&J) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..lanes.min(jobs.len()) {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(job);
                }
            });
        }
    });
}

/// Returns what a function gives under the lock, also after another thread has panicked with it.
pub fn with<T, R>(value: &Mutex<T>, give: impl FnOnce(&mut T) -> R) -> R {
    give(&mut value.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once() {
        let jobs = (0..100).collect::<Vec<_>>();
        for lanes in [1, 2, 7, 1000] {
            let done = Mutex::new(Vec::new());
            run(&jobs, lanes, |&job| with(&done, |done| done.push(job)));
            let mut done = with(&done, std::mem::take);
            done.sort_unstable();
            assert_eq!(done, jobs, "{lanes} lanes");
        }
        run(&[] as &[()], 3, |()| unreachable!("there are no jobs"));
    }

    #[test]
    fn jobs_of_two_lanes_run_at_once() {
        // Each waits for the other.
        let barrier = std::sync::Barrier::new(2);
        run(&[(), ()], 2, |()| {
            barrier.wait();
        });
    }
}
