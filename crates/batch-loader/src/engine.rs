//! The threads of a loader and what they share.
//!
//! Readers read files into pieces, parsers parse pieces into chunks and put batches together, the planner decides
//! which example comes when, and the consumer takes batches in order. All of them meet in one [`Shared`] state; each
//! waits on a condition of its own, which [`Shared::stop`] wakes, so that no step blocks for longer than one
//! piece takes to read.

mod feed;
mod work;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Instant;

use self::feed::Feed;
pub(crate) use self::feed::{Parsed, Start};
use crate::batch::Batch;
use crate::item::{Chunk, Item};
use crate::progress::Step;
use crate::source::{Parts, Raw, Tasks};
use crate::stats::{Counters, count};
use crate::{Error, Kind, Result};

/// Why the planner ends before its work does.
pub(crate) enum Halt {
    /// The loader is dropped.
    Stopped,
    /// Something went wrong, which the consumer is to hear of in its turn.
    Failed(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// What a loader's engine is made of.
pub(crate) struct Setup {
    pub(crate) parts: Arc<dyn Parts>,
    /// Tasks of the scans of the parts, for the parsing threads.
    pub(crate) tasks: Arc<Tasks>,
    pub(crate) counters: Arc<Counters>,
    /// Turns what was read into chunks: one for each parsing thread, and one for the planner.
    pub(crate) workers: Vec<Box<dyn Worker>>,
    pub(crate) helper: Box<dyn Worker>,
    /// Puts examples together.
    pub(crate) assemble: Assemble,
    pub(crate) readers: usize,
    /// Pieces read and parsed ahead for each open part.
    pub(crate) read_ahead: usize,
    pub(crate) parse_ahead: usize,
    /// Batches made ahead of the consumer.
    pub(crate) prefetch: usize,
}

/// Makes a batch of examples.
pub(crate) type Assemble = Box<dyn Fn(&[Item]) -> Result<Batch> + Send + Sync>;

/// The work of a parsing thread.
pub(crate) trait Worker: Send {
    /// A piece of a part as a chunk: its records before the first that is wrong, and what is wrong with that.
    fn parse(&mut self, part: u32, raw: Raw) -> (Chunk, Option<Error>);
}

/// A batch that is ready, and what it changes in the loader's progress.
pub(crate) struct Delivered {
    pub(crate) batch: Batch,
    pub(crate) step: Step,
}

/// What the threads share.
pub(crate) struct Shared {
    state: Mutex<State>,
    /// Something may be there to be read.
    readers: Condvar,
    /// Something may be there to be parsed or put together.
    parsers: Condvar,
    /// A chunk is ready, or a batch was taken.
    planner: Condvar,
    /// A batch is ready.
    consumer: Condvar,
    parts: Arc<dyn Parts>,
    tasks: Arc<Tasks>,
    counters: Arc<Counters>,
    assemble: Assemble,
    /// The planner's own.
    helper: Mutex<Box<dyn Worker>>,
    read_ahead: usize,
    parse_ahead: usize,
    prefetch: u64,
}

/// How many threads of each kind wait. One that does not wait need not be woken, which would cost a system call.
#[derive(Default)]
struct Idle {
    readers: usize,
    parsers: usize,
    planner: usize,
    consumer: usize,
}

#[derive(Default)]
struct State {
    idle: Idle,
    stopped: bool,
    /// Whether a [`Stopper`] was used.
    halted: bool,
    /// A thread panicked: what it said.
    panicked: Option<String>,
    feeds: BTreeMap<u64, Feed>,
    opened: u64,
    /// The feed that the planner waits for.
    wanted: Option<u64>,
    /// Batches to be put together.
    jobs: VecDeque<Job>,
    /// Batches planned, taken, and whether the consumer waits for one.
    planned: u64,
    taken: u64,
    waiting: bool,
    /// Batches that wait for their turn.
    ready: BTreeMap<u64, Result<Delivered>>,
    /// The number of batches, once the planner is at its end.
    end: Option<u64>,
}

struct Job {
    number: u64,
    items: Vec<Item>,
    step: Step,
}

/// Ends the threads of a loader and every wait for them.
#[derive(Clone)]
pub(crate) struct Stopper(Weak<Shared>);

impl Stopper {
    pub(crate) fn stop(&self) {
        if let Some(shared) = self.0.upgrade() {
            shared.lock().halted = true;
            shared.stop();
        }
    }
}

impl fmt::Debug for Stopper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stopper")
    }
}

