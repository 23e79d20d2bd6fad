//! The one error type of this crate.
//!
//! An [`Error`] is one word wide. It says what went wrong ([`Error::kind`]), where ([`Error::position`]), and what to
//! do about it (in its text); the cause, if another library reported it, is its [`source`](std::error::Error::source).

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::sync::Arc;

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, as something a program can match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading or writing failed below this crate; the source is the [`std::io::Error`].
    Io,
    /// A file does not exist.
    NotFound,
    /// The operating system does not let this user read or write a file.
    PermissionDenied,
    /// A path names a directory where a file is needed.
    IsDirectory,
    /// The device has no room left for the output.
    StorageFull,
    /// The output file exists and overwriting was not asked for.
    OutputExists,
    /// The first bytes are not the header of a record, so that this is no TFRecord file.
    NotTfRecord,
    /// The checksum of a record's length does not match: the length cannot be trusted.
    HeaderCrc,
    /// The checksum of a record's payload does not match: the record is damaged.
    PayloadCrc,
    /// The input ends inside a record or inside a compressed stream.
    Truncated,
    /// A record claims more bytes than the limits allow.
    RecordTooLong,
    /// The stated compression is not what the bytes hold.
    CompressionMismatch,
    /// The input is compressed in a way that this build cannot read (the feature is off).
    CompressionUnsupported,
    /// A compressed stream is corrupt.
    Decompress,
    /// Decompression gave more bytes than the limits allow.
    LimitExceeded,
    /// An index file is damaged or is no index file.
    IndexCorrupt,
    /// An index belongs to another state of its data file.
    IndexStale,
    /// A record number or a byte range lies outside the file.
    OutOfRange,
    /// A split of a file does not end at the record with which the next one begins.
    SplitMismatch,
    /// A shard pattern or a glob cannot be parsed.
    ShardPattern,
    /// Some shards of a set whose size is known are missing.
    MissingShard,
    /// A pattern matched no file.
    NoFilesMatched,
    /// More was damaged than the salvage budget allows.
    SalvageBudget,
    /// An object store refused a request, or went on failing after all retries.
    Store,
    /// An option has a value that makes no sense.
    InvalidOption,
}

/// Where in the input something happened. Every number starts at **0**.
///
/// A part that is not known is `None`: an error about a shard pattern has no byte, an error about a missing file no
/// record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    file: Option<Arc<str>>,
    byte: Option<u64>,
    record: Option<u64>,
    stored_byte: Option<u64>,
}

impl Position {
    /// The file's path or the object's key, as it was given.
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// The byte offset in the *uncompressed* stream, starting at 0. For an error about one record, the offset of the
    /// first byte of its header, which is also what [`Record::offset`](crate::Record) holds.
    pub fn byte(&self) -> Option<u64> {
        self.byte
    }

    /// The number of the record, starting at 0 with the first record that this reader delivers. A reader that starts
    /// in the middle of a file counts from there.
    pub fn record(&self) -> Option<u64> {
        self.record
    }

    /// The byte offset in the file as it is stored, for errors inside compressed data. Starts at 0.
    pub fn stored_byte(&self) -> Option<u64> {
        self.stored_byte
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(file) = &self.file {
            write!(f, "{file}")?;
            separator = ", ";
        }
        if let Some(byte) = self.stored_byte {
            let what = if self.byte.is_some() { "compressed byte" } else { "stored byte" };
            write!(f, "{separator}{what} {byte}")?;
            separator = ", ";
        }
        if let Some(byte) = self.byte {
            let what = if self.stored_byte.is_some() { "uncompressed byte" } else { "byte" };
            write!(f, "{separator}{what} {byte}")?;
            separator = ", ";
        }
        if let Some(record) = self.record {
            write!(f, "{separator}record {record}")?;
        }
        Ok(())
    }
}

/// Anything that can go wrong in this crate.
///
/// The text has the form `file, byte, record: what is wrong; what to do`, without the text of the source: print the
/// chain of sources to see that too.
///
/// ```
/// use tfrecord_io::{ErrorKind, SliceReader};
///
/// let error = SliceReader::new(b"PAR1 and so on").next_record().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::NotTfRecord);
/// assert_eq!(
///     error.to_string(),
///     "byte 0, record 0: this is no TFRecord file: it begins like a Parquet file; \
///      give it to a reader of that format, or convert it first"
/// );
/// ```
pub struct Error(Box<Inner>);

// Results are passed up from hot loops, so an error must not make them wider.
const _: () = assert!(size_of::<Error>() == size_of::<usize>());

struct Inner {
    kind: ErrorKind,
    what: String,
    hint: Option<String>,
    position: Position,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where it went wrong, as far as that is known.
    pub fn position(&self) -> &Position {
        &self.0.position
    }

