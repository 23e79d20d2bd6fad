//! Files that appear under their names only when they are whole.

mod errors;
mod target;
mod unfinished;
mod upload;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use errors::WriteErrors;
pub use unfinished::{give_up_together, remove_unfinished};
pub use upload::Upload;

use crate::{Error, ErrorKind, Result};
use target::Temporary;
use unfinished::Uploading;

/// A file that appears under its name only when it is whole.
///
/// It is written under a temporary name beside the target and gets its name in [`finish`](Self::finish). Dropped before
/// that, it removes what it wrote; a crash leaves at most a file whose name begins with a dot and ends with `.tmp`, and
/// [`remove_unfinished`] removes those before a signal ends the process. A file that is replaced gives the new one its
/// mode; of a symbolic link, the file is replaced that it leads to. Where none may be replaced, one of two writers of a name
/// gets it, and the other an error. A pipe or a device is written directly. What is not in the
/// local file system, such as an object in a store, is an [`Upload`], under the same rules.
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
    target: Target,
    /// Name that it will have, and how it is told about.
    name: Name,
    sync: bool,
}

/// Target of the written bytes.
#[derive(Debug)]
enum Target {
    /// `temporary` is `None` for a pipe or a device. The file comes first, so that it is closed before it is renamed or
    /// removed (Windows refuses otherwise).
    Local {
        file: File,
        temporary: Option<Temporary>,
    },
    Upload(Uploading),
}

#[derive(Debug)]
struct Name {
    path: PathBuf,
    overwrite: bool,
    errors: WriteErrors,
    bytes: u64,
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
        let name = Name { path: target, overwrite, errors, bytes: 0 };
        Ok(Self { target: Target::Local { file, temporary }, name, sync: true })
    }

    /// Writes to standard output, whatever that is: nothing has to be finished for the bytes to be there, and what was written
    /// stays after an error. Its path is `-`.
    ///
    /// # Errors
    ///
    /// Standard output is closed.
    pub fn stdout() -> Result<Self> {
        let name: Arc<str> = "standard output".into();
        let opened = target::stdout();
        let file = opened.map_err(|error| Error::io(error, "opening it").in_file(Arc::clone(&name)))?;
        let errors = WriteErrors::new(name, true);
        let name = Name { path: "-".into(), overwrite: true, errors, bytes: 0 };
        Ok(Self { target: Target::Local { file, temporary: None }, name, sync: false })
    }

    /// Writes to an upload, which appears under `name`. An object of this name is replaced if `overwrite` is true.
    #[must_use]
    pub fn upload(name: &str, overwrite: bool, upload: Box<dyn Upload>) -> Self {
        let errors = WriteErrors::new(name.into(), false);
        let name = Name { path: name.into(), overwrite, errors, bytes: 0 };
        Self { target: Target::Upload(Uploading::new(upload)), name, sync: true }
    }

    /// Writes a small file at once, in place of an older one.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create) and [`finish`](Self::finish).
    pub fn write(path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
        let mut file = Self::create(path, true)?;
        file.write_all(bytes).map_err(|error| file.name.errors.of_io(error))?;
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
        &self.name.path
    }

    /// Returns whether this is a pipe or a device, in which what was written stays after an error.
    #[must_use]
    pub fn is_device(&self) -> bool {
        matches!(self.target, Target::Local { temporary: None, .. })
    }

    /// Returns what errors of writing are made with, for a writer that takes the file.
    #[must_use]
    pub fn errors(&self) -> WriteErrors {
        self.name.errors.clone()
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
    /// The device is full, or an upload fails.
    pub fn close(self) -> Result<ClosedFile> {
        let Self { target, name, sync } = self;
        let written = match target {
            Target::Local { file, temporary } => {
                if sync && temporary.is_some() {
                    let failed = |error| name.errors.named(Error::io(error, "writing to the device"));
                    file.sync_all().map_err(failed)?;
                }
                Closed::Local(temporary)
            }
            Target::Upload(mut upload) => {
                upload.with(|upload| upload.close()).map_err(|error| name.errors.named(error))?;
                Closed::Upload { upload, name: name.path.clone() }
            }
        };
        Ok(ClosedFile { written, name })
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.target {
            Target::Local { file, .. } => file.write(bytes),
            Target::Upload(upload) => upload.with(|upload| upload.write(bytes)),
        };
        let count = written.inspect_err(|error| self.name.errors.note(error))?;
        self.name.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Local { file, .. } => file.flush().inspect_err(|error| self.name.errors.note(error)),
            // A part is sent when it is full.
            Target::Upload(_) => Ok(()),
        }
    }
}

/// A file that is whole and waits for its name; removed when dropped. Made by [`OutputFile::close`].
#[derive(Debug)]
pub struct ClosedFile {
    written: Closed,
    name: Name,
}

#[derive(Debug)]
enum Closed {
    /// `None` for a pipe or a device.
    Local(Option<Temporary>),
    /// An upload and the name that it was begun with.
    Upload { upload: Uploading, name: PathBuf },
}

impl ClosedFile {
    /// Returns the path that the file will have.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.name.path
    }

    /// Sets another final name, in the same directory. An upload keeps its name: it cannot be
    /// [published](Self::publish) under another.
    #[must_use]
    pub fn path_in_same_directory(mut self, path: PathBuf) -> Self {
        self.name.errors.rename(path.to_string_lossy().into());
        self.name.path = path;
        self
    }

    /// Sets whether a file of this name is replaced.
    #[must_use]
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.name.overwrite = overwrite || matches!(self.written, Closed::Local(None));
        self
    }

    /// Fails if the name is taken and the file may not be replaced. Of an upload it is known when it is
    /// [published](Self::publish).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::AlreadyExists`](crate::ErrorKind::AlreadyExists).
    pub fn check(&self) -> Result<()> {
        if self.name.overwrite || matches!(self.written, Closed::Upload { .. }) || !self.name.path.exists() {
            return Ok(());
        }
        Err(self.name.errors.named(target::exists()))
    }

    /// Gives the file its name. Returns its size in bytes.
    ///
    /// # Errors
    ///
    /// As [`OutputFile::finish`].
    pub fn publish(self) -> Result<u64> {
        self.check()?;
        let Self { written, name } = self;
        match written {
            Closed::Local(None) => {}
            Closed::Local(Some(temporary)) => temporary
                .leave(|path| match name.overwrite {
                    true => fs::rename(path, &name.path),
                    false => target::rename_new(path, &name.path),
                })
                .map_err(|error| match error.kind() {
                    io::ErrorKind::AlreadyExists => name.errors.named(target::exists()),
                    _ => name.errors.named(Error::io(error, "giving the finished file its name")),
                })?,
            Closed::Upload { name: first, .. } if first != name.path => {
                let what = format!("the upload was begun as {}, and cannot be renamed", first.display());
                return Err(name.errors.named(Error::new(ErrorKind::Unsupported, what)));
            }
            Closed::Upload { upload, .. } => {
                upload.publish(name.overwrite).map_err(|error| name.errors.named(error))?;
            }
        }
        Ok(name.bytes)
    }
}

#[cfg(test)]
mod tests;
