//! `test`: every test of the workspace, then the recorded cases, then what was left out and why.

use std::path::Path;

use anyhow::{Result, anyhow, bail};

use crate::test_run::{self, Totals};
use crate::workspace::{self, Member, Metadata};
use crate::{golden, process, python, s3};

/// Runs the command.
pub fn run() -> Result<()> {
    let root = workspace::root();
    let members = Metadata::load_members(&root)?.members();
    let server = s3::server(&root, s3::Profile::Debug);
    let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    if is_ci {
        server.as_ref().map_err(|error| anyhow!("{error:#}"))?;
    }
    let mut totals = Totals::default();
    let mut broken = Vec::new();

    // Where features change what is compiled, the tests must pass without them too: all such crates at once, since
    // each by itself would have all dependencies compiled once more. That each compiles alone is for `lint`. A member that
    // needs a newer compiler brings as many dependencies as all others together, and is tested with all features alone.
    let mut without = vec!["--no-default-features"];
    let changes = |member: &&Member| member.published && !member.features.is_empty();
    for member in members.iter().filter(changes).filter(|member| !member.has_newer_compiler()) {
        without.extend(["-p", &member.name]);
    }
    for args in [vec!["--workspace", "--all-features"], without] {
        let mut command = process::cargo(&root);
        command.args(["test", "--no-fail-fast"]).args(&args);
        if let Ok(server) = &server {
            command.env(s3::VARIABLE, server);
        }
        let outcome = test_run::run(&mut command)?;
        totals.add(outcome.totals);
        if !outcome.success {
            broken.push((process::shown(&command), outcome));
        }
    }

    // The cases are counted by themselves: as tests they have run above.
    let golden = golden::run_all(&root, &members);

    let python = match (python::missing(), is_ci) {
        (Some(_), false) => Ok(()),
        (Some(what), true) => Err(anyhow!("{what}")),
        (None, _) => python::test(&root, python::Profile::Debug),
    };

    println!("\n== left out");
    for line in left_out(&root, &members).into_iter().chain(python::missing()).chain(missing_browser()) {
        println!("- {line}");
    }
    if let Err(error) = &server {
        println!("- tests against an S3-compatible server: {error:#}");
    }
    println!("\n== result");
    for (command, outcome) in &broken {
        println!("failed: {command}");
        for line in outcome.failures().flatten() {
            println!("{line}");
        }
    }
    if let Err(error) = &golden {
        println!("failed: recorded cases: {error:#}");
    }
    if let Err(error) = &python {
        println!("failed: the Python package: {error:#}");
    }
    if totals.ignored > 0 {
        println!("{} ignored", totals.ignored);
    }
    println!("{} passed, {} failed", totals.passed, totals.failed);
    if totals.failed > 0 || !broken.is_empty() {
        bail!("tests failed or did not compile");
    }
    if golden.is_err() {
        bail!("recorded cases failed");
    }
    if python.is_err() {
        bail!("tests of the Python package failed");
    }
    Ok(())
}

/// What the run did not do, and how to have it done.
fn left_out(root: &Path, members: &[Member]) -> Vec<String> {
    let mut out = Vec::new();
    for (variable, what) in process::DATA_FOLDERS {
        match process::data_folder(variable) {
            None => out.push(format!("{what}: {variable} is not set")),
            Some(folder) if !folder.is_dir() => {
                out.push(format!("{what}: {variable} names {}, which is no folder", folder.display()));
            }
            Some(_) => {}
        }
    }
    out.push("tests of undefined behaviour: they need Miri on a nightly toolchain (`cargo +nightly miri test -p CRATE`)".to_owned());
    if root.join("fuzz").join("Cargo.toml").is_file() {
        out.push(
            "fuzzing: it has no end; `cargo fuzz run TARGET` runs one target (CONTRIBUTING.md)".to_owned(),
        );
    }
    if root.join("sql-cluster").join("Cargo.toml").is_file() {
        out.push(
            "SQL on several machines: it builds DataFusion once more (`cargo xtask sql-cluster`)".to_owned(),
        );
    }
    if members.iter().any(|member| member.has_kind("bench")) {
        out.push("benchmarks: they need a quiet machine (`cargo xtask bench`)".to_owned());
    }
    out
}

/// Why the pages of statistics were not opened, if they were not. Where `CI` is `true`, the tests have failed then.
fn missing_browser() -> Option<String> {
    // As in crates/tfxio-stats/src/page/tests/browser.rs.
    const PROGRAMS: &[&str] = &["chromium", "chromium-browser", "google-chrome"];
    let is_there = PROGRAMS.iter().any(|program| process::is_installed(program, &["--version"]));
    (!is_there)
        .then(|| format!("tests of HTML pages in a browser: none of {} is installed", PROGRAMS.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn benchmarks_are_left_out_where_there_are_some() {
        let member =
            |kind: &str| Member { targets: vec![(kind.to_owned(), "t".to_owned())], ..Member::default() };
        let says = |kind| {
            left_out(Path::new("no such folder"), &[member(kind)])
                .iter()
                .any(|line| line.starts_with("benchmarks"))
        };
        assert!(says("bench"));
        assert!(!says("lib"));
    }
}
