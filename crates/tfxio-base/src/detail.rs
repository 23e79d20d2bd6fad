//! Finer kinds of errors.

use std::any::Any;
use std::fmt;

use crate::{ErrorKind, Position};

/// A crate's own, finer kind of error, which travels inside [`Error`](crate::Error).
///
/// ```
/// use tfxio_base::{Detail, Error, ErrorKind};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Kind {
///     HeaderCrc,
///     PatternSyntax,
/// }
///
/// impl Detail for Kind {
///     fn kind(&self) -> ErrorKind {
///         match self {
///             Self::HeaderCrc => ErrorKind::Malformed,
///             Self::PatternSyntax => ErrorKind::InvalidArgument,
///         }
///     }
/// }
///
/// let error = Error::new(Kind::HeaderCrc, "the checksum of the length does not match");
/// assert_eq!(error.kind(), ErrorKind::Malformed);
/// assert_eq!(error.detail::<Kind>(), Some(&Kind::HeaderCrc));
/// ```
pub trait Detail: Any + fmt::Debug + Send + Sync {
    /// Returns the coarse kind that this one belongs to.
    fn kind(&self) -> ErrorKind;

    /// Returns the damaged part of a file for an error at `position`, so that a program can report what is left. Default:
    /// `None`.
    fn damage(&self, position: &Position) -> Option<Damage> {
        let _ = position;
        None
    }
}

/// Damaged part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// Records, or what holds them. A repair keeps the others.
    Records,
    /// Content of a record whose frame is sound. A reader can leave it out.
    Content,
    /// The part of the file without which nothing of it can be read.
    Header,
    /// Nothing: the file has another format or compression than was stated.
    OtherFormat,
}

impl Detail for ErrorKind {
    fn kind(&self) -> ErrorKind {
        *self
    }
}
