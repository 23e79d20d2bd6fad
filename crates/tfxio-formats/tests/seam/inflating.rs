//! gzip members that several threads inflate.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::Array as _;
use arrow_array::cast::AsArray as _;
use tfxio_formats::tfxio_core::{Batch, OnError, Scan as _, ScanRequest, Skip, SkipBudget, Spawn};
use tfxio_formats::{DatasetExt as _, OpenOptions};

use crate::made::{self, Lies, write};

/// Returns the records that are read, and what ends it.
fn read(file: &Path, request: ScanRequest) -> (Vec<u64>, Option<String>) {
    let dataset = made::open(&[file.to_owned()]);
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
    let file = write(folder.path(), "a.gz", Lies::Members, 1000);
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
    let file = write(folder.path(), "a.gz", Lies::Members, 1000);
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
