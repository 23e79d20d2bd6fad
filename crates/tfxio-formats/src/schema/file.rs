//! Files of schemas, and their text.

use tensor_repr::Schema;
use tfxio_core::{Cancel, Error, ErrorKind, Result, Store};

use tfxio_store::FileStore;
use tfxio_store::option_file;

/// Reads a schema of TensorFlow Metadata in text (`schema.pbtxt`) or binary form from a file or, where data may be one,
/// a URL.
///
/// # Errors
/// `Io` when the file is missing or cannot be read; `Malformed` for one that is not a schema, with line and column if it is
/// text; `LimitExceeded` if it has more than 64 MiB.
pub fn read(name: &str) -> Result<Schema> {
    read_from(&FileStore::default(), name, &Cancel::default())
}

fn read_from(store: &dyn Store, name: &str, cancel: &Cancel) -> Result<Schema> {
    let bytes = option_file::read(store, name, "the schema", cancel)?;
    Schema::from_either(&bytes).map_err(|error| malformed(error).in_file(name))
}

/// Returns the text of a schema that is given, or that a file holds.
pub(crate) fn text(value: String, store: &dyn Store, cancel: &Cancel) -> Result<String> {
    if is_text(&value) {
        return Ok(value);
    }
    let mut text = read_from(store, &value, cancel)?.to_text();
    if !is_text(&text) {
        // Told from the name of a file.
        text.push('\n');
    }
    Ok(text)
}

/// Parses the text of a schema, or reads the file that holds it.
pub(crate) fn read_or_parse(schema: &str) -> Result<Schema> {
    if is_text(schema) { Schema::from_text(schema).map_err(malformed) } else { read(schema) }
}

/// Returns whether the value of an option is a schema and not the name of a file.
fn is_text(value: &str) -> bool {
    value.contains(['{', '\n'])
}

fn malformed(error: Error) -> Error {
    Error::new(ErrorKind::Malformed, format!("the schema cannot be read: {error}")).because(error)
}
