//! The rule on links in Markdown: what they point at within the repository is there.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::{Context, Remarks, none, shown, tidy};

pub(super) fn check(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    let mut findings = Vec::new();
    for path in tidy::text_files(context.root)? {
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let name = shown(context.root, &path);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {name} as UTF-8"))?;
        let folder = path.parent().unwrap_or(context.root);
        findings.extend(broken(&text, folder).map(|finding| format!("{name}{finding}")));
    }
    none(findings)
}

/// Links to files that are not there. Addresses, and places within the same page, are left alone.
fn broken<'a>(text: &'a str, folder: &'a Path) -> impl Iterator<Item = String> + 'a {
    let mut in_code = false;
    text.lines().enumerate().flat_map(move |(at, line)| {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        let targets: Vec<&str> = if in_code { Vec::new() } else { targets(line).collect() };
        targets
            .into_iter()
            .filter(|target| !target.contains("://") && !target.starts_with(['#', '<']))
            .filter(|target| !target.starts_with("mailto:"))
            .map(|target| target.split('#').next().unwrap_or(target))
            .filter(|target| !folder.join(target).exists())
            .map(|target| format!(":{}: links to {target}, which is not there", at + 1))
            .collect::<Vec<_>>()
    })
}

/// Returns the targets in the brackets of `[text](target)`.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let (target, _) = rest.split_once(')')?;
        // A title may follow the target.
        target.split_whitespace().next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_links_into_the_void() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = "[a](src/main.rs) [b](https://example.org/x) [c](src/main.rs#L1)\n\
                    ```\n[d](gone.rs)\n```\n[e](#here) see [f](gone.md) and [g](src \"title\")\n";
        let found: Vec<_> = broken(text, folder).collect();
        assert_eq!(found, [":5: links to gone.md, which is not there"]);
    }
}
