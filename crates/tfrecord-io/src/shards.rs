//! Names of data sets that consist of several files.
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
//! The name of an existing file is taken literally, whatever is in it. Otherwise a special character is taken
//! literally in brackets, as in all globs: `[*]`, `[?]`, `[[]`, and `[@]` for a name that only looks like a set. A glob
//! does not match names that begin with a dot, nor directories. Indices have five digits, or more if the number of
//! shards needs them, as Beam and TensorFlow Datasets write them.

mod glob;
mod set;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ::glob::Pattern;
use tfxio_base::{Count, ShardSets};

pub(crate) use self::glob::MATCH_OPTIONS;
use self::glob::matches;
#[cfg(feature = "async")]
pub(crate) use self::glob::unreadable;
pub use self::set::{Shard, ShardSet, Sharding};
use crate::{Error, Kind, Result};

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
    /// [`Kind::ShardPattern`] if the number is 0 or above a million.
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
                            Kind::ShardPattern,
                            format!("{digits} shards were asked for; from 1 to {MAX_SHARDS} can be"),
                        )
                        .help("to name one file that is called so, write [@] instead of @")
                        .in_file(name));
                    }
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(Self { prefix: prefix.into(), count, suffix: suffix.into() }))
    }

    /// Returns the number of shards; `None` for `@*`.
    pub fn count(&self) -> Option<u32> {
        self.count
    }

    /// Returns the name of shard `index` of `count`.
    pub fn name(&self, index: u32, count: u32) -> String {
        let Self { prefix, suffix, .. } = self;
        format!("{prefix}-{index:05}-of-{count:05}{suffix}")
    }

    /// Returns a glob that matches the names of this set and perhaps a few others.
    pub(crate) fn glob(&self) -> String {
        let count = self.count.map_or("*".to_string(), |count| format!("{count:05}"));
        let (prefix, suffix) = (Pattern::escape(&self.prefix), Pattern::escape(&self.suffix));
        format!("{prefix}-*-of-{count}{suffix}")
    }

    /// Returns a glob that matches the shards of all sets of this name, whatever their number: the files that may be
    /// beside a set that is written, and perhaps a few others.
    ///
    /// ```
    /// use tfrecord_io::shards::ShardSpec;
    /// let spec = ShardSpec::parse("data/train@16.tfrecord")?.expect("a set of shards");
    /// assert_eq!(spec.glob_of_any_number(), "data/train-*-of-*.tfrecord");
    /// # Ok::<(), tfrecord_io::Error>(())
    /// ```
    pub fn glob_of_any_number(&self) -> String {
        Self { count: None, ..self.clone() }.glob()
    }

    pub(crate) fn path(&self, index: u32, count: u32) -> PathBuf {
        PathBuf::from(self.name(index, count))
    }

    pub(crate) fn paths(&self, count: u32) -> impl Iterator<Item = PathBuf> + '_ {
        (0..count).map(move |index| self.path(index, count))
    }

    /// Returns the index and the number in a name of this set.
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

/// Returns the files that a pattern means, in order.
///
/// # Errors
///
/// [`Kind::MissingShard`] names missing shards of a set of known size; [`Kind::NoFilesMatched`],
/// [`NotFound`](crate::ErrorKind::NotFound), [`IsDirectory`](crate::ErrorKind::IsDirectory); [`Kind::ShardPattern`] if
/// a glob cannot be parsed or sets of one name are mixed, which would give every record twice.
/// [`ShardSets::missing`](tfxio_base::ShardSets::missing) names the shards that a wide glob lacks.
pub fn expand(pattern: &str) -> Result<Vec<PathBuf>> {
    let path = Path::new(pattern);
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            return Err(Error::io(io::ErrorKind::IsADirectory.into(), "opening the file").in_file(pattern));
        }
        Ok(_) => return Ok(vec![path.to_path_buf()]),
        // What is wrong otherwise shows when the file is opened.
        Err(error) if error.kind() != io::ErrorKind::NotFound && !is_pattern(pattern) => {
            return Err(Error::io(error, "opening the file").in_file(pattern));
        }
        Err(_) => {}
    }
    let pattern = &*portable(path);
    let spec = ShardSpec::parse(pattern)?;
    if spec.is_some() || is_pattern(pattern) {
        return expand_glob(pattern, spec.as_ref());
    }
    Err(Error::io(io::ErrorKind::NotFound.into(), "opening the file").in_file(pattern))
}

/// Returns a sentence about shards that are not there although their sets have others among `found`, the files that a folder or a
/// wide pattern such as `s/*.avro` was found to hold; nothing where all are there. Shards that the pattern would not have matched,
/// such as those beside `x-0000?-of-00016`, are left out on purpose, and so are those beside a file that is named by itself.
///
/// ```
/// use tfrecord_io::shards::missing;
///
/// let found = ["s/x-00000-of-00003", "s/x-00002-of-00003"];
/// assert_eq!(missing("s/*", &found).as_deref(), Some("1 of 3 shards is missing: s/x-00001-of-00003"));
/// assert_eq!(missing("s/x-0000[02]-of-*", &found), None);
/// ```
pub fn missing<N: AsRef<str>>(pattern: &str, found: &[N]) -> Option<String> {
    let pattern = &*portable(Path::new(pattern));
    let is_itself = |name: &N| pattern.ends_with(name.as_ref());
    if is_set(pattern) || (found.len() == 1 && found.iter().all(is_itself)) {
        return None;
    }
    let glob = is_pattern(pattern).then(|| Pattern::new(pattern).ok()).flatten();
    let matches = |name: &str| glob.as_ref().is_none_or(|glob| glob.matches_with(name, MATCH_OPTIONS));
    // The names of objects are not always written as in the pattern of their URL.
    let is_comparable = found.iter().all(|name| matches(name.as_ref()));
    ShardSets::of(found.iter().map(AsRef::as_ref)).missing(|name| !is_comparable || matches(name))
}

