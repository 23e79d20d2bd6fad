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
    /// The first failure, which writers of other libraries may keep to themselves.
    failed: Arc<OnceLock<Failed>>,
}

#[derive(Debug)]
enum Failed {
    /// Error of the operating system.
    Io(io::ErrorKind),
    /// Error of an upload: kind, what, hint.
    Upload(ErrorKind, String, Option<String>),
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
            let ours = error.get_ref().and_then(|error| error.downcast_ref::<Error>());
            let _ = self.failed.set(match ours {
                Some(error) => {
                    Failed::Upload(error.kind(), error.what().to_owned(), error.hint().map(str::to_owned))
                }
                None => Failed::Io(error.kind()),
            });
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

    /// Returns the error of a writer of another library: that of the operating system or of the store, if there was one.
    #[must_use]
    pub fn of_writer(&self, error: impl StdError + Send + Sync + 'static) -> Error {
        match self.failed.get() {
            Some(Failed::Io(kind)) => self.of_io(io::Error::from(*kind)),
            Some(Failed::Upload(kind, what, hint)) => {
                let ours = Error::new(*kind, what.as_str()).because(error);
                self.named(match hint {
                    Some(hint) => ours.help(hint.as_str()),
                    None => ours,
                })
            }
            None => {
                let what = format!("writing failed: {error}");
                self.named(Error::new(ErrorKind::Unsupported, what).because(error))
            }
        }
    }
}
