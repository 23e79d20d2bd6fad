//! A file that appears under its name only when it is whole, for writers of other projects.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use tfxio_core::{Error, ErrorKind, Position};

/// Writes under a temporary name beside the target; removes what it wrote when dropped before
/// [`finish`](Self::finish). A target that is no ordinary file (a pipe, a device) is written directly.
#[derive(Debug)]
pub(super) struct OutputFile {
    file: tfrecord_io::OutputFile,
    output: Output,
}

/// The output of a writer that may keep the reasons of the operating system to itself.
#[derive(Clone, Debug)]
pub(super) struct Output {
    name: Arc<str>,
    is_device: bool,
    failed: Arc<OnceLock<io::ErrorKind>>,
}

impl OutputFile {
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        let file = tfrecord_io::OutputFile::create(path, true)?;
        let name = path.to_string_lossy().into();
        let output = Output { name, is_device: file.is_device(), failed: Arc::default() };
        Ok(Self { file, output })
    }

    /// What errors of writing are made with.
    pub(super) fn output(&self) -> Output {
        self.output.clone()
    }

    /// Waits for the device and gives the file its name. Its size in bytes.
    pub(super) fn finish(self) -> Result<u64, Error> {
        self.file.finish()
    }

    fn note<T>(&self, done: io::Result<T>) -> io::Result<T> {
        done.inspect_err(|error| {
            if error.kind() != io::ErrorKind::Interrupted {
                let _ = self.output.failed.set(error.kind());
            }
        })
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.file.write(bytes);
        self.note(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.file.flush();
        self.note(done)
    }
}

impl Output {
    pub(super) fn position(&self) -> Position {
        Position::new().file(Arc::clone(&self.name))
    }

    /// An error of writing a file, with the advice that fits its cause.
    pub(super) fn failed(&self, error: impl std::error::Error + Send + Sync + 'static) -> Error {
        let Some(kind) = self.failed.get() else {
            let message = format!("writing failed: {error}");
            return Error::new(ErrorKind::Unsupported, message).at(self.position()).because(error);
        };
        let message = match kind {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                let left = match self.is_device {
                    true => "what was written before stays there",
                    false => "nothing was left under the final name",
                };
                format!(
                    "writing failed: no space is left; free some space or write to another device; {left}"
                )
            }
            io::ErrorKind::PermissionDenied => {
                "writing failed: permission denied; check the owner and the mode of the directory".to_owned()
            }
            kind => format!("writing failed: {kind}"),
        };
        Error::new(ErrorKind::Io, message).at(self.position()).because(io::Error::from(*kind))
    }
}
