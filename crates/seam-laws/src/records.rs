//! Laws of formats that hold records one after the other: every record comes once, however a data set is divided.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use tfxio_core::{Batch, Dataset, Partition, RecordRun, Scan, ScanRequest, Seek};

/// Layout of files, and reading them.
pub trait Layout: Copy {
    /// Writes a file of records `0..records`, one of several of this folder.
    fn write(self, folder: &Path, file: usize, records: u64) -> PathBuf;
    /// Opens files that were written.
    fn open(self, files: &[PathBuf]) -> Arc<dyn Dataset>;
    /// Returns the file and the number of each record of a batch; checks that values and origins agree.
    fn numbers(self, batch: &Batch) -> Vec<(String, u64)>;
    /// Whether a scan goes to any record without reading its way.
    fn is_exact(self) -> bool;
}

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

    fn request(&mut self) -> ScanRequest {
        ScanRequest::new().batch_rows(1 + self.below(40) as usize).threads(1 + self.below(3) as usize)
    }
}

/// Files of records, and the data set of all of them.
struct Made<L> {
    layout: L,
    files: Vec<PathBuf>,
    dataset: Arc<dyn Dataset>,
    _folder: TempDir,
}

impl<L: Layout> Made<L> {
    fn new(layout: L, counts: &[u64]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let each = counts.iter().enumerate();
        let files = each.map(|(at, count)| layout.write(folder.path(), at, *count)).collect::<Vec<_>>();
        Self { layout, dataset: layout.open(&files), files, _folder: folder }
    }

    fn name(&self, file: usize) -> String {
        self.files[file].to_str().unwrap().to_owned()
    }

    /// Returns all records, in order.
    fn expected(&self, counts: &[u64]) -> Vec<(String, u64)> {
        let each = counts.iter().enumerate();
        each.flat_map(|(file, count)| (0..*count).map(move |number| (self.name(file), number))).collect()
    }

    /// Returns the records of a scan.
    fn all(&self, mut scan: Box<dyn Scan>) -> Vec<(String, u64)> {
        let mut all = Vec::new();
        while let Some(batch) = scan.next_batch().unwrap() {
            all.extend(self.layout.numbers(&batch));
        }
        all
    }

    /// Returns a scan of a partition, as another process gets it.
    fn scan(&self, partition: &Partition, random: &mut Random) -> Box<dyn Scan> {
        let partition = serde_json::from_str(&serde_json::to_string(partition).unwrap()).unwrap();
        self.dataset.scan(&partition, &random.request()).unwrap()
    }
}

/// Reads all partitions, splits and resumes scans at random moments.
pub fn every_record_comes_once(layout: impl Layout, counts: &[u64], seed: u64) {
    let (made, mut random) = (Made::new(layout, counts), Random(seed));
    let mut waiting = made.dataset.partitions(1 + random.below(20_000)).unwrap();
    let mut seen = Vec::new();
    let mut most = 2_000;
    while !waiting.is_empty() {
        let partition = waiting.swap_remove(random.below(waiting.len() as u64) as usize);
        let mut scan = made.scan(&partition, &mut random);
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
                    Some(batch) => seen.extend(layout.numbers(&batch)),
                    None => break,
                },
            }
        }
    }
    seen.sort();
    assert_eq!(seen, made.expected(counts));
}

/// Reads the ranges between any bytes.
pub fn ranges_that_anybody_cuts_hold_every_record_once(
    layout: impl Layout,
    count: u64,
    mut cuts: Vec<u64>,
    seed: u64,
) {
    let (made, mut random) = (Made::new(layout, &[count]), Random(seed));
    cuts.extend([0, u64::MAX]);
    cuts.sort_unstable();
    let mut seen = Vec::new();
    for range in cuts.windows(2) {
        let partition = Partition::range(made.name(0), range[0], range[1]);
        let mut scan = made.scan(&partition, &mut random);
        if let Some(tail) = scan.try_split(random.fraction()).unwrap() {
            seen.extend(made.all(made.scan(&tail, &mut random)));
        }
        seen.extend(scan.next_batch().unwrap().iter().flat_map(|batch| layout.numbers(batch)));
        if let Some(rest) = scan.remaining() {
            seen.extend(made.all(made.scan(&rest, &mut random)));
        }
    }
    seen.sort();
    assert_eq!(seen, made.expected(&[count]));
}

