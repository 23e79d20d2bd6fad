//! Rules that compile: clippy, each crate alone, each feature alone, docs, fuzz targets.

use std::process::Command;

use anyhow::{Result, bail};

use super::{Context, Remarks, msrv};
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

/// The package that is selected together with a crate that is built alone, so that dependencies of all are compiled once.
pub(super) const SHARED_FEATURES: &str = "shared-features";

/// Members that depend on what that package names, with fewer features: they are built without it.
const NOT_SHARED: &[&str] = &["example-derive"];

/// Builds each crate as someone would use it who takes only this one: the library with no features, with each one, with
/// the default ones and with all, and its tests with no features. A workspace build hides what is missing here, because
/// there the features of all members add up. Unpublished members that have features are built without them.
///
/// Features for a member that needs a newer compiler are left to that member and to the builds of the workspace: they bring
/// as many crates as everything else together, which would be compiled for each of them again. A few small dependencies at the bottom
/// have the features of the whole workspace, by [`SHARED_FEATURES`]. Clippy looks at the crate itself: its dependencies have builds of their
/// own.
pub(super) fn each_crate_alone(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    needs_clippy()?;
    let features = msrv::features(context.metadata);
    let mut failed = Vec::new();
    for member in context.members.iter().filter(|member| member.published || !member.features.is_empty()) {
        for args in runs(member, &features) {
            let mut command = clippy(context);
            command.args(["-p", &member.name]);
            if !NOT_SHARED.contains(&member.name.as_str()) {
                command.args(["-p", SHARED_FEATURES]);
            }
            command.args(args).args(["--no-deps", "--", "-D", "warnings"]);
            if let Err(error) = process::run(&mut command) {
                failed.push(format!("{error:#}"));
            }
        }
    }
    super::none(failed)
}

/// The builds of one crate with its features among these, which are named `member/feature`. Without features there is one
/// way to build it; one feature is all features.
fn runs(member: &Member, features: &[String]) -> Vec<Vec<String>> {
    let has = |feature: &&String| features.contains(&format!("{}/{feature}", member.name));
    let with = member.features.iter().filter(has).map(String::as_str).collect::<Vec<_>>();
    let run = |args: &[&str]| args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>();
    if member.features.is_empty() {
        return vec![run(&[])];
    }
    if !member.published {
        return vec![run(&["--no-default-features", "--all-targets"])];
    }
    if member.has_newer_compiler() {
        return vec![run(&["--no-default-features"])];
    }
    // Of this crate alone, also where another is built with it.
    let with = with.iter().map(|feature| format!("{}/{feature}", member.name)).collect::<Vec<_>>();
    let all = with.join(",");
    let mut runs = vec![
        run(&["--no-default-features"]),
        run(&["--no-default-features", "--all-targets"]),
        run(&["--no-default-features", "--features", &all]),
    ];
    let default = member.default_features.len();
    if default > 1 && default < with.len() {
        runs.push(run(&[]));
    }
    let each = with.iter().filter(|_| with.len() > 1);
    runs.extend(each.map(|feature| run(&["--no-default-features", "--features", feature])));
    runs
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

/// Builds the fuzz targets, which are outside the workspace, so that they do not rot.
pub(super) fn fuzz_targets(context: &Context<'_>, remarks: &mut Remarks) -> Result<()> {
    let manifest = context.root.join("fuzz").join("Cargo.toml");
    if !manifest.is_file() {
        remarks.left_out.push("fuzz targets: there is no fuzz/Cargo.toml".to_owned());
        return Ok(());
    }
    process::run(
        process::checking_cargo(context.root)
            .arg("--config")
            .arg(context.metadata.development_profile(context.root)?)
            .args(["check", "--quiet", "--bins", "--manifest-path", "fuzz/Cargo.toml"])
            // As our own builds are made, so that what these have checked is not checked again.
            .env("CARGO_TARGET_DIR", context.metadata.target_directory())
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
            // A check links nothing. Naming a library saves building libFuzzer, which needs a C++ compiler.
            .env("CUSTOM_LIBFUZZER_PATH", "not-built/libfuzzer.a"),
    )
}

fn clippy(context: &Context<'_>) -> Command {
    let mut command = process::checking_cargo(context.root);
    command.args(["clippy", "--quiet"]);
    command
}

fn needs_clippy() -> Result<()> {
    if process::is_installed("cargo", &["clippy", "--version"]) {
        return Ok(());
    }
    bail!("clippy is not installed: add it with `rustup component add clippy`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_for_a_newer_compiler_are_left_out() {
        let strings = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let member = Member {
            name: "front".to_owned(),
            features: strings(&["a", "b", "newer"]),
            published: true,
            rust_version: env!("CARGO_PKG_RUST_VERSION").to_owned(),
            ..Member::default()
        };
        let shown = |member: &Member| {
            let runs = runs(member, &strings(&["front/a", "front/b", "front/c", "other/newer"]));
            runs.iter().map(|run| run.join(" ")).collect::<Vec<_>>()
        };
        assert_eq!(
            shown(&member),
            [
                "--no-default-features",
                "--no-default-features --all-targets",
                "--no-default-features --features front/a,front/b",
                "--no-default-features --features front/a",
                "--no-default-features --features front/b",
            ]
        );

        let features = strings(&["a", "b", "c", "newer"]);
        let with_default = Member { features, default_features: strings(&["a", "b"]), ..member };
        assert_eq!(shown(&with_default)[3], "");
        let ours = Member { published: false, ..with_default };
        assert_eq!(shown(&ours), ["--no-default-features --all-targets"]);
    }
}
