//! Environments of Python, made by uv.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{clean, program_path};
use crate::process;

/// Names under which a Python is looked for. The pinned packages have wheels for 3.11.
pub const NAMES: &[&str] = &["python3.11", "python3", "python"];
/// The version of uv, where it is not installed.
const UV: &str = "uv==0.13.9";

/// A virtual environment.
#[derive(Debug)]
pub struct Environment {
    folder: PathBuf,
    uv: PathBuf,
}

impl Environment {
    /// Returns the environment that has what `requirements` lists. Makes it if it is missing, or if it was made for another list.
    pub fn make(folder: &Path, requirements: &Path) -> Result<Self> {
        let wanted = fs::read_to_string(requirements)
            .with_context(|| format!("cannot read {}", requirements.display()))?;
        // Written last, so that an installation that was broken off is begun again.
        let stamp = folder.join("installed.txt");
        if program_path(folder, "python").is_file()
            && fs::read_to_string(&stamp).is_ok_and(|found| found == wanted)
        {
            return Ok(Self { folder: folder.to_owned(), uv: uv(folder)? });
        }
        println!("making {} with the packages of {}", folder.display(), requirements.display());
        let environment = Self::new(folder)?;
        process::run(environment.pip().arg("-r").arg(requirements))?;
        fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))?;
        Ok(environment)
    }

    /// Returns a new environment with nothing in it.
    pub fn new(folder: &Path) -> Result<Self> {
        let Some(base) = base() else {
            bail!(
                "no Python found (looked for {}): install Python 3.11 with venv, or name one that has the packages",
                NAMES.join(", ")
            );
        };
        let environment = Self { folder: folder.to_owned(), uv: uv(folder)? };
        process::run(environment.uv().args(["venv", "--clear", "--python", base]).arg(folder))?;
        Ok(environment)
    }

    /// Installs a wheel, or a package by its name and version, and nothing that it needs.
    pub fn install(&self, wheel: impl AsRef<OsStr>) -> Result<()> {
        process::run(self.pip().args(["--reinstall", "--no-deps"]).arg(wheel))
    }

    /// Removes packages.
    pub fn uninstall(&self, names: &[&str]) -> Result<()> {
        process::run(self.uv().args(["pip", "uninstall", "--python"]).arg(self.python()).args(names))
    }

    /// Builds the wheel of a package without native code, by what the environment has, as the only file of a folder.
    pub fn build_wheel(&self, source: &Path, folder: &Path) -> Result<()> {
        clear(folder)?;
        let mut build = self.uv();
        build.args(["build", "--wheel", "--no-build-isolation", "--no-create-gitignore", "--python"]);
        process::run(build.arg(self.python()).arg("--out-dir").arg(folder).arg(source))
    }

    /// Puts what a wheel holds into a folder.
    pub fn unpack(&self, wheel: &Path, folder: &Path) -> Result<()> {
        process::run(self.pip().args(["--reinstall", "--no-deps", "--target"]).arg(folder).arg(wheel))
    }

    /// Installs wheels and what they need.
    pub fn install_with_dependencies(&self, wheels: &[&Path]) -> Result<()> {
        process::run(self.pip().args(wheels))
    }

    /// A program of the environment, to be run in a folder.
    pub fn program(&self, name: &str, folder: &Path) -> Command {
        let mut command = process::program(program_path(&self.folder, name), folder);
        command.env_remove("PYTHONPATH").env_remove("PYTHONHOME").env_remove("CONDA_PREFIX");
        command.env("VIRTUAL_ENV", &self.folder);
        command
    }

    /// The folder of the environment.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The Python of the environment.
    pub fn python(&self) -> PathBuf {
        program_path(&self.folder, "python")
    }

    fn uv(&self) -> Command {
        let mut command = clean(&self.uv);
        // The Python is the machine's, and so are the certificates.
        command.args(["--quiet", "--native-tls", "--no-python-downloads"]);
        command
    }

    fn pip(&self) -> Command {
        let mut command = self.uv();
        command.args(["pip", "install", "--python"]).arg(self.python());
        command
    }
}

/// The Python of the machine, if it has the module venv.
pub fn base() -> Option<&'static str> {
    let code = "import sys, venv; sys.exit(sys.version_info < (3, 11))";
    NAMES.iter().copied().find(|name| process::is_installed(name, &["-c", code]))
}

/// Removes a folder of wheels, so that the one that is built is the only one.
pub(super) fn clear(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    Ok(())
}

/// Returns the program uv: the one that is installed, or one in an environment of its own beside `folder`.
fn uv(folder: &Path) -> Result<PathBuf> {
    if process::is_installed("uv", &["--version"]) {
        return Ok("uv".into());
    }
    let own = folder.with_file_name("uv");
    let program = program_path(&own, "uv");
    if program.is_file() {
        return Ok(program);
    }
    let base = base().context("no Python 3.11 or newer with the module venv")?;
    process::run(clean(Path::new(base)).args(["-m", "venv", "--clear"]).arg(&own))?;
    let mut pip = clean(&program_path(&own, "python"));
    process::run(pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV]))?;
    Ok(program)
}
