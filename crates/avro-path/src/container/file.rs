//! A file that appears under its name only when it is whole.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::unfinished;
use super::writer::{ContainerWriter, WriterBuilder};
use crate::schema::Schema;
use crate::{Error, Kind, Result};

/// Links that may lead to each other.
const LINKS: usize = 40;

/// Writes a container under a temporary name beside the target, and gives it its name in [`finish`](Self::finish).
/// Dropped without that, it removes what it wrote; a crash leaves at most a file whose name begins with a dot and ends
/// with `.tmp`, and [`remove_unfinished`](super::remove_unfinished) removes those before a signal ends the process. A file
/// that is replaced gives the new one its mode. Made by [`WriterBuilder::create`].
#[derive(Debug)]
pub struct FileWriter {
    // Before `output`, so that the file is closed before it is renamed or removed (Windows refuses otherwise).
    writer: Option<ContainerWriter<File>>,
    output: Output,
}

impl FileWriter {
    pub(super) fn create(builder: &WriterBuilder, path: &Path, schema: &Schema) -> Result<Self> {
        let (output, file) = Output::create(path, builder.overwrite)?;
        let writer = builder.from_writer(file, schema).map_err(|error| output.named(error))?;
        Ok(Self { writer: Some(writer), output })
    }

    /// Writes a record from its bytes; see [`ContainerWriter::write`].
    ///
    /// # Errors
    /// As [`ContainerWriter::write`].
    pub fn write(&mut self, datum: &[u8]) -> Result<()> {
        self.with(|writer| writer.write(datum))
    }

    /// Writes a record whose bytes are appended by a function; see [`ContainerWriter::write_with`].
    ///
    /// # Errors
    /// As [`ContainerWriter::write_with`].
    pub fn write_with(&mut self, append: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
        self.with(|writer| writer.write_with(append))
    }

    fn with(&mut self, work: impl FnOnce(&mut ContainerWriter<File>) -> Result<()>) -> Result<()> {
        match &mut self.writer {
            Some(writer) => work(writer).map_err(|error| self.output.named(error)),
            None => Ok(()),
        }
    }

    /// How many records were written.
    #[must_use]
    pub fn records_written(&self) -> u64 {
        self.writer.as_ref().map_or(0, ContainerWriter::records_written)
    }

    /// Writes what is left, waits for the device, and gives the file its name.
    ///
    /// # Errors
    /// When writing or renaming fails, or the target came into being meanwhile and may not be replaced. Nothing is
    /// left then, and what had the name before is still there.
    pub fn finish(mut self) -> Result<()> {
        if let Some(writer) = self.writer.take() {
            let file = writer.finish().map_err(|error| self.output.named(error))?;
            if self.output.temporary.is_some() {
                file.sync_all()
                    .map_err(|error| self.output.named(Error::io(error, "writing to the device")))?;
            }
        }
        self.output.publish()
    }
}

/// The names of a file being written; removes the temporary one when dropped.
#[derive(Debug)]
struct Output {
    target: PathBuf,
    /// For errors: the name that the user gave.
    name: Arc<str>,
    temporary: Option<PathBuf>,
    overwrite: bool,
}

impl Output {
    fn create(path: &Path, overwrite: bool) -> Result<(Self, File)> {
        let name: Arc<str> = path.to_string_lossy().into();
        let mut output = Self { target: path.to_path_buf(), name, temporary: None, overwrite };
        let fail = |output: &Self, error| output.named(Error::io(error, "creating the file"));
        output.target = follow(path).map_err(|error| fail(&output, error))?;
        let old = match fs::metadata(&output.target) {
            Ok(found) if found.is_dir() => return Err(fail(&output, io::ErrorKind::IsADirectory.into())),
            Ok(found) if !found.is_file() => {
                // A pipe or a device: there is nothing to rename.
                let file = OpenOptions::new()
                    .write(true)
                    .open(&output.target)
                    .map_err(|error| fail(&output, error))?;
                output.overwrite = true;
                return Ok((output, file));
            }
            found => found.ok(),
        };
        output.check_target()?;
        let Some(file_name) = output.target.file_name().map(|name| name.to_string_lossy().into_owned())
        else {
            let error = Error::new(Kind::InvalidOption, "the path of an output names no file");
            return Err(output.named(error));
        };
        loop {
            let temporary = output.target.with_file_name(temporary_name(&file_name));
            match unfinished::create(&temporary, || create_new(&temporary, old.as_ref())) {
                Ok(file) => {
                    output.temporary = Some(temporary);
                    return Ok((output, file));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let folder = output.target.parent().unwrap_or(Path::new("")).display();
                    let what = format!("creating the file failed: the directory \"{folder}\" does not exist");
                    let error = Error::new(tfxio_core::ErrorKind::NotFound, what)
                        .help("make the directory first")
                        .because(error);
                    return Err(output.named(error));
                }
                Err(error) => return Err(fail(&output, error)),
            }
        }
    }

    fn check_target(&self) -> Result<()> {
        if self.overwrite || !self.target.exists() {
            return Ok(());
        }
        let error = Error::new(tfxio_core::ErrorKind::AlreadyExists, "the output file exists already")
            .help("remove it, choose another name, or allow overwriting");
        Err(self.named(error))
    }

    fn publish(&mut self) -> Result<()> {
        let Some(temporary) = &self.temporary else { return Ok(()) };
        self.check_target()?;
        unfinished::remove(temporary, || fs::rename(temporary, &self.target))
            .map_err(|error| self.named(Error::io(error, "giving the finished file its name")))?;
        self.temporary = None;
        Ok(())
    }

    /// The error with the name of the file, and with what is left of it.
    fn named(&self, mut error: Error) -> Error {
        if error.kind() == tfxio_core::ErrorKind::StorageFull && self.temporary.is_none() {
            error =
                error.help("free some space or write to another device; what was written before stays there");
        }
        error.position_mut().file.get_or_insert_with(|| Arc::clone(&self.name));
        error
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // Nobody could be told if this failed.
            let _ = unfinished::remove(temporary, || fs::remove_file(temporary));
        }
    }
}

/// The file that a path leads to: through a symbolic link, the file it names is replaced and not the link. A link may lead
/// to a file that is not there yet.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        if !fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink()) {
            return Ok(path);
        }
        match fs::metadata(&path) {
            Ok(found) if found.is_file() => return fs::canonicalize(&path),
            // The link itself opens a pipe or a device, such as /dev/stdout, which may have no other name.
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let to = fs::read_link(&path)?;
                path = path.parent().unwrap_or(Path::new("")).join(to);
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many links lead to each other"))
}

/// Creates a file that is not there, with the mode of the one that it will replace.
fn create_new(path: &Path, old: Option<&Metadata>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if let Some(old) = old {
        use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};

        // Nobody else may open it before it has its mode.
        let file = options.mode(0o600).open(path)?;
        // A file system without modes has none to keep.
        let _ = file.set_permissions(fs::Permissions::from_mode(old.permissions().mode() & 0o777));
        return Ok(file);
    }
    #[cfg(not(unix))]
    let _ = old;
    options.open(path)
}

/// A name that no other writer of this machine uses at the moment, and that patterns such as `*` do not match.
fn temporary_name(name: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    // File systems stop at 255 bytes.
    let start: String = name.chars().take(50).collect();
    format!(".{start}.{process}-{count}.tmp")
}
