//! The recorded cases: what tfx-bsl answers, and this crate must.
//!
//! Runs every case of the kinds below from `fixtures/golden/*.jsonl` and, when `TFXIO_GOLDEN_DIR` is set,
//! from every `*.jsonl` under that folder. Prints a line for each kind and fails if a case failed.
//! `cargo test -p tensor-repr --test golden -- --nocapture` shows the lines.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod array_util;
mod arrow;
mod cases;
mod check;
mod column_path;
mod deviations;
mod table_util;
mod tensor_adapter;
mod tensor_representation_util;
mod tensors;
mod tensors_to_record_batch;
mod values;

use std::collections::BTreeSet;

use self::cases::Case;
use self::deviations::Deviations;

/// Runs a case against what is expected.
type Run = fn(&Case, &serde_json::Value) -> Result<(), String>;

/// The kinds that this crate owns: one line and one module for each.
const KINDS: &[(&str, Run)] = &[
    ("array_util", array_util::run),
    ("column_path", column_path::run),
    ("table_util", table_util::run),
    ("tensor_adapter", tensor_adapter::run),
    ("tensor_representation_util", tensor_representation_util::run),
    ("tensors_to_record_batch", tensors_to_record_batch::run),
];

/// How the cases of one kind went.
#[derive(Default)]
struct Tally {
    passed: u64,
    deviating: Vec<String>,
    /// Id and reason.
    failed: Vec<(String, String)>,
}

#[test]
fn recorded_cases() {
    let cases = cases::load();
    let mut ids = BTreeSet::new();
    let mut faults: Vec<String> = cases.iter().filter(|case| !ids.insert(&case.id)).map(twice).collect();
    let mut failed = 0;
    for &(kind, run) in KINDS {
        let deviations = Deviations::load(kind);
        faults.extend(deviations.faults(&cases));
        let mut tally = Tally::default();
        for case in cases.iter().filter(|case| case.kind == kind) {
            tally.add(case, run, &deviations);
        }
        tally.print(kind);
        failed += tally.failed.len();
    }
    for fault in &faults {
        println!("fault: {fault}");
    }
    assert!(failed == 0 && faults.is_empty(), "{failed} cases failed, {} faults", faults.len());
}

fn twice(case: &Case) -> String {
    format!("two cases are called {}", case.id)
}

impl Tally {
    fn add(&mut self, case: &Case, run: Run, deviations: &Deviations) {
        match deviations.of(case) {
            None => match judge(case, run, &case.expected) {
                Ok(()) => self.passed += 1,
                Err(why) => self.failed.push((case.id.clone(), why)),
            },
            Some(deviation) => match judge(case, run, &deviation.result) {
                Ok(()) if judge(case, run, &case.expected).is_ok() => {
                    self.failed.push((case.id.clone(), "does not deviate; remove the deviation".to_owned()));
                }
                Ok(()) => self.deviating.push(format!("{} ({})", case.id, deviation.reason)),
                Err(why) => self.failed.push((case.id.clone(), format!("deviates otherwise: {why}"))),
            },
        }
    }

    fn print(&self, kind: &str) {
        println!(
            "{kind}: {} passed, {} failed, {} deviating",
            self.passed,
            self.failed.len(),
            self.deviating.len()
        );
        for case in &self.deviating {
            println!("  deviates: {case}");
        }
        for (id, why) in &self.failed {
            println!("  FAILED {id}: {why}");
        }
        if self.passed == 0 && self.failed.is_empty() && self.deviating.is_empty() {
            println!("  no case of this kind is in the folders");
        }
    }
}

/// Whether what the crate does is what is expected; a panic is an answer like any other, a wrong one.
fn judge(case: &Case, run: Run, expected: &serde_json::Value) -> Result<(), String> {
    std::panic::catch_unwind(|| run(case, expected)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}
