//! The recorded cases: what tfx-bsl answers, and this crate must.
//!
//! `cargo test -p tfxio-stats --test golden -- --nocapture` shows a line for each kind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod merge_statistics;
mod sketches;
mod steps;

use golden_cases::CheckCase;
use serde_json::Value;
use tfxio_stats::{Error, Kind};

/// The kinds that this crate owns: one line and one module for each.
const KINDS: &[(&str, CheckCase)] = &[
    ("kmv_sketch", sketches::kmv),
    ("misra_gries_sketch", sketches::misra_gries),
    ("quantiles_sketch", sketches::quantiles),
    ("merge_statistics", merge_statistics::run),
];

#[test]
fn recorded_cases() {
    golden_cases::run(env!("CARGO_MANIFEST_DIR"), KINDS, |_| true);
}

/// Checks for an error if one was recorded, in the same words if our kind knows them; else calls `same` on the result.
fn check<T>(
    ours: Result<T, Error>,
    expected: &Value,
    same: impl FnOnce(&T, &Value) -> Result<(), String>,
) -> Result<(), String> {
    match (&ours, expected["error"]["message"].as_str()) {
        (Err(error), Some(message)) => {
            let kind = error.detail::<Kind>().ok_or_else(|| format!("no kind: {error}"))?;
            match kind.tfx_bsl_status() {
                None => Ok(()),
                // Theirs prints whole messages after this.
                Some(status) if message.starts_with(&status) => Ok(()),
                Some(status) => Err(format!("{status} instead of {message}")),
            }
        }
        _ => golden_cases::check(ours.map_err(golden_cases::Failure::on_call), expected, same),
    }
}
