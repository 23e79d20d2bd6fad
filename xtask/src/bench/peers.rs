//! `bench --peers`: our `measure` program and the peers by turns on the same data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::cases::{self, missing, peer_of};
use super::job::{BATCH, Figure, Job, Measured, REPEAT, TURNS};
use super::{PACKAGE, floors, results, saved, stamp};
use crate::workspace::Metadata;
use crate::{process, python};

/// The variable that names a Python with the peers' packages.
pub const PYTHON: &str = "TFXIO_PEERS_PYTHON";
/// The same for the packages of tensorflow-io, which need an older TensorFlow.
pub const PYTHON_TFIO: &str = "TFXIO_PEERS_TFIO_PYTHON";
/// The peers of tensorflow-io.
const TFIO_PEERS: &[&str] = &["parse_avro", "atds"];
/// The peer that is written in Rust, and runs in `measure`.
const ARROW_AVRO: &str = "arrow-avro";
/// What it reads.
const ARROW_AVRO_SETS: &[&str] = &[
    "avro_flat",
    "avro_flat2",
    "avro_flat.deflate",
    "avro_flat.snappy",
    "avro_nested",
    "avro_nested2",
    "avro_nested.deflate",
    "avro_nested.snappy",
];
/// Files without which the data set has to be made.
const FILES: &[&str] = &[
    "criteo.tfrecord",
    "criteo.gz.tfrecord",
    "criteo.zlib.tfrecord",
    "criteo_shuf.tfrecord",
    "dense.tfrecord",
    "multi.tfrecord",
    "wide.tfrecord",
    "sequence.tfrecord",
    "indexed.tfrecord",
    "avro_flat.avro",
    "avro_nested.avro",
    "dense_fixed.pbtxt",
    "mnist.json",
    "mnist_padded.json",
    "stream_window.json",
];

/// What the command line asks for.
pub struct Options {
    /// The folder with the data sets.
    pub data: Option<PathBuf>,
    /// The size of each set in 10^6 bytes when it has to be made.
    pub mb: Option<String>,
    /// A Python with the peers' packages.
    pub python: Option<PathBuf>,
    /// A Python with tensorflow-io.
    pub python_tfio: Option<PathBuf>,
    /// Only these tasks, and those whose names begin so; of all others the figures of earlier runs are kept.
    pub only: Option<String>,
    /// Only cases whose name holds this text.
    pub filter: Option<String>,
}

/// Measures, prints the tables, and rewrites benches/RESULTS.md unless only some cases were asked for by name, or some
/// gave no figure.
pub fn run(root: &Path, options: &Options) -> Result<()> {
    let folder = root.join("benches").join("peers");
    let target = Metadata::load_members(root)?.target_directory();
    let python_or = |given: &Option<PathBuf>, variable, venv: &str, requirements: &str| match given
        .clone()
        .or_else(|| std::env::var_os(variable).map(PathBuf::from))
    {
        Some(python) => Ok(python),
        None => python::venv(&target.join(venv), &folder.join(requirements)),
    };
    let python = python_or(&options.python, PYTHON, "peers-venv", "requirements.txt")?;
    let data = match &options.data {
        Some(data) => std::path::absolute(data).context("cannot tell where --data is")?,
        None => target.join("bench-data"),
    };
    if FILES.iter().any(|file| !data.join(file).is_file()) {
        let mut command = Command::new(&python);
        command.arg(folder.join("gen_data.py")).arg(&data);
        if let Some(mb) = &options.mb {
            command.args(["--mb", mb]);
        }
        process::run(&mut command)?;
    }
    process::run(
        process::cargo(root)
            .args(["build", "--release", "-p", PACKAGE, "--bin", "measure"])
            .args(["--features", ARROW_AVRO]),
    )?;
    let mut session = Session {
        measure: target.join("release").join(format!("measure{}", std::env::consts::EXE_SUFFIX)),
        python_tfio: python.clone(),
        python,
        arrow_avro: format!("{ARROW_AVRO} {}", locked_version(root, ARROW_AVRO)?),
        script: folder.join("peers.py"),
        data,
        pinned: process::is_installed("taskset", &["--version"]),
    };

    let mut names = session.list()?;
    names.extend(ARROW_AVRO_SETS.iter().map(|set| format!("avro/{ARROW_AVRO}/{set}/file")));
    let jobs = cases::jobs(&names, options.filter.as_deref(), options.only.as_deref())?;
    if jobs.values().flatten().any(|name| TFIO_PEERS.contains(&peer_of(name))) {
        session.python_tfio =
            python_or(&options.python_tfio, PYTHON_TFIO, "peers-tfio-venv", "requirements-tfio.txt")?;
    }
    let run = stamp::stamp(root, session.pinned);
    let lines = root.join("benches").join("results.jsonl");
    let wanted = cases::jobs(&names, None, None)?;
    let mut measured = match options.filter {
        Some(_) => BTreeMap::new(),
        None => saved::read(&lines)?,
    };
    measured.retain(|job, _| wanted.contains_key(job));
    let mut failed = Vec::new();
    for (job, names) in &jobs {
        match session.by_turns(job, names, &run, &mut failed) {
            Ok(result) => drop(measured.insert(job.clone(), result)),
            Err(error) => {
                measured.remove(job);
                failed.push(format!("{} {} from {}: {error:#}", job.task, job.set, job.from));
            }
        }
        // At once: a run that is cut off can be finished with `--only`.
        if options.filter.is_none() {
            saved::write(&lines, &measured)?;
        }
    }
    let text = results::render(&measured);
    println!("\n{text}");
    println!("{} floors missed", text.matches(results::MISSED).count());
    if options.filter.is_some() {
        println!("--match was given: benches/RESULTS.md stays as it is");
    } else {
        let missing = missing(&wanted, &measured);
        if missing.is_empty() {
            let path = root.join("benches").join("RESULTS.md");
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            println!("wrote benches/RESULTS.md and benches/results.jsonl");
        } else {
            let missing = missing.join(", ");
            println!(
                "wrote benches/results.jsonl; benches/RESULTS.md waits for figures of {missing}: measure them with --only"
            );
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("no figure for:\n  {}", failed.join("\n  ")) }
}

/// The version of a package in Cargo.lock.
fn locked_version(root: &Path, package: &str) -> Result<String> {
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).context("cannot read Cargo.lock")?;
    let wanted = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != wanted);
    let version = lines.nth(1).and_then(|line| line.strip_prefix("version = \""));
    let version = version.and_then(|version| version.strip_suffix('"'));
    Ok(version.with_context(|| format!("Cargo.lock has no {package}"))?.to_owned())
}

