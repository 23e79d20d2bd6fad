//! The repository's own commands, run as `cargo xtask COMMAND`.
//!
//! Each command is a module of its own with a `run` function that takes the arguments after the
//! command's name. `cargo xtask help` lists them.

mod api;
mod args;
mod bench;
mod codegen;
mod fixtures;
mod golden;
mod lint;
mod process;
mod python;
mod test;
mod test_run;
mod words;
mod workspace;

use std::process::ExitCode;

use crate::args::Args;

/// One command: its name, what it takes, what it does in one line, and the function.
struct Command {
    name: &'static str,
    takes: &'static str,
    about: &'static str,
    run: fn(Args) -> anyhow::Result<()>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "codegen",
        takes: "[--check]",
        about: "proto/ -> the checked-in Rust of crates/tensor-repr",
        run: codegen::run,
    },
    Command {
        name: "lint",
        takes: "[--quick]",
        about: "format, clippy, docs, codegen, dependencies, tidiness (--quick: what does not compile)",
        run: lint::run,
    },
    Command {
        name: "test",
        takes: "",
        about: "every test of the workspace, doc tests and recorded cases included",
        run: test::run,
    },
    Command {
        name: "api",
        takes: "",
        about: "the lists of what each crate makes public, crates/*/public-api.txt",
        run: api::run,
    },
    Command {
        name: "words",
        takes: "[--write]",
        about: "private words in comments, messages and docs (--write: lower the numbers that lint allows)",
        run: words::run,
    },
    Command {
        name: "golden",
        takes: "",
        about: "the recorded cases of fixtures/golden, and of the folder in TFXIO_GOLDEN_DIR if it is set",
        run: golden::run,
    },
    Command {
        name: "fixtures",
        takes: "[--check] [--python PYTHON]",
        about: "make the fixtures again (--check: only see whether they would change)",
        run: fixtures::run,
    },
    Command {
        name: "bench",
        takes: "[--save-baseline] [--match TEXT], or --peers [--data DIR] [--mb N] [--python PYTHON] [--match TEXT]",
        about: "the benchmarks against a baseline saved here, or beside other systems (--peers)",
        run: bench::run,
    },
];

fn main() -> ExitCode {
    if let Some(code) = api::as_rustdoc() {
        return code;
    }
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_else(|| "help".to_owned());
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        eprintln!("error: there is no command `{name}`\n\n{}", usage());
        return ExitCode::from(2);
    };
    let rest: Vec<String> = words.collect();
    if rest.iter().any(|word| word == "--help" || word == "-h") {
        println!("cargo xtask {} {}\n  {}", command.name, command.takes, command.about);
        return ExitCode::SUCCESS;
    }
    match (command.run)(Args::new(rest)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<args::Misused>() => {
            eprintln!("error: {error}\nusage: cargo xtask {} {}", command.name, command.takes);
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The list of commands.
fn usage() -> String {
    let width = COMMANDS.iter().map(|command| command.name.len()).max().unwrap_or(0);
    let mut text = String::from("cargo xtask COMMAND\n\n");
    for command in COMMANDS {
        text.push_str(&format!("  {:width$}  {}\n", command.name, command.about));
        if !command.takes.is_empty() {
            text.push_str(&format!("  {:width$}    {}\n", "", command.takes));
        }
    }
    text.push_str(&format!("  {:width$}  this list\n", "help"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_has_a_line_for_each_command() {
        let usage = usage();
        for command in COMMANDS {
            assert!(usage.contains(command.about), "{} is missing in\n{usage}", command.name);
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = COMMANDS.iter().map(|command| command.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), COMMANDS.len());
    }
}
