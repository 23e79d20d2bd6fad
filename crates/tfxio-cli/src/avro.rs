//! Avro files, as the commands look into them: record by record, so that what stands before a damage is shown.

use std::fs::File;
use std::io::Read as _;
use std::sync::Arc;

use tfxio::avro_path::Schema;
use tfxio::avro_path::container::{ContainerReader, ReaderBuilder};
use tfxio::convert::Format;
use tfxio::{InputFile, RecordOptions};

use crate::args::ReaderSchema;
use crate::failure::Failure;

/// Whether a file is one of Avro.
pub(crate) fn is_avro(file: &str, options: &RecordOptions) -> Result<bool, tfxio::Error> {
    Ok(Format::of_file(file, options)? == Format::Avro)
}

/// Whether files are those of Avro. Some of them only are a request that makes no sense.
pub(crate) fn are_avro(files: &[Arc<str>], options: &RecordOptions) -> Result<bool, Failure> {
    let mut first: Option<(bool, &Arc<str>)> = None;
    for file in files {
        let found = is_avro(file, options)?;
        match first {
            Some((known, other)) if known != found => {
                let (yes, no) = if found { (file, other) } else { (other, file) };
                let text = format!(
                    "{yes} is an Avro file and {no} is none; look at the files of each format by themselves"
                );
                return Err(Failure::Usage(text));
            }
            Some(_) => {}
            None => first = Some((found, file)),
        }
        // A look at each of a thousand objects takes long.
        if tfxio::is_url(file) {
            break;
        }
    }
    Ok(first.is_some_and(|(found, _)| found))
}

/// Opens a file.
pub(crate) fn open(
    file: &Arc<str>,
    options: &RecordOptions,
) -> Result<ContainerReader<InputFile>, tfxio::Error> {
    let input = InputFile::open(file, options)?;
    ReaderBuilder::new().name(Arc::clone(file)).from_reader(input)
}

/// A schema in a few words.
pub(crate) fn title(schema: &Schema) -> String {
    schema.describe(schema.root())
}

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