/// Checks that a scan goes on from any record that is sought.
pub fn a_scan_goes_on_from_the_record_that_is_sought(layout: impl Layout, count: u64, seed: u64) {
    let (made, mut random) = (Made::new(layout, &[count]), Random(seed));
    for partition in made.dataset.partitions(1 + random.below(20_000)).unwrap() {
        let mut scan = made.scan(&partition, &mut random);
        let held = made.all(made.scan(&partition, &mut random));
        for _ in 0..8 {
            let mut at = random.below(held.len() as u64) as usize;
            let Some((_, record)) = held.get(at) else { continue };
            let sought = scan.seek(*record).unwrap();
            if sought == Seek::NotOffered {
                assert!(partition.first_record.is_none());
                break;
            }
            assert!(!layout.is_exact() || sought == Seek::Exact);
            for _ in 0..random.below(3) {
                let batch = scan.next_batch().unwrap();
                let seen = batch.iter().flat_map(|batch| layout.numbers(batch)).collect::<Vec<_>>();
                assert_eq!(&held[at..at + seen.len()], &seen[..]);
                assert!(!seen.is_empty() || at == held.len());
                at += seen.len();
            }
            if random.below(3) == 0
                && let Some(rest) = scan.remaining()
            {
                assert_eq!(made.all(made.scan(&rest, &mut random)), &held[at..]);
            }
        }
    }
}

/// Checks that runs of records are taken in the order in which they are given.
pub fn runs_are_taken_in_their_order(layout: impl Layout, counts: &[u64], seed: u64) {
    let (made, mut random) = (Made::new(layout, counts), Random(seed));
    let mut runs = Vec::new();
    let mut wanted = Vec::new();
    for _ in 0..random.below(12) {
        let file = random.below(counts.len() as u64) as usize;
        let first = random.below(counts[file]);
        let records = random.below(counts[file] - first + 1);
        runs.push(RecordRun::new(made.name(file), first, records));
        wanted.extend((first..first + records).map(|number| (made.name(file), number)));
    }
    let whole = made.dataset.partitions(u64::MAX).unwrap();
    for partition in &whole {
        let file = &*partition.file;
        let (own, others) = runs.iter().cloned().partition::<Vec<_>, _>(|run| &*run.file == file);
        let scan = made.dataset.take_in_file(partition, &own, &random.request()).unwrap();
        let wanted = wanted.iter().filter(|(name, _)| name == file);
        assert_eq!(made.all(scan), wanted.cloned().collect::<Vec<_>>());
        if others.iter().any(|run| run.records > 0) && whole.len() == counts.len() {
            let error = made.dataset.take_in_file(partition, &others, &random.request()).err().unwrap();
            assert!(error.to_string().contains("the data set has no file"), "{error}");
        }
    }
    let limit = random.below(500);
    let scan = made.dataset.take(&runs, &random.request().limit(limit)).unwrap();
    wanted.truncate(limit as usize);
    assert_eq!(made.all(scan), wanted);
}

/// Checks that batches are the same for any number of threads.
pub fn batches_do_not_depend_on_threads(layout: impl Layout, count: u64, rows: usize, limit: u64) {
    let made = Made::new(layout, &[count]);
    // What is left is said by the members of a file, once it is known that it has some.
    made.dataset.partitions(1).unwrap();
    let read = |threads| {
        let request = ScanRequest::new().batch_rows(rows).threads(threads).limit(limit);
        let mut scan = made.dataset.scan(&Partition::whole(made.name(0)), &request).unwrap();
        let mut batches = Vec::new();
        while let Some(batch) = scan.next_batch().unwrap() {
            batches.push((batch.columns().clone(), batch.origins().clone(), scan.remaining()));
        }
        batches
    };
    let one = read(1);
    assert_eq!(one.iter().map(|(batch, ..)| batch.num_rows() as u64).sum::<u64>(), count.min(limit));
    for threads in 2..5 {
        assert_eq!(read(threads), one);
    }
}
