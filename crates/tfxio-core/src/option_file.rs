//! Files that options name.

use std::io::Read as _;

use crate::{Cancel, Error, ErrorKind, Result, Store};

/// Maximum bytes of a file. No schema is as long; a device or a pipe may have no end.
const MAX_BYTES: u64 = 64 << 20;

/// Reads a file that an option names, such as a schema; `what` is the noun for it in messages.
///
/// # Errors
/// When the file is missing or cannot be read; `LimitExceeded` if it has more than 64 MiB.
pub fn read(store: &dyn Store, name: &str, what: &str, cancel: &Cancel) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let input = store.open(name, 0..u64::MAX, cancel)?;
    let read = input.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::io(error, &format!("reading the file of {what}")).in_file(name))?;
    if bytes.len() as u64 > MAX_BYTES {
        let message = format!("the file of {what} has more than 64 MiB; check that this is the right file");
        return Err(Error::new(ErrorKind::LimitExceeded, message).in_file(name));
    }
    Ok(bytes)
}

/// As [`read`], of a file in UTF-8.
///
/// # Errors
/// As [`read`]; `Malformed` if the file is not UTF-8.
pub fn read_text(store: &dyn Store, name: &str, what: &str, cancel: &Cancel) -> Result<String> {
    String::from_utf8(read(store, name, what, cancel)?).map_err(|_| {
        let message = format!("{what} cannot be read: the file is not UTF-8");
        Error::new(ErrorKind::Malformed, message).help("save it as UTF-8").in_file(name)
    })
}
