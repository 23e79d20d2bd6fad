//! Threads end when the loader does, and what goes wrong on one of them reaches the consumer.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use batch_loader::Kind;
use batch_loader::config::LoaderConfig;
use tfrecord_io::Compression;
use tfxio_core::{Input, Store};

use crate::data;

/// Opens files that do something at a byte.
struct Trap {
    /// Number of open inputs.
    open: Arc<AtomicUsize>,
    at: u64,
    spring: fn() -> io::Result<()>,
}

struct Trapped {
    file: File,
    open: Arc<AtomicUsize>,
    left: u64,
    spring: fn() -> io::Result<()>,
}

impl Read for Trapped {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            (self.spring)()?;
        }
        let most = buf.len().min(usize::try_from(self.left).unwrap().max(1));
        let count = self.file.read(&mut buf[..most])?;
        self.left = self.left.saturating_sub(count as u64);
        Ok(count)
    }
}

impl Seek for Trapped {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for Trapped {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Input for Trapped {}

impl Trap {
    fn store(self) -> Arc<dyn Store> {
        Arc::new(data::Opened(move |file| -> Box<dyn Input> {
            self.open.fetch_add(1, Ordering::SeqCst);
            let (open, spring) = (Arc::clone(&self.open), self.spring);
            Box::new(Trapped { file, open, left: self.at, spring })
        }))
    }
}

fn config(dir: &Path, epochs: &str, threads: usize) -> LoaderConfig {
    let more = format!(
        r#""target_batch_size": 4, "drop_remainder": false, "epochs": {epochs},
           "num_parallel_reads": {threads}, "num_parallel_parses": {threads}"#
    );
    data::config("independent", dir, "id", &more)
}

#[test]
fn dropping_a_loader_closes_its_files() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[5000, 5000, 5000], Compression::None);
    for threads in [1, 3] {
        for batches in [0, 1, 1000] {
            let open = Arc::new(AtomicUsize::new(0));
            let opener = Trap { open: Arc::clone(&open), at: u64::MAX, spring: || Ok(()) };
            let builder = data::builder(config(dir.path(), "null", threads), "id");
            let mut loader = builder.store(opener.store()).build().unwrap();
            for _ in 0..batches {
                loader.next_batch().unwrap().unwrap();
            }
            drop(loader);
            // Nobody asks for more: whoever is at work ends, and files are closed.
            while open.load(Ordering::SeqCst) > 0 {
                std::thread::yield_now();
            }
        }
    }
}

#[test]
fn a_panic_on_a_thread_is_an_error_and_not_a_hang() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[9000], Compression::None);
    for threads in [1, 2] {
        let opener = Trap { open: Arc::default(), at: 300_000, spring: || panic!("the disk is on fire") };
        let builder = data::builder(config(dir.path(), "null", threads), "id");
        let mut loader = builder.store(opener.store()).build().unwrap();
        let error = loop {
            match loader.next_batch() {
                Ok(batch) => assert!(batch.is_some(), "the data set has no end"),
                Err(error) => break error,
            }
        };
        assert_eq!(error.to_string(), "a worker panicked: the disk is on fire; please report this");
        assert!(loader.next_batch().unwrap().is_none(), "a loader that has failed stays at its end");
    }
}

#[test]
fn a_failing_disk_is_an_error_behind_the_batches_before_it() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[9000], Compression::None);
    let spring = || Err(io::Error::other("the disk is gone"));
    let opener = Trap { open: Arc::default(), at: 300_000, spring };
    let mut loader = data::builder(config(dir.path(), "1", 2), "id").store(opener.store()).build().unwrap();
    let mut examples = 0;
    let error = loop {
        match loader.next_batch() {
            Ok(batch) => examples += batch.expect("an error comes before the end").len(),
            Err(error) => break error,
        }
    };
    assert_eq!(error.detail(), Some(&Kind::Io));
    assert!(error.position().file.as_deref().is_some_and(|file| file.ends_with("000.tfrecord")), "{error}");
    assert!(error.position().byte.is_some_and(|byte| byte <= 300_000), "{error}");
    // All whole batches of the records that were read.
    let size = std::fs::metadata(dir.path().join("000.tfrecord")).unwrap().len();
    let read = 300_000 * 9000 / size as usize;
    assert!(
        examples + 600 > read && examples <= read + 600 && examples.is_multiple_of(4),
        "{examples} of {read}"
    );
}

#[test]
fn stats_are_told_from_another_thread() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[100], Compression::Gzip);
    let mut loader = data::builder(config(dir.path(), "2", 1), "id").build().unwrap();
    let stats = loader.stats_handle();
    let watch = std::thread::spawn(move || {
        while stats.get().batches < 50 {
            std::thread::yield_now();
        }
        stats.get()
    });
    assert_eq!(data::rest(&mut loader, "id").len(), 50);
    let stats = watch.join().unwrap();
    assert_eq!((stats.batches, stats.examples, stats.records_parsed), (50, 200, 200));
    assert_eq!(stats.bytes_inflated, stats.bytes_framed);
    assert_eq!(stats.records_skipped, 0);
}

#[test]
fn few_files_are_open_at_once_when_records_of_many_are_wanted() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[6; 150], Compression::None);
    let most = Arc::new(AtomicUsize::new(0));
    let more = r#""target_batch_size": 10, "drop_remainder": false, "epochs": 1, "shuffle": "global", "seed": 2,
        "num_parallel_reads": 4"#;
    let config = data::config("independent", dir.path(), "id", more);
    let (open, all) = (Arc::new(AtomicUsize::new(0)), Arc::clone(&most));
    let store = data::Opened(move |file| -> Box<dyn Input> {
        all.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        Box::new(Trapped { file, open: Arc::clone(&open), left: u64::MAX, spring: || Ok(()) })
    });
    let mut loader = data::builder(config, "id").store(Arc::new(store)).build().unwrap();
    let mut all =
        data::rest(&mut loader, "id").into_iter().flat_map(|(_, values)| values).collect::<Vec<_>>();
    all.sort_unstable();
    assert_eq!(all, (0..150).flat_map(|file| 1000 * file..1000 * file + 6).collect::<Vec<i64>>());
    // One for each reader, one for the planner, and one more while each of them closes it.
    assert!(most.load(Ordering::SeqCst) <= 10, "{most:?} files were open");
}
