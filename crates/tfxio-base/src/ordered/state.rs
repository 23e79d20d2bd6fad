//! State that consumer and tasks share, under a lock.

use std::collections::VecDeque;

use super::{Threading, Work};

/// Bytes of results that may wait, of each job, before it pauses.
const PAUSE: u64 = 4 << 20;

pub(super) type Results<W> = VecDeque<Result<<W as Work>::Output, <W as Work>::Error>>;

pub(super) struct State<W: Work> {
    pub(super) source: SourceState<W::Source>,
    /// Workers that nobody uses.
    pub(super) idle: Vec<Box<W>>,
    /// Jobs that were begun and of which results are to come, in order.
    jobs: VecDeque<Job<W>>,
    /// The number of the first of them.
    first: u64,
    /// The most of them: now, and once enough were taken.
    window: usize,
    most: usize,
    /// Tasks that were asked for and have not ended.
    pub(super) tasks: usize,
    /// The most of them.
    most_tasks: usize,
    /// Tasks that wait for the source, or for anything to do.
    pub(super) waiting: usize,
    /// Condition that the consumer waits for.
    pub(super) waits: Waits,
    /// Whether work has stopped, since nobody wants results any more.
    pub(super) stopped: bool,
}

pub(super) enum SourceState<S> {
    Free(S),
    /// Somebody reads.
    Taken,
    /// The last job was read, or one has failed.
    Ended,
}

struct Job<W: Work> {
    ready: Results<W>,
    bytes: u64,
    at: At<W>,
}

enum At<W> {
    /// Somebody is at it.
    Running,
    /// Its worker waits for somebody to go on.
    Paused(Box<W>),
    Done,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Waits {
    No,
    /// Waits for a result of the first job.
    ForFirst,
    /// Waits for that, or for the source.
    ForSource,
}

/// Work that a task finds to do.
pub(super) enum Find<W: Work> {
    Resume(u64, Box<W>),
    Read(W::Source),
    /// Reading, once the source is back.
    Turn,
    Nothing,
}

/// Outcome of a call of a worker.
pub(super) enum WorkStep<W: Work> {
    Result(W::Output),
    Last(W::Output),
    Done,
    Failed(W::Error),
}

impl<W: Work> State<W> {
    pub(super) fn new(source: W::Source, worker: W, threading: &Threading) -> Self {
        let threads = threading.threads.max(1);
        let most = threading.ahead.map_or(threads.saturating_mul(2), |ahead| ahead.max(1));
        Self {
            source: SourceState::Free(source),
            idle: vec![Box::new(worker)],
            jobs: VecDeque::new(),
            first: 0,
            window: if threading.slow_start { 1 } else { most },
            most,
            tasks: 0,
            most_tasks: threads - 1,
            waiting: 0,
            waits: Waits::No,
            stopped: false,
        }
    }

    /// Moves the results of the first job that has any to `out`, and forgets the jobs around it that are done and have none. Whether
    /// there were any.
    pub(super) fn take(&mut self, out: &mut Results<W>) -> bool {
        while let Some(job) = self.jobs.front_mut() {
            if out.is_empty() {
                std::mem::swap(out, &mut job.ready);
                job.bytes = 0;
            }
            if !job.ready.is_empty() || !matches!(job.at, At::Done) {
                break;
            }
            self.jobs.pop_front();
            self.first += 1;
            self.window = self.most.min(self.window + 1);
        }
        !out.is_empty()
    }

    /// Returns whether nothing more comes.
    pub(super) fn is_over(&self) -> bool {
        self.jobs.is_empty() && self.has_ended()
    }

    /// Returns whether the source has ended: it gives no further jobs.
    pub(super) fn has_ended(&self) -> bool {
        matches!(self.source, SourceState::Ended)
    }

    /// Returns whether there is something to do that is not begun: a job to go on with, or the next one to read.
    pub(super) fn has_work(&self) -> bool {
        matches!(self.source, SourceState::Free(_)) && self.jobs.len() < self.window || self.has_paused()
    }

    fn has_paused(&self) -> bool {
        self.jobs.iter().any(|job| job.bytes < PAUSE && matches!(job.at, At::Paused(_)))
    }

