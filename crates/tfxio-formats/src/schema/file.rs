//! Files of schemas.

use std::io::Read;

use tensor_repr::Schema;
use tfxio_core::{Cancel, Error, ErrorKind, Store as _};

use crate::file_store::FileStore;

/// The most bytes of a file. No schema is as long; a device or a pipe may have no end.
const MAX_BYTES: u64 = 64 << 20;

/// Reads a schema of TensorFlow Metadata in text (`schema.pbtxt`) or binary form from a file or, where data may be one,
/// a URL.
///
/// # Errors
/// `Io` when the file is missing or cannot be read; `Malformed` for one that is not a schema, with line and column if it is
/// text; `LimitExceeded` if it has more than 64 MiB.
pub fn read(name: &str) -> Result<Schema, Error> {
    let input = FileStore::default().open(name, 0..u64::MAX, &Cancel::default())?;
    let bytes = read_all(input, name, "the schema")?;
    Schema::from_either(&bytes).map_err(|error| {
        let message = format!("the schema cannot be read: {error}");
        Error::new(ErrorKind::Malformed, message).in_file(name).because(error)
    })
}

/// Reads a file that says how data are read.
pub(crate) fn read_all(input: impl Read, name: &str, what: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    input.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| {
        Error::new(ErrorKind::Io, format!("{what} cannot be read: {error}")).in_file(name).because(error)
    })?;
    if bytes.len() as u64 > MAX_BYTES {
        let message = format!("{what} has more than 64 MiB; check that this is the right file");
        return Err(Error::new(ErrorKind::LimitExceeded, message).in_file(name));
    }
    Ok(bytes)
}

/// As [`read`], or parses the text of a schema, which has a brace.
pub(crate) fn read_or_parse(schema: &str) -> Result<Schema, Error> {
    if !schema.contains('{') {
        return read(schema);
    }
    Schema::from_text(schema).map_err(|error| {
        let message = format!("the schema cannot be read: {error}");
        Error::new(ErrorKind::Malformed, message).because(error)
    })
}
