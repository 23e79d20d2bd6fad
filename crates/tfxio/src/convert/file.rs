//! A file that appears under its name only when it is whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tfxio_core::{Error, ErrorKind, Position};

/// Writes under a temporary name beside the target; removes what it wrote when dropped before
/// [`finish`](Self::finish). A target that is no ordinary file (a pipe, a device) is written directly.
#[derive(Debug)]
pub(super) struct OutputFile {
    // Before the names, so that the file is closed before it is removed (Windows refuses otherwise).
    file: File,
    name: Name,
    written: u64,
}

#[derive(Debug)]
struct Name {
    target: PathBuf,
    temporary: Option<PathBuf>,
}

impl Drop for Name {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // Nobody could be told if this failed.
            let _ = fs::remove_file(temporary);
        }
    }
}

impl OutputFile {
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        let fail = |error| failed(path, error);
        // Through a symbolic link, the file it names is replaced and not the link.
        let target = match fs::symlink_metadata(path) {
            Ok(found) if found.is_symlink() => fs::canonicalize(path).map_err(fail)?,
            _ => path.to_path_buf(),
        };
        match fs::metadata(&target) {
            Ok(found) if found.is_dir() => return Err(fail(io::ErrorKind::IsADirectory.into())),
            Ok(found) if !found.is_file() => {
                let file = OpenOptions::new().write(true).open(&target).map_err(fail)?;
                return Ok(Self { file, name: Name { target, temporary: None }, written: 0 });
            }
            _ => {}
        }
        let name = target.file_name().map(|name| name.to_string_lossy().chars().take(50).collect::<String>());
        let name = name.ok_or_else(|| fail(io::ErrorKind::InvalidInput.into()))?;
        loop {
            static COUNT: AtomicU64 = AtomicU64::new(0);
            let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
            let temporary = target.with_file_name(format!(".{name}.{process}-{count}.tmp"));
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(file) => {
                    return Ok(Self { file, name: Name { target, temporary: Some(temporary) }, written: 0 });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(fail(error)),
            }
        }
    }

    /// Waits for the device and gives the file its name. Its size in bytes.
    pub(super) fn finish(self) -> Result<u64, Error> {
        let Self { mut file, mut name, written } = self;
        let fail = |error: io::Error, target: &Path| failed(target, error);
        file.flush().map_err(|error| fail(error, &name.target))?;
        if let Some(temporary) = name.temporary.clone() {
            file.sync_all().map_err(|error| fail(error, &name.target))?;
            drop(file);
            fs::rename(&temporary, &name.target).map_err(|error| fail(error, &name.target))?;
            name.temporary = None;
        }
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

/// An error of writing a file, with the advice that fits its cause.
pub(super) fn failed(path: &Path, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    let position = Position { file: Some(path.to_string_lossy().into()), ..Position::default() };
    let message = match io_kind(&error) {
        Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
            "writing failed: no space is left; free some space or write to another device; nothing was left under \
             the final name"
                .to_owned()
        }
        Some(io::ErrorKind::PermissionDenied) => {
            "writing failed: permission denied; check the owner and the mode of the directory".to_owned()
        }
        Some(io::ErrorKind::NotFound) => {
            "creating the file failed: its directory does not exist; make the directory first".to_owned()
        }
        Some(io::ErrorKind::IsADirectory) => "this is a directory; name a file in it".to_owned(),
        Some(kind) => format!("writing failed: {kind}"),
        None => format!("writing failed: {error}"),
    };
    let kind = if io_kind(&error).is_some() { ErrorKind::Io } else { ErrorKind::Unsupported };
    Error::new(kind, message).at(position).because(error)
}

/// The kind of the operating system's error at the root of an error.
fn io_kind(error: &(dyn std::error::Error + 'static)) -> Option<io::ErrorKind> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return Some(error.kind());
        }
        if let Some(arrow_schema::ArrowError::IoError(_, error)) = error.downcast_ref() {
            return Some(error.kind());
        }
        #[cfg(feature = "parquet")]
        if let Some(parquet::errors::ParquetError::External(inner)) = error.downcast_ref() {
            next = Some(inner.as_ref());
            continue;
        }
        next = error.source();
    }
    None
}
