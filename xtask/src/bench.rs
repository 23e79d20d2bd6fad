//! `bench`: the criterion suites against a baseline saved on this machine, or beside other systems.

mod criterion;
mod peers;

use std::path::Path;
use std::time::SystemTime;

use anyhow::{Result, bail};

use self::criterion::Change;
use crate::args::Args;
use crate::process;
use crate::workspace::{self, Metadata};

/// The package with the suites.
const PACKAGE: &str = "benches";
/// The name of the baseline in criterion's folders. Its own default, `base`, changes with every run.
const BASELINE: &str = "saved";
/// How much slower than the baseline is a failure, as a share.
const TOLERATED: f64 = 0.10;
/// Changes below this share are noise and not worth a line.
const NOISE: f64 = 0.03;

/// Runs the command.
pub fn run(mut args: Args) -> Result<()> {
    let save = args.flag("--save-baseline");
    let beside_peers = args.flag("--peers");
    let filter = args.option("--match")?;
    let options = peers::Options {
        data: args.option("--data")?.map(Into::into),
        python: args.option("--python")?.map(Into::into),
        python_tfio: args.option("--python-tfio")?.map(Into::into),
        only: args.option("--only")?,
        filter: filter.clone(),
        mb: args.option("--mb")?,
    };
    args.finish()?;
    let root = workspace::root();
    if beside_peers {
        return peers::run(&root, &options);
    }
    suites(&root, save, filter.as_deref())
}

/// Runs the suites, and saves their figures or compares them with the saved ones.
fn suites(root: &Path, save: bool, filter: Option<&str>) -> Result<()> {
    let metadata = Metadata::load_members(root)?;
    let members = metadata.members();
    let targets: Vec<&str> = members
        .iter()
        .filter(|member| member.name == PACKAGE)
        .flat_map(|member| &member.targets)
        .filter(|(kind, _)| kind == "bench")
        .map(|(_, name)| name.as_str())
        .collect();
    if targets.is_empty() {
        bail!("the package `{PACKAGE}` has no benchmarks");
    }
    let home = metadata.target_directory().join("criterion");
    let started = SystemTime::now();
    let mut command = process::cargo(root);
    command.args(["bench", "-p", PACKAGE]).env("CRITERION_HOME", &home);
    for target in targets {
        command.args(["--bench", target]);
    }
    command.arg("--");
    if save {
        command.args(["--save-baseline", BASELINE]);
    }
    command.args(filter);
    process::run(&mut command)?;
    if save {
        println!("bench: saved as the baseline in {}", home.display());
        return Ok(());
    }
    report(&criterion::changes(&home, BASELINE, started)?)
}

/// Prints what got faster or slower; fails when something got too slow.
fn report(changes: &[Change]) -> Result<()> {
    println!("\n== against the baseline");
    let mut slower = Vec::new();
    let mut steady = 0;
    let mut unknown = 0;
    for change in changes {
        let Some(growth) = change.growth() else {
            println!("new     {change}");
            unknown += 1;
            continue;
        };
        if growth > NOISE {
            println!("slower  {change}");
        } else if growth < -NOISE {
            println!("faster  {change}");
        } else {
            steady += 1;
        }
        if growth > TOLERATED {
            slower.push(change.name.clone());
        }
    }
    println!("{steady} within {} % of the baseline", NOISE * 100.0);
    if changes.is_empty() {
        bail!("no benchmark ran; does --match fit any?");
    }
    if unknown == changes.len() {
        println!("there is no baseline on this machine: save one with `cargo xtask bench --save-baseline`");
    }
    if slower.is_empty() {
        return Ok(());
    }
    bail!("more than {} % slower: {}", TOLERATED * 100.0, slower.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(name: &str, before: Option<f64>, now: f64) -> Change {
        Change { name: name.to_owned(), before, now, bytes: Some(1000) }
    }

    #[test]
    fn more_than_ten_percent_slower_fails() {
        let near = change("near", Some(100.0), 109.0);
        assert!(report(&[near]).is_ok());
        let error =
            report(&[change("far", Some(100.0), 111.0), change("fast", Some(100.0), 50.0)]).unwrap_err();
        assert_eq!(error.to_string(), "more than 10 % slower: far");
    }

    #[test]
    fn what_has_no_baseline_is_no_failure() {
        assert!(report(&[change("new", None, 1.0)]).is_ok());
        assert!(report(&[]).is_err());
    }
}
