//! Avro files, as the commands look into them: record by record, so that what stands before a damage is shown.

use std::sync::Arc;

use tfxio::avro_path::container::{ContainerReader, ReaderBuilder};
use tfxio::avro_path::datum::DatumReader;
use tfxio::avro_path::schema::Type;
use tfxio::avro_path::{Result, Schema};
use tfxio::convert::Format;
use tfxio::{InputFile, RecordOptions};

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
    Ok(ReaderBuilder::new().name(Arc::clone(file)).from_reader(input)?)
}

/// A schema in a few words.
pub(crate) fn title(schema: &Schema) -> String {
    schema.describe(schema.root())
}

/// The names of the fields of the root. A root that is no record has a single value, which is called `value`.
pub(crate) fn fields(schema: &Schema) -> Vec<&str> {
    match schema.get(schema.root()) {
        Type::Record(record) => record.fields().iter().map(|field| field.name()).collect(),
        _ => vec!["value"],
    }
}

/// The records of a file.
pub(crate) struct Records {
    container: ContainerReader<InputFile>,
    /// Records and bytes that were taken of the last block, if there is one.
    place: Option<(u64, usize)>,
}

impl Records {
    pub(crate) fn new(container: ContainerReader<InputFile>) -> Self {
        Self { container, place: None }
    }

    /// Gives the bytes from the next record on to `take`, which says how many of them are the record's. Whether there was
    /// one.
    pub(crate) fn next(&mut self, take: impl FnOnce(&[u8]) -> Result<usize>) -> Result<bool> {
        loop {
            if self.place.is_none() {
                if self.container.next_block()?.is_none() {
                    return Ok(false);
                }
                self.place = Some((0, 0));
            }
            let (Some(block), Some((done, at))) = (self.container.last_block(), &mut self.place) else {
                return Ok(false);
            };
            if *done < block.count() {
                let rest = block.bytes().get(*at..).unwrap_or_default();
                *at += take(rest).map_err(|error| block.locate(error, *done, 0))?;
                *done += 1;
                return Ok(true);
            }
            let mut reader = DatumReader::new(block.bytes());
            reader.fixed(*at)?;
            block.finish(&reader)?;
            self.place = None;
        }
    }
}