/// Returns whether a pattern means one set of shards whose number is known, such as `x@16`, `x@*` or `x-*-of-00016`: all of it is
/// there, or [`expand`] fails.
pub fn is_set(pattern: &str) -> bool {
    matches!(ShardSpec::parse(pattern), Ok(Some(_)))
        || known_total(pattern).is_some_and(|(before, _, after)| !is_pattern(before) && !is_pattern(after))
}

fn is_pattern(pattern: &str) -> bool {
    pattern.contains(['*', '?', '['])
}

fn expand_glob(pattern: &str, spec: Option<&ShardSpec>) -> Result<Vec<PathBuf>> {
    let mut paths = match spec {
        Some(spec) => matches(&spec.glob())?,
        None => matches(pattern)?,
    };
    paths.sort();
    let names: Vec<_> = paths.iter().map(|path| portable(path)).collect();
    match complete_set(pattern, spec, &names)? {
        Some(wanted) => Ok(wanted.into_iter().map(PathBuf::from).collect()),
        None => Ok(paths),
    }
}

/// Checks that `found`, the names that a pattern matched, are complete. If the pattern means a set of known size, these
/// are the names of the set, in order; otherwise `None`: all that was found is meant.
pub(crate) fn complete_set(
    pattern: &str,
    spec: Option<&ShardSpec>,
    found: &[String],
) -> Result<Option<Vec<String>>> {
    if let Some(spec) = spec {
        let count = match spec.count {
            Some(count) => count,
            None => only_size(spec, found, pattern)?,
        };
        return check_complete(spec, count, found, pattern).map(Some);
    }
    if found.is_empty() {
        return Err(none(pattern));
    }
    // The parts around the index may hold wildcards themselves: then sets cannot be told apart, and the glob is taken
    // as it is.
    match known_total(pattern) {
        Some((before, count, after)) if !is_pattern(before) && !is_pattern(after) && count <= MAX_SHARDS => {
            let spec = ShardSpec { prefix: before.into(), count: Some(count), suffix: after.into() };
            check_complete(&spec, count, found, pattern).map(Some)
        }
        _ => match ShardSets::of(found.iter().map(String::as_str)).mixed() {
            Some(mixed) => Err(mixed_sets(mixed).in_file(pattern)),
            None => Ok(None),
        },
    }
}

/// Returns the error of shards of several sets of one name.
fn mixed_sets(what: String) -> Error {
    Error::new(Kind::ShardPattern, what)
        .help("name one set, as in train@16, or remove the files of an earlier run")
}

/// Returns the number of shards that all names agree on.
fn only_size(spec: &ShardSpec, found: &[String], pattern: &str) -> Result<u32> {
    let sizes: BTreeSet<u32> =
        found.iter().filter_map(|name| spec.indices(name)).map(|(_, count)| count).collect();
    let mut sizes = sizes.into_iter();
    match (sizes.next(), sizes.next()) {
        (None, _) => Err(none(pattern)),
        (Some(count @ 1..=MAX_SHARDS), None) => Ok(count),
        (Some(first), second) => {
            let what = match second {
                Some(second) => format!("there are shards of several sets: of {first} and of {second}"),
                None => format!("there are shards of a set of {first}, which no set can have"),
            };
            Err(Error::new(Kind::ShardPattern, what)
                .help("give the number, as in train@16, or remove the files of an earlier run")
                .in_file(pattern))
        }
    }
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

/// Returns the names of a complete set, or an error that names the missing ones.
fn check_complete(spec: &ShardSpec, count: u32, found: &[String], pattern: &str) -> Result<Vec<String>> {
    const NAMED: usize = 5;
    let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    let names: Vec<String> = (0..count).map(|index| spec.name(index, count)).collect();
    let missing: Vec<_> = names.iter().filter(|name| !found.contains(name.as_str())).collect();
    if missing.is_empty() {
        return Ok(names);
    }
    let named: Vec<_> = missing.iter().take(NAMED).map(|name| name.as_str()).collect();
    let more = match missing.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let absent = missing.len();
    let (are, shards) = (Count::of(absent, "shard").verb("is", "are"), Count::of(count, "shard"));
    Err(Error::new(
        Kind::MissingShard,
        format!("{absent} of {shards} {are} missing: {}{more}", named.join(", ")),
    )
    .help("the set was not written or copied completely; to read what is there, give a glob such as NAME-*")
    .in_file(pattern))
}

/// Returns the path with slashes on all systems: on Windows a glob returns backslashes, whatever the pattern had.
fn portable(path: &Path) -> String {
    let path = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '\\' { path.replace('\\', "/") } else { path.into_owned() }
}

fn none(pattern: &str) -> Error {
    Error::new(Kind::NoFilesMatched, "no file matches the pattern")
        .help("check the directory and the pattern; quote it so that the shell does not change it")
        .in_file(pattern)
}
