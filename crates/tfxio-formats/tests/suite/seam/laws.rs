//! Every record exactly once, however a data set is divided.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use tfxio_formats::DatasetExt as _;
use tfxio_formats::tfxio_core::{Batch, Dataset};

use crate::seam::made::{self, Lies};
use crate::seam::records::{self, Lie};

impl Lie for Lies {
    fn write(self, folder: &Path, file: usize, records: u64) -> PathBuf {
        made::write(folder, &format!("{file}.tfrecord"), self, records)
    }

    fn open(self, files: &[PathBuf]) -> Arc<dyn Dataset> {
        made::open(files)
    }

    fn numbers(self, batch: &Batch) -> Vec<(String, u64)> {
        made::numbers(batch)
    }

    fn is_exact(self) -> bool {
        self == Self::Indexed
    }
}

/// The same, whose column has another name.
#[derive(Clone, Copy, Debug)]
struct Renamed(Lies);

impl Lie for Renamed {
    fn write(self, folder: &Path, file: usize, records: u64) -> PathBuf {
        self.0.write(folder, file, records)
    }

    fn open(self, files: &[PathBuf]) -> Arc<dyn Dataset> {
        let dataset = made::open(files);
        let name = dataset.schema().field(0).name().clone();
        dataset.select([("renamed", name)]).unwrap()
    }

    fn numbers(self, batch: &Batch) -> Vec<(String, u64)> {
        assert_eq!(batch.schema().field(0).name(), "renamed");
        made::numbers(batch)
    }

    fn is_exact(self) -> bool {
        self.0.is_exact()
    }
}

fn lies() -> impl Strategy<Value = Lies> {
    prop::sample::select(Lies::ALL.to_vec())
}

/// Layouts that are cut at any byte.
fn plain() -> impl Strategy<Value = Lies> {
    prop::sample::select(vec![Lies::Plain, Lies::Indexed])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn every_record_comes_once(lies in lies(), counts in prop::collection::vec(0u64..400, 1..4), seed: u64) {
        records::every_record_comes_once(lies, &counts, seed);
    }

    #[test]
    fn columns_of_another_name_are_those_of_the_same_records(
        lies in lies(), counts in prop::collection::vec(1u64..200, 1..3), seed: u64
    ) {
        records::every_record_comes_once(Renamed(lies), &counts, seed);
        records::a_scan_goes_on_from_the_record_that_is_sought(Renamed(lies), counts[0], seed);
        records::runs_are_taken_in_their_order(Renamed(lies), &counts, seed);
    }

    #[test]
    fn ranges_of_bytes_that_anybody_cuts_hold_every_record_once(
        lies in plain(), count in 0u64..300, cuts in prop::collection::vec(0u64..30_000, 0..6), seed: u64
    ) {
        records::ranges_that_anybody_cuts_hold_every_record_once(lies, count, cuts, seed);
    }

    #[test]
    fn a_scan_goes_on_from_the_record_that_is_sought(lies in lies(), count in 1u64..300, seed: u64) {
        records::a_scan_goes_on_from_the_record_that_is_sought(lies, count, seed);
    }

    #[test]
    fn runs_are_taken_in_their_order(lies in lies(), counts in prop::collection::vec(1u64..200, 1..3), seed: u64) {
        records::runs_are_taken_in_their_order(lies, &counts, seed);
    }

    #[test]
    fn batches_do_not_depend_on_threads(lies in lies(), count in 0u64..400, rows in 1usize..60, limit in 0u64..500) {
        records::batches_do_not_depend_on_threads(lies, count, rows, limit);
    }
}
