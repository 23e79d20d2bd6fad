//! Parts of a run that do not wait for one another.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::outcome::{self, Outcome};
use crate::test_programs::{self, Built, Program};
use crate::workspace::Member;
use crate::{process, s3};

/// Name and target under which the tests of the Python package are reported.
pub const PYTHON: &str = "the Python package";

/// Tests that run in another build than all others: the crate, the arguments of cargo, and what the names of these tests have in them.
pub type Apart = (&'static str, &'static [&'static str], &'static str);

/// A part of a run.
pub enum Job {
    /// A test program.
    Program(Program),
    /// The examples in the documentation of crates, chosen by these arguments of cargo.
    Documentation(Vec<String>),
    /// The tests of the Python package around this library, or around one that maturin builds.
    Python(Option<PathBuf>),
    /// Tests in a build of their own.
    Apart(&'static Apart),
}

/// The surroundings of all jobs of a run.
pub struct Surroundings<'a> {
    pub root: &'a Path,
    pub members: &'a [Member],
    /// The program of the S3-compatible server.
    pub server: Option<PathBuf>,
}

/// A program that ran: its name, its target, its command line, and the outcome.
pub struct Ran {
    pub name: String,
    pub target: String,
    pub command: String,
    pub outcome: Outcome,
}

impl Job {
    /// Returns the name by which a failure calls it.
    pub fn name(&self) -> String {
        match self {
            Self::Program(program) => program.name(),
            Self::Documentation(_) => "documentation".to_owned(),
            Self::Python(_) => PYTHON.to_owned(),
            Self::Apart((package, args, _)) => format!("{package} built with {}", args.join(" ")),
        }
    }

    /// Does it, and prints what its programs print when each has ended.
    pub fn run(&self, at: &Surroundings<'_>) -> Result<Vec<Ran>> {
        match self {
            Self::Program(program) => Ok(vec![at.run(program, "")?]),
            Self::Documentation(packages) => {
                let mut doc = process::cargo(at.root);
                doc.args(["test", "--no-fail-fast", "--doc", "--all-features"]).args(packages);
                Ok(vec![ran(&self.name(), "doc", &mut doc)?])
            }
            Self::Python(library) => {
                let own = std::env::current_exe().context("this program does not know its path")?;
                let mut python = Command::new(own);
                python.arg("python");
                if let Some(library) = library {
                    python.arg("--compiled").arg(library);
                }
                Ok(vec![ran(PYTHON, "python", &mut python)?])
            }
            Self::Apart(apart) => at.apart(apart),
        }
    }
}

impl Surroundings<'_> {
    /// Builds test programs.
    pub fn build(&self, args: &[String]) -> Result<Built> {
        let built = test_programs::build(self.root, self.members, args)?;
        let (compiled, fresh, programs) = (built.compiled, built.fresh, built.programs.len());
        println!("{compiled} crates compiled, {fresh} as they were; {programs} test programs");
        Ok(built)
    }

    fn run(&self, program: &Program, filter: &str) -> Result<Ran> {
        let outcome = program.run(filter, |command| {
            command.envs(self.server.as_ref().map(|server| (s3::VARIABLE, server)));
        })?;
        let command = program.path.display().to_string();
        Ok(Ran { name: program.name(), target: program.target.clone(), command, outcome })
    }

    fn apart(&self, (package, args, filter): &Apart) -> Result<Vec<Ran>> {
        let args = ["-p", package].iter().chain(*args).map(|&arg| arg.to_owned()).collect::<Vec<_>>();
        let programs = self.build(&args)?.programs;
        let ran = programs.iter().map(|program| self.run(program, filter)).collect::<Result<Vec<_>>>()?;
        if ran.iter().all(|ran| ran.outcome.success && ran.outcome.totals.passed == 0) {
            bail!("no test has {filter:?} in its name");
        }
        Ok(ran)
    }
}

fn ran(name: &str, target: &str, command: &mut Command) -> Result<Ran> {
    let shown = process::shown(command);
    let outcome = outcome::run(name, command)?;
    Ok(Ran { name: name.to_owned(), target: target.to_owned(), command: shown, outcome })
}
