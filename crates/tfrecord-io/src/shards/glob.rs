//! Files that a glob matches.
//!
//! The crate `glob` parses the patterns; the walk is our own, since that crate's panics over names that are not
//! Unicode.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern, PatternError};

use super::is_pattern;
use crate::{Error, Kind, Result};

/// `*` and `?` match neither a slash nor the dot with which the name of a hidden file begins.
pub(crate) const MATCH_OPTIONS: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

pub(crate) fn unreadable(error: PatternError) -> Error {
    Error::new(Kind::ShardPattern, format!("the pattern cannot be read: {}", error.msg))
        .help("a literal *, ? or [ is written [*], [?] or [[]")
        .because(error)
}

/// Returns what a glob matches, without directories and hidden files, in the order of the names in each directory.
///
/// A name that is not Unicode is matched as if it had U+FFFD in the invalid parts.
pub(super) fn matches(pattern: &str) -> Result<Vec<PathBuf>> {
    let parts = parse(pattern).map_err(|error| unreadable(error).in_file(pattern))?;
    let mut found = Vec::new();
    // Only directories have a name that ends with a slash.
    if !pattern.ends_with('/') {
        walk(OsStr::new(""), &parts, &mut found)?;
    }
    Ok(found)
}

/// Component of a pattern, between two slashes.
enum Part<'a> {
    /// Literal name; empty for two slashes in a row, and before a slash at the start.
    Name(&'a str),
    /// Pattern of names.
    Glob(Pattern),
    /// `**`: a directory and everything below it, at any depth.
    Directories,
}

fn parse(pattern: &str) -> std::result::Result<Vec<Part<'_>>, PatternError> {
    // The rules for `**` are about the whole.
    Pattern::new(pattern)?;
    let part = |text| {
        Ok(match text {
            "**" => Part::Directories,
            text if is_pattern(text) => Part::Glob(Pattern::new(text)?),
            text => Part::Name(text),
        })
    };
    pattern.split('/').map(part).collect()
}

/// Adds the files below `prefix`, which is empty or ends with a slash, that the parts match.
fn walk(prefix: &OsStr, parts: &[Part<'_>], found: &mut Vec<PathBuf>) -> Result<()> {
    let Some((part, rest)) = parts.split_first() else { return Ok(()) };
    match part {
        Part::Name(name) => step(joined(prefix, OsStr::new(name)), rest, found),
        Part::Directories => {
            walk(prefix, rest, found)?;
            for entry in entries(prefix)? {
                if is_directory(&entry) {
                    let name = entry.file_name();
                    walk(&with_slash(joined(prefix, &name)), parts, found)?;
                }
            }
            Ok(())
        }
        Part::Glob(pattern) => {
            for entry in entries(prefix)? {
                let name = entry.file_name();
                let matched = pattern.matches_with(&name.to_string_lossy(), MATCH_OPTIONS);
                match (matched, rest.is_empty()) {
                    (true, true) if !is_directory(&entry) => found.push(joined(prefix, &name).into()),
                    (true, false) if is_directory(&entry) => step(joined(prefix, &name), rest, found)?,
                    _ => {}
                }
            }
            Ok(())
        }
    }
}

/// Goes on below a name, or adds it where it is the last.
fn step(path: OsString, rest: &[Part<'_>], found: &mut Vec<PathBuf>) -> Result<()> {
    if !rest.is_empty() {
        return walk(&with_slash(path), rest, found);
    }
    let path = PathBuf::from(path);
    if fs::symlink_metadata(&path).is_ok() && !path.is_dir() {
        found.push(path);
    }
    Ok(())
}

/// Returns the entries of a directory that are not hidden, by name; nothing if it is not a directory.
fn entries(directory: &OsStr) -> Result<Vec<DirEntry>> {
    let path = if directory.is_empty() { Path::new(".") } else { Path::new(directory) };
    let all = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut all = match all {
        Ok(all) => all,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => {
            let name = path.to_string_lossy();
            return Err(Error::io(error, "listing a directory").in_file(name));
        }
    };
    all.retain(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."));
    all.sort_by_key(DirEntry::file_name);
    Ok(all)
}

/// Returns whether it is a directory, or a link to one.
fn is_directory(entry: &DirEntry) -> bool {
    match entry.file_type() {
        Ok(kind) if !kind.is_symlink() => kind.is_dir(),
        _ => entry.path().is_dir(),
    }
}

fn joined(prefix: &OsStr, name: &OsStr) -> OsString {
    let mut path = prefix.to_os_string();
    path.push(name);
    path
}

fn with_slash(mut path: OsString) -> OsString {
    path.push("/");
    path
}
