//! `bench`: the criterion suites against a baseline saved on this machine, or beside other systems.

mod peers;

use std::path::Path;

use anyhow::Result;

use crate::process;
use crate::workspace::{self, Metadata};

/// The name of the baseline in criterion's folders. Its own default, `base`, changes with every run.
const BASELINE: &str = "saved";

/// Arguments of `bench`.
#[derive(clap::Args)]
pub struct Options {
    /// Save the figures for later runs to be compared with
    #[arg(long)]
    save_baseline: bool,
    /// Run beside other systems, and rewrite benches/RESULTS.md
    #[arg(long)]
    peers: bool,
    /// Run only the cases whose name holds TEXT
    #[arg(long = "match", value_name = "TEXT")]
    filter: Option<String>,
    #[command(flatten)]
    of_peers: peers::PeerOptions,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let root = workspace::root();
    let filter = options.filter.as_deref();
    if options.peers {
        return peers::run(&root, &options.of_peers, filter);
    }
    suites(&root, options.save_baseline, filter)
}

/// Runs the suites of all members; criterion saves their figures, or compares them with the saved ones where there are some.
fn suites(root: &Path, save: bool, filter: Option<&str>) -> Result<()> {
    let members = Metadata::load_members(root)?.members();
    let mut command = process::cargo(root);
    command.arg("bench");
    for member in members.iter().filter(|member| member.has_kind("bench")) {
        command.args(["-p", &member.name]);
        for (_, target) in member.targets.iter().filter(|(kind, _)| kind == "bench") {
            command.args(["--bench", target]);
        }
    }
    command.args(["--", if save { "--save-baseline" } else { "--baseline-lenient" }, BASELINE]);
    process::run(command.args(filter))
}
