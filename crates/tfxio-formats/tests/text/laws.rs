//! Every record exactly once, however a data set is divided.

use std::path::PathBuf;

use proptest::prelude::*;
use tfxio_formats::tfxio_core::{Dataset, Partition, RecordRun, ScanRequest, Seek};

use crate::made::{Lies, all, numbers, open, write};

/// A small generator, so that a case is one number.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most.max(1)
    }

    fn fraction(&mut self) -> f64 {
        self.below(1001) as f64 / 1000.0
    }
}

fn files(folder: &tempfile::TempDir, lies: Lies, counts: &[u64]) -> Vec<PathBuf> {
    let each = counts.iter().enumerate();
    each.map(|(at, count)| write(folder.path(), &at.to_string(), lies, *count)).collect()
}

fn expected(files: &[PathBuf], counts: &[u64]) -> Vec<(String, u64)> {
    let each = files.iter().zip(counts);
    each.flat_map(|(file, count)| (0..*count).map(|number| (file.to_str().unwrap().to_owned(), number)))
        .collect()
}

/// As another process gets it.
fn shipped(partition: &Partition) -> Partition {
    serde_json::from_str(&serde_json::to_string(partition).unwrap()).unwrap()
}

fn request(random: &mut Random) -> ScanRequest {
    ScanRequest::new().batch_rows(1 + random.below(40) as usize).threads(1 + random.below(3) as usize)
}

/// Reads all partitions, splits and resumes scans at random moments.
fn read_divided(lies: Lies, dataset: &dyn Dataset, random: &mut Random) -> Vec<(String, u64)> {
    let target = 1 + random.below(20_000);
    let mut waiting = dataset.partitions(target).unwrap();
    let mut seen = Vec::new();
    let mut most = 2_000;
    while !waiting.is_empty() {
        let partition = waiting.swap_remove(random.below(waiting.len() as u64) as usize);
        let mut scan = dataset.scan(&shipped(&partition), &request(random)).unwrap();
        loop {
            most -= 1;
            match random.below(4) {
                0 if most > 0 => waiting.extend(scan.try_split(random.fraction()).unwrap()),
                1 if most > 0 => {
                    if let Some(rest) = scan.remaining() {
                        waiting.push(rest);
                        break;
                    }
                }
                _ => match scan.next_batch().unwrap() {
                    Some(batch) => seen.extend(numbers(lies, &batch)),
                    None => break,
                },
            }
        }
    }
    seen
}

