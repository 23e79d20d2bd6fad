//! Files of schemas of TensorFlow Metadata.

use tensor_repr::{TfmdSchema, schema_file};
use tfxio_core::{Cancel, Result};
use tfxio_store::FileStore;

/// Reads a schema of TensorFlow Metadata in text (`schema.pbtxt`) or binary form from a file or, where data may be one,
/// a URL.
///
/// # Errors
/// `Io` when the file is missing or cannot be read; `Malformed` for one that is not a schema, with line and column if it is
/// text; `LimitExceeded` if it has more than 64 MiB.
pub fn read(name: &str) -> Result<TfmdSchema> {
    schema_file::read(&FileStore::default(), name, &Cancel::default())
}
