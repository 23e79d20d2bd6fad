//! Rules on dependencies: the arrows between our crates, and one version of what must be one.

use std::collections::BTreeMap;

use anyhow::Result;

use super::{Context, Remarks, none};
use crate::process;
use crate::workspace::{Member, text};

/// Which of our crates each crate may depend on, apart from tests. `docs/architecture.md` draws it.
const ARROWS: &[(&str, &[&str])] = &[
    ("tfxio-base", &[]),
    ("tfrecord-io", &["tfxio-base"]),
    ("proto-wire", &[]),
    ("tfxio-core", &["tfxio-base"]),
    ("example-codec", &["proto-wire", "tfxio-base", "tfxio-core"]),
    ("message-codec", &["proto-wire", "tfxio-base", "tfxio-core"]),
    ("avro-path", &["tfxio-base", "tfxio-core"]),
    ("tensor-repr", &["tfxio-base", "tfxio-core"]),
    ("batch-loader", &["tfrecord-io", "example-codec", "tensor-repr", "tfxio-base", "tfxio-core"]),
    (
        "tfxio-formats",
        &[
            "tfxio-base",
            "tfxio-core",
            "tfrecord-io",
            "proto-wire",
            "example-codec",
            "message-codec",
            "avro-path",
            "tensor-repr",
        ],
    ),
    ("tfxio", &["tfxio-formats", "batch-loader", "tfxio-stats", "tfxio-sql"]),
    ("tfxio-cli", &["tfxio"]),
    ("tfxio-python", &["tfxio"]),
    ("golden-cases", &[]),
    ("xtask", &[]),
];

/// Members that measure the others and may use any of them.
const UNBOUND: &[&str] = &["benches"];

/// Packages whose types cross crates: two versions in one build do not fit together.
const ONE_VERSION: &[&str] = &["arrow", "bytes", "object_store", "parquet", "prost", "tokio"];

pub(super) fn check(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    let mut findings = arrows(context.members);
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in context.metadata.packages() {
        versions.entry(text(&package["name"])).or_default().push(text(&package["version"]));
    }
    findings.extend(duplicates(&versions));
    none(findings)
}

/// Arrows between members that the table does not have.
fn arrows(members: &[Member]) -> Vec<String> {
    let mut out = Vec::new();
    let ours = |name: &str| members.iter().any(|member| member.name == name);
    for member in members.iter().filter(|member| !UNBOUND.contains(&member.name.as_str())) {
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == member.name) else {
            out.push(format!("{}: not in the table of arrows (xtask/src/lint/dependencies.rs)", member.name));
            continue;
        };
        for (name, kind) in &member.dependencies {
            if kind != "dev" && ours(name) && !allowed.contains(&name.as_str()) {
                out.push(format!(
                    "{} must not depend on {name} ({kind}): the layers allow [{}]",
                    member.name,
                    allowed.join(", ")
                ));
            }
        }
    }
    out
}

/// Packages of which there must be one version and there are several.
fn duplicates(versions: &BTreeMap<&str, Vec<&str>>) -> Vec<String> {
    let bound = |name: &str| {
        ONE_VERSION
            .iter()
            .any(|one| name == *one || name.strip_prefix(one).is_some_and(|rest| rest.starts_with('-')))
    };
    versions
        .iter()
        .filter(|(name, versions)| versions.len() > 1 && bound(name))
        .map(|(name, versions)| {
            format!(
                "{name}: versions {} in one build; bring them together in Cargo.lock",
                versions.join(" and ")
            )
        })
        .collect()
}

/// `cargo deny`, with the rules in deny.toml, where it is installed.
pub(super) fn deny(context: &Context<'_>, remarks: &mut Remarks) -> Result<()> {
    if !process::is_installed("cargo", &["deny", "--version"]) {
        remarks.left_out.push(
            "cargo-deny is not installed (`cargo install cargo-deny --locked`): licences and versions were \
             checked by our own rules, security advisories were not checked"
                .to_owned(),
        );
        return Ok(());
    }
    process::run(process::cargo(context.root).args(["deny", "check", "bans", "licenses", "sources"]))?;
    let mut advisories = process::cargo(context.root);
    advisories.args(["deny", "check", "advisories"]);
    println!("$ {}", process::shown(&advisories));
    let output = advisories.output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return Ok(());
    }
    if said.contains("failed to fetch advisory database") {
        remarks.left_out.push("security advisories: the database cannot be fetched".to_owned());
        return Ok(());
    }
    anyhow::bail!("cargo deny check advisories failed:\n{said}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, dependencies: &[(&str, &str)]) -> Member {
        Member {
            name: name.to_owned(),
            dependencies: dependencies
                .iter()
                .map(|&(name, kind)| (name.to_owned(), kind.to_owned()))
                .collect(),
            ..Member::default()
        }
    }

    #[test]
    fn arrows_point_down() {
        let members = [
            member("proto-wire", &[("tfrecord-io", "normal")]),
            member("tfrecord-io", &[("proto-wire", "dev"), ("bytes", "normal")]),
            member("tfxio-cli", &[("tfxio", "normal")]),
            member("tfxio", &[("proto-wire", "normal")]),
            member("benches", &[("tfxio-cli", "normal")]),
        ];
        assert_eq!(
            arrows(&members),
            ["proto-wire must not depend on tfrecord-io (normal): the layers allow []"]
        );
    }

    #[test]
    fn a_new_crate_needs_a_row() {
        assert_eq!(arrows(&[member("new", &[])]).len(), 1);
    }

    #[test]
    fn the_table_has_no_circle() {
        for (at, (name, allowed)) in ARROWS.iter().enumerate() {
            for below in *allowed {
                let row = ARROWS.iter().position(|(name, _)| name == below);
                assert!(row.is_some_and(|row| row < at), "{name} -> {below}");
            }
        }
    }

    #[test]
    fn finds_two_versions() {
        let versions = [
            ("arrow-array", vec!["58.0.0", "59.3.0"]),
            ("arrowhead", vec!["1.0.0", "2.0.0"]),
            ("prost", vec!["0.14.4"]),
            ("syn", vec!["2.0.1", "3.0.1"]),
        ];
        let found = duplicates(&versions.into_iter().collect());
        assert_eq!(
            found,
            ["arrow-array: versions 58.0.0 and 59.3.0 in one build; bring them together in Cargo.lock"]
        );
    }
}
