//! The repository's own commands, run as `cargo xtask COMMAND`.
//!
//! Each command is a module of its own with a `run` function. `cargo xtask help` lists them.
#![cfg_attr(
    not(feature = "generate"),
    allow(dead_code, reason = "the commands behind the feature use the rest")
)]

#[cfg(feature = "generate")]
mod api;
mod bench;
#[cfg(feature = "generate")]
mod codegen;
mod fixtures;
mod golden;
#[cfg(feature = "generate")]
mod lint;
mod outcome;
#[cfg(feature = "generate")]
mod packages;
mod process;
mod python;
mod s3;
mod sanitize;
mod test;
mod test_programs;
mod words;
mod workspace;
mod workspaces_apart;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// The repository's own commands
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Command {
    /// Generate the checked-in Rust and descriptors of crates/tensor-repr, tfxio-tfmd and golden-cases from proto/
    Codegen {
        /// Only see whether it would change
        #[arg(long)]
        check: bool,
    },
    /// Check format, clippy, docs, codegen, dependencies, tidiness
    Lint {
        /// Leave out what compiles
        #[arg(long)]
        quick: bool,
        /// Only the rules with one of these words in their names, such as `clippy` or `docs`
        #[arg(value_name = "RULE")]
        rules: Vec<String>,
    },
    /// Run every test of the workspace or of some of its layers, doc tests and recorded cases included
    Test(test::Options),
    /// Write the lists of what each crate makes public, crates/*/public-api.txt
    Api,
    /// Dry run of a release: package what is published, unpack it, and test it without the rest of the repository
    Packages,
    /// Count private words in comments, messages and docs
    Words {
        /// Lower the numbers that lint allows
        #[arg(long)]
        write: bool,
    },
    /// Run the recorded cases of fixtures/golden, and of the folder in TFXIO_GOLDEN_DIR if it is set
    Golden,
    /// Make the fixtures again
    Fixtures {
        /// Only see whether they would change
        #[arg(long)]
        check: bool,
        /// A Python with the packages of the scripts
        #[arg(long)]
        python: Option<PathBuf>,
    },
    /// Build the Python package and run its tests
    Python {
        /// Build the wheel as it is published
        #[arg(long)]
        release: bool,
        /// Put the wheel around this library, which was compiled with the tests
        #[arg(long, hide = true, value_name = "LIBRARY", conflicts_with_all = ["release", "peers"])]
        compiled: Option<PathBuf>,
        /// Run it beside tfx-bsl, tensorflow-io, PyTorch, readers of its files and datafusion instead, in all their environments or in those named
        #[arg(long, num_args = 0.., value_name = "NAME")]
        peers: Option<Vec<String>>,
    },
    /// Run the tests of unsafe code and of damaged files with AddressSanitizer
    Sanitize,
    /// Run a statement on two worker processes, one of which is killed: the tests of the workspace crates/tfxio-sql/cluster
    SqlCluster,
    /// Train with candle, burn and ndarray, and go on after a kill: the tests of the workspace crates/batch-loader/frameworks
    Frameworks,
    /// Run the benchmarks against a baseline saved here, or beside other systems
    Bench(bench::Options),
}

fn main() -> ExitCode {
    #[cfg(feature = "generate")]
    if let Some(code) = api::as_rustdoc() {
        return code;
    }
    let done = match Command::parse() {
        #[cfg(not(feature = "generate"))]
        Command::Codegen { .. } | Command::Lint { .. } | Command::Api | Command::Packages => with_generate(),
        #[cfg(feature = "generate")]
        Command::Codegen { check } => codegen::run(check),
        #[cfg(feature = "generate")]
        Command::Lint { quick, rules } => lint::run(quick, &rules),
        #[cfg(feature = "generate")]
        Command::Api => api::run(),
        #[cfg(feature = "generate")]
        Command::Packages => packages::run(),
        Command::Test(options) => test::run(&options),
        Command::Words { write } => words::run(write),
        Command::Golden => golden::run(),
        Command::Fixtures { check, python } => fixtures::run(check, python),
        Command::Python { release, compiled, peers } => {
            python::run(release, compiled.as_deref(), peers.as_deref())
        }
        Command::Sanitize => sanitize::run(),
        Command::SqlCluster => workspaces_apart::test("sql-cluster", "crates/tfxio-sql/cluster"),
        Command::Frameworks => workspaces_apart::test("frameworks", "crates/batch-loader/frameworks"),
        Command::Bench(options) => bench::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs this command by a program that has the feature `generate`, which it builds. Its failure has been told by that program.
#[cfg(not(feature = "generate"))]
fn with_generate() -> anyhow::Result<()> {
    let mut command = process::cargo(&workspace::root());
    command.args(["run", "--quiet", "--package", "xtask", "--features", "generate", "--"]);
    // It may be called anywhere: what it is given are no paths.
    let status = command.args(std::env::args_os().skip(1)).status()?;
    std::process::exit(status.code().unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound() {
        super::Command::command().debug_assert();
    }
}
