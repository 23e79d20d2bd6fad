//! Results are the same, whoever runs the tasks.

mod spawns;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};

use self::spawns::{Broken, Busy, Counted, Inline, Late, Never, everyone};
use crate::{Cancel, Error, ErrorKind, Nested, Ordered, Result, Spawn, Threading, Threads, Work};

/// Plan of a test's jobs: job `n` gives `10 * n` and the numbers after it, `results` in all; faults are injected by number.
#[derive(Clone, Default)]
struct JobPlan {
    jobs: u64,
    results: u64,
    fails_at: Option<u64>,
    read_fails_at: Option<u64>,
    panics_at: Option<u64>,
    read_panics_at: Option<u64>,
}

impl JobPlan {
    fn new(jobs: u64, results: u64) -> Self {
        Self { jobs, results, ..Self::default() }
    }

    fn read(self, threads: usize, spawn: Arc<dyn Spawn>) -> Ordered<Worker> {
        self.watched(&Threading::new().threads(threads).spawn(spawn)).0
    }

    fn watched(self, threading: &Threading) -> (Ordered<Worker>, Arc<Watch>) {
        let watch = Arc::new(Watch::default());
        let list = List { next: 0, watch: Arc::clone(&watch) };
        let made = Arc::clone(&watch);
        let make = move || Ok(Worker { plan: self.clone(), job: 0, at: 0, watch: Arc::clone(&made) });
        (Ordered::new(list, threading, make).unwrap(), watch)
    }

    fn expected(&self) -> Vec<u64> {
        (0..self.jobs).flat_map(|job| (0..self.results).map(move |at| job * 10 + at)).collect()
    }
}

/// Events that the tests observe.
#[derive(Default)]
struct Watch {
    reads: AtomicUsize,
    reading: AtomicBool,
    live: AtomicUsize,
    most_live: AtomicUsize,
    steps: AtomicUsize,
    source_dropped: AtomicBool,
    /// Barrier at which all workers meet in each step, if any.
    meet: Option<Barrier>,
}

/// Counts one that works.
struct Live<'a>(&'a Watch);

impl<'a> Live<'a> {
    fn new(watch: &'a Watch) -> Self {
        let live = watch.live.fetch_add(1, Ordering::SeqCst) + 1;
        watch.most_live.fetch_max(live, Ordering::SeqCst);
        Self(watch)
    }
}

impl Drop for Live<'_> {
    fn drop(&mut self) {
        self.0.live.fetch_sub(1, Ordering::SeqCst);
    }
}

struct List {
    next: u64,
    watch: Arc<Watch>,
}

impl Drop for List {
    fn drop(&mut self) {
        self.watch.source_dropped.store(true, Ordering::SeqCst);
    }
}

struct Worker {
    plan: JobPlan,
    job: u64,
    at: u64,
    watch: Arc<Watch>,
}

impl Work for Worker {
    type Source = List;
    type Output = u64;
    type Error = Error;

    fn read(&mut self, list: &mut List) -> Result<bool> {
        let _live = Live::new(&self.watch);
        assert!(!self.watch.reading.swap(true, Ordering::SeqCst), "two read at once");
        self.watch.reads.fetch_add(1, Ordering::SeqCst);
        (self.job, self.at) = (list.next, 0);
        list.next += 1;
        self.watch.reading.store(false, Ordering::SeqCst);
        assert_ne!(self.plan.read_panics_at, Some(self.job), "a read");
        match self.plan.read_fails_at {
            Some(job) if job == self.job => Err(Error::new(ErrorKind::Io, "the source failed")),
            _ => Ok(self.job < self.plan.jobs),
        }
    }

    fn next(&mut self) -> Result<Option<u64>> {
        let _live = Live::new(&self.watch);
        self.watch.steps.fetch_add(1, Ordering::SeqCst);
        if let Some(meet) = &self.watch.meet {
            meet.wait();
        }
        // So that jobs end out of order.
        for _ in 0..(self.job * 7) % 5 {
            std::thread::yield_now();
        }
        if self.at == self.plan.results {
            return Ok(None);
        }
        assert_ne!(self.plan.panics_at, Some(self.job), "a job");
        if self.plan.fails_at == Some(self.job) {
            return Err(Error::new(ErrorKind::Malformed, format!("job {} failed", self.job)));
        }
        self.at += 1;
        Ok(Some(self.job * 10 + self.at - 1))
    }

