//! The rule on the oldest compiler: what the manifests promise must be true.
//!
//! Clippy's `incompatible_msrv` finds what the standard library did not have yet, and the compiler itself, where rustup has
//! it, whatever else is too new.

use anyhow::Result;

use super::{Context, Remarks, none};
use crate::process;
use crate::workspace::text;

/// No dependency needs a newer compiler than the members promise.
pub(super) fn check(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    let promised = promised(context);
    let mut findings = Vec::new();
    for member in context.members {
        if member.rust_version != promised {
            findings.push(format!("{}: states another rust-version than the first member", member.name));
        }
    }
    for package in context.metadata.packages() {
        let needs = text(&package["rust_version"]);
        if version(needs) > version(promised) {
            let (name, version) = (text(&package["name"]), text(&package["version"]));
            findings.push(format!("{name} {version} needs Rust {needs}, we promise {promised}"));
        }
    }
    none(findings)
}

/// Compiles the workspace with the oldest compiler, where rustup has it.
pub(super) fn build(context: &Context<'_>, remarks: &mut Remarks) -> Result<()> {
    let promised = promised(context);
    if !process::is_installed("rustup", &["run", promised, "cargo", "--version"]) {
        remarks.left_out.push(format!(
            "a build with the oldest compiler (`rustup toolchain install {promised} --profile minimal`); clippy has looked \
             for what its standard library lacks"
        ));
        return Ok(());
    }
    let target = context.metadata.target_directory().join("oldest");
    process::run(
        process::program("rustup", context.root)
            .args(["run", promised, "cargo", "check", "--quiet", "--workspace", "--all-features"])
            .env("CARGO_TARGET_DIR", target),
    )
}

/// The version of the first member.
fn promised<'a>(context: &Context<'a>) -> &'a str {
    context.members.first().map_or("", |member| &member.rust_version)
}

/// The numbers of `1.95` or `1.95.0`; those of a version that is not stated come first.
fn version(text: &str) -> Vec<u32> {
    let mut numbers: Vec<u32> = text.split('.').filter_map(|number| number.parse().ok()).collect();
    numbers.resize(3, 0);
    numbers
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn versions_compare_by_number() {
        assert_eq!(version("1.95"), version("1.95.0"));
        assert!(version("1.100") > version("1.95.1"));
        assert!(version("") < version("1.0"));
    }
}
