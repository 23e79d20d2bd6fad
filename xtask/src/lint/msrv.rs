//! The rule on the oldest compiler: what the manifests promise must be true.
//!
//! The workspace promises one version. A member may promise a newer one where what it is about needs that, and then only
//! what it brings may need as much: neither another member nor, without a feature that is for it, anybody else. So may a feature
//! (`[package.metadata.rust-version]`), for the optional dependencies that it alone brings.
//!
//! Clippy's `incompatible_msrv` finds what the standard library did not have yet, and the compiler itself, where rustup has
//! it, whatever else is too new.

mod graph;

use anyhow::Result;

use self::graph::Graph;
use super::{Context, Remarks, none};
use crate::process;
use crate::workspace::Metadata;

/// No dependency needs a newer compiler than the members promise that bring it.
pub(super) fn check(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    none(Graph::new(context.metadata).findings())
}

/// Returns the features that do not need a newer compiler than the workspace promises, as `member/feature`.
pub(super) fn features(metadata: &Metadata) -> Vec<String> {
    Graph::new(metadata).features()
}

/// Compiles the workspace with the oldest compiler, where rustup has it, without the members that promise a newer one and the
/// features that are for them.
pub(super) fn build(context: &Context<'_>, remarks: &mut Remarks) -> Result<()> {
    let graph = Graph::new(context.metadata);
    let promised = graph.promised();
    if !process::is_installed("rustup", &["run", promised, "cargo", "--version"]) {
        remarks.left_out.push(format!(
            "a build with the oldest compiler (`rustup toolchain install {promised} --profile minimal`); clippy has looked \
             for what its standard library lacks"
        ));
        return Ok(());
    }
    let target = context.metadata.target_directory().join("oldest");
    let mut check = process::program("rustup", context.root);
    check.args(["run", promised, "cargo", "check", "--quiet", "--workspace"]);
    for newer in graph.newer() {
        check.args(["--exclude", newer]);
    }
    process::run(check.args(["--features", &graph.features().join(",")]).env("CARGO_TARGET_DIR", target))
}