    fn is_done(&self) -> bool {
        // Both ways to end a job are tried.
        self.job.is_multiple_of(2) && self.at == self.plan.results
    }

    fn weight(result: &u64) -> u64 {
        if result % 10 < 5 { 1 } else { 3 << 20 }
    }
}

fn values(ordered: Ordered<Worker>) -> Vec<u64> {
    ordered.collect::<Result<_>>().unwrap()
}

#[test]
fn results_are_the_same_whoever_runs_the_tasks() {
    for (name, spawn) in everyone() {
        for threads in [0, 1, 2, 8] {
            // None, one and many results for each job; of nine the heavy ones make jobs pause.
            for plan in [JobPlan::new(0, 1), JobPlan::new(30, 0), JobPlan::new(50, 1), JobPlan::new(20, 9)] {
                let expected = plan.expected();
                assert_eq!(
                    values(plan.read(threads, Arc::clone(&spawn))),
                    expected,
                    "{name}, {threads} threads"
                );
            }
        }
    }
}

#[test]
fn an_error_comes_after_the_results_before_it_and_nothing_follows() {
    for (name, spawn) in everyone() {
        for threads in [1, 2, 8] {
            let base = JobPlan::new(40, 2);
            let failing = JobPlan { fails_at: Some(13), ..base.clone() };
            let read = JobPlan { read_fails_at: Some(13), ..base.clone() };
            let panics = JobPlan { panics_at: Some(13), ..base.clone() };
            let read_panics = JobPlan { read_panics_at: Some(13), ..base.clone() };
            for (plan, text) in [
                (failing, "job 13 failed"),
                (read, "the source failed"),
                (panics, "a worker panicked: "),
                (read_panics, "a worker panicked: "),
            ] {
                let mut ordered = plan.read(threads, Arc::clone(&spawn));
                let before = ordered.by_ref().take(26).collect::<Result<Vec<_>>>().unwrap();
                assert_eq!(before, base.expected()[..26], "{name}, {threads} threads");
                let error = ordered.next().unwrap().unwrap_err();
                assert!(error.to_string().starts_with(text), "{error}");
                assert!(ordered.next().is_none());
                assert!(ordered.next().is_none());
            }
        }
    }
}

#[test]
fn the_first_of_two_errors_is_given() {
    for _ in 0..if cfg!(miri) { 2 } else { 100 } {
        let plan = JobPlan { fails_at: Some(5), panics_at: Some(6), ..JobPlan::new(9, 1) };
        let error = plan.read(4, Arc::new(Threads)).find_map(Result::err).unwrap();
        assert_eq!(error.to_string(), "job 5 failed");
    }
}

#[test]
fn eight_threads_are_eight_with_the_consumer() {
    for threads in [1, 2, 8] {
        let (ordered, watch) = JobPlan::new(200, 3).watched(&Threading::new().threads(threads));
        assert_eq!(ordered.count(), 600);
        assert!(watch.most_live.load(Ordering::SeqCst) <= threads);
    }
}

#[test]
fn all_threads_work_at_the_same_time() {
    // No step ends before as many are at one as there are threads.
    let plan = JobPlan::new(40, 1);
    let watch = Arc::new(Watch { meet: Some(Barrier::new(4)), ..Watch::default() });
    let list = List { next: 0, watch: Arc::clone(&watch) };
    let made = Arc::clone(&watch);
    let even = JobPlan { jobs: 4, ..plan };
    let make = move || Ok(Worker { plan: even.clone(), job: 0, at: 0, watch: Arc::clone(&made) });
    let mut ordered = Ordered::new(list, &Threading::new().threads(4), make).unwrap();
    // Four jobs meet in their first step. Two of them have a second one, which would wait for two more.
    assert_eq!(ordered.next().unwrap().unwrap(), 0);
    assert_eq!(watch.most_live.load(Ordering::SeqCst), 4);
    let others = watch.meet.as_ref().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| others.wait());
        scope.spawn(|| others.wait());
        assert_eq!(ordered.map(Result::unwrap).collect::<Vec<_>>(), [10, 20, 30]);
    });
}

