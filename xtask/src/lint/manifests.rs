//! Rules on manifests: versions are in the root, each crate has its own version.

use std::fs;

use anyhow::{Context as _, Result};

use super::{Context, Remarks, none, shown};

pub(super) fn check(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    let mut findings = Vec::new();
    for member in context.members {
        let path = member.folder.join("Cargo.toml");
        let name = shown(context.root, &path);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {name}"))?;
        findings.extend(faults(&text).into_iter().map(|finding| format!("{name}{finding}")));
    }
    none(findings)
}

/// Returns the faults of one member's manifest. Reads lines, not TOML: the manifests keep to one line a dependency.
fn faults(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let (mut in_dependencies, mut is_dev) = (false, false);
    for (at, line) in text.lines().enumerate() {
        if let Some(section) = line.strip_prefix('[') {
            in_dependencies = section.ends_with("dependencies]");
            is_dev = section.ends_with("dev-dependencies]");
            if section.contains("dependencies.") {
                out.push(format!(":{}: write {line} as one line", at + 1));
            }
        } else if in_dependencies
            && line.contains('=')
            && !line.contains("workspace = true")
            && !(is_dev && is_path(line))
            && !line.starts_with('#')
        {
            out.push(format!(
                ":{}: must say `workspace = true`; versions belong in the root Cargo.toml",
                at + 1
            ));
        }
    }
    if !text.contains("\nversion = \"") {
        out.push(": [package] has no version of its own".to_owned());
    }
    if !text.contains("\n[lints]\nworkspace = true\n") {
        out.push(": needs `[lints] workspace = true`".to_owned());
    }
    out
}

/// Returns whether a dependency is a member by its path, without a version. A crate is tested with crates that depend on it so:
/// packages leave out such dependencies, and could not be published in any order if they had a version.
fn is_path(line: &str) -> bool {
    line.contains("path = \"../") && !line.contains("version =")
}

#[cfg(test)]
mod tests {
    use super::faults;

    const HEAD: &str = "[package]\nversion = \"0.1.0\"\n[lints]\nworkspace = true\n";

    #[test]
    fn versions_stand_in_the_root() {
        for (lines, faulty) in [
            ("[dependencies]\na.workspace = true\nb = { workspace = true, optional = true }", false),
            ("[features]\na = []", false),
            ("[dependencies]\na = \"1\"", true),
            ("[dev-dependencies]\na = { path = \"../a\" }", false),
            ("[dev-dependencies]\na = { path = \"../a\", version = \"1\" }", true),
            ("[dependencies]\na = { path = \"../a\" }", true),
            ("[target.'cfg(unix)'.dependencies]\na = { version = \"1\" }", true),
            ("[dependencies.a]\nworkspace = true", true),
        ] {
            let found = faults(&format!("{HEAD}{lines}\n"));
            assert_eq!(found.len(), usize::from(faulty), "{lines}: {found:?}");
        }
        assert_eq!(faults("[package]\nversion.workspace = true\n").len(), 2);
    }
}
