//! Loops of the tasks, and of the consumer where it would wait.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::state::{Find, SourceState, State, Waits, WorkStep};
use super::{Nested, Threading, Work};
use crate::{Error, ErrorKind, panic_text};

/// Time that a task waits for something to do before its thread ends.
const PARKED: Duration = Duration::from_secs(1);

type Make<W> = Box<dyn Fn() -> Result<W, <W as Work>::Error> + Send + Sync>;

pub(super) struct Shared<W: Work> {
    state: Mutex<State<W>>,
    /// Wakes tasks that wait for something to do.
    turn: Condvar,
    /// Wakes the consumer.
    news: Condvar,
    pub(super) threading: Threading,
    pub(super) nested: Nested,
    make: Make<W>,
}

impl<W: Work> Shared<W> {
    pub(super) fn new(
        source: W::Source,
        worker: W,
        threading: Threading,
        nested: Nested,
        make: Make<W>,
    ) -> Self {
        let state = State::new(source, worker, &threading);
        Self { state: Mutex::new(state), turn: Condvar::new(), news: Condvar::new(), threading, nested, make }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State<W>> {
        // Nothing that may panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes everybody, to look at the flags that were set before.
    pub(super) fn wake_all(&self) {
        // Whoever has looked at the flags before sleeps now, or will not.
        drop(self.lock());
        self.turn.notify_all();
        self.news.notify_all();
    }

    /// Wakes somebody who waits for the source, because there is a task of the nested pool, or asks for a task that runs it.
    pub(super) fn serve_nested(self: &Arc<Self>) {
        let mut state = self.lock();
        let mut granted = false;
        if state.waiting > 0 {
            self.turn.notify_one();
        } else if state.waits == Waits::ForSource {
            self.news.notify_one();
        } else {
            granted = state.grant_for_nested();
        }
        drop(state);
        self.ask(granted, true);
    }

    pub(super) fn stop(&self) {
        let mut state = self.lock();
        state.stopped = true;
        let left = state.clear();
        drop(state);
        self.wake_all();
        self.nested.close();
        drop(left);
    }

    /// Asks for a task, if `granted`.
    pub(super) fn ask_for_task(self: &Arc<Self>, granted: bool) {
        self.ask(granted, false);
    }

    fn ask(self: &Arc<Self>, granted: bool, for_nested: bool) {
        if granted {
            let task = Task(Arc::downgrade(self), for_nested);
            self.threading.spawn.spawn(Box::new(move || task.run()));
        }
    }

    pub(super) fn wait_for_news<'a>(
        &'a self,
        mut state: MutexGuard<'a, State<W>>,
        waits: Waits,
    ) -> MutexGuard<'a, State<W>> {
        state.waits = waits;
        state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.waits = Waits::No;
        state
    }

    /// Wakes one who waits for something to do, if there is something; and all at the end.
    fn pass_turn(&self, state: &State<W>) {
        if state.has_ended() {
            self.turn.notify_all();
            self.news.notify_one();
        } else if state.has_work() {
            if state.waiting > 0 {
                self.turn.notify_one();
            } else if state.waits == Waits::ForSource {
                self.news.notify_one();
            }
        }
    }

    /// Wakes one who waits, or asks for a task, where the consumer has made room.
    pub(super) fn refill(self: &Arc<Self>, mut state: MutexGuard<'_, State<W>>) {
        if state.has_room() {
            self.pass_turn(&state);
            let granted = state.grant();
            drop(state);
            self.ask(granted, false);
        }
    }

    /// Wakes the consumer if it waits and has something to see.
    fn tell(&self, state: &State<W>) {
        if state.waits != Waits::No && state.has_news() {
            self.news.notify_one();
        }
    }

