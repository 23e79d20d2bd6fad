//! `python`: the Python package. Builds its wheel and runs its tests; and the environments of Python for all scripts.

pub mod environment;
mod peers;
mod readers;
pub mod sql;
mod tfx_bsl;
mod wheel;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use self::environment::Environment;
use self::wheel::Library;
use crate::workspace::Metadata;
use crate::{process, workspace};

/// The member that is the package.
pub const MEMBER: &str = "tfxio-python";
/// The folder of the package.
const PACKAGE: &str = "crates/tfxio-python";
/// The largest wheel that is published, in bytes.
const MAX_WHEEL_BYTES: u64 = 25_000_000;

/// Build profile of the wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// For tests.
    Debug,
    /// As it is published.
    Release,
}

/// Runs the command: around a library that is compiled, or, with `peers`, in these of the large environments, or in all.
pub fn run(release: bool, compiled: Option<&Path>, peers: Option<&[String]>) -> Result<()> {
    let profile = if release { Profile::Release } else { Profile::Debug };
    match (peers, compiled) {
        (None, Some(library)) => test(&workspace::root(), Library::Compiled(library)),
        (None, None) => test(&workspace::root(), Library::Published(profile)),
        (Some(names), _) => peers::run(names, profile),
    }
}

/// Returns why the tests of the package cannot be run on this machine, if they cannot.
pub fn missing() -> Option<String> {
    match environment::base() {
        Some(_) => None,
        None => Some("tests of the Python package: they need Python 3.11 with the module venv".to_owned()),
    }
}

/// Builds the wheels, installs them alone and with the libraries that read their data, and runs the tests.
fn test(root: &Path, library: Library<'_>) -> Result<()> {
    let target = Metadata::load_members(root)?.target_directory().join("python");
    let package = root.join(PACKAGE);
    let small = Environment::make(&target.join("small"), &package.join("requirements/small.txt"))?;
    let wheel = wheel::of_package(&small, root, &target, library)?;
    wheel::print_size(&wheel)?;
    alone(&target, &wheel, root)?;
    let of_tfx_bsl = tfx_bsl::test(&small, root, &target, &wheel)?;
    small.install(&wheel)?;
    let fixtures = root.join("fixtures");
    let mut pytest = small.program("pytest", &package);
    process::run(pytest.args(["-q", "tests"]).env("TFXIO_FIXTURES_DIR", &fixtures))?;
    process::run(small.program("mypy", &package).args(["--cache-dir", "/dev/null"]))?;
    process::run(
        small
            .program("basedpyright", &package)
            .args(["--level", "error", "--pythonpath"])
            .arg(small.python()),
    )?;
    println!("\n== wheels, built, installed and tested");
    [wheel, of_tfx_bsl].iter().try_for_each(|wheel| wheel::print_size(wheel))
}

/// Builds the package as it is published, and returns a folder that holds it and nothing else, for `PYTHONPATH`.
pub fn package(root: &Path) -> Result<PathBuf> {
    let target = Metadata::load_members(root)?.target_directory().join("python");
    let requirements = root.join(PACKAGE).join("requirements/small.txt");
    let small = Environment::make(&target.join("small"), &requirements)?;
    let wheel = wheel::of_package(&small, root, &target, Library::Published(Profile::Release))?;
    let folder = target.join("package");
    small.unpack(&wheel, &folder)?;
    Ok(folder)
}

/// Installs the wheel where there is nothing else, and reads with it.
fn alone(target: &Path, wheel: &Path, root: &Path) -> Result<()> {
    let environment = Environment::new(&target.join("alone"))?;
    environment.install_with_dependencies(&[wheel])?;
    let code = "import sys, tfxio\n\
        assert 'numpy' not in sys.modules\n\
        ds = tfxio.open(sys.argv[1])\n\
        batch = next(ds.tensors({'image': tfxio.FixedLen([8, 8], 'float32')}).read(batch_rows=32))\n\
        assert batch['image'].numpy().shape == (32, 8, 8) and len(ds) == 1797\n\
        print('with numpy alone:', len(ds), 'rows')";
    let mut python = environment.program("python", root);
    process::run(python.args(["-c", code]).arg("fixtures/digits/digits@3.tfrecord"))
}

/// The first Python that ends well with these arguments.
pub fn found(args: &[&str]) -> Option<&'static str> {
    environment::NAMES.iter().copied().find(|name| process::is_installed(name, args))
}

/// Returns the path of a program in an environment.
fn program_path(folder: &Path, name: &str) -> PathBuf {
    match cfg!(windows) {
        true => folder.join("Scripts").join(format!("{name}.exe")),
        false => folder.join("bin").join(name),
    }
}

/// A command without what other environments of Python set.
fn clean(program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_remove("PYTHONPATH")
        .env_remove("PYTHONHOME")
        .env_remove("VIRTUAL_ENV")
        .env_remove("CONDA_PREFIX");
    process::remove_own_package(&mut command);
    command
}
