//! `words`: prose that outsiders do not understand, or cannot skim: private words in comments, messages and documentation, and doc comments
//! that do not begin as those of the field do.
//!
//! `xtask/words.txt` has how many each crate may still have, with the reason of phrases; the numbers only fall. The terms to use are in
//! docs/glossary.md.

mod doc_comments;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use self::doc_comments::Found;
use crate::workspace::{self, Metadata};

/// A phrase, what to write in its place, and uses of it that are fine.
struct Private {
    phrase: &'static str,
    instead: &'static str,
    fine: &'static [&'static str],
}

const PRIVATE: &[Private] = &[
    Private { phrase: "so many", instead: "`n`, or name the number", fine: &[] },
    Private {
        phrase: "is no",
        instead: "is not a",
        fine: &["there is no", "is no longer", "is no more", "is no less", "is no other"],
    },
    Private { phrase: "is none", instead: "is not one, or does not exist", fine: &["there is none"] },
    Private {
        phrase: "behind",
        instead: "after",
        fine: &["behind a feature", "behind the feature", "behind features", "left behind"],
    },
    Private { phrase: "piece", instead: "chunk, part", fine: &[] },
    Private { phrase: "pieces", instead: "chunks, parts", fine: &[] },
    Private {
        phrase: "place",
        instead: "offset, position",
        fine: &["in place", "takes place", "take place"],
    },
    Private { phrase: "places", instead: "offsets, positions", fine: &["places.md"] },
    Private { phrase: "held against", instead: "compared with", fine: &[] },
    Private { phrase: "holds against", instead: "compares with", fine: &[] },
];

/// Lists every use, or with `--write` writes how many there are.
pub fn run(write: bool) -> Result<()> {
    let root = workspace::root();
    let uses = uses(&root, &Metadata::load_members(&root)?)?;
    if write {
        let before = fs::read_to_string(list(&root)).context("cannot read xtask/words.txt")?;
        let reasons: BTreeMap<&str, &str> = before
            .lines()
            .filter_map(|line| line.split_once(" # "))
            .filter_map(|(entry, reason)| Some((entry.rsplit_once(' ')?.0, reason)))
            .collect();
        let line = |(name, found): (&String, &Vec<String>)| match reasons.get(&**name) {
            Some(reason) if !found.is_empty() => format!("{name} {} # {reason}\n", found.len()),
            _ => format!("{name} {}\n", found.len()),
        };
        let lines: String = uses.iter().map(line).collect();
        return fs::write(list(&root), lines).context("cannot write xtask/words.txt");
    }
    for (name, found) in uses {
        println!("== {name}: {}", found.len());
        found.iter().for_each(|line| println!("{line}"));
    }
    Ok(())
}

/// Returns the crates that have more uses than they may, and the ones for which the list allows too many by now.
pub fn compare(root: &Path, metadata: &Metadata) -> Result<(Vec<String>, Vec<String>)> {
    let text = fs::read_to_string(list(root)).context("cannot read xtask/words.txt")?;
    let allowed: BTreeMap<&str, usize> = text
        .lines()
        .filter_map(|line| line.split(" # ").next()?.rsplit_once(' '))
        .filter_map(|(name, count)| Some((name, count.parse().ok()?)))
        .collect();
    let (mut more, mut fewer) = (Vec::new(), Vec::new());
    let uses = uses(root, metadata)?;
    for name in allowed.keys().filter(|name| !uses.contains_key(**name)) {
        fewer.push(format!(
            "{name}: in xtask/words.txt, and there is none; `cargo xtask words --write` lowers it"
        ));
    }
    for (name, found) in uses {
        let (found, allowed) = (found.len(), allowed.get(&*name).copied().unwrap_or_default());
        let line = format!("{name}: {found} to be written anew, {allowed} in xtask/words.txt");
        match found.cmp(&allowed) {
            std::cmp::Ordering::Greater => more.push(format!("{line}; `cargo xtask words` lists them")),
            std::cmp::Ordering::Less => fewer.push(format!("{line}; `cargo xtask words --write` lowers it")),
            std::cmp::Ordering::Equal => {}
        }
    }
    Ok((more, fewer))
}

