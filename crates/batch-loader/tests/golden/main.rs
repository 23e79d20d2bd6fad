//! The recorded cases of the loader: what nnmaker does, or its documentation demands, and this crate must.
//!
//! A case is whole: its manifest and files are written to a directory, its configuration is read and its batches are
//! loaded. `cargo test -p tfxio-batch-loader --test golden -- --nocapture` shows a line for each kind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod batches;
mod errors;
mod run;

use golden_cases::Case;
use serde_json::Value;

#[test]
fn recorded_cases() {
    let kinds = ["loader", "loader-doc"].map(|kind| (kind, judge as golden_cases::CheckCase));
    golden_cases::run(env!("CARGO_MANIFEST_DIR"), &kinds, |_| true);
}

/// The batches as expected, and then the end or the error that is expected.
fn judge(case: &Case, expected: &Value) -> Result<(), String> {
    let answer = run::run(case);
    let error = expected.get("error");
    let batches = match (expected["batches"].as_array(), error) {
        (Some(batches), _) => batches.as_slice(),
        (None, Some(_)) => &[],
        (None, None) => return Err("the case expects neither batches nor an error".to_owned()),
    };
    let counts = (answer.batches.len(), batches.len());
    match (&answer.error, error) {
        (Some(ours), Some(error)) => errors::same(ours, counts, error)?,
        (Some(ours), None) => return Err(format!("error: {}", ours.error)),
        (None, Some(error)) => return Err(format!("no error instead of {}", error["message"])),
        (None, None) => {}
    }
    if counts.0 != counts.1 {
        return Err(format!("{} batches instead of {}", counts.0, counts.1));
    }
    for (at, (ours, batch)) in answer.batches.iter().zip(batches).enumerate() {
        batches::same(ours, batch, &run::normalized(case)).map_err(|why| format!("batch {at}: {why}"))?;
    }
    match expected["ended"].as_bool() {
        Some(ended) if error.is_none() && ended != answer.ended => {
            Err(format!("ended is {} instead of {ended}", answer.ended))
        }
        _ => Ok(()),
    }
}
