//! The one error.

mod foreign;
mod text;

use std::any::Any;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use crate::{Damage, Detail, ErrorKind, Position, Remedy};

/// The result of everything that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error with a kind, a position, a hint and, where there is one, a cause. One word wide.
///
/// The text has the form `position: what is wrong; what to do`, without the text of the [`source`](StdError::source):
/// print the chain of sources to see that too.
///
/// ```
/// use tfxio_base::{Error, ErrorKind, Position};
///
/// let error = Error::new(ErrorKind::Malformed, "the checksum of the payload does not match")
///     .help("copy the file again")
///     .at(Position::new().file("a.tfrecord").byte(120).record(3));
/// assert_eq!(
///     error.to_string(),
///     "a.tfrecord, byte 120, record 3: the checksum of the payload does not match; copy the file again"
/// );
/// assert_eq!(error.position().record, Some(3));
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    detail: Box<dyn Detail>,
    what: String,
    /// The whole text, where it does not follow from the rest any more.
    text: Option<String>,
    hint: Option<String>,
    remedy: Option<Remedy>,
    position: Position,
    source: Option<Box<dyn StdError + Send + Sync>>,
    /// Further errors of the same input.
    others: Vec<Error>,
}

// Results are passed up from hot loops, so an error must not make them wider.
const _: () = assert!(size_of::<Error>() == size_of::<usize>());

