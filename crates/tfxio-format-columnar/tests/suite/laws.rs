//! Every row exactly once, whatever is asked of a scan in between.

use proptest::prelude::*;
use tfxio_core::{Batch, Dataset, Partition, RecordRun, Scan, ScanRequest, Seek};

use crate::test_files::{FORMATS, TestFiles, numbers};

fn files() -> impl Strategy<Value = Vec<Vec<i64>>> {
    prop::collection::vec(prop::collection::vec(0..40_i64, 1..6), 1..4)
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

/// Asserts that rows have their records as origins; the rows of a file begin with a number of their own.
fn check_origins(batch: &Batch, partition: &Partition, first: &dyn Fn(&str) -> i64) {
    for (row, n) in numbers(batch).into_iter().enumerate() {
        let origin = batch.origins().get(row).unwrap();
        assert_eq!(origin.file, partition.file);
        if partition.first_record.is_some() {
            assert_eq!(origin.record as i64, n - first(&origin.file));
        }
    }
}

fn read_in_steps(
    dataset: &dyn Dataset,
    target: u64,
    request: &ScanRequest,
    steps: &[Step],
    first: &dyn Fn(&str) -> i64,
) -> Vec<i64> {
    let mut queue = dataset.partitions(target).unwrap();
    let mut steps = steps.iter().cycle();
    let mut out = Vec::new();
    while let Some(partition) = queue.pop() {
        let mut scan = dataset.scan(&shipped(&partition), request).unwrap();
        let mut extend = |batch: &Batch| {
            check_origins(batch, &partition, first);
            out.extend(numbers(batch));
        };
        loop {
            match steps.next() {
                Some(Step::Resume) => {
                    // Something is always read in between, so that it ends.
                    if let Some(batch) = scan.next_batch().unwrap() {
                        extend(&batch);
                        queue.push(scan.remaining().unwrap());
                    }
                    break;
                }
                step => {
                    if let Some(Step::Split(fraction)) = step {
                        queue.extend(scan.try_split(*fraction).unwrap());
                    }
                    match scan.next_batch().unwrap() {
                        Some(batch) => extend(&batch),
                        None => break,
                    }
                }
            }
        }
    }
    out.sort_unstable();
    out
}

/// Returns the number with which the rows of a file begin.
fn first_of(files: &[Vec<i64>]) -> impl Fn(&str) -> i64 + '_ {
    |name| {
        let stem = std::path::Path::new(name).file_stem().unwrap().to_str().unwrap();
        files[..stem.parse::<usize>().unwrap()].iter().flatten().sum()
    }
}