fn lies() -> impl Strategy<Value = Lies> {
    prop::sample::select(Lies::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn every_record_comes_once(lies in lies(), counts in prop::collection::vec(1u64..400, 1..4), seed: u64) {
        let folder = tempfile::tempdir().unwrap();
        let files = files(&folder, lies, &counts);
        let dataset = open(lies, &files);
        let mut seen = read_divided(lies, &*dataset, &mut Random(seed));
        seen.sort();
        prop_assert_eq!(seen, expected(&files, &counts));
    }

    #[test]
    fn ranges_of_bytes_that_anybody_cuts_hold_every_record_once(
        lies in prop::sample::select(vec![Lies::Csv, Lies::CsvLines, Lies::Json]), count in 1u64..300, cuts in prop::collection::vec(0u64..30_000, 0..6), seed: u64
    ) {
        let folder = tempfile::tempdir().unwrap();
        let files = files(&folder, lies, &[count]);
        let name = files[0].to_str().unwrap();
        let dataset = open(lies, &files);
        let mut random = Random(seed);
        let mut cuts = cuts;
        cuts.extend([0, u64::MAX]);
        cuts.sort_unstable();
        let mut seen = Vec::new();
        for range in cuts.windows(2) {
            let partition = Partition::range(name, range[0], range[1]);
            let mut scan = dataset.scan(&partition, &request(&mut random)).unwrap();
            if let Some(tail) = scan.try_split(random.fraction()).unwrap() {
                seen.extend(all(lies, &mut *dataset.scan(&shipped(&tail), &request(&mut random)).unwrap()));
            }
            seen.extend(scan.next_batch().unwrap().iter().flat_map(|batch| numbers(lies, batch)));
            if let Some(rest) = scan.remaining() {
                seen.extend(all(lies, &mut *dataset.scan(&shipped(&rest), &request(&mut random)).unwrap()));
            }
        }
        seen.sort();
        prop_assert_eq!(seen, expected(&files, &[count]));
    }

    #[test]
    fn a_scan_goes_on_from_the_record_that_is_sought(lies in lies(), count in 1u64..300, seed: u64) {
        let folder = tempfile::tempdir().unwrap();
        let files = files(&folder, lies, &[count]);
        let dataset = open(lies, &files);
        let mut random = Random(seed);
        for partition in dataset.partitions(1 + random.below(20_000)).unwrap() {
            let mut scan = dataset.scan(&partition, &request(&mut random)).unwrap();
            let held = all(lies, &mut *dataset.scan(&partition, &request(&mut random)).unwrap());
            for _ in 0..8 {
                let at = random.below(held.len() as u64) as usize;
                let Some((_, record)) = held.get(at) else { continue };
                let sought = scan.seek(*record).unwrap();
                if sought == Seek::NotOffered {
                    prop_assert!(partition.first_record.is_none());
                    break;
                }
                prop_assert!(lies.is_gzip() || sought == Seek::Exact);
                let mut at = at;
                for _ in 0..random.below(3) {
                    let batch = scan.next_batch().unwrap();
                    let seen = batch.iter().flat_map(|batch| numbers(lies, batch)).collect::<Vec<_>>();
                    prop_assert_eq!(&held[at..at + seen.len()], &seen[..]);
                    prop_assert!(!seen.is_empty() || at == held.len());
                    at += seen.len();
                }
                if random.below(3) == 0 && let Some(rest) = scan.remaining() {
                    let seen = all(lies, &mut *dataset.scan(&shipped(&rest), &request(&mut random)).unwrap());
                    prop_assert_eq!(&held[at..], &seen[..]);
                }
            }
        }
    }

    #[test]
    fn runs_are_taken_in_their_order(lies in lies(), counts in prop::collection::vec(1u64..200, 1..3), seed: u64) {
        let folder = tempfile::tempdir().unwrap();
        let files = files(&folder, lies, &counts);
        let dataset = open(lies, &files);
        let mut random = Random(seed);
        let mut runs = Vec::new();
        let mut wanted = Vec::new();
        for _ in 0..random.below(12) {
            let file = random.below(files.len() as u64) as usize;
            let first = random.below(counts[file]);
            let records = random.below(counts[file] - first + 1);
            let name = files[file].to_str().unwrap();
            runs.push(RecordRun::new(name, first, records));
            wanted.extend((first..first + records).map(|number| (name.to_owned(), number)));
        }
        let limit = random.below(500);
        let mut scan = dataset.take(&runs, &request(&mut random).limit(limit)).unwrap();
        wanted.truncate(limit as usize);
        prop_assert_eq!(all(lies, &mut *scan), wanted);
    }

    #[test]
    fn batches_do_not_depend_on_threads(lies in lies(), count in 1u64..400, rows in 1usize..60, limit in 0u64..500) {
        let folder = tempfile::tempdir().unwrap();
        let files = files(&folder, lies, &[count]);
        let dataset = open(lies, &files);
        let read = |threads| {
            let request = ScanRequest::new().batch_rows(rows).threads(threads).limit(limit);
            let mut scan = dataset.scan(&Partition::whole(files[0].to_str().unwrap()), &request).unwrap();
            let mut batches = Vec::new();
            while let Some(batch) = scan.next_batch().unwrap() {
                batches.push((batch.columns().clone(), batch.origins().clone(), scan.remaining()));
            }
            batches
        };
        let one = read(1);
        prop_assert_eq!(one.iter().map(|(batch, ..)| batch.num_rows() as u64).sum::<u64>(), count.min(limit));
        for threads in 2..5 {
            prop_assert_eq!(&read(threads), &one);
        }
    }
}
