//! The one error type of this crate.
//!
//! An [`Error`] is one word wide. It says what went wrong ([`Error::kind`]), where ([`Error::position`]), and what to
//! do about it (in its text); the cause, if another library reported it, is its [`source`](std::error::Error::source).

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::sync::Arc;

use tfxio_core::Origin;

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
    /// The first bytes are not those of an Avro object container.
    NotAvro,
    /// The header of a container is damaged or lacks what it must have.
    Header,
    /// A schema is not one: no JSON, or not what Avro demands of a schema.
    Schema,
    /// The input ends inside a header, a block or a datum.
    Truncated,
    /// The sync marker after a block is not the file's.
    Sync,
    /// A block's count or size cannot be true.
    Block,
    /// A codec that no one knows.
    CodecUnknown,
    /// A codec that this build cannot read (the feature is off).
    CodecUnsupported,
    /// Compressed bytes are corrupt.
    Decompress,
    /// A bound of the limits was reached.
    LimitExceeded,
    /// A datum's bytes are not what its schema demands.
    Malformed,
    /// A string is not UTF-8.
    NotUtf8,
    /// Data of the writer's schema cannot be read with the reader's schema.
    Resolution,
    /// A value does not fit the schema with which it should be written, or is of another branch of a union than a key
    /// reads.
    ValueMismatch,
    /// More was damaged than the salvage budget allows.
    SalvageBudget,
    /// An option has a value that makes no sense.
    InvalidOption,
    /// A key expression is not one.
    KeySyntax,
    /// A key expression does not fit the schema.
    KeyType,
    /// Arrow refused what should be a batch.
    Arrow,
}

/// Where something happened. What is not known is `None`. Bytes, blocks and records start at **0**, columns of text
/// at **1**.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The file's path or the object's key, as it was given.
    pub file: Option<Arc<str>>,
    /// The number of the block in its container; the first is 0.
    pub block: Option<u64>,
    /// The number of the record; the first that a reader delivers is 0.
    pub record: Option<u64>,
    /// The byte in the file as it is stored; the first is 0. For an error in a block that is compressed, the byte at
    /// which the block's data begin.
    pub byte: Option<u64>,
    /// The byte in the datum, or in a block after decompression; the first is 0.
    pub inner_byte: Option<u64>,
    /// The place within a datum (`friends[2].name`) or within a schema's JSON (`$.fields[1].type`).
    pub path: Option<Arc<str>>,
    /// The key expression.
    pub key: Option<Arc<str>>,
    /// The character in the key expression; the first is 1.
    pub column: Option<u32>,
}

impl Position {
    /// Whether nothing is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        let mut part = |f: &mut fmt::Formatter<'_>, text: fmt::Arguments<'_>| {
            let result = write!(f, "{separator}{text}");
            separator = ", ";
            result
        };
        if let Some(file) = &self.file {
            part(f, format_args!("{file}"))?;
        }
        if let Some(byte) = self.byte {
            part(f, format_args!("byte {byte}"))?;
        }
        if let Some(block) = self.block {
            part(f, format_args!("block {block}"))?;
        }
        if let Some(record) = self.record {
            part(f, format_args!("record {record}"))?;
        }
        if let Some(byte) = self.inner_byte {
            let of = if self.record.is_some() { "byte of the record" } else { "byte of the data" };
            part(f, format_args!("{of} {byte}"))?;
        }
        if let Some(path) = &self.path {
            part(f, format_args!("at {path}"))?;
        }
        if let Some(key) = &self.key {
            part(f, format_args!("key {key:?}"))?;
        }
        if let Some(column) = self.column {
            part(f, format_args!("column {column}"))?;
        }
        Ok(())
    }
}

