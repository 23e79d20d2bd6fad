//! Threads belong to the caller: a loader takes no more than it was given, and needs none.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Mutex};

use batch_loader::config::LoaderConfig;
use batch_loader::{Kind, LoaderBuilder};
use tfrecord_io::Compression;
use tfxio_core::{Cancel, ErrorKind, Spawn};

use crate::data;

type Task = Box<dyn FnOnce() + Send>;

/// A way to run tasks.
struct By<F>(F);

impl<F> fmt::Debug for By<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("By")
    }
}

impl<F: Fn(Task) + Send + Sync> Spawn for By<F> {
    fn spawn(&self, task: Task) {
        (self.0)(task);
    }
}

/// Orders of examples, with the files that are open at once.
const ORDERS: [&str; 4] = [
    r#""shuffle": false"#,
    r#""shuffle": false, "num_parallel_reads": 3"#,
    r#""shuffle": true, "num_shuffle_buffer_elements": 300, "num_filenames_shuffle_buffer": 2, "num_mix_files": 3"#,
    r#""shuffle": "global""#,
];

fn config(dir: &std::path::Path, order: &str) -> LoaderConfig {
    let more = format!(r#""target_batch_size": 7, "drop_remainder": false, "epochs": 2, "seed": 3, {order}"#);
    data::config("independent", dir, "id", &more)
}

fn all(builder: LoaderBuilder) -> Vec<(Vec<usize>, Vec<i64>)> {
    data::rest(&mut builder.build().unwrap(), "id")
}

/// Loads on these threads what one thread loads.
fn same_with(threads: usize, spawn: impl Fn(Task) + Send + Sync + 'static) {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[900, 40, 700, 0, 300], Compression::None);
    let spawn: Arc<dyn Spawn> = Arc::new(By(spawn));
    for order in ORDERS {
        let builder = || data::builder(config(dir.path(), order), "id");
        let expected = all(builder().threads(1));
        assert_eq!(expected.iter().map(|(_, ids)| ids.len()).sum::<usize>(), 2 * 1940, "{order}");
        assert_eq!(all(builder().threads(threads).spawn(Arc::clone(&spawn))), expected, "{order}");
    }
}

#[test]
fn tasks_that_never_run_are_not_needed() {
    let kept = Mutex::new(Vec::new());
    same_with(8, move |task| kept.lock().unwrap().push(task));
}

#[test]
fn tasks_that_are_dropped_are_not_needed() {
    same_with(8, drop);
}

#[test]
fn tasks_run_on_threads() {
    same_with(8, |task| drop(std::thread::spawn(task)));
}

#[test]
fn a_pool_of_rayon_that_is_full_of_other_work_does_not_stop_a_loader() {
    let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap());
    let gate = Arc::new(Barrier::new(3));
    for _ in 0..2 {
        let gate = Arc::clone(&gate);
        pool.spawn(move || {
            gate.wait();
        });
    }
    let shared = Arc::clone(&pool);
    same_with(4, move |task| shared.spawn(task));
    gate.wait();
    let shared = Arc::clone(&pool);
    same_with(4, move |task| shared.spawn(task));
}

#[test]
fn a_pool_of_tokio_that_is_full_of_other_work_does_not_stop_a_loader() {
    let runtime = tokio::runtime::Builder::new_multi_thread().max_blocking_threads(1).build().unwrap();
    let (open, closed) = channel::<()>();
    let work = runtime.spawn_blocking(move || closed.recv().is_err());
    let handle = runtime.handle().clone();
    same_with(4, move |task| drop(handle.spawn_blocking(task)));
    drop(open);
    runtime.block_on(work).unwrap();
}

#[test]
fn eight_threads_are_eight() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[900; 6], Compression::None);
    // Tasks that were asked for and have not ended, and the most of them.
    let (live, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let ended = |task: Option<Task>| {
        task.into_iter().for_each(|task| task());
        live.fetch_sub(1, Ordering::SeqCst);
    };
    let (send, asked) = channel::<Task>();
    let send = Mutex::new(send);
    let (now, peak) = (Arc::clone(&live), Arc::clone(&most));
    let spawn: Arc<dyn Spawn> = Arc::new(By(move |task| {
        peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        send.lock().unwrap().send(task).unwrap();
    }));
    for order in ORDERS {
        // All run here, so that none is asked for between the end of a task and its being counted.
        for run in [0, 1, 7] {
            let builder = data::builder(config(dir.path(), order), "id").threads(8).spawn(Arc::clone(&spawn));
            let mut loader = builder.build().unwrap();
            // Those of the pool that has counted the records of the files end first.
            asked.try_iter().for_each(|task| ended(Some(task)));
            most.store(0, Ordering::SeqCst);
            let mut batches = 0;
            while loader.next_batch().unwrap().is_some() {
                batches += 1;
                asked.try_iter().take(run).for_each(|task| ended(Some(task)));
            }
            assert_eq!(batches, (2 * 5400_usize).div_ceil(7));
            drop(loader);
            asked.try_iter().for_each(|_| ended(None));
            // With the consumer.
            let most = most.load(Ordering::SeqCst);
            assert!(
                (1..=7).contains(&most) && (run > 0 || most == 7),
                "{order}, {run}: {most} tasks at once"
            );
        }
    }
}

#[test]
fn a_token_ends_a_loader() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[900], Compression::None);
    let cancel = Cancel::new();
    let builder = data::builder(config(dir.path(), ORDERS[0]), "id").threads(4).cancel(cancel.clone());
    let mut loader = builder.build().unwrap();
    assert!(loader.next_batch().unwrap().is_some());
    let state = loader.state();
    cancel.cancel();
    let error = loader.next_batch().unwrap_err();
    assert_eq!((error.detail(), error.kind()), (Some(&Kind::Stopped), ErrorKind::Cancelled));
    assert_eq!(loader.state(), state);
    assert!(loader.next_batch().unwrap().is_none());
}
