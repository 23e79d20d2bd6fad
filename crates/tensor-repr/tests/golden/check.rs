//! A result of ours held against what is expected.

use serde_json::Value;

/// The phase in which an error arose, and its text.
pub(super) struct Failure {
    phase: &'static str,
    text: String,
}

/// An error while something is built, to be used with `map_err`.
pub(super) fn on_construction(error: impl ToString) -> Failure {
    Failure { phase: "construct", text: error.to_string() }
}

/// An error of a call, to be used with `map_err`.
pub(super) fn on_call(error: impl ToString) -> Failure {
    Failure { phase: "call", text: error.to_string() }
}

/// Success or failure as expected, and in the phase expected. An error that the data does not cause may
/// come early.
pub(super) fn check<T>(
    ours: Result<T, Failure>,
    expected: &Value,
    same: impl FnOnce(&T, &Value) -> Result<(), String>,
) -> Result<(), String> {
    match (ours, expected.get("ok"), expected.get("error")) {
        (Ok(ours), Some(ok), None) => same(&ours, ok),
        (Err(failure), None, Some(error)) => match error["phase"].as_str() {
            Some(phase) if phase != failure.phase && failure.phase != "construct" => {
                Err(format!("error in phase {} instead of {phase}: {}", failure.phase, failure.text))
            }
            _ => Ok(()),
        },
        (Err(failure), Some(_), None) => Err(format!("error: {}", failure.text)),
        (Ok(_), None, Some(error)) => Err(format!("no error instead of {}", error["message"])),
        _ => Err("the case expects neither a result nor an error".to_owned()),
    }
}
