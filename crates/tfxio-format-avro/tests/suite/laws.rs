//! Every record exactly once, whatever is asked of a scan in between.

use std::sync::Arc;

use proptest::prelude::*;
use tfxio_core::{Batch, Dataset, FormatOptions, Partition, RecordRun, ScanRequest, Seek};
use tfxio_formats::avro_path::container::Codec;

use crate::test_files::{BOTH, Record, TestFiles, all, container, plain, records};

/// Files of two schemas, one of them without records.
fn made(codec: Codec, sizes: [i64; 3], block_bytes: usize) -> TestFiles {
    let [a, b, c] = sizes;
    TestFiles::new()
        .file(0, &container(false, codec, 0..a, block_bytes))
        .file(a, &container(true, codec, a..a + b, block_bytes))
        .file(0, &container(false, codec, 0..0, block_bytes))
        .file(a + b, &container(false, codec, a + b..a + b + c, block_bytes))
}

/// Whole records, or key expressions.
fn options(has_keys: bool) -> FormatOptions {
    let options = plain().option("reader_schema", BOTH);
    if has_keys { options.option("keys", vec!["text".to_owned(), "n".to_owned()]) } else { options }
}

fn codec() -> impl Strategy<Value = Codec> {
    prop_oneof![Just(Codec::Null), Just(Codec::Deflate)]
}

fn sizes() -> impl Strategy<Value = [i64; 3]> {
    [0..60_i64, 0..60_i64, 1..120_i64]
}

/// Step of a scan.
#[derive(Clone, Copy, Debug)]
enum Step {
    Read,
    Split(f64),
    Resume,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => Just(Step::Read),
        1 => (0.0..1.2_f64).prop_map(Step::Split),
        1 => Just(Step::Resume),
    ];
    prop::collection::vec(step, 1..20)
}

/// As another process gets it.
fn shipped(partition: &Partition) -> Partition {
    serde_json::from_str(&serde_json::to_string(partition).unwrap()).unwrap()
}

/// Reads everything, with partitions that are split and resumed.
fn read_in_steps(dataset: &dyn Dataset, target: u64, request: &ScanRequest, steps: &[Step]) -> Vec<Record> {
    let mut queue = dataset.partitions(target).unwrap();
    let mut steps = steps.iter().cycle();
    let mut out = Vec::new();
    while let Some(partition) = queue.pop() {
        let is_numbered = partition.first_record.is_some();
        let mut scan = dataset.scan(&shipped(&partition), request).unwrap();
        loop {
            match steps.next() {
                Some(Step::Resume) => {
                    // Something is always read in between, so that it ends.
                    if let Some(batch) = scan.next_batch().unwrap() {
                        extend(&mut out, &batch, is_numbered);
                        queue.push(scan.remaining().unwrap());
                    }
                    break;
                }
                step => {
                    if let Some(Step::Split(fraction)) = step {
                        queue.extend(scan.try_split(*fraction).unwrap());
                    }
                    match scan.next_batch().unwrap() {
                        Some(batch) => extend(&mut out, &batch, is_numbered),
                        None => break,
                    }
                }
            }
        }
    }
    out.sort();
    out
}

/// Appends the records of a batch; where they are numbered within the partition, by nothing else than their value.
fn extend(out: &mut Vec<Record>, batch: &Batch, is_numbered: bool) {
    let unnumbered = |record: Record| if is_numbered { record } else { Record { record: 0, ..record } };
    out.extend(records(batch).into_iter().map(unnumbered));
}

