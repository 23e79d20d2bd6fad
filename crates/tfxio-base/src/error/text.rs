//! The text of an error, for messages and for `main`.

use std::error::Error as StdError;
use std::fmt;

use super::{Error, Inner};

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Alone(self).fmt(f)?;
        self.others().iter().try_for_each(|other| write!(f, "\nand {other}"))
    }
}

/// Text of an error without the texts of [`others`](Error::others).
pub(super) struct Alone<'a>(pub(super) &'a Error);

impl fmt::Display for Alone<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { what, text, hint, position, .. } = &*self.0.0;
        if let Some(text) = text {
            return f.write_str(text);
        }
        match self.0.wrapped() {
            Some(source) => write!(f, "{source}")?,
            None if position.is_unknown() => f.write_str(what)?,
            None => write!(f, "{position}: {what}")?,
        }
        match hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

/// Writes the text, the kind and the causes, for people: `fn main() -> Result<(), Error>` prints this. `{:#?}` has the
/// fields.
///
/// ```
/// use tfxio_base::{Error, ErrorKind};
///
/// let cause = std::io::Error::other("the disk is gone");
/// let error = Error::new(ErrorKind::Io, "reading failed").in_file("a.tfrecord").at_byte(120).because(cause);
/// assert_eq!(format!("{error:?}"), "a.tfrecord, byte 120: reading failed (Io)\n\nCaused by:\n    the disk is gone");
/// ```
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { detail, position, source, .. } = &*self.0;
        if f.alternate() {
            return f
                .debug_struct("Error")
                .field("kind", detail)
                .field("message", &self.to_string())
                .field("position", position)
                .field("source", source)
                .finish();
        }
        let (kind, finer) = (format!("{:?}", self.kind()), format!("{detail:?}"));
        write!(f, "{self} ({kind}")?;
        if finer != kind {
            write!(f, ": {finer}")?;
        }
        f.write_str(")")?;
        let causes: Vec<_> = std::iter::successors(StdError::source(self), |&error| error.source()).collect();
        for (number, cause) in causes.iter().enumerate() {
            f.write_str(if number == 0 { "\n\nCaused by:\n    " } else { "\n    " })?;
            if causes.len() > 1 {
                write!(f, "{number}: ")?;
            }
            write!(f, "{cause}")?;
        }
        Ok(())
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self.wrapped() {
            // Its text is ours already: go on with its cause.
            Some(source) => source.source(),
            None => self.cause().map(|source| source as _),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Detail, Error, ErrorKind};

    #[derive(Debug)]
    struct Torn;

    impl Detail for Torn {
        fn kind(&self) -> ErrorKind {
            ErrorKind::Malformed
        }
    }

    #[test]
    fn main_prints_what_people_read() {
        let error = Error::new(Torn, "the record ends too early").help("copy it again").at_record(3);
        assert_eq!(
            format!("{error:?}"),
            "record 3: the record ends too early; copy it again (Malformed: Torn)"
        );
        let error = Error::new(ErrorKind::Io, "reading failed").because(std::io::Error::other("no disk"));
        let error = error.context("the batch cannot be made");
        assert_eq!(
            format!("{error:?}"),
            "the batch cannot be made (Io)\n\nCaused by:\n    0: reading failed\n    1: no disk"
        );
        assert!(format!("{error:#?}").starts_with("Error {\n    kind: Io,\n    message: \"the batch"));
    }
}
