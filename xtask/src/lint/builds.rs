//! Rules that compile: clippy, each crate alone, each feature alone, docs, fuzz targets.

use std::process::Command;

use anyhow::{Result, bail};

use super::{Context, Remarks};
use crate::workspace::Member;
use crate::{api, process};

pub(super) fn clippy_all_features(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    needs_clippy()?;
    process::run(
        clippy(context)
            .args(["--workspace", "--all-targets", "--all-features"])
            .args(["--", "-D", "warnings"]),
    )
}

pub(super) fn clippy_default_features(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    needs_clippy()?;
    process::run(clippy(context).args(["--workspace", "--all-targets"]).args(["--", "-D", "warnings"]))
}

/// Each crate, as someone would use it who takes only this one: the library with no features, with each one and with
/// all, and its tests with no features. A workspace build hides what is missing here, because there
/// the features of all members add up.
pub(super) fn each_crate_alone(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    needs_clippy()?;
    let mut failed = Vec::new();
    let mut run = |command: &mut Command| {
        if let Err(error) = process::run(command) {
            failed.push(format!("{error:#}"));
        }
    };
    for member in context.members.iter().filter(|member| member.published) {
        for args in runs(member) {
            run(clippy(context).args(["-p", &member.name]).args(*args).args(["--", "-D", "warnings"]));
        }
        // One feature is all features.
        for feature in member.features.iter().filter(|_| member.features.len() > 1) {
            let args = ["-p", &member.name, "--no-default-features", "--features", feature];
            run(clippy(context).args(args).args(["--", "-D", "warnings"]));
        }
    }
    super::none(failed)
}

/// The builds of one crate. Without features there is one way to build it.
fn runs(member: &Member) -> &'static [&'static [&'static str]] {
    if member.features.is_empty() {
        &[&[]]
    } else {
        &[&["--no-default-features"], &["--no-default-features", "--all-targets"], &["--all-features"]]
    }
}

/// Documentation without warnings, and the lists of what is public as they are checked in.
pub(super) fn docs(context: &Context<'_>, remarks: &mut Remarks) -> Result<()> {
    api::document(context.root, "deny")?;
    match api::differences(context.root, context.metadata) {
        Ok(differences) => super::none(differences),
        Err(error) => {
            remarks.left_out.push(format!("lists of what is public: {error:#}"));
            Ok(())
        }
    }
}

/// The fuzz targets stand outside the workspace; they must not rot.
pub(super) fn fuzz_targets(context: &Context<'_>, remarks: &mut Remarks) -> Result<()> {
    let manifest = context.root.join("fuzz").join("Cargo.toml");
    if !manifest.is_file() {
        remarks.left_out.push("fuzz targets: there is no fuzz/Cargo.toml".to_owned());
        return Ok(());
    }
    process::run(
        process::cargo(context.root)
            .args(["check", "--quiet", "--bins", "--manifest-path", "fuzz/Cargo.toml"])
            .env("CARGO_TARGET_DIR", context.metadata.target_directory().join("fuzz"))
            // A check links nothing. Naming a library saves building libFuzzer, which needs a C++ compiler.
            .env("CUSTOM_LIBFUZZER_PATH", "not-built/libfuzzer.a"),
    )
}

fn clippy(context: &Context<'_>) -> Command {
    let mut command = process::cargo(context.root);
    command.args(["clippy", "--quiet"]);
    command
}

fn needs_clippy() -> Result<()> {
    if process::is_installed("cargo", &["clippy", "--version"]) {
        return Ok(());
    }
    bail!("clippy is not installed: add it with `rustup component add clippy`")
}
