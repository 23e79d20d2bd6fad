//! Choosing members: by name, by a file of theirs, or by what differs from `main`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::process;
use crate::workspace::Member;

/// The members whose tests run.
#[derive(Debug, PartialEq, Eq)]
pub enum Selection {
    /// All of them.
    All,
    /// The named members, and the members that depend on them, each in the order of the root manifest.
    Some {
        /// The members that were named.
        named: Vec<String>,
        /// The members that depend on them, in their code or in their tests.
        above: Vec<String>,
    },
}

impl Selection {
    /// Returns the members of these names or paths. `here` is the folder from which relative paths count.
    ///
    /// # Errors
    ///
    /// If a name is neither a member's nor a path inside one.
    pub fn of(words: &[String], here: &Path, members: &[Member]) -> Result<Self> {
        let mut named = BTreeSet::new();
        for word in words {
            let path = here.join(word);
            let at = members.iter().position(|member| member.name == *word);
            match at.or_else(|| path.exists().then(|| owner(&path, members)).flatten()) {
                Some(at) => named.insert(at),
                None => bail!("`{word}` is neither a crate nor a file of one; {}", nearest(word, members)),
            };
        }
        Ok(Self::standing_on(&named, members))
    }

    /// Returns the members to which files belong, and all where one belongs to none of them, after saying so.
    fn of_files(files: &[PathBuf], members: &[Member]) -> Self {
        let mut named = BTreeSet::new();
        for file in files {
            let Some(at) = owner(file, members) else {
                println!("{} is of no crate: every test runs", file.display());
                return Self::All;
            };
            named.insert(at);
        }
        Self::standing_on(&named, members)
    }

    /// Returns the members with files that differ from `main`, committed or not.
    pub fn changed(root: &Path, members: &[Member]) -> Result<Self> {
        let git = |args: &[&str]| process::output(process::program("git", root).args(args));
        let base =
            git(&["merge-base", "HEAD", "main"]).context("--changed compares with the branch `main`")?;
        let differing = git(&["diff", "--name-only", "--no-renames", base.trim()])?;
        let new = git(&["ls-files", "--others", "--exclude-standard"])?;
        let files = differing.lines().chain(new.lines()).map(|name| root.join(name)).collect::<Vec<_>>();
        if files.is_empty() {
            bail!(
                "nothing differs from `main`: there is nothing to test; name a crate, or leave --changed out"
            );
        }
        Ok(Self::of_files(&files, members))
    }

    fn standing_on(named: &BTreeSet<usize>, members: &[Member]) -> Self {
        let mut reached = named.clone();
        // A dependency for tests reaches the tests of that member, and not those of the members that stand on it.
        let depends = |member: &Member, on: &BTreeSet<usize>, with_dev: bool| {
            let is_reached =
                |name: &str| on.iter().any(|&at| members.get(at).is_some_and(|member| member.name == name));
            let mut dependencies = member.dependencies.iter();
            dependencies.any(|(name, kind)| (with_dev || kind != "dev") && is_reached(name))
        };
        loop {
            let found = members.iter().enumerate().filter(|(_, member)| depends(member, &reached, false));
            let found = found.map(|(at, _)| at).filter(|at| !reached.contains(at)).collect::<Vec<_>>();
            if found.is_empty() {
                break;
            }
            reached.extend(found);
        }
        let names = |wanted: &dyn Fn(usize, &Member) -> bool| {
            let chosen = members.iter().enumerate().filter(|(at, member)| wanted(*at, member));
            chosen.map(|(_, member)| member.name.clone()).collect::<Vec<_>>()
        };
        Self::Some {
            named: names(&|at, _| named.contains(&at)),
            above: names(&|at, member| {
                !named.contains(&at) && (reached.contains(&at) || depends(member, &reached, true))
            }),
        }
    }

    /// Returns whether the tests of this member run.
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Some { named, above } => named.iter().chain(above).any(|member| member == name),
        }
    }
}

/// Returns the member whose folder contains a path.
fn owner(path: &Path, members: &[Member]) -> Option<usize> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let holds = |member: &Member| {
        path.starts_with(&member.folder)
            || member.folder.canonicalize().is_ok_and(|folder| path.starts_with(folder))
    };
    members.iter().position(holds)
}

fn nearest(word: &str, members: &[Member]) -> String {
    let names = members.iter().map(|member| member.name.as_str());
    let near = names.clone().filter(|name| name.contains(word) || word.contains(name)).collect::<Vec<_>>();
    match near.is_empty() {
        true => format!("the crates are {}", names.collect::<Vec<_>>().join(", ")),
        false => format!("did you mean {}?", near.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `front` depends on `middle`, which depends on `base`; `side` tests itself with `middle`, and `above-side`
    /// depends on it.
    fn members() -> Vec<Member> {
        let member = |name: &str, dependencies: &[(&str, &str)]| Member {
            name: name.to_owned(),
            folder: format!("/no such folder/{name}").into(),
            dependencies: dependencies.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect(),
            ..Member::default()
        };
        vec![
            member("base", &[("serde", "normal")]),
            member("middle", &[("base", "normal")]),
            member("side", &[("middle", "dev")]),
            member("above-side", &[("side", "normal")]),
            member("front", &[("middle", "build")]),
        ]
    }

    fn of(words: &[&str]) -> Result<Selection> {
        let words = words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        Selection::of(&words, Path::new("/no such folder"), &members())
    }

    fn some(named: &[&str], above: &[&str]) -> Selection {
        let strings = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Selection::Some { named: strings(named), above: strings(above) }
    }

    #[test]
    fn members_that_stand_on_the_named_run_after_them() {
        assert_eq!(of(&["base"]).unwrap(), some(&["base"], &["middle", "side", "front"]));
        assert_eq!(of(&["front"]).unwrap(), some(&["front"], &[]));
        assert_eq!(of(&["side", "middle"]).unwrap(), some(&["middle", "side"], &["above-side", "front"]));
        assert!(of(&["side"]).unwrap().has("above-side") && !of(&["side"]).unwrap().has("base"));
    }

    #[test]
    fn a_name_that_is_none_is_refused_with_the_nearest() {
        let error = |word: &str| of(&[word]).unwrap_err().to_string();
        assert_eq!(error("mid"), "`mid` is neither a crate nor a file of one; did you mean middle?");
        assert!(error("x").ends_with("the crates are base, middle, side, above-side, front"));
    }

    #[test]
    fn files_are_of_the_crate_in_whose_folder_they_lie() {
        let of = |files: &[&str]| {
            let files = files.iter().map(|&file| Path::new("/no such folder").join(file)).collect::<Vec<_>>();
            Selection::of_files(&files, &members())
        };
        assert_eq!(of(&["side/src/lib.rs", "side/Cargo.toml"]), some(&["side"], &["above-side"]));
        assert_eq!(of(&["side/src/lib.rs", "Cargo.toml"]), Selection::All);
    }
}
