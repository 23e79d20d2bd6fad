//! Stores of files: the local file system, or an object store.

mod local;

use std::fmt;
use std::io::{self, Read, Seek};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use tfxio_base::{Cancel, Error, ErrorKind, OutputFile, Result};

pub use self::local::LocalStore;

/// Store that holds files by name: the local file system, or an object store.
pub trait Store: fmt::Debug + Send + Sync {
    /// Returns the names of the files that a pattern names, in order.
    ///
    /// # Errors
    /// When nothing matches, a shard is missing, or the store refuses.
    fn list(&self, pattern: &str) -> Result<Vec<Arc<str>>>;

    /// Returns the size of a file in bytes, as stored; `None` where it cannot be known, as of a pipe.
    ///
    /// # Errors
    /// When the file does not exist or the store refuses.
    fn size(&self, name: &str) -> Result<Option<u64>>;

    /// Opens a file at the first byte of `range`. The range announces what will be read, so that a store may read ahead as
    /// far as its end and no further; reading and seeking beyond it works.
    ///
    /// # Errors
    /// When the file does not exist or the store refuses.
    fn open(&self, name: &str, range: Range<u64>, cancel: &Cancel) -> Result<Box<dyn Input>>;

    /// Announces the files that are opened next, in this order and each at the first byte of its range, so that a store may
    /// ask for their bytes while the ones before are read. They are opened by [`open`](Self::open) as ever. Files that were
    /// not opened are given up when the returned value is dropped. Default: does nothing.
    fn will_open(&self, coming: Vec<(Arc<str>, Range<u64>)>) -> Box<dyn Send> {
        drop(coming);
        Box::new(())
    }

    /// Returns the path of a file that is in the local file system and can be read any number of times; `None` (the
    /// default) for objects and pipes.
    fn local_path(&self, name: &str) -> Option<PathBuf> {
        let _ = name;
        None
    }

    /// Returns a tag that changes whenever the file does, such as the ETag of an object. Default: `None`, where the store has
    /// nothing of the kind.
    ///
    /// # Errors
    /// When the file does not exist or the store refuses.
    fn version(&self, name: &str) -> Result<Option<String>> {
        let _ = name;
        Ok(None)
    }

    /// Creates a file that appears under its name when it is whole. One that has the name already is replaced then if `overwrite`
    /// is true. Default: not offered.
    ///
    /// # Errors
    /// `Unsupported` where it is not offered, `AlreadyExists`, or when the store refuses.
    fn create(&self, name: &str, overwrite: bool) -> Result<OutputFile> {
        let _ = overwrite;
        Err(Error::new(ErrorKind::Unsupported, "the store of this name does not write files").in_file(name))
    }
}

/// An open file: bytes that can be read from any offset on.
pub trait Input: Read + Seek + Send {
    /// Returns the size in bytes when the file was opened; `None` where it cannot be known.
    fn size(&self) -> Option<u64> {
        None
    }

    /// Announces that the bytes after the next seek are read as far as `end`, so that a store may ask for them at once.
    /// Default: does nothing.
    fn read_ahead(&mut self, end: u64) {
        let _ = end;
    }

    /// Announces the ranges that are read next, in any order, and replaces the ones announced before, so that a store may
    /// ask for near ones together and for several at a time. Other bytes can be read as well. Default: does nothing.
    fn will_read(&mut self, ranges: &[Range<u64>]) {
        let _ = ranges;
    }
}

/// No bytes.
impl Input for io::Empty {}
