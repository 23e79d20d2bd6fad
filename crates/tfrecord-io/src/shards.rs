//! Names of data sets that lie in several files.
//!
//! | pattern | means |
//! | --- | --- |
//! | `train@16` | `train-00000-of-00016` to `train-00015-of-00016`, all of which must be there |
//! | `train@16.tfrecord` | the same with an ending: `train-00000-of-00016.tfrecord` and so on |
//! | `train@*`, `train@*.gz` | the same, with the number taken from the files that are there |
//! | `train-?????-of-00016` | a glob whose number of files is known: all must be there |
//! | `data/*/part-*.tfrecord` | a glob: what it matches, in the order of the paths; `**` goes into directories |
//! | `train.tfrecord` | one file |
//!
//! A name that exists as it stands is taken as it stands, whatever is in it. Otherwise a special character is taken
//! literally in brackets, as in all globs: `[*]`, `[?]`, `[[]`, and `[@]` for a name that only looks like a set. A glob
//! does not match names that begin with a dot, nor directories. Indices have five digits, or more if the number of
//! shards needs them, as Beam and TensorFlow Datasets write them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};

/// The most shards that a name may ask for.
const MAX_SHARDS: u32 = 1_000_000;

/// A name such as `train@16.tfrecord`, taken apart.
///
/// ```
/// use tfrecord_io::shards::ShardSpec;
/// let spec = ShardSpec::parse("data/train@16.tfrecord")?.expect("a set of shards");
/// assert_eq!(spec.count(), Some(16));
/// assert_eq!(spec.name(3, 16), "data/train-00003-of-00016.tfrecord");
/// assert_eq!(ShardSpec::parse("user@example.tfrecord")?, None);
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardSpec {
    prefix: String,
    count: Option<u32>,
    suffix: String,
}

impl ShardSpec {
    /// Takes a name apart; `None` if it is not of the form `prefix@number` or `prefix@*`, with or without an ending
    /// that begins with a dot.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::ShardPattern`] if the number is 0 or above a million.
    pub fn parse(name: &str) -> Result<Option<Self>> {
        let Some((prefix, rest)) = name.rsplit_once('@') else { return Ok(None) };
        let number_len = rest.find('.').unwrap_or(rest.len());
        let (number, suffix) = rest.split_at(number_len);
        if prefix.is_empty() || prefix.ends_with(['/', '\\', '[']) || suffix.contains(['/', '\\']) {
            return Ok(None);
        }
        let count = match number {
            "*" => None,
            digits if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                match digits.parse::<u32>() {
                    Ok(count @ 1..=MAX_SHARDS) => Some(count),
                    _ => {
                        return Err(Error::new(
                            ErrorKind::ShardPattern,
                            format!("{digits} shards were asked for; from 1 to {MAX_SHARDS} can be"),
                        )
                        .with_hint("to name one file that is called so, write [@] instead of @")
                        .in_file(&name.into()));
                    }
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(Self { prefix: prefix.into(), count, suffix: suffix.into() }))
    }

    /// The number of shards; `None` for `@*`.
    pub fn count(&self) -> Option<u32> {
        self.count
    }

    /// The name of shard `index` of `count`.
    pub fn name(&self, index: u32, count: u32) -> String {
        let Self { prefix, suffix, .. } = self;
        format!("{prefix}-{index:05}-of-{count:05}{suffix}")
    }

    pub(crate) fn path(&self, index: u32, count: u32) -> PathBuf {
        PathBuf::from(self.name(index, count))
    }

    pub(crate) fn paths(&self, count: u32) -> impl Iterator<Item = PathBuf> + '_ {
        (0..count).map(move |index| self.path(index, count))
    }

    /// The index and the number in a name of this set.
    pub(crate) fn indices(&self, name: &str) -> Option<(u32, u32)> {
        let middle = name.strip_prefix(&self.prefix)?.strip_suffix(&self.suffix)?.strip_prefix('-')?;
        let (index, count) = middle.split_once("-of-")?;
        let number = |digits: &str| {
            let plain = digits.len() >= 5 && digits.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| digits.parse::<u32>().ok()).flatten()
        };
        Some((number(index)?, number(count)?))
    }
}

/// The files that a pattern means, in order.
///
/// # Errors
///
/// [`ErrorKind::MissingShard`] names shards of a known number that are not there; [`ErrorKind::NoFilesMatched`],
/// [`ErrorKind::NotFound`], [`ErrorKind::IsDirectory`]; [`ErrorKind::ShardPattern`] if a glob cannot be parsed or sets
/// of different sizes are mixed.
pub fn expand(pattern: &str) -> Result<Vec<PathBuf>> {
    let path = Path::new(pattern);
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            return Err(
                Error::io(io::ErrorKind::IsADirectory.into(), "opening the file").in_file(&pattern.into())
            );
        }
        Ok(_) => return Ok(vec![path.to_path_buf()]),
        // What is wrong otherwise shows when the file is opened.
        Err(error) if error.kind() != io::ErrorKind::NotFound && !is_pattern(pattern) => {
            return Err(Error::io(error, "opening the file").in_file(&pattern.into()));
        }
        Err(_) => {}
    }
    if let Some(spec) = ShardSpec::parse(pattern)? {
        return expand_spec(&spec, pattern);
    }
    if is_pattern(pattern) {
        return expand_glob(pattern);
    }
    Err(Error::io(io::ErrorKind::NotFound.into(), "opening the file").in_file(&pattern.into()))
}

