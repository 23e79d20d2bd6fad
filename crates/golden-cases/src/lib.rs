//! Recorded cases: what existing implementations answer, and ours must.
//!
//! A crate that owns kinds of cases has a test target `golden`, which calls [`run`]. It runs every case of these kinds from
//! `fixtures/golden` and, when `TFXIO_GOLDEN_DIR` is set, from that folder, prints a line for each kind, and fails if a case
//! failed. `cargo test -p CRATE --all-features --test golden -- --nocapture` shows the lines; `cargo xtask golden` holds
//! them against `xtask/golden-kinds.txt`.
//!
//! Everything here serves tests: what is wrong with a file of cases is a panic that names the place.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

pub mod arrow;
mod case;
mod check;
mod deviations;
pub mod proto;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

pub use self::case::{Case, base64};
pub use self::check::{Failure, check, equal, equal_json};
use self::deviations::Deviations;

/// Compares a crate's answer to a case with the expected one.
pub type CheckCase = fn(&Case, &Value) -> Result<(), String>;

/// Runs all cases of the kinds that are `ours`. The crate is named by its folder, `env!("CARGO_MANIFEST_DIR")`; its
/// deviations are in `tests/golden/deviations`.
///
/// # Panics
///
/// If a case failed, or if something is wrong with the files of cases or deviations.
pub fn run(crate_folder: &str, kinds: &[(&str, CheckCase)], ours: fn(&Case) -> bool) {
    let cases = case::load();
    let mut ids = BTreeSet::new();
    let twice = cases.iter().filter(|case| !ids.insert(&case.id));
    let mut faults = twice.map(|case| format!("two cases are called {}", case.id)).collect::<Vec<_>>();
    let mut failed = 0;
    for &(kind, run) in kinds {
        let deviations = Deviations::load(kind, &Path::new(crate_folder).join("tests/golden/deviations"));
        faults.extend(deviations.faults(&cases));
        let mut tally = Tally::default();
        for case in cases.iter().filter(|case| case.kind == kind && ours(case)) {
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

/// Results of the cases of one kind.
#[derive(Default)]
struct Tally {
    passed: u64,
    deviating: Vec<String>,
    /// Id and reason.
    failed: Vec<(String, String)>,
}

impl Tally {
    fn add(&mut self, case: &Case, run: CheckCase, deviations: &Deviations) {
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

/// Compares the crate's answer with the expected one; a panic is an answer like any other, a wrong one.
fn judge(case: &Case, run: CheckCase, expected: &Value) -> Result<(), String> {
    std::panic::catch_unwind(|| run(case, expected)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn case(id: &str, expected: Value) -> Case {
        Case { kind: "k".to_owned(), id: id.to_owned(), inputs: Value::Null, expected, marked: false }
    }

    /// The answer is 1, but to the case `panics`.
    fn one(case: &Case, expected: &Value) -> Result<(), String> {
        assert_ne!(case.id, "panics", "it did");
        equal_json(&json!(1), expected)
    }

    #[test]
    fn cases_pass_fail_or_deviate() {
        let line = |id: &str, result: u8| json!({"id": id, "reason": "r", "result": result}).to_string();
        let lines = [line("agreed", 1), line("otherwise", 2), line("vain", 1)].join("\n");
        let deviations = Deviations::parse("k", &lines);
        let mut tally = Tally::default();
        let expected =
            [("right", 1), ("wrong", 3), ("panics", 1), ("agreed", 3), ("otherwise", 3), ("vain", 1)];
        for (id, expected) in expected {
            tally.add(&case(id, json!(expected)), one, &deviations);
        }
        assert_eq!(tally.passed, 1);
        assert_eq!(tally.deviating, ["agreed (r)"]);
        let failed = tally.failed.iter().map(|(id, why)| format!("{id}: {why}")).collect::<Vec<_>>();
        let panicked = &failed[1];
        assert!(panicked.starts_with("panics: panic: ") && panicked.contains("it did"), "{panicked}");
        assert_eq!(failed[0], "wrong: 1 instead of 3");
        assert_eq!(failed[2], "otherwise: deviates otherwise: 1 instead of 2");
        assert_eq!(failed[3], "vain: does not deviate; remove the deviation");
    }
}