#[test]
fn a_consumer_that_takes_nothing_gets_nothing_but_the_window_made() {
    for threads in [2, 8] {
        let spawn = Arc::new(Late::default());
        let threading = Threading::new().threads(threads).spawn(spawn.clone());
        let (mut ordered, watch) = JobPlan::new(1000, 1).watched(&threading);
        assert_eq!(ordered.next().unwrap().unwrap(), 0);
        assert!(watch.reads.load(Ordering::SeqCst) <= 2);
        // Tasks end when there is no room, rather than wait for the consumer.
        spawn.run();
        assert!(watch.reads.load(Ordering::SeqCst) <= 2 * threads + 1);
        let rest = std::thread::scope(|scope| {
            let late = scope.spawn(|| values(ordered));
            while !late.is_finished() {
                spawn.run();
                std::thread::yield_now();
            }
            late.join().unwrap()
        });
        assert_eq!(rest, JobPlan::new(1000, 1).expected()[1..]);
    }
}

#[test]
fn a_slow_start_makes_more_with_each_that_was_taken() {
    let spawn = Arc::new(Late::default());
    let threading = Threading::new().threads(8).ahead(5).slow_start().spawn(spawn.clone());
    let (mut ordered, watch) = JobPlan::new(1000, 1).watched(&threading);
    ordered.start();
    let mut begun = Vec::new();
    for taken in 0..10 {
        while spawn.run() > 0 {}
        begun.push(watch.reads.load(Ordering::SeqCst) - taken);
        assert_eq!(ordered.next().unwrap().unwrap(), 10 * taken as u64);
    }
    assert!(
        begun.iter().zip([1, 2, 3, 4, 5, 5, 5, 5, 5, 5]).all(|(&begun, most)| begun <= most),
        "{begun:?}"
    );
    assert_eq!((begun.first(), begun.iter().max()), (Some(&1), Some(&5)));
}

#[test]
fn threads_wait_for_a_slow_consumer_rather_than_be_started_again() {
    let spawn = Arc::new(Counted::default());
    let (ordered, watch) = JobPlan::new(300, 1).watched(&Threading::new().threads(3).spawn(spawn.clone()));
    for (taken, result) in (1..).zip(ordered) {
        assert_eq!(result.unwrap(), (taken as u64 - 1) * 10);
        // At least half of the window is filled anew, after which there is nothing to do.
        while watch.reads.load(Ordering::SeqCst) < 300.min(taken + 4) {
            std::thread::yield_now();
        }
    }
    // Two, and two more after each second in which nothing was taken.
    assert!(spawn.started() < 20, "{}", spawn.started());
}

#[test]
fn a_task_that_was_dropped_is_asked_for_again_and_one_that_was_not_run_is_not() {
    let never = Arc::new(Never::default());
    assert_eq!(values(JobPlan::new(50, 1).read(4, never.clone())).len(), 50);
    assert_eq!(never.asked(), 3);
    let broken = Arc::new(Broken::default());
    assert_eq!(values(JobPlan::new(50, 1).read(4, broken.clone())).len(), 50);
    assert!(broken.asked() > 3);
}

#[test]
fn dropping_the_consumer_stops_the_work() {
    for spawn in [Arc::new(Threads) as Arc<dyn Spawn>, Arc::new(Inline), Arc::new(Busy::default())] {
        let threading = Threading::new().threads(4).spawn(spawn);
        let (mut ordered, watch) = JobPlan::new(u64::MAX, 2).watched(&threading);
        assert_eq!(ordered.by_ref().take(7).count(), 7);
        drop(ordered);
        // Who is at a step ends it; after that the source and the workers are gone.
        while Arc::strong_count(&watch) > 1 {
            std::thread::yield_now();
        }
        assert!(watch.source_dropped.load(Ordering::SeqCst));
        assert!(watch.reads.load(Ordering::SeqCst) < 20);
    }
}

#[test]
fn tasks_that_run_after_the_end_do_nothing() {
    let late = Arc::new(Late::default());
    let (mut ordered, watch) = JobPlan::new(100, 1).watched(&Threading::new().threads(3).spawn(late.clone()));
    ordered.next().unwrap().unwrap();
    drop(ordered);
    let reads = watch.reads.load(Ordering::SeqCst);
    assert!(late.run() > 0);
    assert_eq!(watch.reads.load(Ordering::SeqCst), reads);
}

/// Worker whose two jobs begin at the same time. A job that the consumer has not begun ends only when `go` is received.
struct Stuck {
    job: u64,
    given: bool,
    both: Arc<Barrier>,
    told: mpsc::Sender<()>,
    go: Arc<std::sync::Mutex<mpsc::Receiver<()>>>,
}

impl Work for Stuck {
    type Source = u64;
    type Output = u64;
    type Error = Error;

