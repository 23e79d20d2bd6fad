//! The names of a file that is being written.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::unfinished;
use crate::{Error, ErrorKind, Result};

/// Links that may lead to each other.
const LINKS: usize = 40;

/// A file of any kind that appears under its name only when it is whole, as [`FileWriter`](super::FileWriter) writes
/// those of records.
///
/// ```
/// use std::io::Write as _;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("notes.txt");
/// let mut file = tfrecord_io::OutputFile::create(&path, false)?;
/// file.write_all(b"whole")?;
/// assert!(!path.exists());
/// assert_eq!(file.finish()?, 5);
/// assert_eq!(std::fs::read(&path)?, b"whole");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct OutputFile {
    // Before `output`, so that the file is closed before it is renamed or removed (Windows refuses otherwise).
    file: File,
    output: Output,
    written: u64,
}

impl OutputFile {
    /// Creates a file under a temporary name beside `path`; a pipe or a device is opened.
    ///
    /// # Errors
    ///
    /// The file cannot be created; [`ErrorKind::AlreadyExists`] if it is there and `overwrite` is false.
    pub fn create(path: impl AsRef<Path>, overwrite: bool) -> Result<Self> {
        let (output, file) = Output::create(path.as_ref(), overwrite)?;
        Ok(Self { file, output, written: 0 })
    }

    /// Whether this is a pipe or a device, in which what was written stays after an error.
    pub fn is_device(&self) -> bool {
        self.output.is_device()
    }

    /// Waits for the device and gives the file its name. Returns its size in bytes.
    ///
    /// # Errors
    ///
    /// As [`FileWriter::finish`](super::FileWriter::finish).
    pub fn finish(self) -> Result<u64> {
        let Self { file, mut output, written } = self;
        if !output.is_device() {
            file.sync_all().map_err(|error| output.named(Error::io(error, "writing to the device")))?;
        }
        drop(file);
        output.publish()?;
        Ok(written)
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Writes a small file that is not one of records, whole or not at all, in place of an older one.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = OutputFile::create(path, true)?;
    file.write_all(bytes).map_err(|error| file.output.named(Error::io(error, "writing")))?;
    file.finish().map(drop)
}

/// The names of a file being written; removes the temporary one when dropped.
#[derive(Debug)]
pub(super) struct Output {
    target: PathBuf,
    /// For errors: the name that the user gave.
    name: Arc<str>,
    temporary: Option<PathBuf>,
    overwrite: bool,
}

impl Output {
    pub(super) fn create(path: &Path, overwrite: bool) -> Result<(Self, File)> {
        let name: Arc<str> = path.to_string_lossy().into();
        let fail = |error| Error::io(error, "creating the file").in_file(Arc::clone(&name));
        let target = follow(path).map_err(fail)?;
        let old = match fs::metadata(&target) {
            Ok(found) if found.is_dir() => return Err(fail(io::ErrorKind::IsADirectory.into())),
            Ok(found) if !found.is_file() => {
                let file = OpenOptions::new().write(true).open(&target).map_err(fail)?;
                return Ok((Self { target, name, temporary: None, overwrite: true }, file));
            }
            Ok(_) if !overwrite => return Err(exists(&name)),
            Ok(found) => Some(found),
            Err(_) => None,
        };
        let Some(file_name) = target.file_name() else {
            return Err(Error::new(ErrorKind::InvalidArgument, "the path of an output names no file")
                .in_file(Arc::clone(&name)));
        };
        loop {
            let temporary = target.with_file_name(temporary_name(&file_name.to_string_lossy()));
            match unfinished::create(&temporary, || create_new(&temporary, old.as_ref())) {
                Ok(file) => return Ok((Self { target, name, temporary: Some(temporary), overwrite }, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let folder = target.parent().unwrap_or(Path::new("")).display();
                    return Err(Error::new(
                        ErrorKind::NotFound,
                        format!("creating the file failed: the directory \"{folder}\" does not exist"),
                    )
                    .help("make the directory first")
                    .because(error)
                    .in_file(Arc::clone(&name)));
                }
                Err(error) => return Err(fail(error)),
            }
        }
    }

    /// The path that the file will have.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// Gives the file another final name, in the same directory.
    pub(super) fn set_target(&mut self, target: PathBuf) {
        self.name = target.to_string_lossy().into();
        self.target = target;
    }

    pub(super) fn set_overwrite(&mut self, overwrite: bool) {
        self.overwrite = overwrite;
    }

    /// Whether the target is a pipe or a device, which is written directly.
    pub(super) fn is_device(&self) -> bool {
        self.temporary.is_none()
    }

    /// The error with the name of the file, and with what is left of it.
    pub(super) fn named(&self, error: Error) -> Error {
        let error = match error.kind() {
            ErrorKind::StorageFull if self.is_device() => {
                error.help("free some space or write to another device; what was written before stays there")
            }
            _ => error,
        };
        error.in_file(Arc::clone(&self.name))
    }

    /// Whether the target may have its name, as things stand.
    pub(super) fn check_target(&self) -> Result<()> {
        if !self.overwrite && self.target.exists() { Err(exists(&self.name)) } else { Ok(()) }
    }

    pub(super) fn publish(&mut self) -> Result<()> {
        self.check_target()?;
        let Some(temporary) = &self.temporary else { return Ok(()) };
        unfinished::remove(temporary, || fs::rename(temporary, &self.target)).map_err(|error| {
            Error::io(error, "giving the finished file its name").in_file(Arc::clone(&self.name))
        })?;
        self.temporary = None;
        Ok(())
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

fn exists(name: &Arc<str>) -> Error {
    Error::new(ErrorKind::AlreadyExists, "the output file exists already")
        .help("remove it, choose another name, or allow overwriting")
        .in_file(Arc::clone(name))
}
