//! The rule on licences, for where cargo-deny is not installed: the list is that of deny.toml.

use std::fs;

use anyhow::{Context as _, Result};

use super::{Context, Remarks, none};
use crate::workspace::text;

pub(super) fn check(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    let rules = fs::read_to_string(context.root.join("deny.toml")).context("cannot read deny.toml")?;
    let (_, list) = rules.split_once("\nallow = [").context("deny.toml has no list of allowed licences")?;
    let allowed: Vec<&str> =
        list.split(']').next().unwrap_or_default().split('"').skip(1).step_by(2).collect();
    let packages = context.metadata.packages().iter();
    let refused = packages.filter(|package| !is_allowed(text(&package["license"]), &allowed));
    none(
        refused
            .map(|package| format!("{} {}: {}", package["name"], package["version"], package["license"]))
            .collect(),
    )
}

/// Whether each part between `AND` has an allowed alternative between `OR` (or `/`), which is stricter than SPDX without
/// brackets, where `AND` binds more tightly.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let is_allowed = |name: &str| allowed.contains(&name.trim_matches(['(', ')', ' ']));
    expression.replace('/', " OR ").split(" AND ").all(|part| part.split(" OR ").any(is_allowed))
}

#[cfg(test)]
mod tests {
    use super::is_allowed;

    #[test]
    fn one_allowed_alternative_is_enough() {
        let is_allowed = |expression| is_allowed(expression, &["MIT", "Apache-2.0", "Unicode-3.0"]);
        for expression in ["MIT", "GPL-3.0-only OR MIT", "Unlicense/MIT", "(MIT OR ISC) AND Unicode-3.0"] {
            assert!(is_allowed(expression), "{expression}");
        }
        for expression in ["", "GPL-3.0-only", "MIT AND GPL-3.0-only", "(MIT OR Apache-2.0) AND ISC"] {
            assert!(!is_allowed(expression), "{expression}");
        }
    }
}
