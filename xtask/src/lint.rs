//! `lint`: everything that can be found without running the code.
//!
//! Every rule runs, also after one has failed; the end lists the rules that failed and what was left
//! out. The cheap rules come first, so that a trailing blank is reported before the long builds.

mod builds;
mod dependencies;
mod first_examples;
mod folders;
mod links;
mod manifests;
mod msrv;
mod packages;
mod programs;
mod readmes;
mod tidy;

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::workspace::{self, Member, Metadata};
use crate::{codegen, process, python, words};

/// Input of the rules.
struct Context<'a> {
    root: &'a Path,
    members: &'a [Member],
    metadata: &'a Metadata,
}

/// Remarks of a rule that did not fail.
#[derive(Default)]
struct Remarks {
    /// Worth a look, not a failure.
    warnings: Vec<String>,
    /// Checks that could not run, each with the reason.
    left_out: Vec<String>,
}

/// One rule: its name and the check.
type Rule = (&'static str, fn(&Context<'_>, &mut Remarks) -> Result<()>);

const QUICK: &[Rule] = &[
    ("format", format),
    ("tidy", tidy::check),
    ("links", links::check),
    ("words", words),
    ("readmes", readmes::check),
    ("manifests", manifests::check),
    ("packages", packages::check),
    ("test programs", programs::check),
    ("oldest compiler", msrv::check),
    ("dependencies", dependencies::check),
    ("folders", folders::check),
    ("cargo-deny", dependencies::deny),
    ("codegen", codegen_check),
    ("benches/RESULTS.md", results),
];

const BUILDS: &[Rule] = &[
    ("clippy, all features", builds::clippy_all_features),
    ("each crate alone", builds::each_crate_alone),
    ("first examples of READMEs, alone", first_examples::check),
    ("docs and public API", builds::docs),
    ("build with the oldest compiler", msrv::build),
    ("fuzz targets", builds::fuzz_targets),
];

/// Runs the rules, or those with one of these words in their names.
pub fn run(quick: bool, words: &[String]) -> Result<()> {
    let chosen = chosen(quick, words)?;
    let root = workspace::root();
    let metadata = Metadata::load(&root)?;
    let members = metadata.members();
    let context = Context { root: &root, members: &members, metadata: &metadata };

    let mut failed = Vec::new();
    let mut remarks = Remarks::default();
    if quick {
        remarks.left_out.push("clippy, single crates, docs: --quick was given".to_owned());
    }
    if !words.is_empty() {
        let others = QUICK.len() + BUILDS.len() - chosen.len();
        remarks.left_out.push(format!("{others} rules: they were not chosen"));
    }
    for (name, check) in &chosen {
        println!("== {name}");
        let started = Instant::now();
        if let Err(error) = check(&context, &mut remarks) {
            eprintln!("{name}: {error:#}");
            failed.push(*name);
        }
        println!("({name}: {:.1} s)", started.elapsed().as_secs_f64());
    }

    println!("\n== lint");
    for warning in &remarks.warnings {
        println!("warning: {warning}");
    }
    for line in &remarks.left_out {
        println!("left out: {line}");
    }
    if failed.is_empty() {
        println!("lint: {} rules hold", chosen.len());
        return Ok(());
    }
    bail!("lint: these rules failed (see above for where): {}", failed.join("; "))
}

/// The rules that are run.
fn chosen(quick: bool, words: &[String]) -> Result<Vec<Rule>> {
    let builds = if quick { &[][..] } else { BUILDS };
    let rules = || QUICK.iter().chain(builds).copied();
    if let Some(word) = words.iter().find(|word| !rules().any(|(name, _)| name.contains(word.as_str()))) {
        let names = rules().map(|(name, _)| name).collect::<Vec<_>>().join("; ");
        bail!("no rule is called {word:?}; there are: {names}");
    }
    let is_chosen = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    Ok(rules().filter(|(name, _)| is_chosen(name)).collect())
}

fn format(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    if !process::is_installed("cargo", &["fmt", "--version"]) {
        bail!("rustfmt is not installed: add it with `rustup component add rustfmt`");
    }
    process::run(process::cargo(context.root).args(["fmt", "--all", "--check"]))?;
    // `--all` would look at the crates of this workspace again, on which they depend by their paths.
    for manifest in workspace::other_workspaces(context.root)? {
        let manifest = shown(context.root, &manifest);
        process::run(process::cargo(context.root).args(["fmt", "--check", "--manifest-path", &manifest]))?;
    }
    Ok(())
}

fn codegen_check(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    codegen::check(context.root)
}

/// Private words become fewer.
fn words(context: &Context<'_>, remarks: &mut Remarks) -> Result<()> {
    let (more, fewer) = words::compare(context.root, context.metadata)?;
    remarks.warnings.extend(fewer);
    none(more)
}

/// Checks that the tables of results match the recorded figures and the current floors.
fn results(context: &Context<'_>, remarks: &mut Remarks) -> Result<()> {
    let Some(python) = python::found(&["-c", "import tomllib"]) else {
        remarks.left_out.push("benches/RESULTS.md: no Python 3.11 found".to_owned());
        return Ok(());
    };
    let script = context.root.join("benches").join("peers").join("compare.py");
    process::run(process::program(python, context.root).arg("-B").arg(script).arg("--check"))
}

/// Fails with the findings, one a line, if there are any.
fn none(findings: Vec<String>) -> Result<()> {
    if findings.is_empty() { Ok(()) } else { bail!("\n  {}", findings.join("\n  ")) }
}

/// The path from the root, with forward slashes.
fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_chosen_by_words_of_their_names() {
        let names = |quick, words: &[&str]| {
            let words = words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
            chosen(quick, &words).map(|rules| rules.into_iter().map(|(name, _)| name).collect::<Vec<_>>())
        };
        assert_eq!(names(false, &["alone", "links"]).unwrap().len(), 3);
        assert_eq!(names(true, &[]).unwrap().len(), QUICK.len());
        assert_eq!(names(false, &[]).unwrap().len(), QUICK.len() + BUILDS.len());
        let error = names(true, &["clippy"]).unwrap_err().to_string();
        assert!(error.starts_with("no rule is called \"clippy\"; there are: format; tidy; "), "{error}");
    }
}