fn rest(scan: &mut dyn Scan) -> Vec<i64> {
    let mut out = Vec::new();
    while let Some(batch) = scan.next_batch().unwrap() {
        out.extend(numbers(&batch));
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_row_comes_once(
        files in files(), target in 1..9000_u64, batch_rows in 1..50_usize, steps in steps(), threads in 1..4_usize,
    ) {
        for (format, ending) in FORMATS {
            let made = TestFiles::new(format, ending, &files);
            let request = ScanRequest::new().batch_rows(batch_rows).threads(threads);
            let read = read_in_steps(&*made.dataset, target, &request, &steps, &first_of(&files));
            prop_assert_eq!(read, (0..made.rows).collect::<Vec<_>>(), "{}", ending);
        }
    }

    #[test]
    fn partitions_are_cut_anywhere_and_counted(files in files(), cuts in prop::collection::vec(0..6000_u64, 0..5)) {
        for (format, ending) in FORMATS {
            let made = TestFiles::new(format, ending, &files);
            let mut cuts = cuts.clone();
            cuts.extend([0, u64::MAX]);
            cuts.sort_unstable();
            let mut out = Vec::new();
            for whole in made.dataset.partitions(u64::MAX).unwrap() {
                for pair in cuts.windows(2) {
                    let partition = Partition::range(whole.file.clone(), pair[0], pair[1]);
                    let rows = made.dataset.statistics(&partition).unwrap().rows.exact();
                    let read = rest(&mut *made.dataset.scan(&partition, &ScanRequest::new()).unwrap());
                    prop_assert_eq!(rows, Some(read.len() as u64));
                    out.extend(read);
                }
            }
            prop_assert_eq!(out, (0..made.rows).collect::<Vec<_>>(), "{}", ending);
        }
    }

    #[test]
    fn a_scan_goes_on_at_any_row(
        sizes in prop::collection::vec(0..40_i64, 1..6), seeks in prop::collection::vec((0..200_u64, 0..4_usize), 1..8),
        skip in 0..60_u64, records in 0..60_u64,
    ) {
        for (format, ending) in FORMATS {
            let made = TestFiles::new(format, ending, std::slice::from_ref(&sizes));
            let rows = made.rows as u64;
            let partition = made.dataset.partitions(u64::MAX).unwrap().remove(0).skip(skip).records(records);
            let end = (skip + records).min(rows);
            let mut scan = made.dataset.scan(&partition, &ScanRequest::new().batch_rows(9)).unwrap();
            for (record, batches) in &seeks {
                let sought = scan.seek(*record);
                if !(skip..end).contains(record) {
                    prop_assert!(sought.is_err(), "{record} of {skip}..{end}");
                    continue;
                }
                prop_assert_eq!(sought.unwrap(), Seek::Exact);
                let mut at = *record;
                for _ in 0..*batches {
                    let Some(batch) = scan.next_batch().unwrap() else { break };
                    prop_assert_eq!(batch.origins().get(0).unwrap().record, at);
                    for n in numbers(&batch) {
                        prop_assert_eq!(n as u64, at);
                        at += 1;
                    }
                }
                let remaining = scan.remaining().unwrap();
                let left = rest(&mut *made.dataset.scan(&remaining, &ScanRequest::new()).unwrap());
                prop_assert_eq!(left, (at as i64..end as i64).collect::<Vec<_>>(), "{}", ending);
            }
        }
    }

    #[test]
    fn rows_are_taken(files in files(), takes in prop::collection::vec((0..4_usize, 0..100_i64, 0..30_i64), 0..6), limit: bool) {
        for (format, ending) in FORMATS {
            let made = TestFiles::new(format, ending, &files);
            let partitions = made.dataset.partitions(u64::MAX).unwrap();
            let mut expected = Vec::new();
            let mut runs = Vec::new();
            for (file, first, count) in &takes {
                let file = file % files.len();
                let rows = files[file].iter().sum::<i64>();
                let (first, count) = (*first.min(&rows), (*count).min(rows - first.min(&rows)));
                let before = files[..file].iter().flatten().sum::<i64>();
                expected.extend(before + first..before + first + count);
                runs.push(RecordRun::new(partitions[file].file.clone(), first as u64, count as u64));
            }
            let mut request = ScanRequest::new().batch_rows(8);
            if limit {
                request = request.limit(17);
                expected.truncate(17);
            }
            let read = rest(&mut *made.dataset.take(&runs, &request).unwrap());
            prop_assert_eq!(&read, &expected, "{}", ending);
            for partition in made.dataset.partitions(u64::MAX).unwrap() {
                let mut own = runs.clone();
                own.retain(|run| run.file == partition.file);
                let in_file = rest(&mut *made.dataset.take_in_file(&partition, &own, &request).unwrap());
                let alone = rest(&mut *made.dataset.take(&own, &request).unwrap());
                prop_assert_eq!(in_file, alone, "{}", ending);
            }
        }
    }
}

#[test]
fn threads_change_nothing() {
    for (format, ending) in FORMATS {
        let made = TestFiles::new(format, ending, &[vec![5, 0, 30, 2, 17, 17, 1, 40, 3]]);
        let partition = made.dataset.partitions(u64::MAX).unwrap().remove(0);
        let batches = |threads| {
            let request = ScanRequest::new().batch_rows(8).threads(threads);
            let mut scan = made.dataset.scan(&partition, &request).unwrap();
            std::iter::from_fn(|| scan.next_batch().unwrap())
                .map(|batch| (batch.origins().get(0).unwrap().record, batch.into_columns()))
                .collect::<Vec<_>>()
        };
        let alone = batches(1);
        assert_eq!(alone.len(), 15);
        for threads in [2, 5] {
            assert_eq!(batches(threads), alone, "{ending}");
        }
        // Dropped while others decode.
        let mut scan = made.dataset.scan(&partition, &ScanRequest::new().batch_rows(1).threads(4)).unwrap();
        assert_eq!(numbers(&scan.next_batch().unwrap().unwrap()), [0]);
        assert_eq!(scan.remaining().unwrap().skip, 1);
    }
}
