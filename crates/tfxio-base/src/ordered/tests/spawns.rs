//! Ways to run a task, good and bad.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::{fmt, mem};

use crate::{Spawn, Threads};

type Task = Box<dyn FnOnce() + Send>;

/// Keeps tasks and runs none.
#[derive(Default)]
pub(super) struct Never(Mutex<Vec<Task>>);

impl Never {
    pub(super) fn asked(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

/// Keeps tasks until it is told to run them.
#[derive(Default)]
pub(super) struct Late(Mutex<Vec<Task>>);

impl Late {
    /// Runs what was asked for so far. How many tasks.
    pub(super) fn run(&self) -> usize {
        let tasks = mem::take(&mut *self.0.lock().unwrap());
        let count = tasks.len();
        tasks.into_iter().for_each(|task| task());
        count
    }
}

/// Drops tasks.
#[derive(Debug, Default)]
pub(super) struct Broken(AtomicUsize);

impl Broken {
    pub(super) fn asked(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Starts threads, on which tasks may wait, and counts them.
#[derive(Debug, Default)]
pub(super) struct Counted(AtomicUsize);

impl Counted {
    pub(super) fn started(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Runs tasks at once, against the rule.
#[derive(Debug)]
pub(super) struct Inline;

/// Runs each task when the next one comes, on a thread.
#[derive(Default)]
pub(super) struct Busy(Mutex<Option<Task>>);

macro_rules! opaque {
    ($($name:ident)*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    )*};
}

opaque!(Never Late Busy);

impl Spawn for Never {
    fn spawn(&self, task: Task) {
        self.0.lock().unwrap().push(task);
    }
}

impl Spawn for Late {
    fn spawn(&self, task: Task) {
        self.0.lock().unwrap().push(task);
    }
}

impl Spawn for Broken {
    fn spawn(&self, task: Task) {
        self.0.fetch_add(1, Ordering::SeqCst);
        drop(task);
    }
}

impl Spawn for Counted {
    fn spawn(&self, task: Task) {
        self.0.fetch_add(1, Ordering::SeqCst);
        Threads.spawn(task);
    }

    fn may_wait(&self) -> bool {
        true
    }
}

impl Spawn for Inline {
    fn spawn(&self, task: Task) {
        task();
    }
}

impl Spawn for Busy {
    fn spawn(&self, task: Task) {
        let before = self.0.lock().unwrap().replace(task);
        if let Some(task) = before {
            Threads.spawn(task);
        }
    }
}

/// rayon's pool of two threads.
#[cfg(not(miri))]
#[derive(Debug)]
struct Rayon(rayon::ThreadPool);

#[cfg(not(miri))]
impl Spawn for Rayon {
    fn spawn(&self, task: Task) {
        self.0.spawn(task);
    }
}

/// tokio's blocking pool, of two threads.
#[cfg(not(miri))]
#[derive(Debug)]
struct Tokio(Option<tokio::runtime::Runtime>);

#[cfg(not(miri))]
impl Spawn for Tokio {
    fn spawn(&self, task: Task) {
        drop(self.0.as_ref().map(|runtime| runtime.spawn_blocking(task)));
    }
}

#[cfg(not(miri))]
impl Drop for Tokio {
    /// Does not wait for the runtime's threads: a task that ends last drops this on one of them.
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Occupies a thread until the sender is dropped.
#[cfg(not(miri))]
#[derive(Debug)]
struct Full<S> {
    // Dropped first: then the pool can end.
    _until: Vec<std::sync::mpsc::Sender<()>>,
    pool: S,
}

#[cfg(not(miri))]
impl<S: Spawn> Full<S> {
    fn new(pool: S) -> Self {
        let mut until = Vec::new();
        for _ in 0..2 {
            let (sender, receiver) = std::sync::mpsc::channel::<()>();
            until.push(sender);
            pool.spawn(Box::new(move || {
                let _ = receiver.recv();
            }));
        }
        Self { _until: until, pool }
    }
}

#[cfg(not(miri))]
impl<S: Spawn> Spawn for Full<S> {
    fn spawn(&self, task: Task) {
        self.pool.spawn(task);
    }
}

/// Returns all of them, and the pools of others: idle ones, and ones that are full of other work.
pub(super) fn everyone() -> Vec<(&'static str, Arc<dyn Spawn>)> {
    let mut all: Vec<(&str, Arc<dyn Spawn>)> = vec![
        ("threads", Arc::new(Threads)),
        ("never", Arc::new(Never::default())),
        ("late", Arc::new(Late::default())),
        ("broken", Arc::new(Broken::default())),
        ("inline", Arc::new(Inline)),
        ("busy", Arc::new(Busy::default())),
    ];
    #[cfg(not(miri))]
    {
        let rayon = || Rayon(rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap());
        let tokio = || {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            Tokio(builder.worker_threads(1).max_blocking_threads(2).build().ok())
        };
        all.push(("rayon", Arc::new(rayon())));
        all.push(("rayon, full", Arc::new(Full::new(rayon()))));
        all.push(("tokio", Arc::new(tokio())));
        all.push(("tokio, full", Arc::new(Full::new(tokio()))));
    }
    all
}
