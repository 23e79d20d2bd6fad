//! Finer kinds of errors.

use std::any::Any;
use std::fmt;

use crate::ErrorKind;

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
}

impl Detail for ErrorKind {
    fn kind(&self) -> ErrorKind {
        *self
    }
}
