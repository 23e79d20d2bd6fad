//! The progress file of a conversion that may be resumed.
//!
//! It is called as the set of shards, with `.progress` after it: `train@16.tfrecord.progress`. Its lines are text. The first
//! ones pin what the shards are made of; after `begin`, a line is added for each shard that has its name:
//!
//! ```text
//! tfxio 0.1.0: progress of a conversion
//! input train.tfrecord, 1048576 bytes, version 1700000000000000000
//! format tfrecord
//! rows 1797 in 16 shards
//! begin
//! lost of column 5: "texts that are all numbers are read back as numbers"
//! shard 0, 70123 bytes, version 1700000000000000000
//! ```
//!
//! Losses in the values of a shard are in lines before the line of the shard, unless other shards had the same loss before. A shard gets
//! its name when it is whole, and its line after that. So a process that is killed leaves at most one shard that is written again: the one
//! that was being written, or that had its name and not yet its line. A shard whose size or time of modification is another than in its
//! line is written again, too. A conversion that is not resumed removes the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use tfxio_base::OutputFile;
use tfxio_core::{Error, ErrorKind, Files, OptionValue, Result};

const BEGIN: &str = "begin";

/// Progress file: the complete shards of a set.
#[derive(Debug)]
pub(super) struct ProgressFile {
    path: PathBuf,
    file: File,
    done: BTreeMap<u32, Whole>,
    /// Losses in values: index of the column, and the loss.
    lost: BTreeSet<(usize, String)>,
}

/// A shard that is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Whole {
    bytes: u64,
    /// Time of its modification.
    version: String,
}

impl Whole {
    /// Returns what a file is like, if it is there.
    fn of(file: &Path) -> Option<Self> {
        let found = fs::metadata(file).ok().filter(fs::Metadata::is_file)?;
        Some(Self { bytes: found.len(), version: version(&found)? })
    }
}

/// Returns the time at which a file was modified, in nanoseconds.
fn version(found: &fs::Metadata) -> Option<String> {
    Some(found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos().to_string())
}

/// Returns the name of the progress file of a set of shards.
fn path_of(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".progress");
    PathBuf::from(name)
}

/// Returns whether a conversion to a set of shards was begun and can be resumed.
pub(super) fn is_begun(output: &Path) -> bool {
    path_of(output).is_file()
}

/// Removes the progress file of a set of shards that is written anew.
pub(super) fn forget(output: &Path) -> Result<()> {
    let path = path_of(output);
    match fs::remove_file(&path) {
        Err(error) if is_begun(output) => Err(failed(&path, error)),
        _ => Ok(()),
    }
}

impl ProgressFile {
    /// Goes on with the file beside a set of shards, or begins one, for shards that are made of what these lines pin.
    ///
    /// # Errors
    /// `InvalidArgument` when the file was begun with other lines.
    pub(super) fn open(output: &Path, pinned: &[String]) -> Result<Self> {
        let path = path_of(output);
        let (done, lost) = match fs::read_to_string(&path) {
            Ok(text) => {
                let (head, tail) = text.split_once(&format!("\n{BEGIN}\n")).unwrap_or((&text, ""));
                refuse_others(&head.lines().collect::<Vec<_>>(), pinned)
                    .map_err(|error| error.in_file(path.to_string_lossy().into_owned()))?;
                (finished(tail), tail.lines().filter_map(lost).collect())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let head = pinned.iter().map(|line| format!("{line}\n")).collect::<String>();
                OutputFile::write(&path, format!("{head}{BEGIN}\n").as_bytes())?;
                <_>::default()
            }
            Err(error) => return Err(failed(&path, error)),
        };
        let mut file = OpenOptions::new().append(true).open(&path).map_err(|error| failed(&path, error))?;
        // What was cut off by a kill must not run into the next line.
        file.write_all(b"\n").map_err(|error| failed(&path, error))?;
        Ok(Self { path, file, done, lost })
    }

