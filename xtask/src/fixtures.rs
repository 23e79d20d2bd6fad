//! `fixtures`: makes the fixtures again by running the scripts beside them.
//!
//! The scripts named `make_*.py` and `record_*.py` in `fixtures/scripts` are programs; the other files
//! there belong to them. They write the same bytes on every run, which `--check` holds them to: it
//! fails when a file changed, and puts the files back as they were.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::python::environment::Environment;
use crate::workspace::Metadata;
use crate::{process, workspace};

/// The variable that names a Python with the pinned packages.
const PYTHON: &str = "TFXIO_FIXTURES_PYTHON";

type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Runs the command.
pub fn run(check: bool, python: Option<PathBuf>) -> Result<()> {
    let root = workspace::root();
    let folder = root.join("fixtures");
    let scripts = scripts(&folder.join("scripts"))?;
    let python = match python.or_else(|| std::env::var_os(PYTHON).map(Into::into)) {
        Some(python) => python,
        None => Environment::make(
            &Metadata::load_members(&root)?.target_directory().join("fixtures-venv"),
            &folder.join("scripts").join("requirements.txt"),
        )?
        .python(),
    };

    let before = read_all(&folder)?;
    let made = scripts.iter().try_for_each(|script| {
        let name = script.strip_prefix(&root).unwrap_or(script);
        process::run(Command::new(&python).current_dir(&root).arg(name).env("PYTHONDONTWRITEBYTECODE", "1"))
    });
    let after = read_all(&folder)?;
    let changes = changes(&before, &after);
    if check {
        restore(&folder, &before, &after)?;
    }
    made?;
    for change in &changes {
        println!("{change}");
    }
    if !check {
        println!("fixtures: {} files, {} changed", after.len(), changes.len());
        return Ok(());
    }
    if !changes.is_empty() {
        bail!(
            "{} fixtures are not what their scripts make (listed above); run `cargo xtask fixtures` and look at \
             the difference: a fixture that is published never changes, a new case is a new file",
            changes.len()
        );
    }
    println!("fixtures: all {} files are what their scripts make", after.len());
    Ok(())
}

/// The scripts that are programs, sorted by name.
fn scripts(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut scripts = workspace::files_under(folder, "py")?;
    scripts.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("make_") || name.starts_with("record_")
    });
    if scripts.is_empty() {
        bail!("there is no make_*.py or record_*.py in {}", folder.display());
    }
    Ok(scripts)
}

/// Every file below the folder but the scripts, by its path from there.
fn read_all(folder: &Path) -> Result<Files> {
    let files = workspace::files(folder, &["scripts"])?.into_iter().map(|path| {
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok((path.strip_prefix(folder).unwrap_or(&path).to_owned(), bytes))
    });
    files.collect()
}

/// Returns the changes between two states of the files, a line each.
fn changes(before: &Files, after: &Files) -> Vec<String> {
    let mut out = Vec::new();
    for (path, bytes) in after {
        match before.get(path) {
            None => out.push(format!("new: {}", path.display())),
            Some(old) if old != bytes => out.push(format!(
                "changed: {} ({} bytes, were {}; first difference at byte {})",
                path.display(),
                bytes.len(),
                old.len(),
                bytes.iter().zip(old).take_while(|(a, b)| a == b).count()
            )),
            Some(_) => {}
        }
    }
    for path in before.keys().filter(|path| !after.contains_key(*path)) {
        out.push(format!("gone: {}", path.display()));
    }
    out
}

/// Puts the files back as they were before.
fn restore(folder: &Path, before: &Files, after: &Files) -> Result<()> {
    for path in after.keys().filter(|path| !before.contains_key(*path)) {
        let path = folder.join(path);
        fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    for (path, bytes) in before {
        if after.get(path) != Some(bytes) {
            let path = folder.join(path);
            fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &[u8])]) -> Files {
        list.iter().map(|&(path, bytes)| (path.into(), bytes.to_owned())).collect()
    }

    #[test]
    fn changes_say_what_and_where() {
        let before = files(&[("a", b"12345"), ("b", b""), ("c", b"x")]);
        let after = files(&[("a", b"1234"), ("c", b"x"), ("d", b"")]);
        assert_eq!(
            changes(&before, &after),
            ["changed: a (4 bytes, were 5; first difference at byte 4)", "new: d", "gone: b"]
        );
    }

    #[test]
    fn restoring_undoes_every_change() {
        let folder = std::env::temp_dir().join(format!("xtask-fixtures-{}", std::process::id()));
        fs::create_dir_all(folder.join("scripts")).unwrap();
        fs::write(folder.join("kept"), "1").unwrap();
        fs::write(folder.join("scripts").join("make_it.py"), "").unwrap();
        let before = read_all(&folder).unwrap();
        assert_eq!(before.len(), 1, "scripts are not fixtures");
        fs::write(folder.join("kept"), "2").unwrap();
        fs::write(folder.join("new"), "").unwrap();
        restore(&folder, &before, &read_all(&folder).unwrap()).unwrap();
        assert_eq!(read_all(&folder).unwrap(), before);
        assert_eq!(scripts(&folder.join("scripts")).unwrap().len(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}
