//! Errors with what can be done about them.

use std::fmt;

use tfxio_core::Error;

/// An error, and what can be done about it.
#[derive(Debug)]
struct Remedied {
    error: Error,
    remedy: &'static str,
}

impl fmt::Display for Remedied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.error, self.remedy)
    }
}

impl std::error::Error for Remedied {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// The same error, whose text also says what can be done.
pub(super) fn remedied(error: Error, remedy: &'static str) -> Error {
    Error::wrap_at(error.kind(), error.position().clone(), Remedied { error, remedy })
}
