//! The files that patterns name.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use tfrecord_io::shards;
use tfxio_core::{Error, ErrorKind, Position, Result};

use super::{FileStore, pipes};
use crate::tfrecord::url;

impl FileStore {
    /// Returns the files that patterns name, in the order of the patterns; a file that several name comes once. Indexes
    /// (`.tfxi`), which are beside their files, are left out unless a pattern ends with `.tfxi`. A pipe that is named twice is an
    /// error: it can be read once.
    pub(crate) fn expand<P: AsRef<str>>(
        &self,
        patterns: impl IntoIterator<Item = P>,
    ) -> Result<Vec<Arc<str>>> {
        let mut files = Vec::new();
        let (mut seen, mut seen_pipes) = (HashSet::new(), HashMap::new());
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let names = self.names(pattern)?;
            let only = names.len() == 1;
            for name in names {
                let pipe = if url::is_url(&name) { None } else { pipes::id(&name) };
                if let Some(other) = pipe.and_then(|id| seen_pipes.insert(id, Arc::clone(&name))) {
                    return Err(pipes::named_twice(&name, &other));
                }
                let is_index = name.ends_with(INDEX) && !pattern.ends_with(INDEX) && !only;
                if !is_index && seen.insert(Arc::clone(&name)) {
                    files.push(name);
                }
            }
        }
        Ok(files)
    }

    /// Returns the files that one pattern names.
    fn names(&self, pattern: &str) -> Result<Vec<Arc<str>>> {
        if let Some(path) = url::file_path(pattern) {
            return paths(&path?);
        }
        if !url::is_url(pattern) {
            return paths(pattern);
        }
        #[cfg(feature = "object-store")]
        return self.stores.expand(pattern, &self.cancel);
        #[cfg(not(feature = "object-store"))]
        Err(url::refused(pattern))
    }
}

fn paths(pattern: &str) -> Result<Vec<Arc<str>>> {
    let paths = shards::expand(pattern)?;
    paths.iter().map(|path| path.to_str().map(Into::into).ok_or_else(|| not_unicode(path))).collect()
}

/// How the names of indexes end.
const INDEX: &str = ".tfxi";

fn not_unicode(path: &Path) -> Error {
    let what = "the path is not valid Unicode, so it cannot be named in partitions; rename the file";
    let position = Position::new().file(path.to_string_lossy());
    Error::new(ErrorKind::Unsupported, what).at(position)
}