/// The running threads of a loader. Dropping it stops and joins them.
pub(crate) struct Engine {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Engine {
    /// Starts the threads. `plan` is the planner: it asks for chunks and submits batches until it is done.
    pub(crate) fn start<F>(setup: Setup, plan: F) -> Result<Self>
    where
        F: FnOnce(&Shared) -> Result<(), Halt> + Send + 'static,
    {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            readers: Condvar::new(),
            parsers: Condvar::new(),
            planner: Condvar::new(),
            consumer: Condvar::new(),
            parts: setup.parts,
            tasks: setup.tasks,
            counters: setup.counters,
            assemble: setup.assemble,
            helper: Mutex::new(setup.helper),
            read_ahead: setup.read_ahead.max(1),
            parse_ahead: setup.parse_ahead.max(1),
            prefetch: setup.prefetch as u64,
        });
        let weak = Arc::downgrade(&shared);
        shared.tasks.on_spawn(move || {
            if let Some(shared) = weak.upgrade() {
                shared.task_came();
            }
        });
        let mut engine = Self { shared: Arc::clone(&shared), threads: Vec::new() };
        for number in 0..setup.readers.max(1) {
            engine.spawn(format!("tfxio-read-{number}"), Shared::read_loop)?;
        }
        for (number, worker) in setup.workers.into_iter().enumerate() {
            let work = move |shared: &Shared| shared.parse_loop(worker);
            engine.spawn(format!("tfxio-parse-{number}"), work)?;
        }
        engine.spawn("tfxio-plan".to_owned(), move |shared| {
            let result = plan(shared);
            shared.planned(result);
        })?;
        Ok(engine)
    }

    fn spawn<F>(&mut self, name: String, body: F) -> Result<()>
    where
        F: FnOnce(&Shared) + Send + 'static,
    {
        let shared = Arc::clone(&self.shared);
        let run = move || {
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(&shared)));
            if let Err(panic) = result {
                shared.panicked(&*panic);
            }
        };
        let thread = std::thread::Builder::new().name(name).spawn(run).map_err(|error| {
            Error::new(Kind::Io, "no thread could be started")
                .help("lower `num_parallel_reads` or `num_parallel_parses`")
                .because(error)
        })?;
        self.threads.push(thread);
        Ok(())
    }

    /// Returns a handle that ends the threads.
    pub(crate) fn stopper(&self) -> Stopper {
        Stopper(Arc::downgrade(&self.shared))
    }

    /// Waits for the next batch; `None` at the end.
    pub(crate) fn next(&self) -> Result<Option<Delivered>> {
        self.shared.take()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.shared.stop();
        for thread in self.threads.drain(..) {
            // A panic was reported when it happened.
            let _ = thread.join();
        }
        self.shared.tasks.close();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes a parsing thread for a task.
    fn task_came(&self) {
        let idle = self.lock().idle.parsers > 0;
        if idle {
            self.parsers.notify_one();
        }
    }

    /// Wakes every thread and tells it to end.
    fn stop(&self) {
        self.lock().stopped = true;
        self.wake_all();
    }

    fn wake_all(&self) {
        self.readers.notify_all();
        self.parsers.notify_all();
        self.planner.notify_all();
        self.consumer.notify_all();
    }

    fn panicked(&self, panic: &(dyn std::any::Any + Send)) {
        let mut state = self.lock();
        state.panicked.get_or_insert_with(|| text_of(panic));
        state.stopped = true;
        drop(state);
        self.wake_all();
    }

    /// Hands examples to the threads that put batches together, once the consumer is near enough.
    pub(crate) fn submit(&self, items: Vec<Item>, step: Step) -> Result<(), Halt> {
        let mut state = self.lock();
        let mut since = None;
        loop {
            if state.stopped {
                return Err(Halt::Stopped);
            }
            if state.planned < state.taken + self.prefetch + u64::from(state.waiting) {
                break;
            }
            since.get_or_insert_with(Instant::now);
            state = self.wait_planner(state);
        }
        let number = state.planned;
        state.planned += 1;
        state.jobs.push_back(Job { number, items, step });
        // A consumer that waits puts the batch together itself.
        let consumer = state.idle.consumer > 0 && state.taken == number;
        let parser = state.idle.parsers > 0;
        drop(state);
        if consumer {
            self.consumer.notify_one();
        } else if parser {
            self.parsers.notify_one();
        }
        if let Some(since) = since {
            count(&self.counters.consumer_nanos, nanos(since));
        }
        Ok(())
    }

    fn put_together(&self, job: Job) -> Result<Delivered> {
        let assemble = || (self.assemble)(&job.items);
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(assemble)) {
            Ok(batch) => Ok(Delivered { batch: batch?, step: job.step }),
            Err(panic) => Err(panic_error(&text_of(&*panic))),
        }
    }

    /// Waits until something happens that the planner may wait for.
    fn wait_planner<'a>(&self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.idle.planner += 1;
        state = self.planner.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.idle.planner -= 1;
        state
    }

    /// The planner is at its end: of the data, or at an error, which comes after the batches before it.
    fn planned(&self, result: Result<(), Halt>) {
        let mut state = self.lock();
        if let Err(Halt::Failed(error)) = result {
            let number = state.planned;
            state.planned += 1;
            state.ready.insert(number, Err(error));
        }
        state.end = Some(state.planned);
        drop(state);
        self.consumer.notify_all();
    }

    fn take(&self) -> Result<Option<Delivered>> {
        let mut state = self.lock();
        let mut since = None;
        loop {
            if state.halted {
                return Err(Error::new(Kind::Stopped, "the loader was stopped"));
            }
            let number = state.taken;
            if let Some(result) = state.ready.remove(&number) {
                state.taken += 1;
                state.waiting = false;
                if result.is_err() {
                    // What failed stays at its end.
                    state.end = Some(state.taken);
                    state.stopped = true;
                    drop(state);
                    self.wake_all();
                } else {
                    let planner = state.idle.planner > 0;
                    drop(state);
                    if planner {
                        self.planner.notify_one();
                    }
                }
                if let Some(since) = since {
                    count(&self.counters.input_nanos, nanos(since));
                }
                return result.map(Some);
            }
            if let Some(text) = state.panicked.take() {
                state.end = Some(number);
                return Err(panic_error(&text));
            }
            if state.stopped || state.end.is_some_and(|end| number >= end) {
                return Ok(None);
            }
            // Rather than wait for a thread to put the batch together, the consumer does.
            if let Some(at) = state.jobs.iter().position(|job| job.number == number)
                && let Some(job) = state.jobs.remove(at)
            {
                drop(state);
                let result = self.put_together(job);
                state = self.lock();
                state.ready.insert(number, result);
                continue;
            }
            since.get_or_insert_with(Instant::now);
            if !state.waiting {
                state.waiting = true;
                if state.idle.planner > 0 {
                    self.planner.notify_one();
                }
            }
            state.idle.consumer += 1;
            state = self.consumer.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle.consumer -= 1;
        }
    }
}

/// What a thread said when it panicked.
fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

fn panic_error(text: &str) -> Error {
    Error::new(Kind::Panic, format!("a thread of the loader panicked: {text}"))
        .help("please report it with the configuration")
}

fn nanos(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