/// Asserts that both are the same records. Those without a number are known by their value.
fn assert_same(read: &[Record], expected: &[Record]) {
    let key = |record: &Record| (record.n, Arc::clone(&record.file), record.byte);
    let sorted = |records: &[Record]| {
        let mut keys = records.iter().map(key).collect::<Vec<_>>();
        keys.sort();
        keys
    };
    assert_eq!(sorted(read), sorted(expected));
    for record in read.iter().filter(|record| record.record > 0) {
        assert!(expected.contains(record), "{record:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_record_comes_once(
        codec in codec(), sizes in sizes(), block_bytes in 1..200_usize, has_keys: bool,
        target in 1..4000_u64, batch_rows in 1..40_usize, threads in 1..4_usize, steps in steps(),
    ) {
        let made = made(codec, sizes, block_bytes);
        let dataset = made.open(options(has_keys));
        let request = ScanRequest::new().batch_rows(batch_rows).threads(threads);
        assert_same(&read_in_steps(&*dataset, target, &request, &steps), &made.records);
    }

    #[test]
    fn rows_and_borders_are_the_same_on_any_number_of_threads(
        codec in codec(), sizes in sizes(), block_bytes in 1..200_usize, has_keys: bool,
        target in 1..4000_u64, batch_rows in 1..40_usize, limit in 0..150_u64,
    ) {
        let made = made(codec, sizes, block_bytes);
        let dataset = made.open(options(has_keys));
        for partition in dataset.partitions(target).unwrap() {
            let read = |threads, limit| {
                let mut request = ScanRequest::new().batch_rows(batch_rows).threads(threads);
                request.limit = limit;
                let mut scan = dataset.scan(&partition, &request).unwrap();
                let mut batches = Vec::new();
                while let Some(batch) = scan.next_batch().unwrap() {
                    batches.push((batch.columns().clone(), records(&batch)));
                }
                batches
            };
            let one = read(1, None);
            prop_assert!(one.iter().rev().skip(1).all(|(batch, _)| batch.num_rows() == batch_rows));
            prop_assert_eq!(&one, &read(3, None));
            let limited = read(1, Some(limit));
            prop_assert_eq!(&limited, &read(3, Some(limit)));
            let rows = |batches: &[(_, Vec<Record>)]| batches.iter().flat_map(|(_, rows)| rows.clone()).collect::<Vec<_>>();
            let most = usize::try_from(limit).unwrap().min(rows(&one).len());
            prop_assert_eq!(&rows(&limited), &rows(&one)[..most]);
        }
    }

    #[test]
    fn a_seek_goes_to_the_record(
        codec in codec(), sizes in sizes(), block_bytes in 1..200_usize, target in 200..4000_u64,
        batch_rows in 1..40_usize, threads in 1..3_usize, at in prop::collection::vec(0..1000_usize, 1..8),
    ) {
        let made = made(codec, sizes, block_bytes);
        let dataset = made.open(options(false));
        let request = ScanRequest::new().batch_rows(batch_rows).threads(threads);
        for partition in dataset.partitions(target).unwrap() {
            // Rows of a partition whose numbers are not known are found by their values.
            let inside = all(&mut *dataset.scan(&partition, &request).unwrap());
            let inside = made.records.iter().filter(|record| inside.iter().any(|other| other.n == record.n));
            let inside = inside.collect::<Vec<_>>();
            let mut scan = dataset.scan(&partition, &request).unwrap();
            for at in &at {
                let Some(wanted) = inside.get(at % inside.len().max(1)) else { continue };
                prop_assert_eq!(scan.seek(wanted.record).unwrap(), Seek::Exact);
                let batch = scan.next_batch().unwrap().unwrap();
                let read = records(&batch);
                let expected = inside.iter().skip_while(|record| *record != wanted).take(batch_rows);
                prop_assert_eq!(read, expected.copied().cloned().collect::<Vec<_>>());
            }
            let last = inside.last().map_or(0, |record| record.record + 1);
            prop_assert!(scan.seek(last + 1000).is_err());
        }
    }

    #[test]
    fn chosen_records_come_in_the_order_of_the_runs(
        codec in codec(), sizes in sizes(), block_bytes in 1..200_usize, has_keys: bool,
        batch_rows in 1..40_usize, limit in prop::option::of(0..100_u64),
        runs in prop::collection::vec((0..1000_usize, 0..20_u64), 0..30),
    ) {
        let made = made(codec, sizes, block_bytes);
        let dataset = made.open(options(has_keys));
        let mut request = ScanRequest::new().batch_rows(batch_rows);
        request.limit = limit;
        let mut expected = Vec::new();
        let mut wanted = Vec::new();
        for (at, count) in runs {
            let first = &made.records[at % made.records.len()];
            let run = made.records.iter().filter(|record| record.file == first.file && record.record >= first.record);
            let run = run.take(usize::try_from(count).unwrap()).cloned().collect::<Vec<_>>();
            wanted.push(RecordRun::new(Arc::clone(&first.file), first.record, run.len() as u64));
            expected.extend(run);
        }
        expected.truncate(limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap()));
        let mut scan = dataset.take(&wanted, &request).unwrap();
        let mut read = Vec::new();
        while let Some(batch) = scan.next_batch().unwrap() {
            prop_assert!(batch.num_rows() <= batch_rows);
            read.extend(records(&batch));
        }
        prop_assert_eq!(read, expected);
    }
}
