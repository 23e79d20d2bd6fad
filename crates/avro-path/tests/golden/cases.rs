//! Reading the case files.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// One recorded case.
pub(super) struct Case {
    pub(super) kind: String,
    pub(super) id: String,
    /// The function of tensorflow-io.
    pub(super) call: String,
    /// The whole case.
    pub(super) inputs: Value,
    pub(super) expected: Value,
    /// Whether the record says that it is not to be taken literally.
    pub(super) marked: bool,
}

impl Case {
    fn parse(line: &str, place: &str) -> Option<Self> {
        let mut value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{place}: {error}"));
        let text = |member: &str| {
            let text = value[member].as_str().unwrap_or_else(|| panic!("{place}: no `{member}`"));
            text.to_owned()
        };
        let (kind, id) = (text("kind"), text("id"));
        if !super::KINDS.contains(&kind.as_str()) {
            return None;
        }
        let call = text("call");
        let tags = value["tags"].as_array().map(Vec::as_slice).unwrap_or_default();
        let marked = value["strength"] == "contested"
            || tags.iter().any(|tag| matches!(tag.as_str(), Some("quirk" | "ub" | "rfc-differs")));
        let expected = value["expected"].take();
        Some(Self { kind, id, call, inputs: value, expected, marked })
    }

    /// Whether it is about tensorflow-io's reader of whole fields, ATDS.
    pub(super) fn is_of_another_reader(&self) -> bool {
        !self.inputs["atds_features"].is_null()
    }

    /// An option of the call.
    pub(super) fn option(&self, name: &str) -> &Value {
        &self.inputs["options"][name]
    }

    /// An option that is a number.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.option(name).as_u64().map(|number| usize::try_from(number).unwrap())
    }
}

/// Every case of our kinds in the repository's folder and in the one that the environment names.
pub(super) fn load() -> Vec<Case> {
    let mut folders = vec![repository().join("fixtures").join("golden")];
    if let Some(folder) = further() {
        folders.push(folder);
    }
    let mut cases = Vec::new();
    for path in folders.iter().flat_map(|folder| files(folder)) {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            cases.extend(Case::parse(line, &format!("{}, line {}", path.display(), at + 1)));
        }
    }
    cases
}

/// The folder with further cases, if the environment names one.
pub(super) fn further() -> Option<PathBuf> {
    std::env::var_os("TFXIO_GOLDEN_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// The repository's root.
pub(super) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join("..")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext == "jsonl") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The bytes of a base64 string.
pub(super) fn base64(value: &Value) -> Vec<u8> {
    STANDARD.decode(value.as_str().expect("a base64 string")).expect("base64")
}
