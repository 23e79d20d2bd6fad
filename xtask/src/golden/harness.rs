//! Building the harnesses.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::Value;

use crate::process;

/// Builds the harnesses of all crates; gives their programs by the crates' folders.
///
/// All of them at once, with the features of the tests of the workspace: built crate by crate, each would have
/// features of its own, and all dependencies once more with them.
pub fn build(root: &Path) -> Result<BTreeMap<PathBuf, PathBuf>> {
    let mut command = process::cargo(root);
    command.args(["test", "--quiet", "--workspace", "--all-features", "--test", "golden", "--no-run"]);
    command.args(["--message-format", "json-render-diagnostics"]);
    command.stderr(std::process::Stdio::inherit());
    println!("$ {}", process::shown(&command));
    Ok(programs(&process::output(&mut command)?))
}

/// What the messages of cargo say.
fn programs(messages: &str) -> BTreeMap<PathBuf, PathBuf> {
    messages.lines().filter_map(|line| program(&serde_json::from_str(line).ok()?)).collect()
}

fn program(message: &Value) -> Option<(PathBuf, PathBuf)> {
    let target = message.get("target")?;
    (target.get("name")? == "golden").then_some(())?;
    let program = message.get("executable")?.as_str()?;
    let manifest = Path::new(message.get("manifest_path")?.as_str()?);
    Some((manifest.parent()?.to_owned(), PathBuf::from(program)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_programs_of_harnesses() {
        let messages = r#"{"reason": "compiler-artifact", "manifest_path": "/w/a/Cargo.toml",
                "target": {"name": "golden"}, "executable": "/t/golden-1"}
            {"reason": "compiler-artifact", "manifest_path": "/w/a/Cargo.toml", "target": {"name": "other"},
                "executable": "/t/other-1"}
            {"reason": "compiler-artifact", "manifest_path": "/w/b/Cargo.toml", "target": {"name": "golden"},
                "executable": null}
            {"reason": "build-finished", "success": true}"#;
        let messages = messages.replace(",\n                ", ", ");
        let found = programs(&messages);
        assert_eq!(found.len(), 1);
        assert_eq!(found.get(Path::new("/w/a")).map(PathBuf::as_path), Some(Path::new("/t/golden-1")));
    }
}
