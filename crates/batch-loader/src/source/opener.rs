//! How files are opened.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::sync::Arc;

/// The bytes of a file.
pub trait Input: Read + Seek + Send {}

impl<T: Read + Seek + Send> Input for T {}

/// Opens the files of a data set by their names: paths or URLs, as a data set lists them.
///
/// [`LocalFiles`] is used unless a loader is given another one.
pub trait Opener: Send + Sync {
    /// Opens a file at its start.
    ///
    /// # Errors
    /// When there is no such file, or it cannot be read.
    fn open(&self, name: &str) -> io::Result<Box<dyn Input>>;

    /// The size of a file in bytes.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    fn size(&self, name: &str) -> io::Result<u64>;

    /// Lists the files below a folder, those in its folders included, in any order. Only URLs are asked for: the
    /// folders of this machine are read without an opener.
    ///
    /// # Errors
    /// When the folder cannot be read; `Unsupported` by default.
    fn list(&self, folder: &str) -> io::Result<Vec<Arc<str>>> {
        let _ = folder;
        let what = "this is a URL, and the loader was given no opener that lists folders";
        Err(io::Error::new(io::ErrorKind::Unsupported, what))
    }
}

/// Files of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalFiles;

impl Opener for LocalFiles {
    fn open(&self, name: &str) -> io::Result<Box<dyn Input>> {
        if name.contains("://") {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "this is a URL, and the loader was given no opener for URLs",
            ));
        }
        let file = File::open(name)?;
        if file.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(Box::new(file))
    }

    fn size(&self, name: &str) -> io::Result<u64> {
        if name.contains("://") {
            self.open(name)?;
        }
        Ok(std::fs::metadata(name)?.len())
    }
}
