//! Other systems that read the command's files: every type in every format, compared with the tables of
//! `docs/formats.md`.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::environment::Environment;
use super::{PACKAGE, Profile};
use crate::process;
use crate::workspace::Metadata;

/// The variable that names the command to the test.
const COMMAND: &str = "TFXIO_COMMAND";
/// The test.
const TEST: &str = "tests/peers/test_readers.py";

/// Builds the command with all that it can write, and lets the packages of the environment read its files.
pub(super) fn test(environment: &Environment, root: &Path, profile: Profile) -> Result<()> {
    let mut build = process::cargo(root);
    build.args(["build", "--locked", "--package", "tfxio-cli", "--all-features"]);
    if profile == Profile::Release {
        build.arg("--release");
    }
    process::run(&mut build)?;
    let command = command(&Metadata::load_members(root)?.target_directory(), profile);
    let mut pytest = environment.program("pytest", &root.join(PACKAGE));
    process::run(pytest.args(["-q", "-rs", TEST]).env(COMMAND, command))
}

/// Returns what is left out on this machine, and why.
pub(super) fn left_out() -> Option<String> {
    // As pyspark looks for it.
    let home = std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty());
    let java = home.map_or_else(|| PathBuf::from("java"), |home| Path::new(&home).join("bin").join("java"));
    (!process::is_installed(java, &["-version"]))
        .then(|| "Spark among the readers: pyspark needs Java, and there is none".to_owned())
}

/// Returns where the command is built.
fn command(target: &Path, profile: Profile) -> PathBuf {
    let folder = if profile == Profile::Release { "release" } else { "debug" };
    target.join(folder).join(format!("tfxio{}", std::env::consts::EXE_SUFFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_that_of_the_profile() {
        let name = format!("tfxio{}", std::env::consts::EXE_SUFFIX);
        let target = Path::new("target");
        assert_eq!(command(target, Profile::Debug), target.join("debug").join(&name));
        assert_eq!(command(target, Profile::Release), target.join("release").join(&name));
    }
}
