//! The files that names lead to: paths, pipes and URLs.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tfxio_core::{Cancel, Error, Input, Result, Store};

use crate::tfrecord::{InputFile, RecordOptions, expand_files_with, is_regular, is_url};

/// The files that names lead to: paths, pipes and, with the feature `object-store`, URLs. The store of the opener.
///
/// What is read of a pipe while a data set is opened is kept, up to 64 MiB in memory and the rest in a temporary file, and
/// read again by the first scan.
#[derive(Default)]
pub struct FileStore {
    options: RecordOptions,
    opened: AtomicBool,
}

impl FileStore {
    /// Returns a store that reads URLs from these object stores.
    #[cfg(feature = "object-store")]
    #[must_use]
    pub fn new(stores: crate::store::Stores) -> Self {
        Self { options: RecordOptions::default().with_stores(stores), opened: AtomicBool::new(false) }
    }

    /// Returns the files that patterns name, in the order of the patterns; a file that several name comes once.
    pub(crate) fn expand(&self, patterns: &[Arc<str>]) -> Result<Vec<Arc<str>>> {
        expand_files_with(patterns, &self.options)
    }

    /// Notes that the data set is open: the next reader of a pipe is the last.
    pub(crate) fn set_opened(&self) {
        self.opened.store(true, Ordering::Relaxed);
    }
}

impl fmt::Debug for FileStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileStore").finish_non_exhaustive()
    }
}

impl Store for FileStore {
    fn list(&self, pattern: &str) -> Result<Vec<Arc<str>>> {
        self.expand(&[pattern.into()])
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        #[cfg(feature = "object-store")]
        if is_url(name) {
            return self.options.stores.size(name).map(Some);
        }
        let found =
            std::fs::metadata(name).map_err(|error| Error::io(error, "opening the file").in_file(name))?;
        Ok(found.is_file().then_some(found.len()))
    }

    fn open(&self, name: &str, range: Range<u64>, cancel: &Cancel) -> Result<Box<dyn Input>> {
        let keeps = !self.opened.load(Ordering::Relaxed);
        let mut file = InputFile::open(name, &self.options.clone().with_kept_pipes(keeps))?;
        let size = (is_regular(name) || is_url(name)).then(|| file.size());
        #[cfg(feature = "object-store")]
        if let Some(object) = file.object() {
            object.read_ahead(range.end, false);
            object.set_cancel(cancel.clone());
        }
        #[cfg(not(feature = "object-store"))]
        let _ = cancel;
        if range.start > 0 {
            file.seek(SeekFrom::Start(range.start))
                .map_err(|error| Error::io(error, "seeking").in_file(name))?;
        }
        Ok(Box::new(OpenFile { file, size }))
    }

    fn local_path(&self, name: &str) -> Option<PathBuf> {
        is_regular(name).then(|| name.into())
    }

    #[cfg(feature = "object-store")]
    fn version(&self, name: &str) -> Result<Option<String>> {
        if !is_url(name) {
            return Ok(None);
        }
        Ok(self.options.stores.open(name)?.e_tag().map(str::to_owned))
    }
}

/// An open file of a size, where that is known.
struct OpenFile {
    file: InputFile,
    size: Option<u64>,
}

impl Read for OpenFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.file.read(out)
    }
}

impl Seek for OpenFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Input for OpenFile {
    fn size(&self) -> Option<u64> {
        self.size
    }

    #[cfg(feature = "object-store")]
    fn read_ahead(&mut self, end: u64) {
        if let Some(object) = self.file.object() {
            object.read_ahead(end, true);
        }
    }
}
