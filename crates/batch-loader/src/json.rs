//! JSON with positions: manifests and configurations are read into a tree with the line and column of every value, so
//! that every error has its position.
//!
//! Strict JSON (RFC 8259), but for `//` comments. An object with the same key twice is an error.

mod decode;
mod dtype;
mod located;
mod mistakes;
mod node;
mod object;
mod parser;
#[cfg(test)]
mod tests;

pub(crate) use dtype::{dtype, dtype_named};
pub use located::Located;
pub(crate) use mistakes::{Mistakes, all};
pub(crate) use node::Node;
pub(crate) use object::{Keys, Object};

use std::fs::File;
use std::io::{ErrorKind as IoErrorKind, Read};
use std::path::Path;

use tfxio_core::suggest;

use crate::{Error, Kind, Result};

/// Maximum size of a manifest or configuration file.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// Maximum number of names that a message lists.
const LISTED: usize = 64;
/// Bytes of a file that tell whether it is a text.
const LOOK: usize = 4096;

/// A character of a text; both start at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Place {
    /// Position of what was not read from a text.
    pub(crate) const UNKNOWN: Self = Self { line: 0, column: 0 };

    /// The error, at this position.
    pub(crate) fn mark(self, mut error: Error) -> Error {
        if self == Self::UNKNOWN {
            return error;
        }
        let position = error.position_mut();
        (position.line, position.line_column) = (Some(self.line), Some(self.column));
        error
    }
}

/// A value and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    pub(crate) place: Place,
    pub(crate) data: Data,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data {
    Null,
    Bool(bool),
    /// A number without fraction and exponent.
    Int(i128),
    /// Any other number; it is finite.
    Float(f64),
    String(String),
    Array(Vec<Value>),
    /// Keys are unique.
    Object(Vec<Member>),
}

/// A key of an object with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// Position of the key.
    pub(crate) place: Place,
    pub(crate) value: Value,
}

impl Value {
    /// Reads one value and nothing else but blanks and comments.
    ///
    /// # Errors
    ///
    /// `InvalidJson` with line and column.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        parser::parse(text)
    }
}

/// Returns `"a", "b", "c"`; shortened if there are many.
pub(crate) fn list_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    suggest::list(names, LISTED)
}

/// The text of a manifest or a configuration; `what` names it in errors.
pub(crate) fn read_text(path: &Path, what: &str) -> Result<String> {
    let name = path.display().to_string();
    let failed = |error: std::io::Error| {
        let failed = match error.kind() {
            IoErrorKind::NotFound => {
                Error::new(Kind::NotFound, format!("the {what} does not exist")).help("check the path")
            }
            IoErrorKind::IsADirectory => {
                Error::new(Kind::Io, format!("this is a directory and not a {what}"))
                    .help(format!("give the JSON file of the {what}"))
            }
            _ => Error::new(Kind::Io, format!("the {what} cannot be read")),
        };
        failed.because(error).in_file(name.as_str())
    };
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_BYTES.saturating_add(1)).read_to_end(&mut bytes))
        .map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        let what = format!("the {what} has more than {MAX_BYTES} bytes");
        return Err(Error::new(Kind::LimitExceeded, what).in_file(name));
    }
    // No text has such bytes, and every file of records has some.
    if bytes.iter().take(LOOK).any(|byte| *byte == 0) {
        let error = Error::new(Kind::InvalidJson, format!("this is not a text, so it is not a {what}"));
        return Err(error
            .help(format!("give the JSON file of the {what}, not one of the files with records"))
            .in_file(name));
    }
    text_of(bytes, Kind::InvalidJson).map_err(|error| error.in_file(name))
}

/// Bytes as text, without a byte order mark.
pub(crate) fn text_of(bytes: Vec<u8>, kind: Kind) -> Result<String> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let lines = error.as_bytes().iter().take(valid).filter(|byte| **byte == b'\n').count();
        let mut error = Error::new(kind, "this is not UTF-8").help("save it as UTF-8");
        error.position_mut().line = Some(u32::try_from(lines).unwrap_or(u32::MAX).saturating_add(1));
        error
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}
