//! The files that patterns and directories name.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tfxio_core::{Error, ErrorKind, Position, Result};

use super::shards::{Named, Shards};
use super::stdin::{self, DASH};
use super::{FileStore, directory, pipes};
use crate::url;

/// Chooses among the files below a directory, whose name is the first argument.
pub type Choose<'a> = &'a dyn Fn(&str, Vec<Arc<str>>) -> Vec<Arc<str>>;

impl FileStore {
    /// Returns the files that patterns name, in the order of the patterns; a file that several name comes once, whatever way of writing its
    /// path they have. A symbolic link is a file of its own. A directory names the chosen ones of the files below it. Indexes (`.tfxi`),
    /// which are beside their files, are left out unless a pattern ends with `.tfxi`. A pipe that is named twice is an error, and so is
    /// standard input: it can be read once; and so are shards of two sets of one name.
    pub fn expand<P: AsRef<str>>(
        &self,
        patterns: impl IntoIterator<Item = P>,
        choose: Choose<'_>,
    ) -> Result<Named> {
        let (mut named, mut shards) = (Named::default(), Shards::default());
        let (mut seen, mut seen_pipes) = (HashSet::new(), HashMap::new());
        let mut folders = HashMap::new();
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let names = self.names(pattern, choose)?;
            shards.add(pattern, &names);
            let only = names.len() == 1;
            for name in names {
                let pipe = match &*name {
                    DASH => Some(stdin::id()),
                    name if url::is_url(name) => None,
                    name => pipes::id(name),
                };
                if let Some(other) = pipe.and_then(|id| seen_pipes.insert(id, Arc::clone(&name))) {
                    return Err(pipes::named_twice(&name, &other));
                }
                if name.ends_with(INDEX) && !pattern.ends_with(INDEX) && !only {
                    continue;
                }
                if seen.insert(path_of(&name, &mut folders)) {
                    named.files.push(name);
                } else {
                    named.again.insert(name);
                }
            }
        }
        named.missing = shards.missing()?;
        Ok(named)
    }

    /// Returns the files that one pattern names.
    fn names(&self, pattern: &str, choose: Choose<'_>) -> Result<Vec<Arc<str>>> {
        if pattern == DASH {
            return Ok(vec![DASH.into()]);
        }
        let local = match url::file_path(pattern) {
            Some(path) => Some(path?),
            None if url::is_url(pattern) => None,
            None => Some(pattern.to_owned()),
        };
        let below = match local {
            Some(path) if !Path::new(&path).is_dir() => return paths(&path),
            Some(path) => directory::below(&path)?,
            None if !pattern.ends_with('/') => return self.objects(pattern),
            None => self.objects_below(pattern)?,
        };
        if below.is_empty() {
            return Err(directory::empty(pattern));
        }
        Ok(choose(pattern, below))
    }

    #[cfg(feature = "object-store")]
    fn objects(&self, pattern: &str) -> Result<Vec<Arc<str>>> {
        self.stores.expand(pattern, &self.cancel)
    }

    #[cfg(not(feature = "object-store"))]
    fn objects(&self, pattern: &str) -> Result<Vec<Arc<str>>> {
        Err(url::refused(pattern))
    }

    /// Returns the objects of data below a prefix that ends with a slash.
    #[cfg(feature = "object-store")]
    fn objects_below(&self, prefix: &str) -> Result<Vec<Arc<str>>> {
        let is_data = |url: &Arc<str>| {
            let rest = url.strip_prefix(prefix).unwrap_or(url);
            !rest.is_empty() && rest.split('/').all(directory::is_data)
        };
        Ok(self.stores.below(prefix, &self.cancel)?.into_iter().filter(is_data).collect())
    }

    #[cfg(not(feature = "object-store"))]
    fn objects_below(&self, prefix: &str) -> Result<Vec<Arc<str>>> {
        Err(url::refused(prefix))
    }
}

/// Returns what is the same for `a`, `./a` and `b/../a`: the name of the file in the folder that its path leads to, which is looked up
/// once. Two links to one file are two names, since data may be repeated by links on purpose; so are URLs that differ.
fn path_of(name: &str, folders: &mut HashMap<PathBuf, Option<PathBuf>>) -> PathBuf {
    let path = Path::new(name);
    if name == DASH || url::is_url(name) {
        return path.to_path_buf();
    }
    let (Some(folder), Some(file)) = (path.parent(), path.file_name()) else { return path.to_path_buf() };
    if !folders.contains_key(folder) {
        let found = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        folders.insert(folder.to_path_buf(), found.canonicalize().ok());
    }
    match folders.get(folder) {
        Some(Some(folder)) => folder.join(file),
        _ => path.to_path_buf(),
    }
}

fn paths(pattern: &str) -> Result<Vec<Arc<str>>> {
    let paths = tfrecord_io::shards::expand(pattern)?;
    paths.iter().map(|path| path.to_str().map(Into::into).ok_or_else(|| not_unicode(path))).collect()
}

/// Ending of the names of indexes.
pub(super) const INDEX: &str = ".tfxi";

pub(super) fn not_unicode(path: &Path) -> Error {
    let what = "the path is not valid Unicode, so it cannot be named in partitions; rename the file";
    let position = Position::new().file(path.to_string_lossy());
    Error::new(ErrorKind::Unsupported, what).at(position)
}
