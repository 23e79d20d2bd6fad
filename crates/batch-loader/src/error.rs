//! The one error type of this crate.
//!
//! An [`Error`] is one word wide. It says what went wrong ([`Error::kind`]), where ([`Error::position`]), and what to
//! do about it (in its text); the cause, if another library reported it, is its [`source`](std::error::Error::source).

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, as something a program can match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A manifest or a configuration is no JSON.
    InvalidJson,
    /// A key is missing from a manifest or a configuration.
    MissingArgument,
    /// A key that a manifest or a configuration does not have.
    UnexpectedArgument,
    /// A value of a manifest or a configuration is of another JSON type than its key takes.
    InvalidType,
    /// A value of a manifest, a configuration or an option that is not allowed, alone or beside the others.
    InvalidValue,
    /// A file or a directory does not exist.
    NotFound,
    /// Reading a file or an object failed.
    Io,
    /// A file is not what its manifest says: another compression, a damaged frame, a record that is no message.
    Corrupt,
    /// A record is not what the manifest or the configuration says: a feature is missing, has another number of
    /// values, or does not fit beside the others of its window or batch.
    Record,
    /// A batch would be larger than the limits allow.
    LimitExceeded,
    /// A saved state is not of this data set and configuration, or is none.
    State,
    /// A source of batches failed.
    Source,
    /// A thread of the loader panicked.
    Panic,
    /// The loader was stopped by a [`StopHandle`](crate::StopHandle).
    Stopped,
}

/// Where something happened. What is not known is `None`. Bytes and records start at **0**, lines and columns of
/// text at **1**.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The path or URL of the file, as it was given.
    pub file: Option<Arc<str>>,
    /// The line of a manifest, a configuration or a list of files.
    pub line: Option<u32>,
    /// The character in that line.
    pub column: Option<u32>,
    /// The place in the JSON of a manifest or a configuration: `processing_steps[2].args.slice`.
    pub path: Option<Arc<str>>,
    /// The number of the record in its file.
    pub record: Option<u64>,
    /// The byte in the file, after decompression.
    pub byte: Option<u64>,
    /// The tensor, or the feature that becomes one.
    pub tensor: Option<Arc<str>>,
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
        if let Some(line) = self.line {
            part(f, format_args!("line {line}"))?;
        }
        if let Some(column) = self.column {
            part(f, format_args!("column {column}"))?;
        }
        if let Some(path) = &self.path {
            part(f, format_args!("`{path}`"))?;
        }
        if let Some(byte) = self.byte {
            part(f, format_args!("byte {byte}"))?;
        }
        if let Some(record) = self.record {
            part(f, format_args!("record {record}"))?;
        }
        if let Some(tensor) = &self.tensor {
            part(f, format_args!("tensor {tensor:?}"))?;
        }
        Ok(())
    }
}

/// The advice about a damaged file.
pub(crate) const REWRITE_OR_SKIP: &str =
    "write the file again, or set `on_error` to \"skip\" to leave out what is damaged";

/// Anything that can go wrong in this crate.
///
/// The text has the form `place: what is wrong; what to do`, without the text of the source: print the chain of
/// sources to see that too.
pub struct Error(Box<Inner>);

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

    /// The same error in a file, unless one is known.
    pub(crate) fn in_file(mut self, file: impl Into<Arc<str>>) -> Self {
        self.0.position.file.get_or_insert_with(|| file.into());
        self
    }

    /// Returns the same error without the advice to skip damage, where that is refused.
    pub(crate) fn without_skip(mut self) -> Self {
        if self.hint() == Some(REWRITE_OR_SKIP) {
            self.0.hint = Some("write the file again".to_owned());
        }
        self
    }

    /// The same error at a place in JSON, unless one is known.
    pub(crate) fn at_path(mut self, path: impl Into<Arc<str>>) -> Self {
        self.0.position.path.get_or_insert_with(|| path.into());
        self
    }

    /// The same error, which is about a file that another names.
    pub(crate) fn about(mut self, file: &str) -> Self {
        self.0.what = format!("{file}: {}", self.0.what);
        self
    }

    /// More records are damaged than a budget allows.
    pub(crate) fn over_budget(error: tfxio_core::Error) -> Self {
        let position = error.position().clone();
        let text = error.to_string();
        let what = text.strip_prefix(&format!("{position}: ")).unwrap_or(&text);
        let what = what.split_once("; ").map_or(what, |(what, _)| what);
        let mut out = Self::new(ErrorKind::LimitExceeded, what)
            .with_hint("write the files again, or allow more in `error_budget`");
        (out.0.position.file, out.0.position.byte) = (position.file, position.byte);
        out
    }

    /// The same error for a tensor, unless one is known.
    pub(crate) fn of_tensor(mut self, tensor: impl Into<Arc<str>>) -> Self {
        self.0.position.tensor.get_or_insert_with(|| tensor.into());
        self
    }

    /// The same error for a record of a file.
    pub(crate) fn in_record(mut self, record: u64, byte: Option<u64>) -> Self {
        self.0.position.record = Some(record);
        self.0.position.byte = byte;
        self
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
            ErrorKind::Io | ErrorKind::NotFound => Core::Io,
            ErrorKind::Corrupt => Core::Malformed,
            ErrorKind::Record => Core::SchemaMismatch,
            ErrorKind::LimitExceeded => Core::LimitExceeded,
            ErrorKind::InvalidJson
            | ErrorKind::MissingArgument
            | ErrorKind::UnexpectedArgument
            | ErrorKind::InvalidType
            | ErrorKind::InvalidValue
            | ErrorKind::State => Core::InvalidArgument,
            ErrorKind::Source | ErrorKind::Panic => Core::Other,
            ErrorKind::Stopped => Core::Cancelled,
        };
        let of = error.position();
        let mut position = tfxio_core::Position::new();
        position.file = of.file.clone();
        position.byte = of.byte;
        position.record = of.record;
        position.column = of.tensor.clone();
        // The text of the error says the position already.
        Self::wrap_at(kind, position, error)
    }
}
