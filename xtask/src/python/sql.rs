//! The Python package tfxio-sql: a workspace of its own, whose dependencies have features that nothing else needs.

use std::path::Path;

use anyhow::Result;

use super::Profile;
use super::environment::Environment;
use super::wheel;
use crate::process;
use crate::workspace::Metadata;

/// The folder of the package.
const PACKAGE: &str = "crates/tfxio-sql-python";
/// Its manifest.
const MANIFEST: &str = "crates/tfxio-sql-python/Cargo.toml";

/// Builds the wheel, installs it beside that of tfxio, runs the tests, and looks at the code.
pub(super) fn test(environment: &Environment, root: &Path, profile: Profile) -> Result<()> {
    let target = Metadata::load_members(root)?.target_directory();
    let package = root.join(PACKAGE);
    let wheel = wheel::by_maturin(
        environment,
        &package,
        &target.join("python").join("wheels-sql"),
        &target,
        profile,
    )?;
    environment.install(&wheel)?;
    let mut pytest = environment.program("pytest", &package);
    process::run(pytest.args(["-q", "-rs", "tests"]).env("TFXIO_FIXTURES_DIR", root.join("fixtures")))?;
    process::run(environment.program("mypy", &package).args(["--cache-dir", "/dev/null"]))?;
    clippy(root, &target)
}

/// Runs clippy on its code, which `cargo xtask lint` does not: DataFusion would be checked once more for it.
fn clippy(root: &Path, target: &Path) -> Result<()> {
    let mut clippy = process::cargo(root);
    clippy.args(["clippy", "--quiet", "--locked", "--manifest-path", MANIFEST, "--", "-D", "warnings"]);
    // What our own builds have checked with the same features is not checked again.
    process::run(clippy.env("CARGO_TARGET_DIR", target))
}