/// The files that some patterns mean, in the order of the patterns; a file that several mean comes once.
///
/// # Errors
///
/// As [`expand`].
pub fn expand_all<P: AsRef<str>>(patterns: impl IntoIterator<Item = P>) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for pattern in patterns {
        for path in expand(pattern.as_ref())? {
            if seen.insert(path.clone()) {
                paths.push(path);
            }
        }
    }
    Ok(paths)
}

fn is_pattern(pattern: &str) -> bool {
    pattern.contains(['*', '?', '['])
}

fn expand_spec(spec: &ShardSpec, pattern: &str) -> Result<Vec<PathBuf>> {
    let count = match spec.count {
        Some(count) => count,
        None => {
            let escaped = glob::Pattern::escape(&spec.prefix);
            let found = matches(&format!("{escaped}-*-of-*{}", glob::Pattern::escape(&spec.suffix)))?;
            // How many files there are of each size of set.
            let mut sizes = BTreeMap::new();
            for path in &found {
                if let Some((_, count)) = path.to_str().and_then(|path| spec.indices(&portable(path))) {
                    *sizes.entry(count).or_insert(0u32) += 1;
                }
            }
            let mut counts = sizes.keys();
            match (counts.next(), counts.next()) {
                (None, _) => return Err(none(pattern)),
                (Some(&count), None) if count <= MAX_SHARDS => count,
                (Some(first), second) => {
                    let others = second.map_or("more than can be".to_string(), |second| format!("{second}"));
                    return Err(Error::new(
                        ErrorKind::ShardPattern,
                        format!("there are shards of several sets: of {first} and of {others}"),
                    )
                    .with_hint("give the number, as in train@16, or remove the files of an earlier run")
                    .in_file(&pattern.into()));
                }
            }
        }
    };
    check_complete(spec.paths(count).collect(), pattern)
}

fn expand_glob(pattern: &str) -> Result<Vec<PathBuf>> {
    let mut paths = matches(pattern)?;
    paths.sort();
    if let Some((before, count, after)) = known_total(pattern) {
        if paths.is_empty() {
            return Err(none(pattern));
        }
        // The parts around the index may hold wildcards themselves: then sets cannot be told apart, and the glob is
        // taken as it is.
        if !is_pattern(before) && !is_pattern(after) && count <= MAX_SHARDS {
            let spec = ShardSpec { prefix: before.into(), count: Some(count), suffix: after.into() };
            return check_complete(spec.paths(count).collect(), pattern);
        }
    }
    if paths.is_empty() { Err(none(pattern)) } else { Ok(paths) }
}

/// Takes apart `BEFORE-?????-of-00016AFTER` and `BEFORE-*-of-00016AFTER`.
fn known_total(pattern: &str) -> Option<(&str, u32, &str)> {
    let (front, rest) = pattern.rsplit_once("-of-")?;
    let before = front.strip_suffix("-?????").or_else(|| front.strip_suffix("-*"))?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (count, after) = rest.split_at_checked(digits)?;
    if digits < 5 {
        return None;
    }
    Some((before, count.parse().ok().filter(|&count| count > 0)?, after))
}

/// The files of a complete set, or an error that names the missing ones.
fn check_complete(paths: Vec<PathBuf>, pattern: &str) -> Result<Vec<PathBuf>> {
    const NAMED: usize = 5;
    let missing: Vec<_> = paths.iter().filter(|path| !path.is_file()).collect();
    if missing.is_empty() {
        return Ok(paths);
    }
    let names: Vec<_> = missing.iter().take(NAMED).map(|path| path.display().to_string()).collect();
    let more = match missing.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (count, total) = (missing.len(), paths.len());
    Err(Error::new(
        ErrorKind::MissingShard,
        format!("{count} of {total} shards are missing: {}{more}", names.join(", ")),
    )
    .with_hint(
        "the set was not written or copied completely; to read what is there, give a glob such as NAME-*",
    )
    .in_file(&pattern.into()))
}

/// What a glob matches, without directories and hidden files.
fn matches(pattern: &str) -> Result<Vec<PathBuf>> {
    let options = glob::MatchOptions {
        case_sensitive: true,
        require_literal_separator: true,
        require_literal_leading_dot: true,
    };
    let found = glob::glob_with(pattern, options).map_err(|error| {
        Error::new(ErrorKind::ShardPattern, format!("the pattern cannot be read: {}", error.msg))
            .with_hint("a literal *, ? or [ is written [*], [?] or [[]")
            .with_source(error)
            .in_file(&pattern.into())
    })?;
    let mut paths = Vec::new();
    for path in found {
        let path = path.map_err(|error| {
            let name = error.path().to_string_lossy().into_owned();
            Error::io(error.into(), "listing a directory").in_file(&name.into())
        })?;
        if !path.is_dir() {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// Paths as globs return them on Windows have backslashes where the pattern had slashes.
fn portable(path: &str) -> String {
    if std::path::MAIN_SEPARATOR == '\\' { path.replace('\\', "/") } else { path.to_string() }
}

fn none(pattern: &str) -> Error {
    Error::new(ErrorKind::NoFilesMatched, "no file matches the pattern")
        .with_hint("check the directory and the pattern; quote it so that the shell does not change it")
        .in_file(&pattern.into())
}
