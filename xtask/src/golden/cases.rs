//! Counting the cases in the files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::kinds::{Kinds, Owner};
use crate::workspace;

/// Number of cases of each kind.
#[derive(Debug, Default)]
pub struct Cases {
    /// Cases that a crate owns, by kind.
    pub owned: BTreeMap<String, u64>,
    /// Cases that no crate owns, by kind.
    pub others: BTreeMap<String, u64>,
    /// Kinds that the table lacks, each with a file that has it.
    pub unknown: BTreeMap<String, String>,
}

impl Cases {
    /// Counts the lines of every `*.jsonl` below the folders.
    pub fn count(folders: &[PathBuf], kinds: &Kinds) -> Result<Self> {
        let mut cases = Self::default();
        for folder in folders {
            for path in workspace::files_under(folder, "jsonl")? {
                let text =
                    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
                cases.add_file(&path, &text, kinds)?;
            }
        }
        Ok(cases)
    }

    fn add_file(&mut self, path: &Path, text: &str, kinds: &Kinds) -> Result<()> {
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let position = || format!("{}, line {}", path.display(), at + 1);
            let case: Value = serde_json::from_str(line).with_context(position)?;
            let Some(kind) = case["kind"].as_str() else {
                bail!("{}: a case without a `kind`", position());
            };
            let count = match kinds.owner(kind, &case) {
                Some(Owner::Crate(_)) => self.owned.entry(kind.to_owned()).or_default(),
                Some(Owner::Later | Owner::Compare) => self.others.entry(kind.to_owned()).or_default(),
                None => {
                    self.unknown.entry(kind.to_owned()).or_insert_with(|| path.display().to_string());
                    continue;
                }
            };
            *count += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_owner() {
        let kinds = Kinds::parse("a one when /inputs/schema is null\nb later\n").unwrap();
        let mut cases = Cases::default();
        let text = concat!(
            "{\"kind\": \"a\", \"inputs\": {\"schema\": null}}\n",
            "{\"kind\": \"a\", \"inputs\": {\"schema\": {}}}\n\n",
            "{\"kind\": \"b\"}\n{\"kind\": \"z\"}\n"
        );
        cases.add_file(Path::new("f.jsonl"), text, &kinds).unwrap();
        assert_eq!(cases.owned, [("a".to_owned(), 1)].into());
        assert_eq!(cases.others, [("a".to_owned(), 1), ("b".to_owned(), 1)].into());
        assert_eq!(cases.unknown, [("z".to_owned(), "f.jsonl".to_owned())].into());
    }

    #[test]
    fn says_which_line_has_no_kind() {
        let kinds = Kinds::parse("").unwrap();
        let error = Cases::default().add_file(Path::new("f.jsonl"), "\n{}\n", &kinds).unwrap_err();
        assert_eq!(error.to_string(), "f.jsonl, line 2: a case without a `kind`");
    }
}
