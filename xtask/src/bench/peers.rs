//! `bench --peers`: makes what `benches/peers/compare.py` needs, and runs it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::python::environment::Environment;
use crate::workspace::{Metadata, text};
use crate::{process, python, s3};

/// The variable that names a Python with the peers' packages.
const PYTHON: &str = "TFXIO_PEERS_PYTHON";
/// The same for the packages of tensorflow-io, which need an older TensorFlow.
const PYTHON_TFIO: &str = "TFXIO_PEERS_TFIO_PYTHON";
/// The task that needs a server of its own.
const PLACES: &str = "places";
/// The package of the comparisons.
const PACKAGE: &str = "benches";
/// The task that needs the package of Python.
const PACKAGE_OF_PYTHON: &str = "python";
/// The peer that needs a feature of `measure`.
const ARROW_AVRO: &str = "arrow-avro";
/// The feature with the peers of Parquet, CSV and JSON lines.
const ARROW_READERS: &str = "arrow-readers";
/// The task that needs DataFusion, and the feature of it.
const SQL: &str = "sql";
/// The peers that are crates, and run in `measure`.
const CRATES: [&str; 6] = [ARROW_AVRO, "arrow-csv", "arrow-json", "parquet", "prost", "prost-reflect"];

/// Arguments of `bench` for the peers.
#[derive(clap::Args)]
pub struct PeerOptions {
    /// Folder with the data sets
    #[arg(long, requires = "peers")]
    data: Option<PathBuf>,
    /// A Python with the peers' packages
    #[arg(long, requires = "peers")]
    python: Option<PathBuf>,
    /// A Python with tensorflow-io
    #[arg(long, requires = "peers")]
    python_tfio: Option<PathBuf>,
    /// Run only these tasks, and those whose names begin so; of all others the figures of earlier runs are kept
    #[arg(long, requires = "peers")]
    only: Option<String>,
    /// Measure the program of this commit as well, by turns, for the tasks that take the same words there
    #[arg(long, value_name = "COMMIT", requires = "peers")]
    before: Option<String>,
    /// Size of each set in 10^6 bytes when it has to be made
    #[arg(long, requires = "peers")]
    mb: Option<String>,
}

/// Measures, prints the tables, and rewrites benches/RESULTS.md.
pub fn run(root: &Path, options: &PeerOptions, filter: Option<&str>) -> Result<()> {
    let folder = root.join("benches").join("peers");
    let metadata = Metadata::load(root)?;
    let target = metadata.target_directory();
    let python_or = |given: &Option<PathBuf>, variable, venv: &str, requirements: &str| match given
        .clone()
        .or_else(|| std::env::var_os(variable).map(PathBuf::from))
    {
        Some(python) => Ok(python),
        None => Environment::make(&target.join(venv), &folder.join(requirements)).map(|made| made.python()),
    };
    let python = python_or(&options.python, PYTHON, "peers-venv", "requirements.txt")?;
    let mut command = Command::new(python);
    let program = |name: &str| target.join("release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    command.arg(folder.join("compare.py")).arg("--measure").arg(program("measure"));
    command.arg("--write-sets").arg(program("write-sets")).arg("--data");
    command.arg(match &options.data {
        Some(data) => std::path::absolute(data).context("cannot tell where --data is")?,
        None => target.join("bench-data"),
    });
    // The environment of tensorflow-io is large: it is made only for the task that needs it.
    let is_chosen =
        |task: &str| ["avro_tensors", PACKAGE_OF_PYTHON].iter().any(|with| with.starts_with(task));
    let chosen = options.only.as_ref().is_none_or(|tasks| tasks.split(',').any(is_chosen));
    if chosen && filter.is_none_or(|text| text.contains("avro") || text.contains("atds")) {
        let tfio = python_or(&options.python_tfio, PYTHON_TFIO, "peers-tfio-venv", "requirements-tfio.txt")?;
        command.arg("--tfio").arg(tfio);
    }
    for name in CRATES {
        let package = metadata.packages().iter().find(|package| package["name"] == name);
        let version = package.map_or("", |package| text(&package["version"]));
        command.args(["--crate", &format!("{name} {version}")]);
    }
    let (only, mb) = (options.only.as_deref(), options.mb.as_deref());
    for (name, value) in [("--only", only), ("--match", filter), ("--mb", mb)] {
        if let Some(value) = value {
            command.args([name, value]);
        }
    }
    if let Some(commit) = &options.before {
        let measure = build_before(root, &target.join("before").join(commit), commit)?;
        command.args(["--before-name", commit, "--before"]).arg(measure);
    }
    let tasks = options.only.as_deref().unwrap_or(SQL);
    let with_sql = tasks.split(',').any(|task| SQL.starts_with(task));
    let features = [ARROW_AVRO, ARROW_READERS, if with_sql { SQL } else { "" }].join(",");
    process::run(
        process::cargo(root)
            .args(["build", "--release", "-p", PACKAGE, "--bin", "measure", "--bin", "write-sets"])
            .args(["--features", features.trim_end_matches(',')]),
    )?;
    let tasks = options.only.as_deref().unwrap_or(PLACES);
    if tasks.split(',').any(|task| PLACES.starts_with(task)) {
        let mut build = process::cargo(root);
        build.args(["build", "--release", "-p", PACKAGE, "--bin", PLACES, "--features", PLACES]);
        process::run(&mut build)?;
        let places = target.join("release").join(format!("{PLACES}{}", std::env::consts::EXE_SUFFIX));
        command.arg("--places").arg(places);
        command.env(s3::VARIABLE, s3::server(root, s3::Profile::Release)?);
    }
    let tasks = options.only.as_deref().unwrap_or(PACKAGE_OF_PYTHON);
    if tasks.split(',').any(|task| PACKAGE_OF_PYTHON.starts_with(task)) {
        command.arg("--package").arg(python::package(root)?);
    }
    process::run(&mut command)
}

/// Builds `measure` of another commit in a clone, and returns where it is.
fn build_before(root: &Path, folder: &Path, commit: &str) -> Result<PathBuf> {
    if !folder.exists() {
        let mut clone = process::program("git", root);
        process::run(clone.args(["clone", "--quiet", "--shared", "--no-checkout"]).arg(root).arg(folder))?;
    }
    process::run(process::program("git", folder).args(["checkout", "--quiet", "--detach", commit]))?;
    let target = folder.join("target");
    let mut build = process::cargo(folder);
    build.args(["build", "--release", "-p", PACKAGE, "--bin", "measure", "--target-dir"]).arg(&target);
    process::run(&mut build)?;
    Ok(target.join("release").join(format!("measure{}", std::env::consts::EXE_SUFFIX)))
}
