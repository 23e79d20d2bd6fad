//! Rules on manifests: versions stand in the root, each crate has its own version.

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

/// What is wrong with one member's manifest. Reads lines, not TOML: the manifests keep to one line a
/// dependency, and the rule sees to it that they go on doing so.
fn faults(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut section = "";
    let mut own_version = false;
    let mut lints = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
            if is_dependencies(section.rsplit_once('.').map_or("", |(head, _)| head)) {
                out.push(format!(":{}: write [{section}] as one line", at + 1));
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, value) = (key.trim(), value.trim());
        if line.starts_with('#') {
            continue;
        }
        match section {
            "package" if key == "version" => own_version = value.starts_with('"'),
            "lints" if key == "workspace" => lints = value == "true",
            _ if is_dependencies(section) => {
                let from_root = key.ends_with(".workspace") || value.contains("workspace = true");
                if !from_root {
                    out.push(format!(
                        ":{}: `{key}` must say `workspace = true`; its version belongs in the root Cargo.toml",
                        at + 1
                    ));
                }
            }
            _ => {}
        }
    }
    if !own_version {
        out.push(": [package] has no version of its own".to_owned());
    }
    if !lints {
        out.push(": needs `[lints] workspace = true`".to_owned());
    }
    out
}

/// `dependencies`, `dev-dependencies`, `build-dependencies`, also of one target.
fn is_dependencies(section: &str) -> bool {
    let last = section.rsplit_once('.').map_or(section, |(_, last)| last);
    matches!(last, "dependencies" | "dev-dependencies" | "build-dependencies")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "[package]\nversion = \"0.1.0\"\n[lints]\nworkspace = true\n";

    #[test]
    fn accepts_what_comes_from_the_root() {
        let text = format!(
            "{HEAD}[dependencies]\na.workspace = true\nb = {{ workspace = true, optional = true }}\n"
        );
        assert_eq!(faults(&text), Vec::<String>::new());
    }

    #[test]
    fn finds_versions_and_paths() {
        for line in ["a = \"1\"", "a = { version = \"1\" }", "a = { path = \"../a\" }"] {
            for section in ["dependencies", "dev-dependencies", "target.'cfg(unix)'.dependencies"] {
                let text = format!("{HEAD}[{section}]\n{line}\n");
                let found = faults(&text);
                assert_eq!(found.len(), 1, "{text}{found:?}");
                assert!(found[0].starts_with(":6: `a` must say"), "{found:?}");
            }
        }
    }

    #[test]
    fn finds_dependencies_in_sections_of_their_own() {
        let found = faults(&format!("{HEAD}[dependencies.a]\nversion = \"1\"\n"));
        assert_eq!(found, [":5: write [dependencies.a] as one line"]);
    }

    #[test]
    fn each_crate_has_its_own_version_and_the_lints() {
        assert_eq!(faults("[package]\nversion.workspace = true\n").len(), 2);
    }
}
