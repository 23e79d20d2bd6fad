//! Damage, which is an error or skipped.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tfxio_core::{
    Cancel, ErrorKind, FileFormat as _, Files, Input, LocalStore, OnError, RecordRun, ScanRequest, Seek,
    Skip, Store,
};
use tfxio_formats::AvroFormat;
use tfxio_formats::avro_path::container::Codec;

use crate::test_files::{Record, TestFiles, all, container, plain, records};

/// A file in whose blocks the text of some rows is not UTF-8.
fn made(bad: &[i64]) -> TestFiles {
    let whole = container(false, Codec::Null, 0..60, 100);
    let mut bytes = whole.clone();
    for n in bad {
        let text = format!("row {n}");
        let at = bytes.windows(text.len()).position(|window| window == text.as_bytes()).unwrap();
        bytes[at] = 0xff;
    }
    let made = TestFiles::new().file(0, &whole);
    std::fs::write(&*made.files[0], bytes).unwrap();
    made
}

fn good(made: &TestFiles, bad: &[i64]) -> Vec<Record> {
    made.records.iter().filter(|record| !bad.contains(&record.n)).cloned().collect()
}

fn skipping(skip: &Skip) -> ScanRequest {
    ScanRequest::new().batch_rows(7).on_error(OnError::Skip(skip.clone()))
}

#[test]
fn an_error_names_the_record_and_ends_the_scan() {
    let made = made(&[20]);
    let dataset = made.open(plain());
    let whole = dataset.partitions(u64::MAX).unwrap().remove(0);
    for threads in [1, 2] {
        let request = ScanRequest::new().batch_rows(6).threads(threads);
        let mut scan = dataset.scan(&whole, &request).unwrap();
        let mut rows = 0;
        let error = loop {
            match scan.next_batch() {
                Ok(batch) => rows += batch.expect("an error before the end").num_rows(),
                Err(error) => break error,
            }
        };
        assert_eq!((rows, error.kind(), error.position().record), (18, ErrorKind::Malformed, Some(20)));
        assert!(scan.next_batch().unwrap().is_none());
        // What was not returned begins with the batch that failed.
        assert_eq!(scan.remaining().unwrap().first_read(), Some(18));
    }
}

#[test]
fn damaged_records_are_skipped_and_the_others_keep_their_numbers() {
    let bad = [4, 5, 17, 19, 31];
    let made = made(&bad);
    let dataset = made.open(plain());
    let whole = dataset.partitions(u64::MAX).unwrap().remove(0);
    let skip = Skip::default();
    assert_eq!(all(&mut *dataset.scan(&whole, &skipping(&skip)).unwrap()), good(&made, &bad));
    assert_eq!(skip.report().records, 5);
    // Resumed after each batch.
    let (skip, mut left, mut read) = (Skip::default(), Some(whole.clone()), Vec::new());
    while let Some(partition) = left.take() {
        let mut scan = dataset.scan(&partition, &skipping(&skip)).unwrap();
        if let Some(batch) = scan.next_batch().unwrap() {
            read.extend(records(&batch));
            left = scan.remaining();
        }
    }
    assert_eq!(read, good(&made, &bad));
    assert_eq!(skip.report().records, 5);
    // Split over and over.
    let (skip, mut queue, mut read) = (Skip::default(), vec![whole.clone()], Vec::new());
    while let Some(partition) = queue.pop() {
        let mut scan = dataset.scan(&partition, &skipping(&skip)).unwrap();
        while let Some(batch) = scan.next_batch().unwrap() {
            read.extend(records(&batch).into_iter().map(|record| record.n));
            queue.extend(scan.try_split(0.5).unwrap());
        }
    }
    read.sort_unstable();
    assert_eq!(read, good(&made, &bad).iter().map(|record| record.n).collect::<Vec<_>>());
    // Chosen, in another order.
    let runs = [RecordRun::new(whole.file.clone(), 30, 4), RecordRun::new(whole.file.clone(), 3, 4)];
    let read = all(&mut *dataset.take(&runs, &skipping(&Skip::default())).unwrap());
    assert_eq!(read.iter().map(|record| record.record).collect::<Vec<_>>(), [30, 32, 33, 3, 6]);
    assert_eq!(read.iter().map(|record| record.n).collect::<Vec<_>>(), [30, 32, 33, 3, 6]);
    // A seek to a damaged one goes to the next.
    let mut scan = dataset.scan(&whole, &skipping(&Skip::default())).unwrap();
    assert_eq!(scan.seek(4).unwrap(), Seek::Exact);
    assert_eq!(all(&mut *scan), &good(&made, &bad)[4..]);
}

/// The local file system, with the number of files that were opened.
#[derive(Debug, Default)]
struct Counting(AtomicUsize);

impl Store for Counting {
    fn list(&self, pattern: &str) -> tfxio_core::Result<Vec<Arc<str>>> {
        LocalStore.list(pattern)
    }

    fn size(&self, name: &str) -> tfxio_core::Result<Option<u64>> {
        LocalStore.size(name)
    }