    fn read(&mut self, next: &mut u64) -> Result<bool> {
        self.job = *next;
        self.given = false;
        *next += 1;
        Ok(self.job < 2)
    }

    fn next(&mut self) -> Result<Option<u64>> {
        if std::mem::replace(&mut self.given, true) {
            return Ok(None);
        }
        self.both.wait();
        if std::thread::current().name() != Some("consumer") {
            self.told.send(()).unwrap();
            let _ = self.go.lock().unwrap().recv();
        }
        Ok(Some(self.job))
    }
}

#[test]
fn cancelling_ends_the_wait_of_the_consumer() {
    let cancel = Cancel::new();
    let (told, at_work) = mpsc::channel();
    let (go, stays) = mpsc::channel::<()>();
    let stays = Arc::new(std::sync::Mutex::new(stays));
    let both = Arc::new(Barrier::new(2));
    let make = move || {
        let (told, go, both) = (told.clone(), Arc::clone(&stays), Arc::clone(&both));
        Ok(Stuck { job: 0, given: false, both, told, go })
    };
    let threading = Threading::new().threads(2).cancel(cancel.clone());
    let mut ordered = Ordered::new(0, &threading, make).unwrap();
    let consumer = std::thread::Builder::new().name("consumer".to_owned());
    let consumer = consumer.spawn(move || {
        let results = ordered.by_ref().map(|result| result.map_err(|error| error.kind())).collect::<Vec<_>>();
        (results, ordered.next().is_none())
    });
    let consumer = consumer.unwrap();
    // A task has the second job and does not end it; the consumer does the first, and waits then.
    at_work.recv().unwrap();
    cancel.cancel();
    let (results, nothing_follows) = consumer.join().unwrap();
    assert!(
        matches!(results[..], [Err(ErrorKind::Cancelled)] | [Ok(0), Err(ErrorKind::Cancelled)]),
        "{results:?}"
    );
    assert!(nothing_follows);
    drop(go);
}

#[test]
fn a_cancelled_token_ends_it_at_once() {
    let cancel = Cancel::new();
    let (mut ordered, watch) = JobPlan::new(5, 1).watched(&Threading::new().cancel(cancel.clone()));
    assert_eq!(ordered.next().unwrap().unwrap(), 0);
    cancel.cancel();
    assert_eq!(ordered.next().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    assert!(ordered.next().is_none());
    assert_eq!(watch.reads.load(Ordering::SeqCst), 1);
}

/// Adds up what comes from another pool, a fixed number at a time.
struct Sums(Vec<u64>);

impl Work for Sums {
    type Source = Ordered<Worker>;
    type Output = u64;
    type Error = Error;

    fn read(&mut self, values: &mut Ordered<Worker>) -> Result<bool> {
        self.0 = values.take(3).collect::<Result<_>>()?;
        Ok(!self.0.is_empty())
    }

    fn next(&mut self) -> Result<Option<u64>> {
        Ok(Some(self.0.drain(..).sum()))
    }

    fn is_done(&self) -> bool {
        true
    }
}

#[test]
fn a_pool_inside_another_has_the_threads_of_one() {
    for (name, spawn) in everyone() {
        for threads in [1, 2, 8] {
            let plan = JobPlan::new(30, 3);
            let expected = plan.expected().chunks(3).map(|three| three.iter().sum()).collect::<Vec<u64>>();
            let threading = Threading::new().threads(threads).spawn(Arc::clone(&spawn));
            let nested = Nested::new();
            let (inner, watch) = plan.watched(&nested.threading(&threading));
            let outer = Ordered::over(inner, &threading, nested, || Ok(Sums(Vec::new()))).unwrap();
            assert_eq!(outer.collect::<Result<Vec<_>>>().unwrap(), expected, "{name}, {threads} threads");
            assert!(watch.most_live.load(Ordering::SeqCst) <= threads);
        }
    }
}

#[test]
fn a_pool_inside_another_is_dropped_with_it() {
    for _ in 0..if cfg!(miri) { 2 } else { 50 } {
        let threading = Threading::new().threads(4);
        let nested = Nested::new();
        let (inner, watch) = JobPlan::new(u64::MAX, 3).watched(&nested.threading(&threading));
        let mut outer = Ordered::over(inner, &threading, nested, || Ok(Sums(Vec::new()))).unwrap();
        assert_eq!(outer.by_ref().take(5).count(), 5);
        drop(outer);
        while Arc::strong_count(&watch) > 1 {
            std::thread::yield_now();
        }
    }
}
