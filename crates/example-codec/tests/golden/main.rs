//! The recorded cases: what existing decoders and encoders answer, and ours must.
//!
//! Runs every case of the kinds below from `fixtures/golden/*.jsonl` and, when `TFXIO_GOLDEN_DIR` is set,
//! from every `*.jsonl` under that folder. Prints a line for each kind and fails if a case failed.
//! `cargo test -p example-codec --test golden -- --nocapture` shows the lines.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod cases;
mod compare;
mod deviations;
mod examples;
mod render;
mod run;
mod sequence;
mod tfmd;

use std::collections::{BTreeMap, BTreeSet};

use self::cases::Case;
use self::deviations::Deviations;

/// The kinds that this crate owns.
const KINDS: [&str; 8] = [
    "append_raw_record_column",
    "decode_examples",
    "decode_examples_arrow_schema",
    "decode_examples_reuse",
    "decode_sequence_examples",
    "decode_sequence_examples_arrow_schema",
    "encode_examples",
    "example_to_numpy_dict",
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
    let deviations = Deviations::load();
    let mut faults = deviations.faults(&cases);
    let mut tallies: BTreeMap<&str, Tally> = KINDS.iter().map(|kind| (*kind, Tally::default())).collect();
    let mut ids = BTreeSet::new();
    for case in &cases {
        if !ids.insert(&case.id) {
            faults.push(format!("two cases are called {}", case.id));
        }
        let Some(tally) = tallies.get_mut(case.kind.as_str()) else { continue };
        match deviations.of(case) {
            None => match judge(case, &case.expected) {
                Ok(()) => tally.passed += 1,
                Err(why) => tally.failed.push((case.id.clone(), why)),
            },
            Some(deviation) => match judge(case, &deviation.result) {
                Ok(()) if judge(case, &case.expected).is_ok() => {
                    tally.failed.push((case.id.clone(), "does not deviate; remove the deviation".to_owned()));
                }
                Ok(()) => tally.deviating.push(format!("{} ({})", case.id, deviation.reason)),
                Err(why) => tally.failed.push((case.id.clone(), format!("deviates otherwise: {why}"))),
            },
        }
    }
    for (kind, tally) in &tallies {
        print(kind, tally);
        if tally.passed + tally.failed.len() as u64 + tally.deviating.len() as u64 == 0 {
            println!("  no case of this kind is in the folders");
        }
    }
    for fault in &faults {
        println!("fault: {fault}");
    }
    let failed = tallies.values().map(|tally| tally.failed.len()).sum::<usize>();
    assert!(failed == 0 && faults.is_empty(), "{failed} cases failed, {} faults", faults.len());
}

/// Whether what the crate does is what is expected; a panic is an answer like any other, a wrong one.
fn judge(case: &Case, expected: &serde_json::Value) -> Result<(), String> {
    std::panic::catch_unwind(|| run::run(case, expected)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

fn print(kind: &str, tally: &Tally) {
    println!(
        "{kind}: {} passed, {} failed, {} deviating",
        tally.passed,
        tally.failed.len(),
        tally.deviating.len()
    );
    for case in &tally.deviating {
        println!("  deviates: {case}");
    }
    for (id, why) in &tally.failed {
        println!("  FAILED {id}: {why}");
    }
}
