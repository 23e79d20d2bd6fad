//! `test`: every test of the workspace or of some of its layers, each once; then what was left out and why, and how it went.

mod jobs;
mod lanes;
mod left_out;
mod report;
mod selection;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Result, anyhow, bail};

use self::jobs::{Apart, Job, PYTHON, Surroundings};
use self::report::Report;
use self::selection::Selection;
use crate::workspace::{self, Member, Metadata};
use crate::{golden, python, s3};

/// Arguments of `test`.
#[derive(clap::Args)]
pub struct Options {
    /// Only these crates, each by its name or by a file of it, and then the crates that stand on them
    #[arg(value_name = "LAYER")]
    layers: Vec<String>,
    /// Only the crates with files that differ from the branch `main`, and then the crates that stand on them
    #[arg(long, conflicts_with = "layers")]
    changed: bool,
    /// Leave out the crates that stand on them
    #[arg(long)]
    only: bool,
    /// Only the tests that need the S3-compatible server
    #[arg(long, conflicts_with_all = ["layers", "changed", "only"])]
    s3: bool,
    /// Test programs that run at once [default: one for each processor, at most 4]
    #[arg(long, short, value_name = "N", conflicts_with = "s3")]
    jobs: Option<NonZeroUsize>,
}

/// Tests of what a crate does without some of its features. That each crate compiles with each of its features alone is for `lint`; all
/// other tests run with all features.
const WITHOUT: &[Apart] = &[("tfrecord-io", &["--no-default-features", "--test", "suite"], "without_")];

/// Setting of cargo for builds that keep what a change leaves as it was.
const IN_PARTS: &str = "profile.release.incremental=true";

/// Features of the formats of which there are damaged files.
const DAMAGED: &str = "parquet,ipc,avro,avro-bzip2,avro-xz,avro-zstandard,csv,jsonl";

/// Tests of hostile input that run as it is released, too: debug assertions of others hide what a release build does. They are left out
/// where some crates are tested only. What they build is built in parts, so that a change costs less.
const RELEASED: &[Apart] = &[
    ("tfxio", &["--release", "--config", IN_PARTS, "--features", DAMAGED, "--test", "damaged"], ""),
    ("tfxio-core", &["--release", "--config", IN_PARTS, "--all-features", "--tests"], "foreign::"),
];

/// Whether the library of the Python package is built with the tests, which have compiled all that it needs. Elsewhere its linker
/// wants arguments that maturin knows.
const BUILDS_PYTHON: bool = cfg!(target_os = "linux");

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    if options.s3 {
        return s3::run();
    }
    let root = workspace::root();
    let members = Metadata::load_members(&root)?.members();
    let selection = selection(options, &root, &members)?;
    let needs_server = |member: &Member| {
        selection.has(&member.name) && member.dependencies.iter().any(|(name, _)| name == s3::BED)
    };
    let server = members.iter().any(needs_server).then(|| s3::server(&root, s3::Profile::Debug)).transpose();
    let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    if is_ci {
        server.as_ref().map_err(|error| anyhow!("{error:#}"))?;
    }
    let mut run = TestRun {
        at: Surroundings { root: &root, members: &members, server: server.as_ref().ok().cloned().flatten() },
        lanes: options.jobs.map_or_else(lanes::default, NonZeroUsize::get),
        report: Report::new(),
    };

    match &selection {
        Selection::All => {
            run.group(vec!["--workspace".to_owned()], &members.iter().collect::<Vec<_>>(), RELEASED)
        }
        Selection::Some { named, above } => {
            // Those that were named alone, so that their results come first.
            for names in [named, above].into_iter().filter(|names| !names.is_empty()) {
                let chosen = |member: &&Member| names.contains(&member.name);
                let packages = names.iter().flat_map(|name| ["-p".to_owned(), name.clone()]).collect();
                run.group(packages, &members.iter().filter(chosen).collect::<Vec<_>>(), &[]);
            }
        }
    }
    let mut report = run.report;
    golden::check(&root, &members, &|name| selection.has(name), report.lines_of(golden::TARGET))
        .unwrap_or_else(|error| report.fail("recorded cases", &error));
    if let (true, true, Some(what)) = (is_ci, selection.has(python::MEMBER), python::missing()) {
        report.fail(PYTHON, &anyhow!("{what}"));
    }

    let mut left_out = left_out::left_out(&root, &members, &selection);
    left_out.extend(server.err().map(|error| format!("tests against an S3-compatible server: {error:#}")));
    report.print(&left_out)
}

fn selection(options: &Options, root: &Path, members: &[Member]) -> Result<Selection> {
    let selection = match (options.changed, options.layers.is_empty()) {
        (true, _) => Selection::changed(root, members)?,
        (false, false) => Selection::of(&options.layers, &std::env::current_dir()?, members)?,
        (false, true) if options.only => {
            bail!(
                "--only leaves out the crates that stand on those that are named; name one, or give --changed"
            )
        }
        (false, true) => Selection::All,
    };
    match selection {
        Selection::Some { named, .. } if options.only => Ok(Selection::Some { named, above: Vec::new() }),
        selection => Ok(selection),
    }
}

/// A run of the command.
struct TestRun<'a> {
    at: Surroundings<'a>,
    /// Test programs that run at once.
    lanes: usize,
    report: Report,
}

impl TestRun<'_> {
    /// Runs all tests of some members with all their features, built together, and tests of these that are built otherwise.
    fn group(&mut self, packages: Vec<String>, members: &[&Member], released: &'static [Apart]) {
        let has = |name: &str| members.iter().any(|member| member.name == name);
        let tests_python = has(python::MEMBER) && python::missing().is_none();
        let mut args = packages.clone();
        args.extend(["--all-features", "--tests", "--examples"].map(str::to_owned));
        args.extend((BUILDS_PYTHON && tests_python).then(|| "--lib".to_owned()));
        let built = match self.at.build(&args) {
            Ok(built) => built,
            Err(error) => return self.report.fail("building tests", &error),
        };

        // What takes longest first: what is left for one lane at the end is short then.
        let mut jobs = Vec::new();
        if BUILDS_PYTHON && tests_python && built.python.is_none() {
            self.report.fail(PYTHON, &anyhow!("its library was not built"));
        } else {
            jobs.extend(tests_python.then_some(Job::Python(built.python)));
        }
        let without = WITHOUT.iter().filter(|(package, ..)| has(package));
        jobs.extend(released.iter().chain(without).map(Job::Apart));
        // All of them, where all were built: for crates that are named, cargo chooses features anew.
        let documented =
            members.iter().filter(|member| member.has_kind("lib")).map(|member| member.name.clone());
        let documented = match packages.iter().any(|package| package == "--workspace") {
            true => packages,
            false => documented.flat_map(|name| ["-p".to_owned(), name]).collect(),
        };
        jobs.extend((!documented.is_empty()).then_some(Job::Documentation(documented)));
        let mut programs = built.programs;
        programs.sort_by_key(|program| {
            std::cmp::Reverse(std::fs::metadata(&program.path).map_or(0, |file| file.len()))
        });
        jobs.extend(programs.into_iter().map(Job::Program));

        let report = Mutex::new(&mut self.report);
        lanes::run(&jobs, self.lanes, |job| {
            let ran = job.run(&self.at);
            lanes::with(&report, |report| match ran {
                Ok(ran) => ran.into_iter().for_each(|ran| report.add(ran)),
                Err(error) => report.fail(&job.name(), &error),
            });
        });
    }
}
