//! Running other programs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Variables that name folders with data that the repository does not hold, and what for.
pub const DATA_FOLDERS: &[(&str, &str)] = &[
    ("TFXIO_GOLDEN_DIR", "recorded cases beyond those in fixtures/golden"),
    ("TFXIO_REALDATA_DIR", "files of other writers beyond those in fixtures"),
];

/// The cargo that runs this program, so that a chosen toolchain stays chosen.
pub fn cargo(root: &Path) -> Command {
    let mut command = program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), root);
    if cfg!(target_os = "linux") {
        // The package is loaded by an interpreter: it is not linked to a library of Python, which many machines do not have.
        // Elsewhere its linker would want more arguments then.
        command.env("PYO3_BUILD_EXTENSION_MODULE", "1");
    }
    command
}

/// The same for builds that are only checked, by many commands with other features each: what they would keep to build a part again takes
/// longer to write than it spares, and gigabytes. All of them keep nothing, so that one finds what another has checked.
#[cfg(feature = "generate")]
pub fn checking_cargo(root: &Path) -> Command {
    let mut command = cargo(root);
    command.env("CARGO_INCREMENTAL", "0");
    command
}

/// A program in a folder, which is told where data are.
pub fn program(program: impl AsRef<OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    remove_own_package(&mut command);
    for (variable, _) in DATA_FOLDERS {
        if let Some(folder) = data_folder(variable) {
            command.env(variable, folder);
        }
    }
    command
}

/// Removes what the cargo that runs this program has set about this package: some build scripts look at it, and what depends
/// on them, DataFusion for one, would be built again whenever cargo is called by hand.
pub fn remove_own_package(command: &mut Command) {
    let is_of_package = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_of_package)) {
        command.env_remove(name);
    }
}

/// The folder in the variable, if it is set. A relative one counts from where this program was called;
/// tests are called elsewhere, so they are told the absolute one.
pub fn data_folder(variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).filter(|folder| !folder.is_empty())?;
    Some(std::path::absolute(&folder).unwrap_or_else(|_| folder.into()))
}

/// Returns the command as it would be typed.
pub fn shown(command: &Command) -> String {
    let mut text = Path::new(command.get_program())
        .file_stem()
        .unwrap_or_else(|| OsStr::new("?"))
        .to_string_lossy()
        .into_owned();
    for arg in command.get_args() {
        text.push(' ');
        text.push_str(&arg.to_string_lossy());
    }
    text
}

/// Prints the command, runs it with this program's own output, and fails if it fails.
pub fn run(command: &mut Command) -> Result<()> {
    let text = shown(command);
    println!("$ {text}");
    let status = command.status().with_context(|| format!("cannot run `{text}`"))?;
    if !status.success() {
        bail!("`{text}` failed: {status}");
    }
    Ok(())
}

/// Runs the command quietly and gives what it wrote to its standard output.
pub fn output(command: &mut Command) -> Result<String> {
    let text = shown(command);
    let output = command.output().with_context(|| format!("cannot run `{text}`"))?;
    if !output.status.success() {
        bail!("`{text}` failed: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{text}` wrote what is not UTF-8"))
}

/// Whether `program ARGS…` can be run and ends well.
pub fn is_installed(program: impl AsRef<OsStr>, args: &[&str]) -> bool {
    Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
