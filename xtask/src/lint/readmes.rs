//! The rules on the READMEs of crates: each begins with how to depend on the crate, its features and the oldest compiler, and
//! an example needs no other crate than a reader is told to add. `first_examples` builds the first one alone.
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
    for member in context.members.iter().filter(|member| member.published) {
        let readme = read(&member.folder.join("README.md"))?;
        let library = read(&member.folder.join("src").join("lib.rs"))?;
        let name = shown(context.root, &member.folder.join("README.md"));
        let mut found = strangers(&readme, &member.name, &known);
        found.extend(missing(&readme, member));
        found.extend(stale(&readme, version_of));
        if member.has_kind("lib") && !library.contains("include_str!(\"../README.md\")") {
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

/// Returns what a README lacks before its first example: how to depend on the crate, its features, the oldest compiler.
fn missing(readme: &str, member: &Member) -> Vec<String> {
    let mut missing = Vec::new();
    let (start, _) = readme.split_once("\n```rust").unwrap_or((readme, ""));
    // A procedural macro is used through the crate that re-exports it.
    let named = member.has_kind("proc-macro") || dependencies(start).any(|(name, _)| name == member.name);
    if !named {
        missing
            .push(format!("no `[dependencies]` with a line `{} = …` before the first example", member.name));
    }
    for feature in member.features.iter().filter(|feature| !HIDDEN.contains(&feature.as_str())) {
        let named = start.lines().filter(|line| line.starts_with("| `")).any(|line| {
            let cell = line.split(" | ").next().unwrap_or_default();
            cell.contains(&format!("`{feature}`"))
        });
        if !named {
            missing.push(format!("no row of `{feature}` in the table of features before the first example"));
        }
    }
    let version = member.rust_version.trim_end_matches(".0");
    if !start.contains(&format!("Rust {version} or newer")) {
        missing.push(format!("does not say \"Rust {version} or newer\" before the first example"));
    }
    if examples(readme).next().is_none() {
        missing.push("no example in Rust".to_owned());
    }
    missing
}

/// Features that are for tests.
const HIDDEN: &[&str] = &["fuzzing"];

/// The names and requirements of the first block of TOML, which is what a reader puts into a manifest.
pub(super) fn dependencies(readme: &str) -> impl Iterator<Item = (&str, &str)> {
    let block = readme.split_once("```toml\n[dependencies]\n").map_or("", |(_, rest)| rest);
    block.lines().take_while(|line| !line.starts_with("```")).filter_map(|line| line.split_once(" = "))
}

/// Returns the versions in `cargo add crate@version` and `crate = "version"` that differ from the workspace's.
fn stale(readme: &str, version_of: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let added =
        commands(readme).flat_map(|line| line.split_whitespace().filter_map(|word| word.split_once('@')));
    let stated = dependencies(readme).filter_map(|(name, rest)| Some((name, rest.split('"').nth(1)?)));
    let stated = stated.filter(|(_, said)| said.starts_with(|first: char| first.is_ascii_digit()));
    let stale = added.chain(stated).filter_map(|(name, said)| match version_of(name) {
        Some(version) if version == said || version.starts_with(&format!("{said}.")) => None,
        Some(version) => Some(format!("{name} {said}, and the workspace has {version}")),
        None => Some(format!("{name} {said}, and the workspace has no such dependency")),
    });
    stale.collect()
}

/// Crates that examples name, and that no reader was told to add.
fn strangers(readme: &str, own: &str, known: &BTreeSet<String>) -> Vec<String> {
    let mut allowed = BTreeSet::from([snake(own)]);
    for word in commands(readme).flat_map(str::split_whitespace) {
        allowed.insert(snake(word.split('@').next().unwrap_or(word)));
    }
    allowed.extend(dependencies(readme).map(|(name, _)| snake(name)));
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
pub(super) fn examples(readme: &str) -> impl Iterator<Item = &str> {
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

    const README: &str = "# own-crate\n\n```toml\n[dependencies]\nown-crate = { git = \"https://x\" }\narrow-array = \"59\"\n```\n\n\
                          | `a` | no | x |\n\nRust 1.95 or newer\n\n\
                          ```rust\nuse own_crate::{A, b};\nuse other_crate::C;\nlet x = b::arrow_select::new(arrow_array::y());\n\
                          ```\n\n```sh\ncargo add arrow-select@59\n```\n\nother_crate::D outside\n";

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
        let member = Member {
            name: "own-crate".to_owned(),
            rust_version: "1.95".to_owned(),
            features: vec!["a".to_owned(), "fuzzing".to_owned()],
            ..Member::default()
        };
        assert!(missing(README, &member).is_empty());
        assert_eq!(missing("# own-crate", &member).len(), 4);
        let version = |name: &str| name.starts_with("arrow").then(|| "58.3.2".to_owned());
        assert_eq!(
            stale(README, version),
            ["arrow-select 59, and the workspace has 58.3.2", "arrow-array 59, and the workspace has 58.3.2"]
        );
    }
}
