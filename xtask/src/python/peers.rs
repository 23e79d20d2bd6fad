//! Environments with the libraries that the package feeds or replaces. They are large, and made only when asked for.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::environment::Environment;
use super::wheel::{self, Library};
use super::{PACKAGE, Profile, readers, sql};
use crate::workspace::Metadata;
use crate::{process, workspace};

/// The folder with the tests of other packages that are not in their wheels.
const TESTS: &str = "TFXIO_PEERS_TESTS_DIR";

/// An environment.
struct Peer {
    /// Its requirements are `requirements/NAME.txt`.
    name: &'static str,
    about: &'static str,
    /// Tests of ours that run there.
    tests: Tests,
    /// Programs of `tests/peers`.
    runners: &'static [Runner],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tests {
    None,
    /// Tests of the package that the small environment skips.
    Package,
    /// Tests of tfxio-sql, which is built and installed for them.
    Sql,
    /// Test of other readers of the files that the command writes; the command is built for it.
    Readers,
}

struct Runner {
    script: &'static str,
    /// The part of the folder of tests that it is given.
    folder: Option<&'static str>,
}

const PEERS: &[Peer] = &[
    Peer {
        name: "peers",
        about: "tfx-bsl, TensorFlow, Beam",
        tests: Tests::Package,
        runners: &[Runner { script: "run_tfx_bsl.py", folder: None }],
    },
    Peer {
        name: "torch",
        about: "PyTorch with its libraries for GPUs (3 GB), the package tfrecord",
        tests: Tests::Package,
        runners: &[],
    },
    Peer {
        name: "loaders",
        about: "JAX, Grain and Hugging Face's datasets, without PyTorch",
        tests: Tests::Package,
        runners: &[],
    },
    Peer {
        name: "tfio",
        about: "TensorFlow 2.16, the last that tensorflow-io runs on",
        tests: Tests::None,
        runners: &[Runner { script: "run_tensorflow_io.py", folder: Some("tensorflow-io") }],
    },
    Peer {
        name: "readers",
        about: "pyarrow, pandas, polars, DuckDB, Spark, fastavro and TensorFlow, which read what the command writes",
        tests: Tests::Readers,
        runners: &[],
    },
    Peer { name: "sql", about: "datafusion, for tfxio-sql", tests: Tests::Sql, runners: &[] },
];

/// Builds the wheel, and runs what each of the environments called `names` is for; in all of them, if none is named.
pub fn run(names: &[String], profile: Profile) -> Result<()> {
    let known = || PEERS.iter().map(|peer| format!("{} ({})", peer.name, peer.about)).collect::<Vec<_>>();
    if let Some(name) = names.iter().find(|name| PEERS.iter().all(|peer| peer.name != **name)) {
        bail!("there is no environment {name}: {}", known().join(", "));
    }
    let root = workspace::root();
    let target = Metadata::load_members(&root)?.target_directory().join("python");
    let requirements = root.join(PACKAGE).join("requirements");
    let small = Environment::make(&target.join("small"), &requirements.join("small.txt"))?;
    let wheel = wheel::of_package(&small, &root, &target, Library::Published(profile))?;
    let (mut left_out, mut failed) = (Vec::new(), Vec::new());
    for peer in PEERS.iter().filter(|peer| names.is_empty() || names.iter().any(|name| name == peer.name)) {
        println!("\n== {}: {}", peer.name, peer.about);
        let made =
            Environment::make(&target.join(peer.name), &requirements.join(format!("{}.txt", peer.name)));
        let installed = made.and_then(|environment| environment.install(&wheel).map(|()| environment));
        match installed {
            Ok(environment) => peer.run(&environment, &root, profile, &mut left_out, &mut failed),
            Err(error) => left_out.push(format!("{}: {error:#}", peer.name)),
        }
    }
    println!("\n== left out");
    for what in &left_out {
        println!("- {what}");
    }
    if !failed.is_empty() {
        bail!("failed: {}", failed.join("; "));
    }
    if std::env::var_os("CI").is_some_and(|value| value == "true") && !left_out.is_empty() {
        bail!("nothing is left out where CI=true");
    }
    Ok(())
}

impl Peer {
    fn run(
        &self,
        environment: &Environment,
        root: &Path,
        profile: Profile,
        left_out: &mut Vec<String>,
        failed: &mut Vec<String>,
    ) {
        let package = root.join(PACKAGE);
        let mut commands = Vec::new();
        let tested = match self.tests {
            Tests::Sql => sql::test(environment, root, profile),
            Tests::Readers => {
                left_out.extend(readers::left_out());
                readers::test(environment, root, profile)
            }
            Tests::None | Tests::Package => Ok(()),
        };
        if let Err(error) = tested {
            failed.push(format!("{}: {error:#}", self.name));
        }
        if self.tests == Tests::Package {
            let mut pytest = environment.program("pytest", &package);
            // Each test that is skipped is listed with the reason.
            pytest.args(["-q", "-rs", "tests"]).env("TFXIO_FIXTURES_DIR", root.join("fixtures"));
            commands.push(pytest);
        }
        for runner in self.runners {
            let script = package.join("tests/peers").join(runner.script);
            let folder = match runner.folder.map(|folder| tests_of(folder).ok_or(folder)) {
                Some(Err(folder)) => {
                    left_out.push(format!("{}: it needs {folder} in the folder of {TESTS}", runner.script));
                    continue;
                }
                Some(Ok(folder)) => Some(folder),
                None => None,
            };
            // In a folder of its own, so that nothing beside the package is imported.
            let own = environment.folder().join("run");
            if let Err(error) = fs::create_dir_all(&own) {
                failed.push(format!("{}: {error}", own.display()));
                continue;
            }
            let mut python = environment.program("python", &own);
            python.arg(script).args(folder);
            commands.push(python);
        }
        for mut command in commands {
            if let Some(tests) = process::data_folder(TESTS) {
                command.env(TESTS, tests);
            }
            if let Err(error) = process::run(&mut command) {
                failed.push(format!("{}: {error:#}", self.name));
            }
        }
    }
}

/// Returns a folder of tests, if there is one.
fn tests_of(name: &str) -> Option<PathBuf> {
    process::data_folder(TESTS).map(|tests| tests.join(name)).filter(|tests| tests.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_environment_has_packages_with_their_versions() {
        for peer in PEERS {
            let path =
                workspace::root().join(PACKAGE).join("requirements").join(format!("{}.txt", peer.name));
            let text =
                fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let mut packages = text.lines().filter(|line| !line.starts_with('#')).peekable();
            assert!(packages.peek().is_some(), "{} has no packages", path.display());
            for line in packages {
                assert!(line.contains("=="), "{}: {line} has no version", path.display());
            }
        }
    }
}
