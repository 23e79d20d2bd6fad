//! Errors that mean damaged data.

use tfxio_core::{Error, ErrorKind};

/// Returns whether an error is about damaged bytes, and not about a request on good ones.
pub fn is_damage(error: &Error) -> bool {
    error.kind() == ErrorKind::Malformed
}

/// Returns the message of an error without the file, which a skipped range names itself.
pub fn reason(error: &Error) -> String {
    let text = error.to_string();
    let file = error.position().file.as_deref();
    let rest = file.and_then(|file| text.strip_prefix(file));
    let rest = rest.and_then(|rest| rest.strip_prefix(", ").or_else(|| rest.strip_prefix(": ")));
    rest.map_or_else(|| text.clone(), str::to_owned)
}
