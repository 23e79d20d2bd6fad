//! Reading the case files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use serde_json::Value;

/// One recorded case.
pub(super) struct Case {
    pub(super) id: String,
    pub(super) inputs: Value,
    pub(super) expected: Value,
}

/// Every case of a kind in the repository's folder and in the one that the environment names.
pub(super) fn load(kind: &str) -> Vec<Case> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/golden")];
    folders
        .extend(std::env::var_os("TFXIO_GOLDEN_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from));
    let mut cases = Vec::new();
    let mut ids = BTreeSet::new();
    for path in folders.iter().flat_map(|folder| files(folder)) {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let place = format!("{}, line {}", path.display(), at + 1);
            let mut value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{place}: {e}"));
            if value["kind"] != kind {
                continue;
            }
            let id = value["id"].as_str().unwrap_or_else(|| panic!("{place}: no id")).to_owned();
            assert!(ids.insert(id.clone()), "{place}: a second case is called {id}");
            cases.push(Case { id, inputs: value["inputs"].take(), expected: value["expected"].take() });
        }
    }
    cases
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

/// The bytes of a base64 string.
pub(super) fn base64(value: &Value) -> Vec<u8> {
    base64::engine::general_purpose::STANDARD
        .decode(value.as_str().expect("a base64 string"))
        .expect("base64")
}
