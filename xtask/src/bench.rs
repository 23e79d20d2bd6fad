//! `bench`: the criterion suites against a baseline saved on this machine, or beside other systems.

mod peers;

use std::path::Path;

use anyhow::{Result, bail};

use crate::args::Args;
use crate::process;
use crate::workspace::{self, Metadata};

/// The package with the suites.
const PACKAGE: &str = "benches";
/// The name of the baseline in criterion's folders. Its own default, `base`, changes with every run.
const BASELINE: &str = "saved";

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

/// Runs the suites; criterion saves their figures, or compares them with the saved ones where there are some.
fn suites(root: &Path, save: bool, filter: Option<&str>) -> Result<()> {
    let members = Metadata::load_members(root)?.members();
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
    let mut command = process::cargo(root);
    command.args(["bench", "-p", PACKAGE]);
    for target in targets {
        command.args(["--bench", target]);
    }
    command.args(["--", if save { "--save-baseline" } else { "--baseline-lenient" }, BASELINE]);
    process::run(command.args(filter))
}
