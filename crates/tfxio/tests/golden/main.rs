//! The recorded cases of data sets: what TFX makes of them, ours must.
//!
//! `cargo test -p tfxio --all-features --test golden -- --nocapture` shows a line for each kind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]
#![cfg(feature = "tensors")]

#[cfg(feature = "csv")]
mod csv;
mod dataset;
mod describe;
#[cfg(feature = "parquet")]
mod parquet;
mod raw_records;
#[allow(dead_code, reason = "specs are compared by the crate of the adapter")]
#[path = "../../../tensor-repr/tests/golden/tensors.rs"]
mod tensors;

use golden_cases::{Case, CheckCase};

/// The kinds that this crate owns: one line and one module for each.
const KINDS: &[(&str, CheckCase)] = &[
    #[cfg(feature = "csv")]
    ("csv_arrow_schema", csv::schema),
    #[cfg(feature = "csv")]
    ("csv_decode", csv::decode),
    ("raw_records_to_record_batch", raw_records::run),
    ("tfxio_dataset", dataset::run),
    ("tfxio_describe", describe::run),
];

#[test]
fn recorded_cases() {
    golden_cases::run(env!("CARGO_MANIFEST_DIR"), KINDS, is_ours);
}

/// Data sets of Parquet need its feature.
fn is_ours(case: &Case) -> bool {
    cfg!(feature = "parquet") || case.inputs["format"] != "parquet"
}