    fn open(&self, name: &str, range: Range<u64>, cancel: &Cancel) -> tfxio_core::Result<Box<dyn Input>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        LocalStore.open(name, range, cancel)
    }
}

#[test]
fn chosen_records_of_many_blocks_are_skipped_in_one_open_file() {
    let bad = [4, 31];
    let made = made(&bad);
    let store = Arc::new(Counting::default());
    let files = Files::new(made.files.iter().cloned(), store.clone());
    let dataset = AvroFormat.open(files, &plain()).unwrap();
    let skip = Skip::default();
    // Each record is of another block than the one before. Heads of blocks are read as far as they are asked for.
    let runs = (0..60).map(|n| RecordRun::new(made.files[0].clone(), n * 37 % 60, 1)).collect::<Vec<_>>();
    let read = all(&mut *dataset.take(&runs, &skipping(&skip)).unwrap());
    let expected = (0..60).map(|n| n * 37 % 60).filter(|n| !bad.contains(n)).collect::<Vec<_>>();
    assert_eq!(read.iter().map(|record| record.n).collect::<Vec<_>>(), expected);
    assert_eq!(skip.report().records, 2);
    assert!(store.0.load(Ordering::Relaxed) < 20, "{store:?}");
}

#[test]
fn chosen_records_in_the_order_of_the_file_open_it_once_for_its_heads_and_once_for_its_blocks() {
    let made = made(&[]);
    let store = Arc::new(Counting::default());
    let files = Files::new(made.files.iter().cloned(), store.clone());
    let dataset = AvroFormat.open(files, &plain()).unwrap();
    let opened = store.0.load(Ordering::Relaxed);
    let runs = (0..60).map(|n| RecordRun::new(made.files[0].clone(), n, 1)).collect::<Vec<_>>();
    let request = ScanRequest::new().batch_rows(7);
    assert_eq!(all(&mut *dataset.take(&runs, &request).unwrap()), made.records);
    assert_eq!(store.0.load(Ordering::Relaxed) - opened, 2);
}

#[test]
fn records_after_a_damaged_block_are_found_by_reading() {
    let made = made(&[]);
    let mut bytes = std::fs::read(&*made.files[0]).unwrap();
    let second = made.records.iter().find(|record| record.byte > made.records[0].byte).unwrap();
    let third = made.records.iter().find(|record| record.byte > second.byte).unwrap();
    // The marker after the second block, and its size.
    bytes[usize::try_from(third.byte).unwrap() - 5] ^= 1;
    bytes[usize::try_from(second.byte).unwrap() + 1] ^= 2;
    std::fs::write(&*made.files[0], bytes).unwrap();
    let dataset = made.open(plain());
    let whole = dataset.partitions(u64::MAX).unwrap().remove(0);
    let skip = Skip::default();
    let mut scan = dataset.scan(&whole, &skipping(&skip)).unwrap();
    let read = all(&mut *scan);
    assert!(read.len() < made.records.len() && skip.report().ranges > 0, "{}", skip.report());
    let target = read[read.len() - 3].clone();
    assert_eq!(scan.seek(target.record).unwrap(), Seek::Read(target.record));
    assert_eq!(all(&mut *scan), &read[read.len() - 3..]);
}

#[test]
fn threads_read_long_files_as_one_does_up_to_a_damaged_record() {
    for codec in [Codec::Null, Codec::Deflate] {
        let whole = container(false, codec, 0..60_000, 3000);
        let made = TestFiles::new().file(0, &whole);
        let first = made.records[0].byte;
        for bad in [None, Some(31_234_u32), Some(59_999)] {
            let mut bytes = whole.clone();
            if let Some(bad) = bad {
                let text = format!("row {bad}");
                // A compressed file is damaged as a block.
                let position = bytes.windows(text.len()).position(|window| window == text.as_bytes());
                let after = usize::try_from(first).unwrap();
                bytes[position.unwrap_or(after + (whole.len() - after) / 60_000 * bad as usize)] = 0xff;
            }
            std::fs::write(&*made.files[0], bytes).unwrap();
            let dataset = made.open(plain());
            for (batch_rows, skip) in [(7, 0), (1000, 0), (1000, 12_345), (40_000, 0)] {
                let read = |threads| {
                    let request = ScanRequest::new().batch_rows(batch_rows).threads(threads);
                    let whole = dataset.partitions(u64::MAX).unwrap().remove(0).skip(skip);
                    let mut scan = dataset.scan(&whole, &request).unwrap();
                    let mut batches = Vec::new();
                    loop {
                        match scan.next_batch() {
                            Ok(Some(batch)) => batches.push(records(&batch)),
                            end => break (batches, end.err().map(|error| error.to_string())),
                        }
                    }
                };
                let alone = read(1);
                assert_eq!(alone.1.is_some(), bad.is_some(), "{codec}, {bad:?}: {:?}", alone.1);
                assert!(read(3) == alone, "{codec}, {bad:?}, batches of {batch_rows} after {skip}");
            }
        }
    }
}
