//! The files that names lead to: paths, pipes, standard input and URLs.

mod directory;
mod names;
mod pipes;
mod shards;
mod spool;
mod stdin;

use std::fmt;
use std::io::{Seek as _, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tfxio_core::{Cancel, Error, ErrorKind, Input, LocalStore, OutputFile, Result, Store};

use self::pipes::Pipes;
pub use self::pipes::named_twice;
pub use self::shards::{Named, Shards};
pub use self::spool::SpoolLimits;
pub use self::stdin::DASH;
use crate::url::{self, is_url};

/// The files that names lead to: paths, patterns, directories, pipes, `-` for standard input and output, and, with the feature
/// `object-store`, URLs. The store of the opener.
///
/// A directory, or a URL that ends with a slash, means all files below it, at any depth and in the order of their paths, except those with
/// a name, or in a directory with one, that begins with `_` or `.`, and except indexes (`.tfxi`, `.index`, `.idx`). The opener takes the
/// files whose names tell a format, if there are any.
///
/// Data that is read of a pipe while a data set is opened is kept, up to 64 MiB in memory and more in a temporary file, and read again by
/// the first scan. Data of standard input is kept likewise, as long as the process lives, so that any number of scans can read it; a file
/// that it was redirected from is read directly. [`SpoolLimits`] bounds the data that is kept.
#[derive(Default)]
pub struct FileStore {
    #[cfg(feature = "object-store")]
    stores: crate::objects::Stores,
    pipes: Pipes,
    opened: AtomicBool,
    /// Ends waits of listings and of questions for sizes.
    #[cfg(feature = "object-store")]
    cancel: Cancel,
    limits: SpoolLimits,
}

impl FileStore {
    /// Returns a store that reads URLs from these object stores.
    #[cfg(feature = "object-store")]
    #[must_use]
    pub fn new(stores: crate::objects::Stores) -> Self {
        Self { stores, ..Self::default() }
    }

    /// Sets the token that ends listings and questions for sizes; opened files have their own. Default: one that ends nothing.
    #[must_use]
    pub fn cancel(self, cancel: Cancel) -> Self {
        #[cfg(feature = "object-store")]
        return Self { cancel, ..self };
        #[cfg(not(feature = "object-store"))]
        {
            // Local files do not wait.
            drop(cancel);
            self
        }
    }

    /// Bounds what is kept of pipes and of standard input. Default: [`SpoolLimits::default`].
    #[must_use]
    pub fn spool_limits(mut self, limits: SpoolLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Notes that the data set is open: the next reader of a pipe is the last.
    pub fn set_opened(&self) {
        self.opened.store(true, Ordering::Relaxed);
    }

    /// Declares the current reader of a pipe or standard input the last.
    pub fn set_last_reader(&self) {
        self.set_opened();
        stdin::keep_no_more();
    }

    /// Opens an object, or a pipe of which what is read may be kept.
    fn open_other(&self, name: &str, range: Range<u64>, cancel: &Cancel) -> Result<Box<dyn Input>> {
        if name == DASH {
            return stdin::open(self.limits);
        }
        if let Some(id) = pipes::id(name) {
            let keep = !self.opened.load(Ordering::Relaxed);
            return Ok(Box::new(self.pipes.open(name, id, keep, self.limits)?));
        }
        #[cfg(feature = "object-store")]
        {
            let end = range.end;
            let mut object = self.stores.open_range(name, range, cancel)?;
            object.set_read_ahead(end, false);
            Ok(Box::new(object))
        }
        #[cfg(not(feature = "object-store"))]
        {
            let _ = (range, cancel);
            Err(url::refused(name))
        }
    }
}

/// Refuses a file of 0 bytes whose name implies a header: its content was lost on the way. The reader of Avro files reports this itself.
fn refuse_empty(name: &str, size: Option<u64>) -> Result<(), Error> {
    const TEXTS: [&str; 4] = [".csv", ".tsv", ".jsonl", ".ndjson"];
    const HEADERS: [(&str, &str); 6] = [
        (".gz", "gzip"),
        (".gzip", "gzip"),
        (".zlib", "zlib"),
        (".zz", "zlib"),
        (".parquet", "Parquet"),
        (".arrow", "Arrow"),
    ];
    let lower = name.to_ascii_lowercase();
    let said = HEADERS.iter().find(|(ending, _)| size == Some(0) && lower.ends_with(ending));
    let Some((ending, format)) = said else { return Ok(()) };
    let message = format!(
        "the file has 0 bytes, and its name says {format}, of which a file without records has some: it was not written or \
         copied to its end"
    );
    let is_text =
        lower.strip_suffix(ending).is_some_and(|name| TEXTS.iter().any(|text| name.ends_with(text)));
    let help = match *format {
        "gzip" | "zlib" if !is_text => {
            format!(
                "copy it again, or, if it is an empty TFRecord file, give it a name that does not end with {ending}"
            )
        }
        _ => "copy it again".to_owned(),
    };
    Err(Error::new(ErrorKind::Malformed, message).help(help).in_file(name))
}

impl fmt::Debug for FileStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileStore").finish_non_exhaustive()
    }
}

impl Store for FileStore {
    fn list(&self, pattern: &str) -> Result<Vec<Arc<str>>> {
        self.expand([pattern], &|_, files| files).map(|named| named.files)
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        if name == DASH {
            return Ok(None);
        }
        #[cfg(feature = "object-store")]
        if is_url(name) {
            return self.stores.size(name, &self.cancel).map(Some);
        }
        LocalStore.size(name)
    }

    fn open(&self, name: &str, range: Range<u64>, cancel: &Cancel) -> Result<Box<dyn Input>> {
        let input = if name == DASH || is_url(name) || pipes::id(name).is_some() {
            let mut input = self.open_other(name, range.clone(), cancel)?;
            if range.start > 0 {
                let sought = input.seek(SeekFrom::Start(range.start));
                sought.map_err(|error| Error::io(error, "seeking").in_file(name))?;
            }
            input
        } else {
            LocalStore.open(name, range, cancel)?
        };
        refuse_empty(name, input.size())?;
        Ok(input)
    }

    fn local_path(&self, name: &str) -> Option<PathBuf> {
        if name == DASH || is_url(name) { None } else { LocalStore.local_path(name) }
    }

    fn create(&self, name: &str, overwrite: bool) -> Result<OutputFile> {
        if name == DASH {
            return OutputFile::stdout();
        }
        if let Some(path) = url::file_path(name) {
            return OutputFile::create(path?, overwrite);
        }
        if !is_url(name) {
            return OutputFile::create(name, overwrite);
        }
        #[cfg(feature = "object-store")]
        return self.stores.create(name, overwrite);
        #[cfg(not(feature = "object-store"))]
        Err(url::refused_output(name))
    }

    #[cfg(feature = "object-store")]
    fn version(&self, name: &str) -> Result<Option<String>> {
        if name == DASH || !is_url(name) {
            return Ok(None);
        }
        Ok(self.stores.open(name, &self.cancel)?.e_tag().map(str::to_owned))
    }

    #[cfg(feature = "object-store")]
    fn will_open(&self, coming: Vec<(Arc<str>, Range<u64>)>) -> Box<dyn Send> {
        self.stores.will_open(coming)
    }
}
