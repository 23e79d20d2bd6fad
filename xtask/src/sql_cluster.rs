//! `sql-cluster`: plans of `tfxio-sql` on two worker processes, by an engine that is not ours.

use anyhow::Result;

use crate::{process, workspace};

/// Builds the workspace, which has a lock file of its own, and runs its tests.
pub fn run() -> Result<()> {
    let root = workspace::root();
    let target = workspace::Metadata::load_members(&root)?.target_directory().join("sql-cluster");
    let mut command = process::cargo(&root);
    command.args(["test", "--locked", "--manifest-path", "crates/tfxio-sql/cluster/Cargo.toml"]);
    process::run(command.env("CARGO_TARGET_DIR", &target))
}
