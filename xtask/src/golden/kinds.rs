//! The table of kinds: `golden-kinds.txt`, whose head explains its lines.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Who runs the cases of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// This crate.
    Crate(String),
    /// A crate or a part of one that is not built yet.
    Later,
    /// Nobody: they record another implementation.
    Compare,
}

/// A line of the table.
#[derive(Debug)]
struct Entry {
    owner: Owner,
    /// JSON pointer at which the case must hold null for the owner to take it.
    null_at: Option<String>,
    /// Whether the repository itself has no case.
    elsewhere: bool,
}

/// The table.
#[derive(Debug)]
pub struct Kinds {
    entries: BTreeMap<String, Entry>,
}

impl Kinds {
    /// Reads the table.
    pub fn parse(text: &str) -> Result<Self> {
        let mut entries = BTreeMap::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.split_once('#').map_or(line, |(head, _)| head).trim();
            if line.is_empty() {
                continue;
            }
            let (kind, entry) =
                entry(line).with_context(|| format!("golden-kinds.txt, line {}: `{line}`", at + 1))?;
            if entries.insert(kind.clone(), entry).is_some() {
                bail!("golden-kinds.txt, line {}: `{kind}` is there twice", at + 1);
            }
        }
        Ok(Self { entries })
    }

    /// The kinds that a crate owns, with the crate.
    pub fn owned(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().filter_map(|(kind, entry)| match &entry.owner {
            Owner::Crate(name) => Some((kind.as_str(), name.as_str())),
            Owner::Later | Owner::Compare => None,
        })
    }

    /// Whether cases of the kind are only in a further folder.
    pub fn elsewhere(&self, kind: &str) -> bool {
        self.entries.get(kind).is_some_and(|entry| entry.elsewhere)
    }

    /// Who owns this case; nothing if the table lacks the kind.
    pub fn owner(&self, kind: &str, case: &Value) -> Option<Owner> {
        let entry = self.entries.get(kind)?;
        let taken =
            entry.null_at.as_ref().is_none_or(|pointer| case.pointer(pointer).is_none_or(Value::is_null));
        Some(if taken { entry.owner.clone() } else { Owner::Later })
    }

    /// Who has the cases of the kind that no crate takes.
    pub fn rest(&self, kind: &str) -> Option<&Owner> {
        let entry = self.entries.get(kind)?;
        Some(if entry.null_at.is_some() { &Owner::Later } else { &entry.owner })
    }
}

fn entry(line: &str) -> Result<(String, Entry)> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let elsewhere = words.last() == Some(&"elsewhere");
    words.truncate(words.len() - usize::from(elsewhere));
    let (kind, owner, null_at) = match words.as_slice() {
        [kind, owner] => (*kind, *owner, None),
        [kind, owner, "when", pointer, "is", "null"] if pointer.starts_with('/') => {
            (*kind, *owner, Some((*pointer).to_owned()))
        }
        _ => bail!("expected KIND OWNER, or KIND OWNER when /POINTER is null, and perhaps elsewhere"),
    };
    let owner = match owner {
        "later" => Owner::Later,
        "compare" => Owner::Compare,
        name => Owner::Crate(name.to_owned()),
    };
    Ok((kind.to_owned(), Entry { owner, null_at, elsewhere }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn gives_each_case_its_owner() {
        let kinds =
            Kinds::parse("# head\n\na one\nb two when /inputs/schema is null elsewhere # why\nc compare\n")
                .unwrap();
        let owner = |kind, case| kinds.owner(kind, &case);
        let one = Owner::Crate("one".to_owned());
        let two = Owner::Crate("two".to_owned());
        assert_eq!(owner("a", json!({})), Some(one));
        assert_eq!(owner("b", json!({"inputs": {"schema": null}})), Some(two.clone()));
        assert_eq!(owner("b", json!({})), Some(two));
        assert_eq!(owner("b", json!({"inputs": {"schema": {}}})), Some(Owner::Later));
        assert_eq!(owner("c", json!({})), Some(Owner::Compare));
        assert_eq!(owner("d", json!({})), None);
        assert_eq!(kinds.owned().collect::<Vec<_>>(), [("a", "one"), ("b", "two")]);
        assert_eq!(["a", "b", "c", "d"].map(|kind| kinds.elsewhere(kind)), [false, true, false, false]);
    }

    #[test]
    fn says_which_line_is_wrong() {
        let error = Kinds::parse("a one\nb two when\n").unwrap_err();
        assert_eq!(error.to_string(), "golden-kinds.txt, line 2: `b two when`");
        let error = Kinds::parse("a one\na two\n").unwrap_err();
        assert_eq!(error.to_string(), "golden-kinds.txt, line 2: `a` is there twice");
    }

    #[test]
    fn the_checked_in_table_is_well_formed() {
        let kinds = Kinds::parse(include_str!("../../golden-kinds.txt")).unwrap();
        assert!(kinds.owned().any(|owned| owned == ("decode_examples", "example-codec")));
    }
}
