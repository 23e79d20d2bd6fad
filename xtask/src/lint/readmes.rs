//! The rules on the READMEs of crates: an example needs no other crate than a reader is told to add.
//!
//! Doc tests compile the examples, with all that the crate itself depends on, its tests included: they hide that a type of a
//! signature is not re-exported. So the names are looked at here.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::{Context, Remarks, none, shown};
use crate::workspace::{Member, text};

pub(super) fn check(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    let packages = context.metadata.packages();
    let known: BTreeSet<String> = packages.iter().map(|package| snake(text(&package["name"]))).collect();
    let version_of = |name: &str| {
        let found = packages.iter().find(|package| text(&package["name"]) == name);
        found.map(|package| text(&package["version"]).to_owned())
    };
    let mut findings = Vec::new();
    for member in context.members.iter().filter(|member| member.published && member.has_kind("lib")) {
        let readme = read(&member.folder.join("README.md"))?;
        let library = read(&member.folder.join("src").join("lib.rs"))?;
        let name = shown(context.root, &member.folder.join("README.md"));
        let mut found = strangers(&readme, &member.name, &known);
        found.extend(missing(&readme, member));
        found.extend(stale(&readme, version_of));
        if !library.contains("include_str!(\"../README.md\")") {
            found.push(
                "no doc test compiles it; src/lib.rs needs `#[doc = include_str!(\"../README.md\")]`"
                    .to_owned(),
            );
        }
        findings.extend(found.into_iter().map(|finding| format!("{name}: {finding}")));
    }
    let readme = read(&context.root.join("README.md"))?;
    findings.extend(
        strangers(&readme, "tfxio", &known).into_iter().map(|finding| format!("README.md: {finding}")),
    );
    none(findings)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {} as UTF-8", path.display()))
}

fn snake(name: &str) -> String {
    name.replace('-', "_")
}

/// What each README says: how to add the crate, the oldest compiler, and one example.
fn missing(readme: &str, member: &Member) -> Vec<String> {
    let mut missing = Vec::new();
    let adds = commands(readme).any(|line| line.split_whitespace().any(|word| word == member.name));
    if !adds {
        missing.push(format!("no line `cargo add … {}`", member.name));
    }
    let version = member.rust_version.trim_end_matches(".0");
    if !readme.contains(&format!("Rust {version} or newer")) {
        missing.push(format!("does not say \"Rust {version} or newer\""));
    }
    if examples(readme).next().is_none() {
        missing.push("no example in Rust".to_owned());
    }
    missing
}

/// Versions in `cargo add crate@version` that are not those of the workspace.
fn stale(readme: &str, version_of: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let pairs =
        commands(readme).flat_map(|line| line.split_whitespace().filter_map(|word| word.split_once('@')));
    let stale = pairs.filter_map(|(name, said)| match version_of(name) {
        Some(version) if version == said || version.starts_with(&format!("{said}.")) => None,
        Some(version) => Some(format!("`cargo add {name}@{said}`, and the workspace has {version}")),
        None => Some(format!("`cargo add {name}@{said}`, and the workspace has no such dependency")),
    });
    stale.collect()
}

/// Crates that examples name, and that no reader was told to add.
fn strangers(readme: &str, own: &str, known: &BTreeSet<String>) -> Vec<String> {
    let mut allowed = BTreeSet::from([snake(own)]);
    for word in commands(readme).flat_map(str::split_whitespace) {
        allowed.insert(snake(word.split('@').next().unwrap_or(word)));
    }
    let roots: BTreeSet<&str> = examples(readme).flat_map(roots).collect();
    let strangers = roots.into_iter().filter(|root| known.contains(*root) && !allowed.contains(*root));
    strangers
        .map(|root| format!("an example uses `{root}::`; re-export what it needs, or say `cargo add` of it"))
        .collect()
}

/// The lines that add dependencies.
fn commands(readme: &str) -> impl Iterator<Item = &str> {
    readme.lines().filter(|line| line.starts_with("cargo add "))
}

/// The examples in Rust.
fn examples(readme: &str) -> impl Iterator<Item = &str> {
    let blocks = readme.split("\n```rust").skip(1);
    blocks.filter_map(|rest| Some(rest.split_once('\n')?.1.split("\n```").next().unwrap_or_default()))
}

/// The first names of paths: `a` of `a::b::c`.
fn roots(code: &str) -> impl Iterator<Item = &str> {
    code.match_indices("::").filter_map(move |(at, _)| {
        let before = code.get(..at)?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let start = before.rfind(|c| !is_name(c)).map_or(0, |at| at + 1);
        let name = before.get(start..).filter(|name| !name.is_empty())?;
        // Within a path, or a field.
        let is_root = !before.get(..start)?.ends_with([':', '.']);
        is_root.then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str = "# own-crate\n\n```sh\ncargo add own-crate\ncargo add arrow-array@59\n```\n\nRust 1.95 or newer\n\n\
                          ```rust\nuse own_crate::{A, b};\nuse other_crate::C;\nlet x = b::arrow_select::new(arrow_array::y());\n\
                          ```\n\nother_crate::D outside\n";

    #[test]
    fn a_crate_that_nobody_was_told_to_add() {
        let known = ["own_crate", "other_crate", "arrow_array", "arrow_select"].map(str::to_owned).into();
        let found = strangers(README, "own-crate", &known);
        assert_eq!(
            found,
            ["an example uses `other_crate::`; re-export what it needs, or say `cargo add` of it"]
        );
    }

    #[test]
    fn what_a_readme_says() {
        let member =
            Member { name: "own-crate".to_owned(), rust_version: "1.95".to_owned(), ..Member::default() };
        assert!(missing(README, &member).is_empty());
        assert_eq!(missing("# own-crate", &member).len(), 3);
        let version = |name: &str| (name == "arrow-array").then(|| "59.3.2".to_owned());
        assert!(stale(README, version).is_empty());
        assert_eq!(
            stale("cargo add arrow-array@58", version),
            ["`cargo add arrow-array@58`, and the workspace has 59.3.2"]
        );
    }
}
