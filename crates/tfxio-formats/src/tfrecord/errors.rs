//! Errors of splits.

use std::fmt;

use tfxio_core::{Error, Split};

/// An error in a split that does not begin with its file: the number of the record in the file is not known.
#[derive(Debug)]
struct InSplit {
    error: Error,
    split: Split,
}

impl fmt::Display for InSplit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { error, split } = self;
        write!(f, "{error} (in the split {split}, whose records are numbered from its first)")
    }
}

impl std::error::Error for InSplit {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Says of an error that its record is counted from the beginning of the split, where that is so.
pub(crate) fn in_split(error: Error, split: &Split) -> Error {
    if split.start == 0 || error.position().record.is_none() {
        return error;
    }
    let mut position = error.position().clone();
    position.record = None;
    Error::wrap_at(error.kind(), position, InSplit { error, split: split.clone() })
}