struct Session {
    measure: PathBuf,
    python: PathBuf,
    python_tfio: PathBuf,
    /// Name and version.
    arrow_avro: String,
    script: PathBuf,
    data: PathBuf,
    pinned: bool,
}

impl Session {
    /// The names of the peers' cases.
    fn list(&self) -> Result<Vec<String>> {
        let text = process::output(Command::new(&self.python).arg(&self.script).arg("--list"))?;
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// Ours, a peer, ours, the next peer, and so on: whatever else the machine does meanwhile falls on
    /// both, and neither gets more tries than the other. So it goes, too, with jobs of ours that are
    /// compared with each other.
    fn by_turns(&self, job: &Job, names: &[String], run: &str, failed: &mut Vec<String>) -> Result<Measured> {
        let mut measured =
            Measured { ours: Vec::new(), peers: Vec::new(), turns: Vec::new(), run: run.to_owned() };
        for name in names {
            let ours = self.ours(job)?;
            let theirs = if peer_of(name) == ARROW_AVRO { self.arrow_avro(job) } else { self.peer(name) };
            match theirs {
                Ok(theirs) => {
                    measured.ours.push(ours);
                    measured.peers.push((peer_of(name).to_owned(), theirs));
                }
                Err(error) => failed.push(format!("{name}: {error:#}")),
            }
        }
        let beside = floors::beside(job);
        for _ in 0..if beside.is_empty() { 0 } else { TURNS } {
            let turn = std::iter::once(job).chain(&beside).map(|job| self.ours(job));
            measured.turns.push(turn.collect::<Result<_>>()?);
        }
        if measured.ours.is_empty() {
            let of_turn = measured.turns.first().and_then(|turn| turn.first()).cloned();
            measured.ours.push(of_turn.map_or_else(|| self.ours(job), Ok)?);
        }
        Ok(measured)
    }

    fn ours(&self, job: &Job) -> Result<Figure> {
        Figure::parse(&last_line(&mut self.measure(job))?)
    }

    fn arrow_avro(&self, job: &Job) -> Result<Figure> {
        let mut figure = Figure::parse(&last_line(self.measure(job).arg("--arrow-avro"))?)?;
        figure.version.clone_from(&self.arrow_avro);
        Ok(figure)
    }

    fn measure(&self, job: &Job) -> Command {
        let mut command = if self.pinned {
            let mut command = Command::new("taskset");
            let last = job.threads.saturating_sub(1);
            command.args(["-c", &format!("0-{last}")]).arg(&self.measure);
            command
        } else {
            Command::new(&self.measure)
        };
        command.args(job.args(&self.data.to_string_lossy()));
        command
    }

    fn peer(&self, name: &str) -> Result<Figure> {
        let is_tfio = TFIO_PEERS.contains(&peer_of(name));
        let mut command = Command::new(if is_tfio { &self.python_tfio } else { &self.python });
        command.arg(&self.script).arg("--data").arg(&self.data);
        command.args(["--match", name, "--batch", BATCH, "--repeat", REPEAT, "--cores", "1"]);
        Figure::parse(&last_line(&mut command)?)
    }
}

/// Runs the command, prints the last line of JSON that it writes, and gives it back.
fn last_line(command: &mut Command) -> Result<String> {
    let text = process::output(command)?;
    let line = text
        .lines()
        .rfind(|line| line.starts_with('{'))
        .with_context(|| format!("`{}` printed no figure", process::shown(command)))?;
    println!("{line}");
    Ok(line.to_owned())
}
