//! Files that appear under their names only when they are whole.

mod errors;
mod target;
mod unfinished;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use errors::WriteErrors;
pub use unfinished::remove_unfinished;

use crate::{Error, Result};
use target::Temporary;

/// A file that appears under its name only when it is whole.
///
/// It is written under a temporary name beside the target and gets its name in [`finish`](Self::finish). Dropped before
/// that, it removes what it wrote; a crash leaves at most a file whose name begins with a dot and ends with `.tmp`, and
/// [`remove_unfinished`] removes those before a signal ends the process. A file that is replaced gives the new one its
/// mode; of a symbolic link, the file is replaced that it leads to. A pipe or a device is written directly.
///
/// ```
/// use std::io::Write as _;
/// use tfxio_base::OutputFile;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("notes.txt");
/// let mut file = OutputFile::create(&path, false)?;
/// file.write_all(b"whole")?;
/// assert!(!path.exists());
/// assert_eq!(file.finish()?, 5);
/// assert_eq!(std::fs::read(&path)?, b"whole");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct OutputFile {
    // Before `closed`, so that the file is closed before it is renamed or removed (Windows refuses otherwise).
    file: File,
    closed: ClosedFile,
    sync: bool,
}

impl OutputFile {
    /// Creates a file under a temporary name beside `path`; a pipe or a device is opened.
    ///
    /// # Errors
    ///
    /// The file cannot be created; [`ErrorKind::AlreadyExists`](crate::ErrorKind::AlreadyExists) if it exists and
    /// `overwrite` is false.
    pub fn create(path: impl AsRef<Path>, overwrite: bool) -> Result<Self> {
        let path = path.as_ref();
        let name = path.to_string_lossy().into();
        let (target, temporary, file) =
            target::create(path, overwrite).map_err(|error| error.in_file(&*path.to_string_lossy()))?;
        let errors = WriteErrors::new(name, temporary.is_none());
        let overwrite = overwrite || temporary.is_none();
        Ok(Self { file, closed: ClosedFile { target, temporary, overwrite, errors, bytes: 0 }, sync: true })
    }

    /// Writes a small file at once, in place of an older one.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create) and [`finish`](Self::finish).
    pub fn write(path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
        let mut file = Self::create(path, true)?;
        file.write_all(bytes).map_err(|error| file.closed.errors.of_io(error))?;
        file.finish().map(drop)
    }

    /// Sets whether [`finish`](Self::finish) waits until the bytes are on the device, so that not even a power cut leaves
    /// an incomplete file under the final name. Default: yes.
    #[must_use]
    pub fn sync(mut self, sync: bool) -> Self {
        self.sync = sync;
        self
    }

    /// Returns the path that the file will have.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.closed.target
    }

    /// Returns whether this is a pipe or a device, in which what was written stays after an error.
    #[must_use]
    pub fn is_device(&self) -> bool {
        self.closed.temporary.is_none()
    }

    /// Returns what errors of writing are made with, for a writer that takes the file.
    #[must_use]
    pub fn errors(&self) -> WriteErrors {
        self.closed.errors.clone()
    }

    /// Gives the file its name. Returns its size in bytes.
    ///
    /// # Errors
    ///
    /// The device is full, or renaming fails, or the target came into being meanwhile and may not be replaced. Nothing is
    /// left then, and what had the name before is still there.
    pub fn finish(self) -> Result<u64> {
        self.close()?.publish()
    }

    /// Closes the file without giving it its name, for sets of files that should appear together.
    ///
    /// # Errors
    ///
    /// The device is full.
    pub fn close(self) -> Result<ClosedFile> {
        let Self { file, closed, sync } = self;
        if sync && closed.temporary.is_some() {
            let failed = |error| closed.errors.named(Error::io(error, "writing to the device"));
            file.sync_all().map_err(failed)?;
        }
        Ok(closed)
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes).inspect_err(|error| self.closed.errors.note(error))?;
        self.closed.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().inspect_err(|error| self.closed.errors.note(error))
    }
}

/// A file that is whole and waits for its name; removed when dropped. Made by [`OutputFile::close`].
#[derive(Debug)]
pub struct ClosedFile {
    target: PathBuf,
    /// `None` for a pipe or a device.
    temporary: Option<Temporary>,
    overwrite: bool,
    errors: WriteErrors,
    bytes: u64,
}

impl ClosedFile {
    /// Returns the path that the file will have.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.target
    }

    /// Sets another final name, in the same directory.
    #[must_use]
    pub fn path_in_same_directory(mut self, path: PathBuf) -> Self {
        self.errors.rename(path.to_string_lossy().into());
        self.target = path;
        self
    }

    /// Sets whether a file of this name is replaced.
    #[must_use]
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite || self.temporary.is_none();
        self
    }

    /// Fails if the name is taken and the file may not be replaced.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::AlreadyExists`](crate::ErrorKind::AlreadyExists).
    pub fn check(&self) -> Result<()> {
        if self.overwrite || !self.target.exists() {
            return Ok(());
        }
        Err(self.errors.named(target::exists()))
    }

    /// Gives the file its name. Returns its size in bytes.
    ///
    /// # Errors
    ///
    /// As [`OutputFile::finish`].
    pub fn publish(self) -> Result<u64> {
        self.check()?;
        if let Some(temporary) = self.temporary {
            temporary
                .leave(|path| fs::rename(path, &self.target))
                .map_err(|error| self.errors.named(Error::io(error, "giving the finished file its name")))?;
        }
        Ok(self.bytes)
    }
}

#[cfg(test)]
mod tests;
