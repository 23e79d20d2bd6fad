//! Errors of writing a file.

use std::error::Error as StdError;
use std::io;
use std::sync::{Arc, OnceLock};

use crate::{Error, ErrorKind};

/// Makes the errors of writing a file: with its name, and with advice that fits its cause. Returned by
/// [`OutputFile::errors`](crate::OutputFile::errors).
#[derive(Clone, Debug)]
pub struct WriteErrors {
    name: Arc<str>,
    is_device: bool,
    /// The first failure of the operating system, which writers of other libraries may keep to themselves.
    failed: Arc<OnceLock<io::ErrorKind>>,
}

impl WriteErrors {
    pub(super) fn new(name: Arc<str>, is_device: bool) -> Self {
        Self { name, is_device, failed: Arc::default() }
    }

    pub(super) fn rename(&mut self, name: Arc<str>) {
        self.name = name;
    }

    pub(super) fn note(&self, error: &io::Error) {
        if error.kind() != io::ErrorKind::Interrupted {
            let _ = self.failed.set(error.kind());
        }
    }

    /// Returns the name of the file, as it was given.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns the error with the name of the file, and with what is left of it.
    #[must_use]
    pub fn named(&self, error: Error) -> Error {
        let error = match error.kind() {
            ErrorKind::StorageFull if self.is_device => {
                error.help("free some space or write to another device; what was written before stays there")
            }
            _ => error,
        };
        error.in_file(Arc::clone(&self.name))
    }

    /// Returns the error of the operating system while writing.
    #[must_use]
    pub fn of_io(&self, error: io::Error) -> Error {
        self.named(Error::io(error, "writing"))
    }

    /// Returns the error of a writer of another library: that of the operating system, if there was one.
    #[must_use]
    pub fn of_writer(&self, error: impl StdError + Send + Sync + 'static) -> Error {
        match self.failed.get() {
            Some(kind) => self.of_io(io::Error::from(*kind)),
            None => {
                let what = format!("writing failed: {error}");
                self.named(Error::new(ErrorKind::Unsupported, what).because(error))
            }
        }
    }
}
