//! Errors of the operating system, in one wording.

use std::io;

use crate::{Error, ErrorKind};

impl Error {
    /// Returns an error of the operating system while `doing` something ("reading", "creating the file").
    ///
    /// An `io::Error` that carries an error of ours, as that of a reader over an object store does, gives that one back.
    ///
    /// ```
    /// use tfxio_base::Error;
    ///
    /// let error = Error::io(std::io::ErrorKind::NotFound.into(), "opening the file").in_file("a.avro");
    /// assert_eq!(error.to_string(), "a.avro: opening the file failed: no such file; check the path");
    /// ```
    #[cold]
    #[must_use]
    pub fn io(source: io::Error, doing: &str) -> Self {
        let source = match source.downcast::<Self>() {
            Ok(mut error) => {
                // The offset of a request is not where the records are.
                error.position_mut().stored_byte = None;
                return error;
            }
            Err(source) => source,
        };
        let (kind, what, hint) = match source.kind() {
            io::ErrorKind::NotFound => (ErrorKind::NotFound, "no such file".to_owned(), "check the path"),
            io::ErrorKind::PermissionDenied => (
                ErrorKind::PermissionDenied,
                "permission denied".to_owned(),
                "check the owner and the mode of the file and of its directory",
            ),
            io::ErrorKind::IsADirectory => (
                ErrorKind::IsDirectory,
                "this is a directory".to_owned(),
                "name the files in it, for example with a pattern such as DIR/*",
            ),
            io::ErrorKind::NotADirectory => (
                ErrorKind::Io,
                "not a directory".to_owned(),
                "check the path: what stands before its last slash is a file",
            ),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => (
                ErrorKind::StorageFull,
                "no space is left".to_owned(),
                "free some space or write to another device; nothing was left under the final name",
            ),
            // The words of whoever made the source.
            io::ErrorKind::Other => (ErrorKind::Io, source.to_string(), ""),
            kind => (ErrorKind::Io, kind.to_string(), ""),
        };
        let error = Self::new(kind, format!("{doing} failed: {what}")).because(source);
        if hint.is_empty() { error } else { error.help(hint) }
    }

    /// Returns whether the cause is an `io::Error` of this kind.
    #[must_use]
    pub fn is_io_kind(&self, kind: io::ErrorKind) -> bool {
        let source = self.cause().and_then(|source| source.downcast_ref::<io::Error>());
        source.is_some_and(|source| source.kind() == kind)
    }
}

impl From<io::Error> for Error {
    /// Converts as [`Error::io`] while "reading or writing". Call that instead where the operation is known.
    fn from(error: io::Error) -> Self {
        Self::io(error, "reading or writing")
    }
}