/// Anything that can go wrong in this crate.
///
/// The text has the form `place: what is wrong; what to do`, without the text of the source: print the chain of
/// sources to see that too.
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
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where it went wrong, as far as that is known.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.0.position
    }

    /// What is wrong, without the place and without the advice.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.0.what
    }

    /// What the user can do about it, if there is something to say.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    #[cold]
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

    pub(crate) fn because(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The position, to add to it.
    pub(crate) fn position_mut(&mut self) -> &mut Position {
        &mut self.0.position
    }

    /// The same error at a place in a datum or in a schema, unless a layer below knows it better.
    pub(crate) fn at_path(mut self, path: impl Into<Arc<str>>) -> Self {
        self.0.position.path.get_or_insert_with(|| path.into());
        self
    }

    /// The same error at a byte of the datum, or of a block after decompression.
    pub(crate) fn at_inner_byte(mut self, byte: usize) -> Self {
        self.0.position.inner_byte = Some(byte as u64);
        self
    }

    /// The same error with the place of its datum in a larger one put before its own: `friends`, `[2]`, `name` become
    /// `friends[2].name`.
    #[cold]
    pub(crate) fn within(mut self, part: &str) -> Self {
        let path = &mut self.0.position.path;
        let joined = match path.as_deref() {
            None => Arc::from(part),
            // Bounded, because a recursive datum can be deep.
            Some(below) if below.len() > 1000 => return self,
            Some(below) if below.starts_with(['[', ':']) => Arc::from(format!("{part}{below}")),
            Some(below) => Arc::from(format!("{part}.{below}")),
        };
        *path = Some(joined);
        self
    }

    /// The same error at a character of a key expression; the first is 1.
    pub(crate) fn in_key(mut self, key: &str, column: u32) -> Self {
        self.0.position.key = Some(Arc::from(key));
        self.0.position.column = Some(column);
        self
    }

    /// The same error for a record.
    pub(crate) fn in_record(mut self, origin: Origin<'_>) -> Self {
        let position = &mut self.0.position;
        position.file = origin.file.map(Arc::from);
        position.record = Some(origin.index);
        position.byte = origin.file.is_some().then_some(origin.offset);
        self
    }

    /// An error of the operating system while `doing` ("reading", "creating the file").
    ///
    /// A source may wrap an error of this crate, as a reader over an object store does: that one says it better.
    pub(crate) fn io(source: io::Error, doing: &str) -> Self {
        let source = match source.downcast::<Self>() {
            Ok(error) => return error,
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
                    .with_hint("name the files in it")
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::new(ErrorKind::StorageFull, format!("{doing} failed: no space is left")).with_hint(
                    "free some space or write to another device; nothing was left under the final name",
                )
            }
            kind => Self::new(ErrorKind::Io, format!("{doing} failed: {kind}")),
        };
        error.because(source)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { what, hint, position, .. } = &*self.0;
        if !position.is_unknown() {
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

impl From<Error> for tfxio_core::Error {
    fn from(error: Error) -> Self {
        use tfxio_core::ErrorKind as Core;
        let kind = match error.kind() {
            ErrorKind::Io
            | ErrorKind::NotFound
            | ErrorKind::PermissionDenied
            | ErrorKind::IsDirectory
            | ErrorKind::StorageFull
            | ErrorKind::OutputExists => Core::Io,
            ErrorKind::NotAvro
            | ErrorKind::Header
            | ErrorKind::Truncated
            | ErrorKind::Sync
            | ErrorKind::Block
            | ErrorKind::CodecUnknown
            | ErrorKind::Decompress
            | ErrorKind::Malformed
            | ErrorKind::NotUtf8
            | ErrorKind::SalvageBudget => Core::Malformed,
            ErrorKind::Schema | ErrorKind::Resolution | ErrorKind::ValueMismatch => Core::SchemaMismatch,
            ErrorKind::LimitExceeded => Core::LimitExceeded,
            ErrorKind::InvalidOption | ErrorKind::KeySyntax | ErrorKind::KeyType => Core::InvalidArgument,
            ErrorKind::CodecUnsupported => Core::Unsupported,
            ErrorKind::Arrow => Core::Other,
        };
        let position = error.position();
        let mut outer = tfxio_core::Position::new();
        outer.file = position.file.clone();
        outer.byte = position.byte;
        outer.record = position.record;
        outer.column = position.key.clone().or_else(|| position.path.clone());
        let position = outer;
        Self::wrap_at(kind, position, error)
    }
}

impl From<Error> for io::Error {
    /// For code that must return an [`io::Error`]; the kind is translated where there is a counterpart.
    fn from(error: Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::NotFound => io::ErrorKind::NotFound,
            ErrorKind::PermissionDenied => io::ErrorKind::PermissionDenied,
            ErrorKind::IsDirectory => io::ErrorKind::IsADirectory,
            ErrorKind::StorageFull => io::ErrorKind::StorageFull,
            ErrorKind::OutputExists => io::ErrorKind::AlreadyExists,
            ErrorKind::Truncated => io::ErrorKind::UnexpectedEof,
            ErrorKind::InvalidOption | ErrorKind::KeySyntax | ErrorKind::KeyType => {
                io::ErrorKind::InvalidInput
            }
            ErrorKind::Io | ErrorKind::Arrow => io::ErrorKind::Other,
            _ => io::ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}