    /// Finds something to do: the earliest job that has paused and whose results were taken, else a new job.
    pub(super) fn find(&mut self) -> Find<W> {
        for (number, job) in (self.first..).zip(&mut self.jobs) {
            if job.bytes < PAUSE && matches!(job.at, At::Paused(_)) {
                let At::Paused(worker) = std::mem::replace(&mut job.at, At::Running) else { continue };
                return Find::Resume(number, worker);
            }
        }
        if self.jobs.len() >= self.window {
            return Find::Nothing;
        }
        match std::mem::replace(&mut self.source, SourceState::Taken) {
            SourceState::Free(source) => Find::Read(source),
            SourceState::Taken => Find::Turn,
            SourceState::Ended => {
                self.source = SourceState::Ended;
                Find::Nothing
            }
        }
    }

    /// Begins a job, which is running. Its number.
    pub(super) fn begin(&mut self) -> u64 {
        let number = self.first + self.jobs.len() as u64;
        self.jobs.push_back(Job { ready: VecDeque::new(), bytes: 0, at: At::Running });
        number
    }

    /// Takes back the job that was begun last, because there was none.
    pub(super) fn unbegin(&mut self) {
        self.jobs.pop_back();
    }

    /// Notes what a running job gave. Gives the worker back if it is to go on.
    pub(super) fn put(
        &mut self,
        number: u64,
        step: WorkStep<W>,
        worker: Option<Box<W>>,
        consumer: bool,
    ) -> Option<Box<W>> {
        let at = usize::try_from(number.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let job = self.jobs.get_mut(at)?;
        match step {
            WorkStep::Result(result) => {
                job.bytes = job.bytes.saturating_add(W::weight(&result));
                job.ready.push_back(Ok(result));
            }
            WorkStep::Last(result) => {
                job.at = At::Done;
                job.ready.push_back(Ok(result));
                self.idle.extend(worker);
                return None;
            }
            WorkStep::Done => {
                job.at = At::Done;
                self.idle.extend(worker);
                return None;
            }
            WorkStep::Failed(error) => {
                job.at = At::Done;
                job.ready.push_back(Err(error));
                return None;
            }
        }
        // A consumer that is alone makes no more than it was asked for. One of several ends the job that it has begun: it
        // would go on on another thread, and its memory with it.
        if job.bytes >= PAUSE || consumer && self.most_tasks == 0 {
            job.at = worker.map_or(At::Done, At::Paused);
            return None;
        }
        worker
    }

    /// Returns whether the consumer has something to take, or the end to see.
    pub(super) fn has_news(&self) -> bool {
        match self.jobs.front() {
            Some(job) => !job.ready.is_empty() || !matches!(job.at, At::Running),
            None => self.has_ended(),
        }
    }

    /// Returns whether another task should be asked for, because there may be another job to read and none waits for it.
    pub(super) fn grant(&mut self) -> bool {
        let room = self.jobs.len() < self.window && !self.has_ended();
        let may_start = self.tasks < self.most_tasks && self.waiting == 0 && !self.stopped;
        let wanted = may_start && (room || self.has_paused());
        self.tasks += usize::from(wanted);
        wanted
    }

    /// Returns whether another task should be asked for to serve a nested pool, from which somebody reads now.
    pub(super) fn grant_for_nested(&mut self) -> bool {
        let wanted =
            self.tasks < self.most_tasks && !self.stopped && matches!(self.source, SourceState::Taken);
        self.tasks += usize::from(wanted);
        wanted
    }

    /// Returns whether so much was taken that tasks are worth waking: to wake one for each result would cost more than it
    /// gains.
    pub(super) fn has_room(&self) -> bool {
        self.jobs.len() <= self.window / 2
    }

    /// Returns what is left, to be dropped without the lock.
    pub(super) fn clear(&mut self) -> impl Sized + use<W> {
        let source = match std::mem::replace(&mut self.source, SourceState::Ended) {
            SourceState::Free(source) => Some(source),
            // Whoever reads drops it.
            SourceState::Taken | SourceState::Ended => None,
        };
        (source, std::mem::take(&mut self.idle), std::mem::take(&mut self.jobs))
    }
}