    /// Returns the size of a shard that is whole: the file is there, and nothing has written to it.
    pub(super) fn bytes(&self, shard: u32, file: &Path) -> Option<u64> {
        let found = Whole::of(file)?;
        self.done.get(&shard).filter(|whole| **whole == found).map(|whole| whole.bytes)
    }

    /// Notes that a shard is whole, and what was lost of the values of its columns, by their indices.
    pub(super) fn add(
        &mut self,
        shard: u32,
        file: &Path,
        lost: impl Iterator<Item = (usize, String)>,
    ) -> Result<()> {
        let mut lines = String::new();
        for (column, what) in lost {
            let line = format!("lost of column {column}: \"{}\"\n", what.replace('\n', " "));
            if self.lost.insert((column, what)) {
                lines += &line;
            }
        }
        if let Some(Whole { bytes, version }) = Whole::of(file) {
            lines += &format!("shard {shard}, {bytes} bytes, version {version}\n");
        }
        let noted = self.file.write_all(lines.as_bytes());
        noted.and_then(|()| self.file.sync_data()).map_err(|error| failed(&self.path, error))
    }

    /// Removes the file: all shards are whole. Returns what was lost of all.
    pub(super) fn remove(self) -> Result<BTreeSet<(usize, String)>> {
        let Self { path, file, lost, .. } = self;
        drop(file);
        fs::remove_file(&path).map_err(|error| failed(&path, error))?;
        Ok(lost)
    }
}

fn failed(path: &Path, error: io::Error) -> Error {
    Error::io(error, "keeping the progress of the conversion").in_file(path.to_string_lossy().into_owned())
}

/// Returns the complete shards that lines declare.
fn finished(lines: &str) -> BTreeMap<u32, Whole> {
    // A line that was cut off has another version than its file.
    let parse = |line: &str| {
        let (shard, rest) = line.strip_prefix("shard ")?.split_once(", ")?;
        let (bytes, version) = rest.split_once(" bytes, version ")?;
        Some((shard.parse().ok()?, Whole { bytes: bytes.parse().ok()?, version: version.to_owned() }))
    };
    lines.lines().filter_map(parse).collect()
}

/// Returns the column and the loss that a line declares.
fn lost(line: &str) -> Option<(usize, String)> {
    // A line that was cut off lacks the last quote.
    let (column, what) = line.strip_prefix("lost of column ")?.strip_suffix('"')?.split_once(": \"")?;
    Some((column.parse().ok()?, what.to_owned()))
}

/// Refuses to go on with what was begun from other inputs, or with other options.
fn refuse_others(found: &[&str], pinned: &[String]) -> Result<()> {
    if found.len() == pinned.len() && found.iter().zip(pinned).all(|(found, pinned)| found == pinned) {
        return Ok(());
    }
    let differs = found.iter().zip(pinned).find(|(found, pinned)| *found != pinned);
    let how = match differs {
        Some((found, pinned)) => format!("it was begun with {found:?}, and now it is {pinned:?}"),
        None => format!(
            "it was begun with {} inputs and options, and now there are {}",
            found.len(),
            pinned.len()
        ),
    };
    let what = format!("the conversion that is to be resumed was another: {how}");
    let help = "resume it with the same inputs and options, or remove this file to begin again";
    Err(Error::new(ErrorKind::InvalidArgument, what).help(help))
}

/// Returns a line for each input with its size and its version.
///
/// # Errors
/// `InvalidArgument` for an input that cannot be read again, such as a pipe.
pub(super) fn inputs(files: &Files) -> Result<Vec<String>> {
    let input = |name: &std::sync::Arc<str>| {
        let store = files.store();
        let Some(size) = store.size(name)? else {
            let error = Error::new(ErrorKind::InvalidArgument, "a conversion of a pipe cannot be resumed");
            return Err(error.help("copy it to a file before").in_file(std::sync::Arc::clone(name)));
        };
        let changed = || version(&fs::metadata(store.local_path(name)?).ok()?);
        let version = store.version(name)?.or_else(changed).unwrap_or_else(|| "unknown".to_owned());
        Ok(format!("input {name:?}, {size} bytes, version {version}"))
    };
    files.names().iter().map(input).collect()
}