impl Error {
    /// Returns an error of a kind, coarse or a crate's own, with a text and without a position.
    #[cold]
    #[must_use]
    pub fn new(kind: impl Detail, what: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            detail: Box::new(kind),
            what: what.into(),
            text: None,
            hint: None,
            remedy: None,
            position: Position::default(),
            source: None,
            others: Vec::new(),
        }))
    }

    /// Returns an error that wraps another one and takes over its text, position included.
    #[cfg(feature = "arrow")]
    #[cold]
    fn wrap(kind: impl Detail, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::new(kind, "").because(source)
    }

    /// Sets what the user can do about it.
    #[must_use]
    pub fn help(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Appends to what the user can do about it.
    #[must_use]
    pub fn and_help(mut self, hint: &str) -> Self {
        match &mut self.0.hint {
            Some(before) => {
                before.push_str("; ");
                before.push_str(hint);
            }
            none => *none = Some(hint.to_owned()),
        }
        self
    }

    /// Sets the remedy, which tells programs what the user can do about it, beside the hint.
    #[must_use]
    pub fn remedied_by(mut self, remedy: Remedy) -> Self {
        self.0.remedy = Some(remedy);
        self
    }

    /// Removes the hint, where it does not apply.
    #[must_use]
    pub fn without_help(mut self) -> Self {
        self.0.hint = None;
        self
    }

    /// Sets the cause.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Appends further errors of the same input, each printed on its own line after this one.
    ///
    /// ```
    /// use tfxio_base::{Error, ErrorKind};
    ///
    /// let error = |what: &str| Error::new(ErrorKind::InvalidArgument, what);
    /// let both = error("size is 0").and_others([error("seed is missing")]);
    /// assert_eq!(both.to_string(), "size is 0\nand seed is missing");
    /// assert_eq!(both.alone().to_string(), "size is 0");
    /// ```
    #[must_use]
    pub fn and_others(mut self, others: impl IntoIterator<Item = Self>) -> Self {
        self.0.others.extend(others);
        self
    }

    /// Replaces the position.
    #[must_use]
    pub fn at(mut self, position: Position) -> Self {
        self.0.position = position;
        self
    }

    /// Completes the position: what is known already stays.
    #[must_use]
    pub fn or_at(mut self, position: &Position) -> Self {
        self.0.position = std::mem::take(&mut self.0.position).or(position);
        self
    }

    /// Sets the file, unless one is known.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<Arc<str>>) -> Self {
        self.0.position.file.get_or_insert_with(|| file.into());
        self
    }

    /// As [`in_file`](Self::in_file), for a source that may have no name.
    #[must_use]
    pub fn in_file_if_known(self, file: Option<&Arc<str>>) -> Self {
        match file {
            Some(file) => self.in_file(Arc::clone(file)),
            None => self,
        }
    }

    /// Sets the byte in the uncompressed stream.
    #[must_use]
    pub fn at_byte(mut self, byte: u64) -> Self {
        self.0.position.byte = Some(byte);
        self
    }

    /// Sets the byte in the stored file.
    #[must_use]
    pub fn at_stored_byte(mut self, byte: u64) -> Self {
        self.0.position.stored_byte = Some(byte);
        self
    }

    /// Sets the number of the record.
    #[must_use]
    pub fn at_record(mut self, record: u64) -> Self {
        self.0.position.record = Some(record);
        self
    }

    /// Sets the byte in the record, or in a block after decompression.
    #[must_use]
    pub fn at_record_byte(mut self, byte: usize) -> Self {
        self.0.position.record_byte = Some(byte as u64);
        self
    }

    /// Sets the path within a record or a schema, unless one is known.
    #[must_use]
    pub fn at_path(mut self, path: impl Into<Arc<str>>) -> Self {
        self.0.position.path.get_or_insert_with(|| path.into());
        self
    }

    /// Puts a step before the path within a record: `friends`, `[2]`, `name` become `friends[2].name`.
    #[cold]
    #[must_use]
    pub fn within(mut self, step: &str) -> Self {
        let path = &mut self.0.position.path;
        let joined = match path.as_deref() {
            None => Arc::from(step),
            // Bounded, because a recursive datum can be deep.
            Some(below) if below.len() > 1000 => return self,
            Some(below) if below.starts_with(['[', ':']) => Arc::from(format!("{step}{below}")),
            Some(below) => Arc::from(format!("{step}.{below}")),
        };
        *path = Some(joined);
        self
    }

    /// Replaces the kind, for an error that means something else to the caller of a layer.
    #[must_use]
    pub fn of_kind(mut self, kind: impl Detail) -> Self {
        self.0.detail = Box::new(kind);
        self
    }

    /// Replaces the text. Everything else stays.
    #[must_use]
    pub fn saying(mut self, what: impl Into<String>) -> Self {
        self.0.what = what.into();
        self
    }

    /// Replaces the text by that of a layer above, and keeps the error as the cause. Kind, position and hint stay.
    #[must_use]
    pub fn context(self, what: impl Into<String>) -> Self {
        let mut outer = Self::new(self.kind(), what).at(self.0.position.clone());
        outer.0.hint.clone_from(&self.0.hint);
        outer.because(self)
    }

    /// Appends a note in parentheses to the whole text, which stays as it is now when the position changes: for a record
    /// whose number in the file is unknown, so that only the text can name it.
    ///
    /// ```
    /// use tfxio_base::{Error, ErrorKind};
    ///
    /// let mut error = Error::new(ErrorKind::Malformed, "no UTF-8").at_record(2).note("counted from byte 30");
    /// error.position_mut().record = None;
    /// assert_eq!(error.to_string(), "record 2: no UTF-8 (counted from byte 30)");
    /// ```
    #[must_use]
    pub fn note(mut self, note: impl fmt::Display) -> Self {
        self.0.text = Some(format!("{} ({note})", self.alone()));
        self
    }

    /// Returns what went wrong, in one word.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.detail.kind()
    }

    /// Returns the finer kind of a crate: of this error, or of the nearest cause that has one.
    #[must_use]
    pub fn detail<D: Detail>(&self) -> Option<&D> {
        let mut next: Option<&(dyn StdError + 'static)> = Some(self);
        while let Some(error) = next {
            next = match error.downcast_ref::<Self>() {
                Some(ours) => {
                    let detail: &dyn Any = &*ours.0.detail;
                    if let Some(detail) = detail.downcast_ref() {
                        return Some(detail);
                    }
                    ours.cause().map(|source| source as _)
                }
                None => error.source(),
            };
        }
        None
    }

    /// Returns the damaged part of a file, as reported by this error or by the nearest cause that reports it.
    #[must_use]
    pub fn damage(&self) -> Option<Damage> {
        let mut next: Option<&(dyn StdError + 'static)> = Some(self);
        while let Some(error) = next {
            next = match error.downcast_ref::<Self>() {
                Some(ours) => {
                    let damage = ours.0.detail.damage(&self.0.position);
                    if damage.is_some() {
                        return damage;
                    }
                    ours.0.source.as_deref().map(|source| source as _)
                }
                None => error.source(),
            };
        }
        None
    }

    /// Returns whether this is an error of a kind, coarse or a crate's own.
    ///
    /// ```
    /// use tfxio_base::{Error, ErrorKind};
    ///
    /// assert!(Error::new(ErrorKind::NotFound, "no such file").is(ErrorKind::NotFound));
    /// ```
    #[must_use]
    pub fn is<D: Detail + PartialEq>(&self, kind: D) -> bool {
        let coarse: Option<&ErrorKind> = (&kind as &dyn Any).downcast_ref();
        match coarse {
            Some(coarse) => self.kind() == *coarse,
            None => self.detail() == Some(&kind),
        }
    }

    /// Returns where in the input.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.0.position
    }

    /// Returns the position, to change it.
    pub fn position_mut(&mut self) -> &mut Position {
        &mut self.0.position
    }

    /// Returns further errors of the same input.
    #[must_use]
    pub fn others(&self) -> &[Self] {
        &self.0.others
    }

    /// Returns the text without the texts of [`others`](Self::others).
    #[must_use]
    pub fn alone(&self) -> impl fmt::Display {
        text::Alone(self)
    }

    /// Returns what is wrong, without position and hint.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.0.what
    }

    /// Returns the hint: what the user can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Returns the [`Remedy`] of this error, or of the nearest cause that has one, for programs.
    ///
    /// ```
    /// use tfxio_base::{Error, ErrorKind, Remedy};
    ///
    /// let error = Error::new(ErrorKind::Malformed, "the format is not known").remedied_by(Remedy::StateFormat);
    /// assert_eq!(error.context("opening failed").remedy(), Some(Remedy::StateFormat));
    /// ```
    #[must_use]
    pub fn remedy(&self) -> Option<Remedy> {
        let mut next: Option<&(dyn StdError + 'static)> = Some(self);
        while let Some(error) = next {
            let ours = error.downcast_ref::<Self>();
            if let Some(remedy) = ours.and_then(|ours| ours.0.remedy) {
                return Some(remedy);
            }
            next = ours.map_or_else(|| error.source(), |ours| ours.cause().map(|source| source as _));
        }
        None
    }

    /// Returns the source: the error that this one wraps, or that caused it.
    pub(crate) fn cause(&self) -> Option<&(dyn StdError + Send + Sync + 'static)> {
        self.0.source.as_deref()
    }

    /// Returns the error whose text this one takes over.
    fn wrapped(&self) -> Option<&(dyn StdError + Send + Sync + 'static)> {
        if self.0.what.is_empty() { self.cause() } else { None }
    }
}
