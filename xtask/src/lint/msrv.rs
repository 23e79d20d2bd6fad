//! The rule on the oldest compiler: what the manifests promise must be true.

use anyhow::{Context as _, Result};

use super::{Context, Remarks, none};
use crate::process;
use crate::workspace::text;

pub(super) fn check(context: &Context<'_>, remarks: &mut Remarks) -> Result<()> {
    let Some(promised) = context.members.iter().find_map(|member| version(&member.rust_version)) else {
        return none(vec!["no member states `rust-version`".to_owned()]);
    };
    let mut findings = Vec::new();
    for member in context.members {
        if version(&member.rust_version) != Some(promised) {
            findings.push(format!(
                "{}: states rust-version `{}`, others another",
                member.name, member.rust_version
            ));
        }
    }
    for package in context.metadata.packages() {
        let needs = text(&package["rust_version"]);
        if version(needs).is_some_and(|needs| needs > promised) {
            let (name, version) = (text(&package["name"]), text(&package["version"]));
            findings.push(format!("{name} {version} needs Rust {needs}, we promise {}", shown(promised)));
        }
    }
    let compiler = process::output(std::process::Command::new("rustc").arg("--version"))?;
    let current = compiler
        .split_whitespace()
        .nth(1)
        .and_then(version)
        .with_context(|| format!("`rustc --version` says `{}`", compiler.trim()))?;
    if current < promised {
        findings.push(format!("this is Rust {}, the workspace needs {}", shown(current), shown(promised)));
    } else if current.0 != promised.0 || current.1 != promised.1 {
        remarks.left_out.push(format!(
            "a build with the oldest compiler, {}: this is {} (`cargo +{} check --workspace`)",
            shown(promised),
            shown(current),
            shown(promised)
        ));
    }
    none(findings)
}

/// Major, minor and patch of `1.95`, `1.95.0` or `1.96.0-nightly`.
fn version(text: &str) -> Option<(u32, u32, u32)> {
    let plain = text.split('-').next()?;
    let mut parts = plain.split('.').map(str::parse);
    let major = parts.next()?.ok()?;
    let mut rest = || parts.next().map_or(Some(0), Result::ok);
    Some((major, rest()?, rest()?))
}

fn shown((major, minor, patch): (u32, u32, u32)) -> String {
    if patch == 0 { format!("{major}.{minor}") } else { format!("{major}.{minor}.{patch}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        assert_eq!(version("1.95"), Some((1, 95, 0)));
        assert_eq!(version("1.96.2-nightly"), Some((1, 96, 2)));
        assert!(version("1.100") > version("1.95.1"));
        assert_eq!(version(""), None);
        assert_eq!(version("stable"), None);
        assert_eq!(shown((1, 95, 0)), "1.95");
        assert_eq!(shown((1, 95, 1)), "1.95.1");
    }
}
