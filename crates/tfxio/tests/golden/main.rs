//! The recorded cases of data sets: what TFX makes of them, ours must.
//!
//! Runs every case of the kinds from `fixtures/golden/*.jsonl` and, when `TFXIO_GOLDEN_DIR` is set, from every `*.jsonl`
//! under that folder. Prints a line for each kind and fails if a case failed.
//! `cargo test -p tfxio --all-features --test golden -- --nocapture` shows the lines.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]
#![cfg(feature = "tensors")]

mod cases;
mod dataset;
mod describe;
mod raw_records;
#[allow(dead_code, reason = "specs are compared by the crate of the adapter")]
#[path = "../../../tensor-repr/tests/golden/tensors.rs"]
mod tensors;

use self::cases::Case;

/// Runs a case. What is recorded is the only right answer: no case deviates.
type Run = fn(&Case) -> Result<(), String>;

/// The kinds that this crate owns: one line and one module for each.
const KINDS: &[(&str, Run)] = &[
    ("raw_records_to_record_batch", raw_records::run),
    ("tfxio_dataset", dataset::run),
    ("tfxio_describe", describe::run),
];

#[test]
fn recorded_cases() {
    let mut all_failed = 0;
    for &(kind, run) in KINDS {
        let cases = cases::load(kind).into_iter().filter(is_ours).collect::<Vec<_>>();
        let mut failed = Vec::new();
        for case in &cases {
            let judged = std::panic::catch_unwind(|| run(case));
            if let Err(why) = judged.unwrap_or_else(|_| Err("panic".to_owned())) {
                failed.push(format!("  FAILED {}: {why}", case.id));
            }
        }
        println!("{kind}: {} passed, {} failed, 0 deviating", cases.len() - failed.len(), failed.len());
        for line in &failed {
            println!("{line}");
        }
        assert!(!cases.is_empty(), "no case of the kind {kind} is in the folders");
        all_failed += failed.len();
    }
    assert!(all_failed == 0, "{all_failed} cases failed");
}

/// Formats that name their columns, which are Parquet and CSV, come later.
fn is_ours(case: &Case) -> bool {
    case.inputs["column_names"].is_null()
}
