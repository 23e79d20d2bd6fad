//! The wheel of the package: built as it is published, or put together around a library that is compiled already.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::environment::{Environment, clear};
use super::{MAX_WHEEL_BYTES, PACKAGE, Profile};
use crate::process;
use crate::workspace::Metadata;

/// The source of the library in a wheel.
#[derive(Clone, Copy, Debug)]
pub enum Library<'a> {
    /// Compiled by maturin, as wheels are published.
    Published(Profile),
    /// A file that was compiled with the tests: with the features that these have, in their profile.
    Compiled(&'a Path),
}

/// Builds the wheel of the package in a folder of `target` and returns its path.
pub(super) fn of_package(
    environment: &Environment,
    root: &Path,
    target: &Path,
    library: Library<'_>,
) -> Result<PathBuf> {
    let folder = target.join("wheels");
    let profile = match library {
        Library::Published(profile) => profile,
        Library::Compiled(library) => return around(environment, root, target, library),
    };
    let built = Metadata::load_members(root)?.target_directory();
    let wheel = by_maturin(environment, &root.join(PACKAGE), &folder, &built, profile)?;
    let bytes = fs::metadata(&wheel)?.len();
    if profile == Profile::Release && bytes > MAX_WHEEL_BYTES {
        bail!("the wheel has {bytes} bytes, and {MAX_WHEEL_BYTES} are allowed");
    }
    Ok(wheel)
}

/// Builds the wheel of a package in a folder, as the only file in another, and returns its path. What is compiled is kept in
/// the folder `built`.
pub(super) fn by_maturin(
    environment: &Environment,
    package: &Path,
    folder: &Path,
    built: &Path,
    profile: Profile,
) -> Result<PathBuf> {
    clear(folder)?;
    let mut maturin = environment.program("maturin", package);
    maturin
        .args(["build", "--quiet", "--locked", "--strip", "--compatibility", "linux", "--out"])
        .arg(folder)
        .env("CARGO_TARGET_DIR", built);
    maturin.args(["--profile", if profile == Profile::Release { "release" } else { "dev" }]);
    process::run(&mut maturin)?;
    only(folder)
}

/// Puts a wheel together from the modules of the package, maturin's metadata, and the library. Compiling it on its own
/// would compile all of its dependencies once more, with fewer features.
fn around(environment: &Environment, root: &Path, target: &Path, library: &Path) -> Result<PathBuf> {
    let package = root.join(PACKAGE);
    let (tree, folder) = (target.join("wheel-tree"), target.join("wheels"));
    clear(&tree)?;
    clear(&folder)?;
    copy_modules(&package.join("python"), &tree)?;
    let inner = tree.join("tfxio").join("_lib.abi3.so");
    fs::copy(library, &inner).with_context(|| format!("cannot copy {}", library.display()))?;
    // Smaller by half, and so are the three places where it is installed.
    if process::is_installed("strip", &["--version"]) {
        process::run(process::program("strip", &tree).arg(&inner))?;
    }
    let mut maturin = environment.program("maturin", &package);
    maturin.args(["pep517", "write-dist-info", "--metadata-directory"]).arg(&tree);
    // Prints the name of the folder that it made.
    process::output(maturin.arg("--interpreter").arg(environment.python()))?;
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut pack = environment.program("python", &package);
    process::run(pack.args(["-m", "wheel", "pack"]).arg(&tree).arg("--dest-dir").arg(&folder))?;
    only(&folder)
}

/// Copies a folder of modules without what interpreters have left in it.
fn copy_modules(from: &Path, to: &Path) -> Result<()> {
    let cannot = |folder: &Path| format!("cannot copy {}", folder.display());
    fs::create_dir_all(to).with_context(|| cannot(from))?;
    for entry in fs::read_dir(from).with_context(|| cannot(from))? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            if entry.file_name() != "__pycache__" {
                copy_modules(&path, &target)?;
            }
        } else if path.extension().is_none_or(|extension| extension != "so") {
            fs::copy(&path, &target).with_context(|| cannot(&path))?;
        }
    }
    Ok(())
}

/// Returns the wheel that was built in a folder.
pub(super) fn only(folder: &Path) -> Result<PathBuf> {
    let mut files = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    Ok(files.next().with_context(|| format!("no wheel was built in {}", folder.display()))??.path())
}

/// Prints a wheel's path and size.
pub(super) fn print_size(wheel: &Path) -> Result<()> {
    let bytes = fs::metadata(wheel)?.len() as f64;
    match bytes < 1e5 {
        true => println!("{}: {:.1} kB", wheel.display(), bytes / 1e3),
        false => println!("{}: {:.1} MB", wheel.display(), bytes / 1e6),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_copied_without_leftovers() {
        let folder = std::env::temp_dir().join(format!("tfxio-xtask-modules-{}", std::process::id()));
        let (from, to) = (folder.join("from"), folder.join("to"));
        for file in ["p/__init__.py", "p/py.typed", "p/q/m.py", "p/_lib.abi3.so", "p/__pycache__/m.pyc"] {
            let path = from.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        copy_modules(&from, &to).unwrap();
        for (file, is_copied) in [
            ("p/__init__.py", true),
            ("p/py.typed", true),
            ("p/q/m.py", true),
            ("p/_lib.abi3.so", false),
            ("p/__pycache__", false),
        ] {
            assert_eq!(to.join(file).exists(), is_copied, "{file}");
        }
        assert_eq!(fs::read_to_string(to.join("p/q/m.py")).unwrap(), "p/q/m.py");
        fs::remove_dir_all(&folder).unwrap();
    }
}
