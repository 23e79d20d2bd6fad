//! Files of schemas.

use std::io::Read as _;

use tensor_repr::Schema;
use tfxio_core::{Error, ErrorKind, Position};

use crate::tfrecord::{InputFile, RecordOptions};

/// Reads a schema of TensorFlow Metadata in text (`schema.pbtxt`) or binary form from a file or, where data may be one,
/// a URL. Of the options the stores count, and the limit of a record's bytes.
///
/// # Errors
/// `Io` when the file is missing or cannot be read; `Malformed` for one that is no schema, with line and column if it is
/// text; `LimitExceeded`.
pub fn read(name: &str, options: &RecordOptions) -> Result<Schema, Error> {
    let place = || Position { file: Some(name.into()), ..Position::default() };
    let most = options.limits.record_bytes;
    let mut bytes = Vec::new();
    let file = InputFile::open(name, options)?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| {
        Error::new(ErrorKind::Io, format!("the schema cannot be read: {error}")).at(place()).because(error)
    })?;
    if bytes.len() as u64 > most {
        let message = format!("the schema is longer than the limit of {most} bytes; raise `record_bytes`");
        return Err(Error::new(ErrorKind::LimitExceeded, message).at(place()));
    }
    Schema::from_either(&bytes).map_err(|error| {
        let message = format!("the schema cannot be read: {error}");
        Error::new(ErrorKind::Malformed, message).at(place()).because(error)
    })
}
