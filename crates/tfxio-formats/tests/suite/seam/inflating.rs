//! gzip members, and streams of one member, that several threads inflate.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::Array as _;
use arrow_array::cast::AsArray as _;
use tfrecord_io::{Compression, Writer};
use tfxio_formats::tfxio_core::{Batch, OnError, Scan as _, ScanRequest, Skip, SkipBudget, Spawn};
use tfxio_formats::{DatasetExt as _, OpenOptions};

use crate::seam::test_files::{self, FileLayout, write};

/// Returns the records that are read, and what ends it.
fn read(file: &Path, request: ScanRequest) -> (Vec<u64>, Option<String>) {
    let dataset = test_files::open(&[file.to_owned()]);
    let mut all = Vec::new();
    let mut batches = match dataset.read(request) {
        Ok(batches) => batches,
        Err(error) => return (all, Some(error.to_string())),
    };
    loop {
        match batches.next_batch() {
            Ok(Some(batch)) => all.extend(numbers(&batch)),
            Ok(None) => return (all, None),
            Err(error) => return (all, Some(error.to_string())),
        }
    }
}

/// Returns the numbers that begin the payloads of a batch.
fn numbers(batch: &Batch) -> Vec<u64> {
    let lists = batch.columns().column(0).as_list::<i64>();
    let number = |row| {
        let values = lists.value(row);
        u64::from_le_bytes(values.as_binary::<i64>().value(0)[..8].try_into().unwrap())
    };
    (0..lists.len()).map(number).collect()
}

/// Counts the tasks that it is given.
#[derive(Debug, Default)]
struct Counting(AtomicUsize);

impl Spawn for Counting {
    fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        self.0.fetch_add(1, Ordering::SeqCst);
        std::thread::spawn(task);
    }
}

/// Runs every task within the call.
#[derive(Debug)]
struct Inline;

impl Spawn for Inline {
    fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        task();
    }
}

/// Drops every task.
#[derive(Debug)]
struct Never;

impl Spawn for Never {
    fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        drop(task);
    }
}

#[test]
fn members_are_inflated_on_the_threads_of_the_request() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "a.gz", FileLayout::Members, 1000);
    let expected = (0..1000).collect::<Vec<_>>();
    for threads in [1, 2, 4, 8] {
        let spawn = Arc::new(Counting::default());
        let request = ScanRequest::new().threads(threads).batch_rows(100).spawn(Arc::clone(&spawn) as _);
        assert_eq!(read(&file, request), (expected.clone(), None), "{threads} threads");
        assert_eq!(spawn.0.load(Ordering::SeqCst) > 0, threads > 1, "{threads} threads");
    }
    let never = ScanRequest::new().threads(4).spawn(Arc::new(Never));
    assert_eq!(read(&file, never), (expected.clone(), None));
    // While a file is opened as well.
    let folder = folder.path();
    let digits = format!("{}/../../fixtures/digits/digits@3.tfrecord", env!("CARGO_MANIFEST_DIR"));
    let found = OpenOptions::new().threads(3).find(digits.as_str()).unwrap();
    let copy = folder.join("digits.tfrecord.gz");
    let copied = found.format.copy_records().unwrap();
    copied.copy_records(&found.files, copy.to_str().unwrap(), &found.options, &mut |_| {}).unwrap();
    let dataset = OpenOptions::new().threads(3).open(&copy).unwrap();
    assert_eq!(dataset.schema(), OpenOptions::new().open(digits.as_str()).unwrap().schema());
}

#[test]
fn damage_is_said_as_by_one_thread() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "a.gz", FileLayout::Members, 1000);
    let whole = std::fs::read(&file).unwrap();
    for at in (50..whole.len()).step_by(whole.len() / 40) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        std::fs::write(&file, &bytes).unwrap();
        for request in [ScanRequest::new().batch_rows(64), ScanRequest::new().batch_rows(7)] {
            let alone = read(&file, request.clone());
            assert_eq!(read(&file, request.threads(4)), alone, "byte {at}");
        }
        let skipping = || {
            let skip = Skip::new(SkipBudget::default());
            let request = ScanRequest::new().on_error(OnError::Skip(skip.clone()));
            (skip, request)
        };
        let ((one, alone), (four, together)) = (skipping(), skipping());
        assert_eq!(read(&file, together.threads(4)), read(&file, alone), "byte {at}");
        assert_eq!(one.report().to_string(), four.report().to_string(), "byte {at}");
    }
    for len in (1..whole.len()).step_by(whole.len() / 20) {
        std::fs::write(&file, &whole[..len]).unwrap();
        let alone = read(&file, ScanRequest::new().batch_rows(64));
        assert_eq!(read(&file, ScanRequest::new().batch_rows(64).threads(4)), alone, "{len} bytes");
    }
}

/// Returns requests that must all give the same: of 1, 2 and 8 threads, with tasks that never run, and that run inline.
fn requests(rows: usize) -> [ScanRequest; 5] {
    let request = ScanRequest::new().batch_rows(rows);
    let two = request.clone().threads(2);
    [
        request.clone(),
        two.clone(),
        request.threads(8),
        two.clone().spawn(Arc::new(Never)),
        two.spawn(Arc::new(Inline)),
    ]
}

/// Compresses some MB of records, most of which are alike, in one member.
fn one_stream(compression: Compression) -> Vec<u8> {
    let mut writer = Writer::builder(Vec::new()).compression(compression).single_member().build().unwrap();
    let mut payload = vec![7; 1000];
    for number in 0..3000u64 {
        payload[..8].copy_from_slice(&number.to_le_bytes());
        let random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
        payload[100 + number as usize % 800..][..8].copy_from_slice(&random);
        writer.write(&payload).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn one_stream_is_inflated_ahead() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.tfrecord");
    for compression in [Compression::Gzip, Compression::Zlib] {
        let whole = one_stream(compression);
        std::fs::write(&file, &whole).unwrap();
        for request in requests(100) {
            assert_eq!(read(&file, request.clone()), ((0..3000).collect(), None), "{request:?}");
            let some = read(&file, request.limit(1234));
            assert_eq!(some, ((0..1234).collect(), None));
        }
        for cut in 1..=5 {
            std::fs::write(&file, &whole[..whole.len() * cut / 6]).unwrap();
            same_for_all(&file);
        }
        for number in 1..=8 {
            let mut damaged = whole.clone();
            damaged[whole.len() * number / 9] ^= 0x10;
            std::fs::write(&file, &damaged).unwrap();
            same_for_all(&file);
        }
    }
}

/// Checks that damage is said, or skipped, by any threads as by one.
fn same_for_all(file: &Path) {
    let mut alone = None;
    for request in requests(100) {
        let this = read(file, request.clone());
        let skip = Skip::new(SkipBudget::default());
        let skipping = read(file, request.clone().on_error(OnError::Skip(skip.clone())));
        let this = (this, skipping, skip.report().to_string());
        assert!(alone.get_or_insert_with(|| this.clone()) == &this, "{request:?}");
    }
}
