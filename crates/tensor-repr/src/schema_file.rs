//! Files of schemas of TensorFlow Metadata, and their text, as the option `schema` names them.

use tfxio_core::shared_options::SCHEMA;
use tfxio_core::{Cancel, Error, ErrorKind, FormatOptions, LocalStore, Result, Store, option_file};

use crate::TfmdSchema;

/// Reads a schema in text (`schema.pbtxt`) or binary form from a file of a store.
///
/// # Errors
/// `Io` when the file is missing or cannot be read; `Malformed` for one that is not a schema, with line and column if it is
/// text; `LimitExceeded` if it has more than 64 MiB.
pub fn read(store: &dyn Store, name: &str, cancel: &Cancel) -> Result<TfmdSchema> {
    let bytes = option_file::read(store, name, "the schema", cancel)?;
    TfmdSchema::from_either(&bytes).map_err(|error| malformed(error).in_file(name))
}

/// Parses the text of a schema.
///
/// # Errors
/// `Malformed`, with line and column, for a text that is not a schema.
pub fn parse(text: &str) -> Result<TfmdSchema> {
    TfmdSchema::from_text(text).map_err(malformed)
}

/// Returns the schema that the option [`SCHEMA`] of a format holds as text, or as the name of a file in the store of the options, by
/// default a local file; `None` where the option is not set.
///
/// # Errors
/// As [`read`] and [`parse`].
pub fn of_options(options: &FormatOptions) -> Result<Option<TfmdSchema>> {
    let Some(value) = options.text(SCHEMA) else { return Ok(None) };
    if is_text(value) {
        return parse(value).map(Some);
    }
    let store = options.store.as_deref().unwrap_or(&LocalStore);
    read(store, value, &options.request.cancel).map(Some)
}

/// Returns the text of a schema that is given, or that a file holds.
///
/// # Errors
/// As [`read`].
pub fn text(value: String, store: &dyn Store, cancel: &Cancel) -> Result<String> {
    if is_text(&value) {
        return Ok(value);
    }
    let mut text = read(store, &value, cancel)?.to_text();
    if !is_text(&text) {
        // Told from the name of a file.
        text.push('\n');
    }
    Ok(text)
}

/// Returns whether the value of an option is a schema and not the name of a file.
fn is_text(value: &str) -> bool {
    value.contains(['{', '\n'])
}

fn malformed(error: Error) -> Error {
    Error::new(ErrorKind::Malformed, format!("the schema cannot be read: {error}")).because(error)
}
