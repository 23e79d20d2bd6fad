//! Python environments for the scripts that only other people's packages can serve.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;

/// Names under which a Python is looked for. The pinned packages have wheels for 3.11.
const NAMES: &[&str] = &["python3.11", "python3", "python"];

/// The Python of a virtual environment that has what `requirements` lists. Makes the environment if it
/// is missing, or if it was made for another list.
pub fn venv(folder: &Path, requirements: &Path) -> Result<PathBuf> {
    let python = if cfg!(windows) {
        folder.join("Scripts").join("python.exe")
    } else {
        folder.join("bin").join("python")
    };
    let wanted = fs::read_to_string(requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    // Written last, so that an installation that was broken off is begun again.
    let stamp = folder.join("installed.txt");
    if python.is_file() && fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    let Some(base) = found(&["--version"]) else {
        bail!(
            "no Python found (looked for {}): install Python 3.11 with venv, or name one that has the packages",
            NAMES.join(", ")
        );
    };
    println!("making {} with the packages of {}", folder.display(), requirements.display());
    process::run(Command::new(base).args(["-m", "venv", "--clear"]).arg(folder))?;
    process::run(
        Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
            .arg(requirements),
    )?;
    fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(python)
}

/// The first Python that ends well with these arguments.
pub fn found(args: &[&str]) -> Option<&'static str> {
    NAMES.iter().copied().find(|name| process::is_installed(name, args))
}
