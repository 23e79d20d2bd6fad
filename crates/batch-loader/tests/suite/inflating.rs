//! Statistics tell the time of decompression apart, on whichever thread it happens.

use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use batch_loader::Stats;
use tfrecord_io::Compression;
use tfxio_core::{InflateClock, Spawn};

use crate::data;

const RECORDS: usize = 3000;

/// Runner that starts a thread for each task, and keeps what it decompressed.
#[derive(Debug, Default)]
struct Kept {
    threads: Mutex<Vec<JoinHandle<Duration>>>,
    /// Runs where the loader's does not.
    unknown: InflateClock,
}

impl Spawn for Kept {
    fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        let unknown = self.unknown.clone();
        let thread = std::thread::spawn(move || {
            unknown.during(task);
            InflateClock::of_this_thread()
        });
        self.threads.lock().unwrap().push(thread);
    }
}

/// Loads files of this compression. Returns the counts, how long it took, and how much this thread and the others decompressed.
fn load(compression: Compression, threads: usize) -> (Stats, Duration, [Duration; 2]) {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[RECORDS, RECORDS], compression);
    let config = data::config("independent", dir.path(), "id", r#""target_batch_size": 100"#);
    let kept = Arc::new(Kept::default());
    let spawn = Arc::clone(&kept) as Arc<dyn Spawn>;
    let mut loader = data::builder(config, "id").threads(threads).spawn(spawn).build().unwrap();
    let (before, begun) = (InflateClock::of_this_thread(), Instant::now());
    let batches = kept.unknown.during(|| data::rest(&mut loader, "id"));
    assert_eq!(batches.len(), 2 * RECORDS / 100);
    let (handle, took) = (loader.stats_handle(), begun.elapsed());
    drop(loader);
    let own = InflateClock::of_this_thread() - before;
    let mut others = Duration::ZERO;
    loop {
        // What ends may have asked for another.
        let Some(thread) = kept.threads.lock().unwrap().pop() else { break };
        others += thread.join().unwrap();
    }
    assert_eq!(kept.unknown.elapsed(), Duration::ZERO, "the loader does not know of it");
    (handle.get(), took, [own, others])
}

#[test]
fn what_nobody_compressed_takes_no_time() {
    let (stats, _, own) = load(Compression::None, 2);
    assert_eq!((stats.bytes_inflated, stats.inflating, own), (0, Duration::ZERO, [Duration::ZERO; 2]));
    assert!(!stats.reading.is_zero());
}

#[test]
fn stages_of_one_thread_are_within_the_time() {
    let (stats, took, own) = load(Compression::Gzip, 1);
    assert_eq!(own, [stats.inflating, Duration::ZERO]);
    assert!(!stats.inflating.is_zero() && !stats.reading.is_zero() && stats.bytes_inflated > 0, "{stats:?}");
    // What counts twice would be more than there was.
    let all = stats.reading + stats.inflating + stats.parsing + stats.planning + stats.assembling;
    assert!(all <= took, "{stats:?} in {took:?}");
}

#[test]
fn all_threads_count() {
    for compression in [Compression::Gzip, Compression::Zlib] {
        let (stats, _, [own, others]) = load(compression, 4);
        assert_eq!(stats.inflating, own + others, "{compression:?}");
        assert!(!stats.inflating.is_zero());
    }
}
