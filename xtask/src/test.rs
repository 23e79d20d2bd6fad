//! `test`: every test of the workspace or of some of its layers, each once; then what was left out and why, and how it went.

mod left_out;
mod report;
mod selection;

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};

use self::report::Report;
use self::selection::Selection;
use crate::python::wheel::Library;
use crate::workspace::{self, Member, Metadata};
use crate::{golden, outcome, process, python, s3, test_programs};

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
}

/// Tests that run in another build than all others: the crate, the arguments of cargo, and what the names of these tests have in them.
type Apart = (&'static str, &'static [&'static str], &'static str);

/// Tests of what a crate does without some of its features. That each crate compiles with each of its features alone is for `lint`; all
/// other tests run with all features.
const WITHOUT: &[Apart] = &[("tfrecord-io", &["--no-default-features", "--test", "suite"], "without_")];

/// Features of the formats of which there are damaged files.
const DAMAGED: &str = "parquet,ipc,avro,avro-bzip2,avro-xz,avro-zstandard,csv,jsonl";

/// Tests of hostile input that run as it is released, too: debug assertions of others hide what a release build does. They are left out
/// where some crates are tested only.
const RELEASED: &[Apart] = &[
    ("tfxio", &["--release", "--features", DAMAGED, "--test", "damaged"], ""),
    ("tfxio-core", &["--release", "--all-features", "--tests"], "foreign::"),
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
        server: server.as_ref().ok().cloned().flatten(),
        report: Report::new(),
        python: None,
        root: &root,
        members: &members,
    };

    match &selection {
        Selection::All => run.group(vec!["--workspace".to_owned()], &members.iter().collect::<Vec<_>>())?,
        Selection::Some { named, above } => {
            // Those that were named alone, so that their results come first.
            for names in [named, above].into_iter().filter(|names| !names.is_empty()) {
                let chosen = |member: &&Member| names.contains(&member.name);
                let packages = names.iter().flat_map(|name| ["-p".to_owned(), name.clone()]).collect();
                run.group(packages, &members.iter().filter(chosen).collect::<Vec<_>>())?;
            }
        }
    }
    golden::check(&root, &members, &|name| selection.has(name), run.report.lines_of(golden::TARGET))
        .unwrap_or_else(|error| run.report.fail("recorded cases", &error));
    let python = match (selection.has(python::MEMBER), python::missing()) {
        (false, _) => Ok(()),
        (true, Some(what)) if is_ci => Err(anyhow!("{what}")),
        (true, Some(_)) => Ok(()),
        (true, None) if BUILDS_PYTHON && run.python.is_none() => Err(anyhow!("its library was not built")),
        (true, None) => {
            let library = run.python.as_deref().map(Library::Compiled);
            python::test(&root, library.unwrap_or(Library::Published(python::Profile::Debug)))
        }
    };
    python.unwrap_or_else(|error| run.report.fail("the Python package", &error));
    let released = if matches!(selection, Selection::All) { RELEASED } else { &[] };
    let without = WITHOUT.iter().filter(|(package, ..)| selection.has(package));
    without.chain(released).try_for_each(|apart| run.apart(apart))?;

    let mut left_out = left_out::left_out(&root, &members, &selection);
    left_out.extend(server.err().map(|error| format!("tests against an S3-compatible server: {error:#}")));
    run.report.print(&left_out)
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
    root: &'a Path,
    members: &'a [Member],
    /// The program of the S3-compatible server.
    server: Option<PathBuf>,
    /// The library of the Python package.
    python: Option<PathBuf>,
    report: Report,
}

impl TestRun<'_> {
    /// Runs all tests of some members with all their features, built together.
    fn group(&mut self, packages: Vec<String>, members: &[&Member]) -> Result<()> {
        let args = [packages, vec!["--all-features".to_owned()]].concat();
        let has_python = BUILDS_PYTHON && members.iter().any(|member| member.name == python::MEMBER);
        let targets = ["--tests", "--examples"].into_iter().chain(has_python.then_some("--lib"));
        self.programs(&args.iter().cloned().chain(targets.map(str::to_owned)).collect::<Vec<_>>(), "")?;
        if members.iter().any(|member| member.has_kind("lib")) {
            let mut doc = process::cargo(self.root);
            doc.args(["test", "--no-fail-fast", "--doc", "--all-features"]);
            if args.iter().any(|arg| arg == "--workspace") {
                doc.arg("--workspace");
            } else {
                doc.args(
                    members
                        .iter()
                        .filter(|member| member.has_kind("lib"))
                        .flat_map(|member| ["-p", &member.name]),
                );
            }
            let outcome = outcome::run(&mut doc)?;
            self.report.add("documentation", "doc", &process::shown(&doc), outcome);
        }
        Ok(())
    }

    /// Runs tests in a build of their own.
    fn apart(&mut self, (package, args, filter): &Apart) -> Result<()> {
        let args = ["-p", package].iter().chain(*args).map(|&arg| arg.to_owned()).collect::<Vec<_>>();
        let passed = self.report.passed();
        self.programs(&args, filter)?;
        if self.report.is_good() && self.report.passed() == passed {
            let error = anyhow!("no test of {package} has `{filter}` in its name");
            self.report.fail("tests in another build", &error);
        }
        Ok(())
    }

    fn programs(&mut self, args: &[String], filter: &str) -> Result<()> {
        let built = match test_programs::build(self.root, self.members, args) {
            Ok(built) => built,
            Err(error) => {
                self.report.fail("building tests", &error);
                return Ok(());
            }
        };
        self.python = self.python.take().or(built.python);
        println!(
            "{} crates compiled, {} as they were; {} test programs",
            built.compiled,
            built.fresh,
            built.programs.len()
        );
        for program in &built.programs {
            let outcome = program.run(filter, |command| {
                command.envs(self.server.as_ref().map(|server| (s3::VARIABLE, server)));
            })?;
            self.report.add(&program.name(), &program.target, &program.path.display().to_string(), outcome);
        }
        Ok(())
    }
}
