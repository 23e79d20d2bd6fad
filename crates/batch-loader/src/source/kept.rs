//! Indexes of files that are kept from one start to the next.

use std::path::{Path, PathBuf};

use tfrecord_io::Index;
use tfrecord_io::index::{Check, Stamp};

use crate::config::KeepIndex;
use crate::error::Locate as _;
use crate::files::is_url;
use crate::state::hash;
use crate::{Error, Kind, Result};

/// Where indexes are looked for, and where new ones are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptIndexes {
    beside: bool,
    folder: Option<PathBuf>,
}

impl KeptIndexes {
    /// Keeps indexes as a configuration says. `folder` is that of its `index_dir`.
    ///
    /// # Errors
    /// There is no folder for a cache.
    pub(crate) fn new(keep: KeepIndex, folder: Option<PathBuf>) -> Result<Self> {
        let folder = match keep {
            KeepIndex::Cache => Some(folder.or_else(cache_folder).ok_or_else(|| {
                let what = "there is no folder for caches: neither XDG_CACHE_HOME nor HOME is set";
                Error::new(Kind::InvalidValue, what).help("name one in `index_dir`").at_json("index")
            })?),
            KeepIndex::None | KeepIndex::Beside => None,
        };
        Ok(Self { beside: keep == KeepIndex::Beside, folder })
    }

    /// Returns the index that lies beside a file, or else in the cache, if it fits the file. One whose file was only
    /// touched or copied since is passed over.
    ///
    /// # Errors
    /// The index beside the file is damaged, or the file has another size than it had when it was indexed: records may
    /// be missing.
    pub(crate) fn find(&self, name: &str) -> Result<Option<Index>> {
        if is_url(name) {
            return Ok(None);
        }
        match Index::open_with(name, Check::Size) {
            Ok(index) if index.check_file(name, Check::Stamp).is_ok() => return Ok(Some(index)),
            Ok(_) => tracing::warn!(file = name, "the index beside the file is not used: the file is newer"),
            Err(error) if error.is(tfxio_core::ErrorKind::NotFound) => {}
            Err(error) => return Err(contradicts(name, &error)),
        }
        let cached = || {
            let path = self.cached(name, &Stamp::of_file(name).ok()?)?;
            let index = Index::load(&path).ok()?;
            index.check_file(name, Check::Stamp).is_ok().then_some(index)
        };
        Ok(cached())
    }

    /// Keeps the index of a file, if that is wanted. It has to know when the file was modified.
    pub(crate) fn keep(&self, name: &str, index: &Index) -> Result<()> {
        if is_url(name) || index.stamp().modified_ns.is_none() {
            return Ok(());
        }
        let saved = match (self.beside, self.cached(name, index.stamp())) {
            (true, _) => index.write_beside(name).map(|_| ()),
            (false, Some(path)) => {
                // What hinders this shows when the index is written.
                let _ = path.parent().map(std::fs::create_dir_all);
                index.save(path)
            }
            (false, None) => return Ok(()),
        };
        saved.map_err(|error| {
            let hint = if self.beside {
                "give `index` as \"cache\" or \"none\""
            } else {
                "give another `index_dir`, or `index` as \"none\""
            };
            Error::new(Kind::Io, "the index of this file cannot be kept")
                .help(hint)
                .in_file(name)
                .because(error)
        })
    }

    /// The path in the cache: a name that follows from that of the file, its size and when it was modified.
    fn cached(&self, name: &str, stamp: &Stamp) -> Option<PathBuf> {
        let path = std::fs::canonicalize(name).ok()?;
        let path = path.as_os_str().as_encoded_bytes();
        let (size, time) = (stamp.file_bytes.to_le_bytes(), stamp.modified_ns?.to_le_bytes());
        let half = |tag: &[u8]| hash([tag, path, &size, &time]);
        Some(self.folder.as_ref()?.join(format!("{:016x}{:016x}.tfxi", half(b"0"), half(b"1"))))
    }
}

/// The error of an index beside a file that does not fit it.
fn contradicts(name: &str, error: &Error) -> Error {
    let kind = if error.kind().is_io() { Kind::Io } else { Kind::Corrupt };
    let what = format!("the index beside the file does not fit it: {}", error.what());
    let hint = format!(
        "if the file is as it should be, index it again (`tfxio index {name}`), or delete {}",
        Index::path_for(name).display()
    );
    Error::new(kind, what).help(hint).in_file(name)
}

/// The folder `tfxio/indexes` where this user's caches are.
fn cache_folder() -> Option<PathBuf> {
    let var = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // The XDG specification has relative paths ignored.
    let caches = var("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    let caches = caches.or_else(|| var("LOCALAPPDATA").filter(|_| cfg!(windows)));
    let caches = caches.or_else(|| Some(var("HOME")?.join(".cache")))?;
    Some(caches.join(Path::new("tfxio").join("indexes")))
}