    /// Begins a job with the source, and works on it.
    pub(super) fn read_and_work<'a>(
        self: &'a Arc<Self>,
        mut state: MutexGuard<'a, State<W>>,
        mut source: W::Source,
        consumer: bool,
    ) -> MutexGuard<'a, State<W>> {
        let number = state.begin();
        let worker = state.idle.pop();
        drop(state);
        let read = caught(|| {
            let mut worker = worker.map_or_else(|| (self.make)().map(Box::new), Ok)?;
            let read = worker.read(&mut source)?;
            Ok((worker, read))
        });
        let mut state = self.lock();
        let goes_on = matches!(read, Ok((_, true))) && !state.stopped;
        // Another job may have failed meanwhile.
        let failed = matches!(state.source, SourceState::Ended);
        let (mut over, mut granted) = (None, false);
        if goes_on && !failed {
            state.source = SourceState::Free(source);
            granted = state.grant();
        } else {
            state.source = SourceState::Ended;
            over = Some(source);
        }
        let worker = match read {
            Ok((worker, true)) => Some(worker),
            Ok((worker, false)) => {
                if !state.stopped {
                    state.unbegin();
                    state.idle.push(worker);
                }
                None
            }
            Err(error) => {
                state.put(number, WorkStep::Failed(error), None, consumer);
                None
            }
        };
        self.pass_turn(&state);
        self.tell(&state);
        let stopped = state.stopped;
        if !granted && over.is_none() {
            return match worker {
                Some(worker) => self.work(state, number, worker, consumer),
                None => state,
            };
        }
        drop(state);
        drop(over);
        self.ask_for_task(granted);
        match worker.filter(|_| !stopped) {
            Some(worker) => self.work(self.lock(), number, worker, consumer),
            None => self.lock(),
        }
    }

    /// Works on a job until it is done, pauses or nobody wants more.
    pub(super) fn work<'a>(
        &'a self,
        mut state: MutexGuard<'a, State<W>>,
        number: u64,
        mut worker: Box<W>,
        consumer: bool,
    ) -> MutexGuard<'a, State<W>> {
        loop {
            drop(state);
            let step = caught(|| {
                let result = worker.next()?;
                Ok(result
                    .map_or(WorkStep::Done, if worker.is_done() { WorkStep::Last } else { WorkStep::Result }))
            });
            let step = step.unwrap_or_else(WorkStep::Failed);
            state = self.lock();
            if state.stopped || self.threading.cancel.is_cancelled() {
                drop(state);
                drop((step, worker));
                return self.lock();
            }
            let failed = matches!(step, WorkStep::Failed(_));
            let goes_on = state.put(number, step, Some(worker), consumer);
            let over = failed.then(|| mem::replace(&mut state.source, SourceState::Ended));
            self.tell(&state);
            if failed {
                self.turn.notify_all();
                drop(state);
                drop(over);
                state = self.lock();
            }
            match goes_on {
                Some(same) => worker = same,
                None => return state,
            }
        }
    }

    /// Runs a task: works as long as there is something to do, and waits for it for a while where it [may](Spawn::may_wait). A
    /// task that was asked for by one of the nested pool does not wait: who holds the source may be the one who asked, within
    /// whose call the task may run.
    fn serve(self: &Arc<Self>, for_nested: bool) {
        let parks = self.threading.spawn.may_wait();
        let mut in_vain = false;
        let mut state = self.lock();
        while !state.stopped && !self.threading.cancel.is_cancelled() {
            let may_wait = match state.find() {
                Find::Read(source) => {
                    state = self.read_and_work(state, source, false);
                    continue;
                }
                Find::Resume(number, worker) => {
                    self.pass_turn(&state);
                    state = self.work(state, number, worker, false);
                    continue;
                }
                Find::Turn => true,
                Find::Nothing => parks && !in_vain && !state.has_ended(),
            };
            // Whoever reads the last job that there is room for may need them.
            if let Some(task) = self.nested.pop() {
                drop(state);
                task();
                state = self.lock();
                continue;
            }
            if !may_wait || for_nested {
                break;
            }
            state.waiting += 1;
            let woken = self.turn.wait_timeout(state, PARKED).unwrap_or_else(PoisonError::into_inner);
            state = woken.0;
            in_vain = woken.1.timed_out();
            state.waiting -= 1;
        }
        // Under the lock under which it was found that there is nothing to do: whoever changes that asks for another task.
        state.tasks -= 1;
    }
}

/// A task that was asked for. One that waits in a pool keeps nothing alive.
struct Task<W: Work>(Weak<Shared<W>>, bool);

impl<W: Work> Task<W> {
    fn run(mut self) {
        if let Some(shared) = mem::take(&mut self.0).upgrade() {
            shared.serve(self.1);
        }
    }
}

impl<W: Work> Drop for Task<W> {
    /// Makes room for another task when one is dropped without having run.
    fn drop(&mut self) {
        if let Some(shared) = self.0.upgrade() {
            shared.lock().tasks -= 1;
        }
    }
}

/// Calls `work`; a panic is an error.
fn caught<T, E: From<Error>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    // What a panic leaves half done is dropped with its worker.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let what = format!("a worker panicked: {}", panic_text(&*panic));
        Err(Error::new(ErrorKind::Other, what).help("please report this").into())
    })
}
