//! `test --s3`: the tests that need the S3-compatible server, and the server.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::{process, workspace};

/// The variable in which tests find the program.
pub const VARIABLE: &str = "TFXIO_S3_SERVER";
/// The member that starts it; whatever depends on that has tests that need the server.
pub const BED: &str = "s3-bed";
/// The tests that start it: crate, target, and what their names begin with.
const TESTS: &[(&str, &str, &str)] = &[("tfxio", "suite", "s3::"), ("tfxio-cli", "cli", "places::")];

/// Runs the command.
pub fn run() -> Result<()> {
    let root = workspace::root();
    let server = server(&root, Profile::Debug)?;
    for (package, target, filter) in TESTS {
        let mut command = process::cargo(&root);
        command.args(["test", "-p", package, "--all-features", "--test", target, "--", filter]);
        process::run(command.env(VARIABLE, &server))?;
    }
    Ok(())
}

/// Build profile of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// For tests.
    Debug,
    /// For measuring.
    Release,
}

/// Builds the server, a workspace of its own, in the target directory of this one, and returns its program; the path in
/// [`VARIABLE`] where that is set.
pub fn server(root: &Path, profile: Profile) -> Result<PathBuf> {
    if let Some(program) = std::env::var_os(VARIABLE).filter(|program| !program.is_empty()) {
        return Ok(std::path::absolute(program)?);
    }
    let target = workspace::Metadata::load_members(root)?.target_directory();
    let mut build = process::cargo(root);
    build.args(["build", "--quiet", "--locked", "--manifest-path", "crates/s3-bed/server/Cargo.toml"]);
    let folder = if profile == Profile::Release { "release" } else { "debug" };
    build.args((profile == Profile::Release).then_some("--release"));
    process::run(build.env("CARGO_TARGET_DIR", &target)).context(
        "the S3-compatible server of the tests cannot be built (CONTRIBUTING.md says what it needs)",
    )?;
    Ok(target.join(folder).join(format!("tfxio-s3-server{}", std::env::consts::EXE_SUFFIX)))
}
