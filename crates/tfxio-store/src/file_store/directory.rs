//! Directories as inputs: all files below one.

use std::collections::HashSet;
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tfxio_core::{Error, ErrorKind, Result};

use super::names::{INDEX, not_unicode};

/// Endings of files beside data that are not data: indexes, of ours and of other programs.
const BESIDE: [&str; 3] = [INDEX, ".index", ".idx"];

/// Returns whether a name, of a file or of a directory, is a name of data: names that begin with `_` or `.`, such as `_SUCCESS`, are not,
/// and nor are names of indexes.
pub(super) fn is_data(name: &str) -> bool {
    !name.starts_with(['_', '.']) && !BESIDE.iter().any(|ending| name.ends_with(ending))
}

/// Returns the files of data below a local directory, in the order of their paths.
///
/// # Errors
/// When a directory cannot be listed or a path is not Unicode.
pub(super) fn below(directory: &str) -> Result<Vec<Arc<str>>> {
    let mut walk = Walk { found: Vec::new(), seen: HashSet::new() };
    walk.enter(Path::new(directory))?;
    let mut found = walk.found;
    found.sort();
    found.iter().map(|path| path.to_str().map(Into::into).ok_or_else(|| not_unicode(path))).collect()
}

struct Walk {
    found: Vec<PathBuf>,
    /// Directories, past all links: links may lead back to a directory above them.
    seen: HashSet<PathBuf>,
}

impl Walk {
    fn enter(&mut self, directory: &Path) -> Result<()> {
        let failed = |error| {
            Error::io(error, "listing the directory").in_file(directory.to_string_lossy().into_owned())
        };
        if !self.seen.insert(fs::canonicalize(directory).map_err(failed)?) {
            return Ok(());
        }
        let entries = fs::read_dir(directory).and_then(Iterator::collect::<io::Result<Vec<DirEntry>>>);
        for entry in entries.map_err(failed)? {
            if !is_data(&entry.file_name().to_string_lossy()) {
                continue;
            }
            let path = entry.path();
            // A link that leads nowhere is a file that is missing, which is said when it is opened.
            if path.is_dir() {
                self.enter(&path)?;
            } else {
                self.found.push(path);
            }
        }
        Ok(())
    }
}

/// Returns the error for a directory without files of data.
pub(super) fn empty(directory: &str) -> Error {
    let what = "there is no file of data in this directory or below it";
    Error::new(ErrorKind::NotFound, what)
        .help("files and directories whose names begin with . or _, and indexes, are no data; name such a file to read it")
        .in_file(directory)
}

#[cfg(test)]
mod tests {
    use super::is_data;

    #[test]
    fn what_stands_beside_data() {
        for name in ["a.tfrecord", "part-00000", "year=2024", "a.index.csv", "a_b"] {
            assert!(is_data(name), "{name}");
        }
        for name in
            ["_SUCCESS", "_temporary", ".a.tfrecord.12-0.tmp", "a.tfrecord.tfxi", "a.tfrecord.index", "a.idx"]
        {
            assert!(!is_data(name), "{name}");
        }
    }
}
