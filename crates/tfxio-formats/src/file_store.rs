//! The files that names lead to: paths, pipes and URLs.

mod input;
mod names;
mod pipes;
mod spool;

use std::fmt;
use std::io::{Seek as _, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tfxio_core::{Cancel, Error, Input, Result, Store};

use self::input::OpenFile;
use self::pipes::Pipes;
use crate::tfrecord::is_url;

/// The files that names lead to: paths, pipes and, with the feature `object-store`, URLs. The store of the opener.
///
/// What is read of a pipe while a data set is opened is kept, up to 64 MiB in memory and the rest in a temporary file, and
/// read again by the first scan.
#[derive(Default)]
pub struct FileStore {
    #[cfg(feature = "object-store")]
    stores: crate::store::Stores,
    pipes: Pipes,
    opened: AtomicBool,
}

impl FileStore {
    /// Returns a store that reads URLs from these object stores.
    #[cfg(feature = "object-store")]
    #[must_use]
    pub fn new(stores: crate::store::Stores) -> Self {
        Self { stores, ..Self::default() }
    }

    /// Notes that the data set is open: the next reader of a pipe is the last.
    pub(crate) fn set_opened(&self) {
        self.opened.store(true, Ordering::Relaxed);
    }

    fn open_file(&self, name: &str, range: Range<u64>, cancel: &Cancel) -> Result<OpenFile> {
        if !is_url(name) {
            let keeps = !self.opened.load(Ordering::Relaxed);
            return OpenFile::local(name, &self.pipes, keeps);
        }
        #[cfg(feature = "object-store")]
        {
            let mut object = self.stores.open(name)?;
            object.read_ahead(range.end, false);
            object.set_cancel(cancel.clone());
            OpenFile::object(name, object)
        }
        #[cfg(not(feature = "object-store"))]
        {
            let _ = (range, cancel);
            Err(crate::tfrecord::url::refused(name))
        }
    }
}

/// Returns whether a name is that of a regular file here: not of an object, a pipe or a device.
fn is_regular(name: &str) -> bool {
    !is_url(name) && std::fs::metadata(name).is_ok_and(|found| found.is_file())
}

impl fmt::Debug for FileStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileStore").finish_non_exhaustive()
    }
}

impl Store for FileStore {
    fn list(&self, pattern: &str) -> Result<Vec<Arc<str>>> {
        self.expand([pattern])
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        #[cfg(feature = "object-store")]
        if is_url(name) {
            return self.stores.size(name).map(Some);
        }
        let found =
            std::fs::metadata(name).map_err(|error| Error::io(error, "opening the file").in_file(name))?;
        Ok(found.is_file().then_some(found.len()))
    }

    fn open(&self, name: &str, range: Range<u64>, cancel: &Cancel) -> Result<Box<dyn Input>> {
        let start = range.start;
        let mut file = self.open_file(name, range, cancel)?;
        if start > 0 {
            let sought = file.seek(SeekFrom::Start(start));
            sought.map_err(|error| Error::io(error, "seeking").in_file(name))?;
        }
        Ok(Box::new(file))
    }

    fn local_path(&self, name: &str) -> Option<PathBuf> {
        is_regular(name).then(|| name.into())
    }

    #[cfg(feature = "object-store")]
    fn version(&self, name: &str) -> Result<Option<String>> {
        if !is_url(name) {
            return Ok(None);
        }
        Ok(self.stores.open(name)?.e_tag().map(str::to_owned))
    }
}
