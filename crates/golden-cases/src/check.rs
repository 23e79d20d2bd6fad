//! Comparison of a result of ours with the expected one.

use std::fmt::{Debug, Display, Formatter};

use serde_json::Value;

/// Error of ours: its text, and the phases that it may belong to.
#[derive(Debug)]
pub struct Failure {
    phases: &'static [&'static str],
    text: String,
}

impl Failure {
    /// Returns an error while something is built.
    pub fn on_construction(error: impl ToString) -> Self {
        Self { phases: &["construct"], text: error.to_string() }
    }

    /// Returns an error of a call.
    pub fn on_call(error: impl ToString) -> Self {
        Self { phases: &["call"], text: error.to_string() }
    }

    /// Returns an error while something is built that the data does not cause: it may be expected of the call.
    pub fn early(error: impl ToString) -> Self {
        Self { phases: &["construct", "call"], text: error.to_string() }
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// Checks for success or failure as expected, and in the expected phase.
///
/// # Errors
///
/// The difference.
pub fn check<T>(
    ours: Result<T, Failure>,
    expected: &Value,
    same: impl FnOnce(&T, &Value) -> Result<(), String>,
) -> Result<(), String> {
    match (ours, expected.get("ok"), expected.get("error")) {
        (Ok(ours), Some(ok), None) => same(&ours, ok),
        (Err(failure), None, Some(error)) => match error["phase"].as_str() {
            Some(phase) if !failure.phases.contains(&phase) => {
                Err(format!("error in phase {} instead of {phase}: {}", failure.phases[0], failure.text))
            }
            _ => Ok(()),
        },
        (Err(failure), Some(_), None) => Err(format!("error: {}", failure.text)),
        (Ok(_), None, Some(error)) => Err(format!("no error instead of {}", error["message"])),
        _ => Err("the case expects neither a result nor an error".to_owned()),
    }
}

/// Checks equality, with both in the error.
///
/// # Errors
///
/// If they are not equal.
pub fn equal<T: PartialEq + Debug + ?Sized>(ours: &T, expected: &T) -> Result<(), String> {
    if ours == expected { Ok(()) } else { Err(format!("{ours:?} instead of {expected:?}")) }
}

/// Checks equality of JSON as text, in which -0.0 is not 0.0, with both in the error.
///
/// # Errors
///
/// If they are not equal.
pub fn equal_json(ours: &Value, expected: &Value) -> Result<(), String> {
    let (ours, expected) = (ours.to_string(), expected.to_string());
    if ours == expected { Ok(()) } else { Err(format!("{ours} instead of {expected}")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_and_errors_are_held_against_what_is_expected() {
        let held = |ours, expected: Value| {
            check(ours, &expected, |ours, ok| equal_json(&json!(ours), ok)).err().unwrap_or_default()
        };
        let error = |phase: &str| json!({"error": {"phase": phase, "message": "m"}});
        assert_eq!(held(Ok(1), json!({"ok": 1})), "");
        assert_eq!(held(Ok(1), json!({"ok": 2})), "1 instead of 2");
        assert_eq!(held(Ok(1), error("call")), "no error instead of \"m\"");
        assert_eq!(held(Ok(1), json!({})), "the case expects neither a result nor an error");
        assert_eq!(held(Err(Failure::on_call("why")), json!({"ok": 1})), "error: why");
        assert_eq!(held(Err(Failure::on_call("why")), json!({"error": {}})), "");
        assert_eq!(held(Err(Failure::on_call("why")), error("call")), "");
        assert_eq!(held(Err(Failure::early("why")), error("call")), "");
        assert_eq!(held(Err(Failure::early("why")), error("construct")), "");
        let late = held(Err(Failure::on_call("why")), error("construct"));
        assert_eq!(late, "error in phase call instead of construct: why");
        let early = held(Err(Failure::on_construction("why")), error("call"));
        assert_eq!(early, "error in phase construct instead of call: why");
    }
}
