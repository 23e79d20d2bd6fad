//! The types of columns, by what the objects hold.

mod kinds;
mod looked;
mod members;
mod seen;

use tfxio_core::{Error, ErrorKind, Position};

pub(super) use self::looked::Looked;
pub(super) use self::members::Members;
pub(super) use self::seen::Seen;

/// Returns the float of a string that is written for a float that JSON lacks.
pub(super) fn word(text: &[u8]) -> Option<f64> {
    match text {
        b"NaN" => Some(f64::NAN),
        b"Infinity" => Some(f64::INFINITY),
        b"-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// Advice for values that the layout of lists reads.
pub(super) const STRUCTURED: &str = "set the option layout to structured, which reads every value as a list";
/// Advice for other values.
pub(super) const ONE_KIND: &str = "write one kind of values under a key, or convert without it";

/// Returns the error of an object that has a key twice.
#[cold]
pub(super) fn twice(name: &str, at: usize) -> Error {
    let what = format!("the object has the key {name:?} twice");
    Error::new(ErrorKind::Malformed, what)
        .help("leave out one of them")
        .at(Position::new().record_byte(at as u64))
}

#[cfg(test)]
mod tests;