/// Returns a line for each local file that an option names.
pub(super) fn option_files<'a>(values: impl Iterator<Item = &'a OptionValue>) -> Vec<String> {
    let file = |value: &OptionValue| match value {
        OptionValue::Text(name) => {
            let Whole { bytes, version } = Whole::of(Path::new(name))?;
            Some(format!("option file {name:?}, {bytes} bytes, version {version}"))
        }
        _ => None,
    };
    values.filter_map(file).collect()
}

/// Removes what a process that was killed left of a shard that it was writing.
pub(super) fn remove_unfinished(shard: &Path) {
    let (Some(name), Some(folder)) = (shard.file_name(), shard.parent()) else { return };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let start = format!(".{}.", name.to_string_lossy().chars().take(50).collect::<String>());
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let found = entry.file_name();
        let found = found.to_string_lossy();
        if found.starts_with(&start) && found.ends_with(".tmp") {
            // What cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ProgressFile;

    #[test]
    fn a_line_that_was_cut_off_does_not_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let (output, shard) = (folder.path().join("a@9.tfrecord"), folder.path().join("shard"));
        std::fs::write(&shard, "1234567").expect("a shard");
        let version = super::Whole::of(&shard).expect("a file").version;
        let pinned = ["one".to_owned(), "two".to_owned()];
        let path = folder.path().join("a@9.tfrecord.progress");
        for (tail, is_whole) in [
            ("", false),
            ("shard 3, 7 bytes, version V\n", true),
            ("shard 3, 7 bytes, version V", true),
            ("shard 3, 7 bytes, version ", false),
            ("shard 3, 7 bytes, version 1V\n", false),
            ("shard 3, 7 byte", false),
            ("shard 3, 8 bytes, version V\n", false),
            ("?\nshard 3, 7 bytes, version V\nsh", true),
        ] {
            let tail = tail.replace('V', &version);
            std::fs::write(&path, format!("one\ntwo\nbegin\n{tail}")).expect("a progress file");
            let mut progress = ProgressFile::open(&output, &pinned).expect("it goes on");
            assert_eq!(progress.bytes(3, &shard), is_whole.then_some(7), "{tail:?}");
            let lost = [(2, "digits".to_owned()), (0, "a: b".to_owned()), (2, "digits".to_owned())];
            progress.add(5, &shard, lost.clone().into_iter()).expect("a line");
            let mut again = ProgressFile::open(&output, &pinned).expect("it goes on");
            again.add(6, &shard, lost.into_iter().take(1)).expect("a line");
            let again = ProgressFile::open(&output, &pinned).expect("it goes on");
            assert!(
                again.lost.iter().map(|(column, what)| (*column, &**what)).eq([(0, "a: b"), (2, "digits")])
            );
            assert_eq!(again.bytes(3, &shard), is_whole.then_some(7), "{tail:?}");
            assert_eq!(again.bytes(5, &shard), Some(7));
            assert_eq!(again.bytes(4, &shard), None);
        }
        assert!(super::is_begun(&output));
        super::forget(&output).expect("it is removed");
        super::forget(&output).expect("there is nothing to remove");
        assert!(!super::is_begun(&output));
        std::fs::write(&path, "one\nthree\nbegin\n").expect("a progress file");
        let error = ProgressFile::open(&output, &pinned).expect_err("another conversion").to_string();
        let path = path.to_string_lossy();
        assert_eq!(
            error,
            format!(
                "{path}: the conversion that is to be resumed was another: it was begun with \"three\", and now it is \"two\"; \
                 resume it with the same inputs and options, or remove this file to begin again"
            )
        );
    }
}
