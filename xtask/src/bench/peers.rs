//! `bench --peers`: our `measure` program and the peers by turns on the same data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::job::{BATCH, Figure, Job, Measured, REPEAT};
use super::{PACKAGE, floors, results};
use crate::workspace::Metadata;
use crate::{process, python};

/// The variable that names a Python with the peers' packages.
pub const PYTHON: &str = "TFXIO_PEERS_PYTHON";
/// Files without which the data set has to be made.
const FILES: &[&str] = &[
    "criteo.tfrecord",
    "criteo.gz.tfrecord",
    "criteo.zlib.tfrecord",
    "criteo_shuf.tfrecord",
    "dense.tfrecord",
    "multi.tfrecord",
    "wide.tfrecord",
];
/// What the command line asks for.
pub struct Options {
    /// The folder with the data sets.
    pub data: Option<PathBuf>,
    /// The size of each set in 10^6 bytes when it has to be made.
    pub mb: Option<String>,
    /// A Python with the peers' packages.
    pub python: Option<PathBuf>,
    /// Only cases whose name holds this text.
    pub filter: Option<String>,
}

/// Measures, prints the tables, and rewrites benches/RESULTS.md unless only some cases were asked for.
pub fn run(root: &Path, options: &Options) -> Result<()> {
    let folder = root.join("benches").join("peers");
    let target = Metadata::load_members(root)?.target_directory();
    let python = match options.python.clone().or_else(|| std::env::var_os(PYTHON).map(PathBuf::from)) {
        Some(python) => python,
        None => python::venv(&target.join("peers-venv"), &folder.join("requirements.txt"))?,
    };
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
    process::run(process::cargo(root).args(["build", "--release", "-p", PACKAGE, "--bin", "measure"]))?;
    let session = Session {
        measure: target.join("release").join(format!("measure{}", std::env::consts::EXE_SUFFIX)),
        python,
        script: folder.join("peers.py"),
        data,
        pinned: process::is_installed("taskset", &["--version"]),
    };

    let names = session.list()?;
    let jobs = jobs(&names, options.filter.as_deref())?;
    let mut measured = BTreeMap::new();
    let mut failed = Vec::new();
    for (job, names) in &jobs {
        match session.by_turns(job, names, &mut failed) {
            Ok(result) => drop(measured.insert(job.clone(), result)),
            Err(error) => failed.push(format!("{} {} from {}: {error:#}", job.task, job.set, job.from)),
        }
    }
    let machine = results::Machine::this(session.pinned);
    let text = results::render(&machine, &measured);
    println!("\n{text}");
    println!("{} floors missed", text.matches(results::MISSED).count());
    if options.filter.is_some() {
        println!("--match was given: benches/RESULTS.md stays as it is");
    } else if failed.is_empty() {
        let path = root.join("benches").join("RESULTS.md");
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("wrote benches/RESULTS.md");
    } else {
        println!("benches/RESULTS.md stays as it is");
    }
    if failed.is_empty() { Ok(()) } else { bail!("no figure for:\n  {}", failed.join("\n  ")) }
}

/// The jobs, each with the names of the peers' cases for it. Besides those of the peers there are the
/// jobs for which we have floors of our own.
fn jobs(names: &[String], filter: Option<&str>) -> Result<BTreeMap<Job, Vec<String>>> {
    let mut jobs: BTreeMap<Job, Vec<String>> = BTreeMap::new();
    for name in names {
        let [task, _, set, from] = name.split('/').collect::<Vec<_>>()[..] else {
            bail!("peers.py lists `{name}`, which is not TASK/PEER/SET/SOURCE");
        };
        jobs.entry(Job::new(task, set, from, 1)).or_default().push(name.clone());
    }
    for job in floors::own_jobs() {
        jobs.entry(job).or_default();
    }
    if let Some(text) = filter {
        jobs.retain(|job, names| {
            names.retain(|name| name.contains(text));
            !names.is_empty() || format!("{}/ours/{}/{}", job.task, job.set, job.from).contains(text)
        });
        if jobs.is_empty() {
            bail!("no case has a name that holds `{text}`");
        }
    }
    Ok(jobs)
}

struct Session {
    measure: PathBuf,
    python: PathBuf,
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
    /// both, and neither gets more tries than the other.
    fn by_turns(&self, job: &Job, names: &[String], failed: &mut Vec<String>) -> Result<Measured> {
        let mut measured = Measured { ours: Vec::new(), peers: Vec::new() };
        for name in names {
            let ours = self.ours(job)?;
            match self.peer(name) {
                Ok(theirs) => {
                    let peer = name.split('/').nth(1).unwrap_or(name).to_owned();
                    measured.ours.push(ours);
                    measured.peers.push((peer, theirs));
                }
                Err(error) => failed.push(format!("{name}: {error:#}")),
            }
        }
        if measured.ours.is_empty() {
            measured.ours.push(self.ours(job)?);
        }
        Ok(measured)
    }

    fn ours(&self, job: &Job) -> Result<Figure> {
        let mut command = if self.pinned {
            let mut command = Command::new("taskset");
            let last = job.threads.saturating_sub(1);
            command.args(["-c", &format!("0-{last}")]).arg(&self.measure);
            command
        } else {
            Command::new(&self.measure)
        };
        command.args(job.args(&self.data.to_string_lossy()));
        Figure::parse(&last_line(&mut command)?)
    }

    fn peer(&self, name: &str) -> Result<Figure> {
        let mut command = Command::new(&self.python);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn peers_of_one_job_come_together() {
        let names = names(&["decode/tfx-bsl/criteo/memory", "decode/parse_example/criteo/memory"]);
        let jobs = jobs(&names, None).unwrap();
        assert_eq!(jobs[&Job::new("decode", "criteo", "memory", 1)], names);
        for job in floors::own_jobs() {
            assert!(jobs.contains_key(&job), "{job:?}");
        }
    }

    #[test]
    fn a_filter_keeps_single_peers() {
        let names = names(&["decode/tfx-bsl/wide/file", "decode/parse_example/wide/file"]);
        let found = jobs(&names, Some("parse_example")).unwrap();
        assert_eq!(found.into_values().collect::<Vec<_>>(), [["decode/parse_example/wide/file"]]);
        assert!(jobs(&names, Some("no such")).is_err());
        assert!(jobs(&["odd".to_owned()], None).is_err());
    }
}
