//! The recorded cases of Avro: what tensorflow-io answers, or its design demands, and this crate must.
//!
//! Runs every case of the kinds below from `fixtures/golden/*.jsonl` and, when `TFXIO_GOLDEN_DIR` is set, from every
//! `*.jsonl` under that folder. Prints a line for each kind and fails if a case failed. A case is whole: files and data go
//! through containers, resolution and key expressions, and the columns through `tensor-repr`.
//! `cargo test -p avro-path --all-features --test golden -- --nocapture` shows the lines.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

#[path = "../features/bind.rs"]
mod bind;
mod cases;
mod data;
mod deviations;
mod expected;
mod features;
mod run;
mod tensors;

use std::collections::BTreeSet;

use self::cases::Case;
use self::deviations::Deviations;

/// The kinds that this crate owns. Cases of another reader, which has no key expressions, are not among them.
const KINDS: [&str; 4] = ["rfc", "tfio-extra", "tfio-extra-hand", "tfio-test"];

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
    for kind in KINDS {
        let deviations = Deviations::load(kind);
        faults.extend(deviations.faults(&cases));
        let mut tally = Tally::default();
        for case in cases.iter().filter(|case| case.kind == kind && !case.is_of_another_reader()) {
            tally.add(case, &deviations);
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
    fn add(&mut self, case: &Case, deviations: &Deviations) {
        match deviations.of(case) {
            None => match judge(case, &case.expected) {
                Ok(()) => self.passed += 1,
                Err(why) => self.failed.push((case.id.clone(), why)),
            },
            Some(deviation) => match judge(case, &deviation.result) {
                Ok(()) if judge(case, &case.expected).is_ok() => {
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
fn judge(case: &Case, expected: &serde_json::Value) -> Result<(), String> {
    std::panic::catch_unwind(|| expected::compare(case, &run::run(case), expected)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}
