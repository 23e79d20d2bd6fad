//! Errors of splits.

use tfxio_core::{Error, Split};

/// Says of an error that its record is counted from the beginning of the split, where that is so.
pub(crate) fn in_split(error: Error, split: &Split) -> Error {
    if split.start == 0 || error.position().record.is_none() {
        return error;
    }
    let mut error = error.note(format!("in the split {split}, whose records are numbered from its first"));
    error.position_mut().record = None;
    error
}
