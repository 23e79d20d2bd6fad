//! The recorded cases of Avro: what tensorflow-io answers, or its design demands, and this crate must.
//!
//! A case is whole: files and data go through containers, resolution and key expressions, and the columns through
//! `tensor-repr`. `cargo test -p avro-path --all-features --test golden -- --nocapture` shows a line for each kind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

#[path = "../suite/features/bind.rs"]
mod bind;
mod data;
mod expected;
mod features;
mod run;
mod tensors;

use golden_cases::Case;
use serde_json::Value;

#[test]
fn recorded_cases() {
    let kinds = ["rfc", "tfio-extra", "tfio-extra-hand", "tfio-test"];
    golden_cases::run(env!("CARGO_MANIFEST_DIR"), &kinds.map(|kind| (kind, judge as _)), is_ours);
}

/// Cases of another reader, which has no key expressions, are not.
fn is_ours(case: &Case) -> bool {
    case.inputs["atds_features"].is_null()
}

fn judge(case: &Case, expected: &Value) -> Result<(), String> {
    expected::compare(case, &run::run(case), expected)
}
