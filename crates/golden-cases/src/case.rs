//! Case files, and their parser.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Recorded case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Operation on the inputs.
    pub kind: String,
    /// Name, unique among all cases.
    pub id: String,
    /// Member `inputs`; in kinds without it, the whole case.
    pub inputs: Value,
    /// Recorded answer of another implementation, or the answer that its design demands.
    pub expected: Value,
    /// Whether the record marks the answer as not to be taken literally.
    pub marked: bool,
}

impl Case {
    fn parse(line: &str, position: &str) -> Self {
        let mut value: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{position}: {error}"));
        let text = |member: &str| {
            let text = value[member].as_str().unwrap_or_else(|| panic!("{position}: no `{member}`"));
            text.to_owned()
        };
        let (kind, id) = (text("kind"), text("id"));
        let marked = is_marked(&value);
        let expected = value["expected"].take();
        let inputs = if value["inputs"].is_object() { value["inputs"].take() } else { value };
        Self { kind, id, inputs, expected, marked }
    }
}

fn is_marked(case: &Value) -> bool {
    let mut tags = case["tags"].as_array().into_iter().flatten();
    match case["strength"].as_str() {
        // Where a case says how strong it is, a note only explains.
        Some(strength) => strength == "contested",
        None => {
            case["note"].is_string()
                || tags.any(|tag| matches!(tag.as_str(), Some("quirk" | "ub" | "rfc-differs")))
        }
    }
}

/// Loads every case in the repository's folder and in the one that the environment names.
pub(crate) fn load() -> Vec<Case> {
    let mut cases = Vec::new();
    for path in [Some(repository().join("fixtures/golden")), further()]
        .iter()
        .flatten()
        .flat_map(|folder| files(folder))
    {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            cases.push(Case::parse(line, &format!("{}, line {}", path.display(), at + 1)));
        }
    }
    cases
}

/// Returns the folder with further cases, if the environment names one.
pub(crate) fn further() -> Option<PathBuf> {
    std::env::var_os("TFXIO_GOLDEN_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// Returns the repository's root.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "jsonl") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Decodes a base64 string.
///
/// # Panics
///
/// If it is not one.
pub fn base64(value: &Value) -> Vec<u8> {
    STANDARD.decode(value.as_str().expect("a base64 string")).expect("base64")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_case_has_its_inputs_or_is_its_own() {
        let parse = |mut case: Value| {
            case["kind"] = "k".into();
            case["id"] = "i".into();
            Case::parse(&case.to_string(), "a file")
        };
        let case = parse(json!({"inputs": {"a": 1}, "expected": {"ok": 2}}));
        assert_eq!((case.inputs, case.expected), (json!({"a": 1}), json!({"ok": 2})));
        let case = parse(json!({"call": "c", "expected": {"ok": 2}}));
        assert_eq!((&case.inputs["call"], case.expected), (&json!("c"), json!({"ok": 2})));
        for (members, is_marked) in [
            (json!({}), false),
            (json!({"note": "n"}), true),
            (json!({"note": "n", "strength": "text"}), false),
            (json!({"strength": "contested"}), true),
            (json!({"tags": ["atds"]}), false),
            (json!({"tags": ["atds", "ub"]}), true),
        ] {
            assert_eq!(parse(members.clone()).marked, is_marked, "{members}");
        }
    }
}
