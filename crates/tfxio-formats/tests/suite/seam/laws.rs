//! Every record exactly once, however a data set is divided.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use tfxio_formats::DatasetExt as _;
use tfxio_formats::tfxio_core::{Batch, Dataset};

use crate::seam::test_files::{self, FileLayout};
use seam_laws::records::{self, Layout};

impl Layout for FileLayout {
    fn write(self, folder: &Path, file: usize, records: u64) -> PathBuf {
        test_files::write(folder, &format!("{file}.tfrecord"), self, records)
    }

    fn open(self, files: &[PathBuf]) -> Arc<dyn Dataset> {
        test_files::open(files)
    }

    fn numbers(self, batch: &Batch) -> Vec<(String, u64)> {
        test_files::numbers(batch)
    }

    fn is_exact(self) -> bool {
        self == Self::Indexed
    }
}

/// The same, whose column has another name.
#[derive(Clone, Copy, Debug)]
struct Renamed(FileLayout);

impl Layout for Renamed {
    fn write(self, folder: &Path, file: usize, records: u64) -> PathBuf {
        self.0.write(folder, file, records)
    }

    fn open(self, files: &[PathBuf]) -> Arc<dyn Dataset> {
        let dataset = test_files::open(files);
        let name = dataset.schema().field(0).name().clone();
        dataset.select([("renamed", name)]).unwrap()
    }

    fn numbers(self, batch: &Batch) -> Vec<(String, u64)> {
        assert_eq!(batch.schema().field(0).name(), "renamed");
        test_files::numbers(batch)
    }

    fn is_exact(self) -> bool {
        self.0.is_exact()
    }
}

fn layout() -> impl Strategy<Value = FileLayout> {
    prop::sample::select(FileLayout::ALL.to_vec())
}

/// Layouts that are cut at any byte.
fn plain() -> impl Strategy<Value = FileLayout> {
    prop::sample::select(vec![FileLayout::Plain, FileLayout::Indexed])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn every_record_comes_once(layout in layout(), counts in prop::collection::vec(0u64..400, 1..4), seed: u64) {
        records::every_record_comes_once(layout, &counts, seed);
    }

    #[test]
    fn columns_of_another_name_are_those_of_the_same_records(
        layout in layout(), counts in prop::collection::vec(1u64..200, 1..3), seed: u64
    ) {
        records::every_record_comes_once(Renamed(layout), &counts, seed);
        records::a_scan_goes_on_from_the_record_that_is_sought(Renamed(layout), counts[0], seed);
        records::runs_are_taken_in_their_order(Renamed(layout), &counts, seed);
    }

    #[test]
    fn ranges_of_bytes_that_anybody_cuts_hold_every_record_once(
        layout in plain(), count in 0u64..300, cuts in prop::collection::vec(0u64..30_000, 0..6), seed: u64
    ) {
        records::ranges_that_anybody_cuts_hold_every_record_once(layout, count, cuts, seed);
    }

    #[test]
    fn a_scan_goes_on_from_the_record_that_is_sought(layout in layout(), count in 1u64..300, seed: u64) {
        records::a_scan_goes_on_from_the_record_that_is_sought(layout, count, seed);
    }

    #[test]
    fn runs_are_taken_in_their_order(layout in layout(), counts in prop::collection::vec(1u64..200, 1..3), seed: u64) {
        records::runs_are_taken_in_their_order(layout, &counts, seed);
    }

    #[test]
    fn batches_do_not_depend_on_threads(layout in layout(), count in 0u64..400, rows in 1usize..60, limit in 0u64..500) {
        records::batches_do_not_depend_on_threads(layout, count, rows, limit);
    }
}
