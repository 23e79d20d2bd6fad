//! The reader's schema of a conversion.

use std::fs::File;
use std::io::Read as _;

use tfxio::avro_path::Schema;

use crate::args::ReaderSchema;
use crate::failure::Failure;

impl ReaderSchema {
    /// The schema that was asked for.
    pub(crate) fn read(&self) -> Result<Option<Schema>, Failure> {
        /// No schema has more bytes.
        const MOST: u64 = 64 << 20;

        let Some(name) = &self.reader_schema else { return Ok(None) };
        let position = || tfxio::Position::new().file(name.as_str());
        let mut text = String::new();
        let read = File::open(name).and_then(|file| file.take(MOST + 1).read_to_string(&mut text));
        read.map_err(|error| {
            let message = format!("the reader's schema cannot be read: {error}");
            tfxio::Error::new(tfxio::ErrorKind::Io, message).at(position()).because(error)
        })?;
        let schema = Schema::parse(&text).map_err(|error| {
            let message = format!("this is not an Avro schema: {error}");
            tfxio::Error::new(tfxio::ErrorKind::Malformed, message).at(position()).because(error)
        })?;
        Ok(Some(schema))
    }
}
