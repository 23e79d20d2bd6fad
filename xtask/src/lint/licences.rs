//! The rule on licences: every dependency can be had under one of the allowed ones.

use anyhow::Result;

use super::{Context, Remarks, none};
use crate::workspace::text;

/// SPDX identifiers of the allowed licences. `deny.toml` has the same list.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Zlib",
    "bzip2-1.0.6",
];

pub(super) fn check(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    let mut findings = Vec::new();
    for package in context.metadata.packages() {
        let licence = text(&package["license"]);
        if !is_allowed(licence) {
            let (name, version) = (text(&package["name"]), text(&package["version"]));
            let licence = if licence.is_empty() { "no licence stated" } else { licence };
            findings.push(format!("{name} {version}: {licence}"));
        }
    }
    none(findings)
}

/// Whether the SPDX expression can be met by allowed licences alone.
///
/// Expressions are `OR` and `AND` over identifiers, `AND` binding more tightly, with brackets;
/// `WITH` adds an exception, which only gives more freedom. Old manifests write `/` for `OR`.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser { words: &words };
    parser.any().is_some_and(|allowed| allowed && parser.words.is_empty())
}

struct Parser<'a> {
    words: &'a [&'a str],
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.words.first() == Some(&word);
        if found {
            self.next();
        }
        found
    }

    /// `all (OR all)*`; nothing if this is not an expression.
    fn any(&mut self) -> Option<bool> {
        let mut allowed = self.all()?;
        while self.take("OR") {
            allowed |= self.all()?;
        }
        Some(allowed)
    }

    /// `one (AND one)*`
    fn all(&mut self) -> Option<bool> {
        let mut allowed = self.one()?;
        while self.take("AND") {
            allowed &= self.one()?;
        }
        Some(allowed)
    }

    /// An identifier, perhaps with an exception, or an expression in brackets.
    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let allowed = self.any()?;
            return self.take(")").then_some(allowed);
        }
        let allowed = ALLOWED.contains(&self.next()?);
        if self.take("WITH") {
            self.next()?;
        }
        Some(allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meets_expressions() {
        for expression in [
            "MIT",
            "MIT OR GPL-3.0-only",
            "MIT/Apache-2.0",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0-only",
            "GPL-2.0-only AND MIT OR ISC",
        ] {
            assert!(is_allowed(expression), "{expression}");
        }
    }

    #[test]
    fn refuses_what_cannot_be_met() {
        for expression in ["", "GPL-3.0-only", "MIT AND GPL-3.0-only", "(MIT", "MIT MIT", "OR", "MIT OR"] {
            assert!(!is_allowed(expression), "{expression}");
        }
    }
}