    /// What is wrong, without the place and without the advice.
    pub fn what(&self) -> &str {
        &self.0.what
    }

    /// What the user can do about it, if there is something to say.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    pub(crate) fn new(kind: ErrorKind, what: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            what: what.into(),
            hint: None,
            position: Position::default(),
            source: None,
        }))
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    pub(crate) fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Whether a source has nothing *yet*: not an error for those who can wait.
    #[cfg(feature = "async")]
    pub(crate) fn would_block(&self) -> bool {
        let source = self.0.source.as_deref().and_then(|source| source.downcast_ref::<io::Error>());
        source.is_some_and(|source| source.kind() == io::ErrorKind::WouldBlock)
    }

    /// Sets the offset in the uncompressed stream.
    pub(crate) fn at_byte(mut self, byte: u64) -> Self {
        self.0.position.byte = Some(byte);
        self
    }

    /// Sets the record number.
    pub(crate) fn at_record(mut self, record: u64) -> Self {
        self.0.position.record = Some(record);
        self
    }

    /// Sets the offset in the stored file.
    pub(crate) fn at_stored_byte(mut self, byte: u64) -> Self {
        self.0.position.stored_byte = Some(byte);
        self
    }

    /// Names the file, unless a layer below has named it already.
    pub(crate) fn in_file(mut self, file: &Arc<str>) -> Self {
        self.0.position.file.get_or_insert_with(|| Arc::clone(file));
        self
    }

    /// As [`Error::in_file`], for a reader that may not know the name of its source.
    pub(crate) fn in_file_if_known(self, file: Option<&Arc<str>>) -> Self {
        match file {
            Some(file) => self.in_file(file),
            None => self,
        }
    }

    /// An error of the operating system while `doing` ("reading", "creating the file").
    ///
    /// A source may wrap an error of this crate, as a reader over an object store does: that one says it better.
    pub(crate) fn io(source: io::Error, doing: &str) -> Self {
        let source = match source.downcast::<Self>() {
            Ok(mut error) => {
                // Where a request began is not where the records stand.
                error.0.position.stored_byte = None;
                return error;
            }
            Err(source) => source,
        };
        let error = match source.kind() {
            io::ErrorKind::NotFound => {
                Self::new(ErrorKind::NotFound, format!("{doing} failed: no such file"))
                    .with_hint("check the path")
            }
            io::ErrorKind::PermissionDenied => {
                Self::new(ErrorKind::PermissionDenied, format!("{doing} failed: permission denied"))
                    .with_hint("check the owner and the mode of the file and of its directory")
            }
            io::ErrorKind::IsADirectory => {
                Self::new(ErrorKind::IsDirectory, format!("{doing} failed: this is a directory"))
                    .with_hint("name the files in it, for example with a pattern such as DIR/*.tfrecord")
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::new(ErrorKind::StorageFull, format!("{doing} failed: no space is left")).with_hint(
                    "free some space or write to another device; nothing was left under the final name",
                )
            }
            // The words of whoever made the source.
            io::ErrorKind::Other => Self::new(ErrorKind::Io, format!("{doing} failed: {source}")),
            kind => Self::new(ErrorKind::Io, format!("{doing} failed: {kind}")),
        };
        error.with_source(source)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { what, hint, position, .. } = &*self.0;
        if *position != Position::default() {
            write!(f, "{position}: ")?;
        }
        f.write_str(what)?;
        if let Some(hint) = hint {
            write!(f, "; {hint}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, what, hint, position, source } = &*self.0;
        f.debug_struct("Error")
            .field("kind", kind)
            .field("what", what)
            .field("hint", hint)
            .field("position", position)
            .field("source", source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

impl From<Error> for io::Error {
    /// For code that must return an [`io::Error`]; the kind is translated where there is a counterpart.
    fn from(error: Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::NotFound | ErrorKind::NoFilesMatched | ErrorKind::MissingShard => {
                io::ErrorKind::NotFound
            }
            ErrorKind::PermissionDenied => io::ErrorKind::PermissionDenied,
            ErrorKind::IsDirectory => io::ErrorKind::IsADirectory,
            ErrorKind::StorageFull => io::ErrorKind::StorageFull,
            ErrorKind::OutputExists => io::ErrorKind::AlreadyExists,
            ErrorKind::Truncated => io::ErrorKind::UnexpectedEof,
            ErrorKind::InvalidOption | ErrorKind::ShardPattern => io::ErrorKind::InvalidInput,
            ErrorKind::Io | ErrorKind::Store => io::ErrorKind::Other,
            _ => io::ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}
