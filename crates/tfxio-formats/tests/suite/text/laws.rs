//! Every record exactly once, however a data set is divided.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use tfxio_formats::tfxio_core::{Batch, Dataset};

use crate::text::made::{self, Lies};
use crate::text::records::{self, Lie};

impl Lie for Lies {
    fn write(self, folder: &Path, file: usize, records: u64) -> PathBuf {
        made::write(folder, &file.to_string(), self, records)
    }

    fn open(self, files: &[PathBuf]) -> Arc<dyn Dataset> {
        made::open(self, files)
    }

    fn numbers(self, batch: &Batch) -> Vec<(String, u64)> {
        made::numbers(self, batch)
    }

    fn is_exact(self) -> bool {
        !self.is_gzip()
    }
}

fn lies() -> impl Strategy<Value = Lies> {
    prop::sample::select(Lies::ALL.to_vec())
}

/// Layouts that are cut at any byte.
fn plain() -> impl Strategy<Value = Lies> {
    prop::sample::select(vec![Lies::Csv, Lies::CsvLines, Lies::Json])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn every_record_comes_once(lies in lies(), counts in prop::collection::vec(1u64..400, 1..4), seed: u64) {
        records::every_record_comes_once(lies, &counts, seed);
    }

    #[test]
    fn ranges_of_bytes_that_anybody_cuts_hold_every_record_once(
        lies in plain(), count in 1u64..300, cuts in prop::collection::vec(0u64..30_000, 0..6), seed: u64
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
    fn batches_do_not_depend_on_threads(lies in lies(), count in 1u64..400, rows in 1usize..60, limit in 0u64..500) {
        records::batches_do_not_depend_on_threads(lies, count, rows, limit);
    }
}