fn list(root: &Path) -> std::path::PathBuf {
    root.join("xtask").join("words.txt")
}

/// The uses in the sources and the README of each published crate, and in docs/.
fn uses(root: &Path, metadata: &Metadata) -> Result<BTreeMap<String, Vec<String>>> {
    let mut uses = BTreeMap::new();
    let members = metadata.members().into_iter().filter(|member| member.published);
    let folders = members.map(|member| (member.name.clone(), member.folder.clone()));
    for (name, folder) in folders.chain([("docs".to_owned(), root.join("docs"))]) {
        let mut files = workspace::files_under(&folder.join("src"), "rs")?;
        files.extend(
            workspace::files_under(&folder, "md")?.into_iter().filter(|path| !path.ends_with("CHANGELOG.md")),
        );
        let mut found = Vec::new();
        for path in files.iter().filter(|path| !path.ends_with("glossary.md")) {
            let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            let is_code = path.extension().is_some_and(|extension| extension == "rs");
            let shown = path.strip_prefix(root).unwrap_or(path).display();
            // What a page shows of commands and files is counted where it is made.
            let mut block: Option<&str> = None;
            for (at, line) in text.lines().enumerate() {
                if let Some(language) = line.strip_prefix("```").filter(|_| !is_code) {
                    block = if block.is_none() { Some(language) } else { None };
                }
                let prose = if is_code { prose(line) } else { line.to_owned() };
                if block.is_some_and(|language| !language.starts_with("rust")) {
                    continue;
                }
                let words = private(&prose)
                    .map(|word| format!("{shown}:{}: `{}`: {}", at + 1, word.phrase, word.instead));
                found.extend(words);
            }
        }
        uses.insert(name, found);
    }
    for member in metadata.members() {
        let [mut openers, mut phrases] = [Vec::new(), Vec::new()];
        // Generated code has the comments of its `.proto` files, which are of others.
        for path in workspace::files(&member.folder, &["target", "generated"])? {
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let text =
                fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let shown = path.strip_prefix(root).unwrap_or(&path).display();
            for (line, found) in doc_comments::look(&text) {
                match found {
                    Found::Opener => {
                        openers.push(format!("{shown}:{line}: begin with a noun, or a verb of a function"))
                    }
                    Found::Phrase(phrase, instead) => {
                        phrases.push(format!("{shown}:{line}: `{phrase}`: {instead}"));
                    }
                }
            }
        }
        for (kind, found) in [("openers", openers), ("phrases", phrases)] {
            if !found.is_empty() {
                uses.insert(format!("{} {kind}", member.name), found);
            }
        }
    }
    Ok(uses)
}

/// The comment and the strings of a line of code.
fn prose(line: &str) -> String {
    let comment = line.find("//").filter(|at| !line.get(..*at).is_some_and(|code| code.ends_with(':')));
    let (code, comment) = line.split_at(comment.unwrap_or(line.len()));
    let strings: Vec<&str> = code.split('"').skip(1).step_by(2).collect();
    format!("{} {comment}", strings.join(" "))
}

/// The private words of a text, as often as they are there.
fn private(prose: &str) -> impl Iterator<Item = &'static Private> + use<> {
    let mut text = prose.to_lowercase();
    let mut found = Vec::new();
    for word in PRIVATE {
        for fine in word.fine {
            text = text.replace(fine, "");
        }
        let is_border = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        let whole = text.match_indices(word.phrase).filter(|(at, _)| {
            let (before, after) = text.split_at(*at);
            is_border(before.chars().next_back()) && is_border(after.chars().nth(word.phrase.len()))
        });
        found.extend(whole.map(|_| word));
    }
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_words_in_comments_and_strings() {
        let found = |line: &str| private(&prose(line)).map(|word| word.phrase).collect::<Vec<_>>();
        assert_eq!(found("let place = 5; // Takes so many."), ["so many"]);
        assert_eq!(found("error(\"this is no file\", place)"), ["is no"]);
        assert_eq!(found("/// There is no file, it is no longer there, in place."), [""; 0]);
        assert_eq!(found("\"https://a.b/place\" // replaces"), ["place"]);
        assert_eq!(found("//! What lies behind it, in pieces"), ["behind", "pieces"]);
    }
}
