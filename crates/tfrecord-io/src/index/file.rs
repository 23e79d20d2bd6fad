//! Index files beside their data, and the check that the two fit.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::stamp::stale;
use super::{Check, Index, Stamp};
use crate::{Error, ErrorKind, Result};

impl Index {
    /// Returns the path of the index of `data`: its name with `.tfxi` appended.
    ///
    /// ```
    /// use std::path::Path;
    /// use tfrecord_io::Index;
    /// assert_eq!(Index::path_for("a/b.tfrecord"), Path::new("a/b.tfrecord.tfxi"));
    /// ```
    pub fn path_for(data: impl AsRef<Path>) -> PathBuf {
        let mut name = data.as_ref().as_os_str().to_owned();
        name.push(".tfxi");
        name.into()
    }

    /// Reads the index beside the file `data`, and checks that it fits ([`Check::Stamp`]).
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::NotFound`]: the index or the file does not exist.
    /// - [`Kind::IndexCorrupt`](crate::Kind::IndexCorrupt): the index is damaged.
    /// - [`Kind::IndexStale`](crate::Kind::IndexStale): the file was changed since the index was built.
    pub fn open(data: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(data, Check::Stamp)
    }

    /// As [`open`](Self::open), with another check.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open), and for [`Check::Contents`] the errors of reading the file.
    pub fn open_with(data: impl AsRef<Path>, check: Check) -> Result<Self> {
        let data = data.as_ref();
        let path = Self::path_for(data);
        let index = Self::load(path)?;
        index.check_file(data, check)?;
        Ok(index)
    }

    /// Reads an index from a file of any name. Does not check that it fits the data: see
    /// [`check_file`](Self::check_file).
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::NotFound`]: the file does not exist.
    /// - [`Kind::IndexCorrupt`](crate::Kind::IndexCorrupt): the index is damaged.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let name: Arc<str> = path.to_string_lossy().into();
        let bytes = fs::read(path).map_err(|error| {
            let error = Error::io(error, "reading the index").in_file(Arc::clone(&name));
            if error.kind() == ErrorKind::NotFound {
                error.help("build it first (`tfxio index FILE`)")
            } else {
                error
            }
        })?;
        Self::from_bytes(&bytes).map_err(|error| error.in_file(Arc::clone(&name)))
    }

    /// Writes the index into a file of any name, whole or not at all, in place of an older one.
    ///
    /// # Errors
    ///
    /// Writing fails.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        tfxio_base::OutputFile::write(path.as_ref(), &self.to_bytes())
    }

    /// Writes the index beside the file `data`, whole or not at all, in place of an older one. Returns its path.
    ///
    /// # Errors
    ///
    /// Writing fails.
    pub fn write_beside(&self, data: impl AsRef<Path>) -> Result<PathBuf> {
        let path = Self::path_for(data);
        self.save(&path)?;
        Ok(path)
    }

    /// Checks that the file `data` is still the one that was indexed.
    ///
    /// # Errors
    ///
    /// [`Kind::IndexStale`](crate::Kind::IndexStale) if it is not, or the error of reading it.
    pub fn check_file(&self, data: impl AsRef<Path>, check: Check) -> Result<()> {
        let data = data.as_ref();
        let name: Arc<str> = data.to_string_lossy().into();
        let now = Stamp::of_file(data)?;
        match check {
            Check::Stamp => self.stamp.check(&now),
            Check::Size => self.stamp.check(&Stamp::new(now.file_bytes)),
            Check::Contents => {
                self.stamp.check(&Stamp::new(now.file_bytes))?;
                let found = Self::build(data)?;
                let same = found.offsets == self.offsets
                    && self.crc32_of_payloads.is_none_or(|crc| found.crc32_of_payloads == Some(crc));
                if same {
                    Ok(())
                } else {
                    Err(stale("the records of the file are others than those indexed"))
                }
            }
        }
        .map_err(|error| error.in_file(Arc::clone(&name)))
    }
}
