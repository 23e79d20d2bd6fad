//! Rules on dependencies: the arrows between our crates, and the rules of cargo-deny.

use anyhow::Result;

use super::{Context, Remarks, none};
use crate::process;
use crate::workspace::Member;

/// Crates of ours that each crate may depend on, apart from tests. `docs/architecture.md` draws them.
const ARROWS: &[(&str, &str)] = &[
    ("tfxio-base", ""),
    ("tfrecord-io", "tfxio-base"),
    ("proto-wire", ""),
    ("tfxio-core", "tfxio-base"),
    ("example-derive", ""),
    ("example-codec", "example-derive proto-wire tfxio-base tfxio-core"),
    ("message-codec", "proto-wire tfxio-base tfxio-core"),
    ("avro-path", "tfxio-base tfxio-core"),
    ("tfxio-tfmd", ""),
    ("tensor-repr", "tfxio-base tfxio-core tfxio-tfmd"),
    ("tfxio-batch-loader", "tensor-repr tfxio-base tfxio-core"),
    ("tfxio-scan", "tfxio-base tfxio-core"),
    ("tfxio-store", "tfxio-base tfxio-core tfrecord-io"),
    ("tfxio-stats", "tfxio-base tfxio-core tfxio-tfmd tensor-repr tfxio-scan"),
    (
        "tfxio-format-tfrecord",
        "tfxio-base tfxio-core tfrecord-io proto-wire example-codec message-codec tensor-repr tfxio-scan tfxio-store",
    ),
    ("tfxio-format-avro", "tfxio-base tfxio-core avro-path tensor-repr tfxio-scan tfxio-store"),
    ("tfxio-format-text", "tfxio-base tfxio-core tensor-repr tfxio-scan tfxio-store"),
    ("tfxio-format-columnar", "tfxio-base tfxio-core tfxio-scan tfxio-store"),
    (
        "tfxio-formats",
        "tfxio-base tfxio-core tensor-repr tfxio-scan tfxio-store tfxio-format-tfrecord tfxio-format-avro \
         tfxio-format-text tfxio-format-columnar",
    ),
    ("tfxio-convert", "tfxio-base tfxio-core tfxio-scan tfxio-store tfxio-formats"),
    ("tfxio-sql", "tfxio-base tfxio-core tfxio-scan tfxio-formats tfxio-convert"),
    (
        "tfxio",
        "tfxio-base tfxio-core tfrecord-io proto-wire example-derive example-codec message-codec avro-path \
         tensor-repr tfxio-batch-loader tfxio-formats tfxio-convert tfxio-stats tfxio-sql",
    ),
    ("tfxio-cli", "tfxio"),
    ("tfxio-python-errors", "tfxio-base"),
    ("tfxio-python", "tfxio tfxio-python-errors"),
    ("golden-cases", "tfxio-tfmd"),
    ("seam-laws", "tfxio-core tfxio-scan"),
    ("s3-bed", ""),
    ("bench-sets", "tfxio-core tfrecord-io example-codec message-codec avro-path tensor-repr"),
    ("xtask", ""),
    ("shared-features", ""),
];

/// Members that measure the others and may use any of them.
const UNBOUND: &[&str] = &["benches"];

pub(super) fn check(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    none(arrows(context.members))
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
            if kind != "dev" && ours(name) && !allowed.split_whitespace().any(|other| other == name) {
                out.push(format!(
                    "{} must not depend on {name} ({kind}): the layers allow [{allowed}]",
                    member.name
                ));
            }
        }
    }
    out
}

/// `cargo deny`, with the rules in deny.toml, where it is installed.
pub(super) fn deny(context: &Context<'_>, remarks: &mut Remarks) -> Result<()> {
    if !process::is_installed("cargo", &["deny", "--version"]) {
        remarks.left_out.push(
            "versions and security advisories: cargo-deny is not installed (`cargo install cargo-deny --locked`)"
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
            for below in allowed.split_whitespace() {
                let row = ARROWS.iter().position(|(name, _)| *name == below);
                assert!(row.is_some_and(|row| row < at), "{name} -> {below}");
            }
        }
    }
}
