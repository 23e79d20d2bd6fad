//! `sql-cluster` and `frameworks`: tests of workspaces with a lock file of their own, for what others' large packages do with ours.

use anyhow::Result;

use crate::{process, workspace};

/// Builds a workspace and runs its tests, in a target directory of that name.
pub fn test(name: &str, folder: &str) -> Result<()> {
    let root = workspace::root();
    let target = workspace::Metadata::load_members(&root)?.target_directory().join(name);
    let mut command = process::cargo(&root);
    command.args(["test", "--locked", "--manifest-path", &format!("{folder}/Cargo.toml")]);
    process::run(command.env("CARGO_TARGET_DIR", &target))
}
