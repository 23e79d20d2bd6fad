//! Avro files, as the commands look into them: record by record, so that what stands before a damage is shown.

use std::fs::File;
use std::io::Read as _;
use std::sync::Arc;

use tfxio::avro_path::container::{Block, ContainerReader, Header, ReaderBuilder, SkippingReader};
use tfxio::avro_path::datum::DatumReader;
use tfxio::avro_path::schema::Type;
use tfxio::avro_path::{self, Resolution, Result, Schema};
use tfxio::convert::Format;
use tfxio::{InputFile, RecordOptions, Skip};

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

/// The names of the fields of the root. A root that is no record has a single value, which is called `value`.
pub(crate) fn fields(schema: &Schema) -> Vec<&str> {
    match schema.get(schema.root()) {
        Type::Record(record) => record.fields().iter().map(|field| field.name()).collect(),
        _ => vec!["value"],
    }
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

/// The blocks of a file.
enum Blocks {
    Strict(Box<ContainerReader<InputFile>>),
    Skipping(Box<SkippingReader<InputFile>>),
}

impl Blocks {
    fn header(&self) -> &Header {
        match self {
            Self::Strict(container) => container.header(),
            Self::Skipping(container) => container.header(),
        }
    }

    fn next_block(&mut self) -> Result<bool, tfxio::Error> {
        match self {
            Self::Strict(container) => Ok(container.next_block()?.is_some()),
            Self::Skipping(container) => container.next_block(),
        }
    }

    fn last_block(&self) -> Option<Block<'_>> {
        match self {
            Self::Strict(container) => container.last_block(),
            Self::Skipping(container) => container.last_block(),
        }
    }

    fn pass_over(&mut self, at: usize, error: avro_path::Error) -> Result<usize, tfxio::Error> {
        match self {
            Self::Strict(_) => Err(error),
            Self::Skipping(container) => container.pass_over(at, error),
        }
    }
}

/// The records of a file.
pub(crate) struct Records {
    blocks: Blocks,
    schema: Schema,
    /// What makes the file's data such of the schema.
    resolution: Option<Resolution>,
    /// A record as one of the schema.
    resolved: Vec<u8>,
    /// Records and bytes that were taken of the last block, if there is one.
    place: Option<(u64, usize)>,
}

impl Records {
    /// Opens a file, whose data become such of `schema`, or stay as they were written.
    pub(crate) fn open(
        file: &Arc<str>,
        options: &RecordOptions,
        skip: Option<&Skip>,
        schema: Option<&Schema>,
    ) -> Result<Self, tfxio::Error> {
        let blocks = match skip {
            Some(skip) => {
                let input = InputFile::open(file, options)?;
                let builder = ReaderBuilder::new().name(Arc::clone(file));
                let bytes = input.size();
                Blocks::Skipping(Box::new(SkippingReader::new(input, &builder, bytes, skip)?))
            }
            None => Blocks::Strict(Box::new(open(file, options)?)),
        };
        let written = blocks.header().schema().clone();
        let schema = schema.unwrap_or(&written).clone();
        let mut resolution = None;
        if schema.text() != written.text() {
            let resolved = Resolution::new(&written, &schema).map_err(|error| {
                let message = format!(
                    "the data of the file cannot be read with the schema of the data set: {error}; give a schema that \
                     fits all files by --reader-schema"
                );
                let position = tfxio::Position::new().file(Arc::clone(file));
                tfxio::Error::new(tfxio::ErrorKind::SchemaMismatch, message).at(position).because(error)
            })?;
            resolution = (!resolved.is_identity()).then_some(resolved);
        }
        Ok(Self { blocks, schema, resolution, resolved: Vec::new(), place: None })
    }

    /// The schema of the records that are given.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Gives the bytes from the next record on to `take`, which says how many of them are the record's. Whether there was
    /// one.
    pub(crate) fn next(
        &mut self,
        mut take: impl FnMut(&[u8]) -> Result<usize>,
    ) -> Result<bool, tfxio::Error> {
        loop {
            if self.place.is_none() {
                if !self.blocks.next_block()? {
                    return Ok(false);
                }
                self.place = Some((0, 0));
            }
            let (Some(block), Some((done, at))) = (self.blocks.last_block(), &mut self.place) else {
                return Ok(false);
            };
            if *done == block.count() {
                let mut reader = DatumReader::new(block.bytes());
                reader.fixed(*at)?;
                block.finish(&reader)?;
                self.place = None;
                continue;
            }
            let rest = block.bytes().get(*at..).unwrap_or_default();
            let taken = match &self.resolution {
                None => take(rest),
                Some(resolution) => {
                    self.resolved.clear();
                    let mut reader = DatumReader::new(rest);
                    let applied = resolution.apply(&mut reader, &mut self.resolved);
                    applied.and_then(|()| take(&self.resolved)).map(|_| reader.position())
                }
            };
            match taken.map_err(|error| block.locate(error, *done, 0)) {
                Ok(bytes) => {
                    (*done, *at) = (*done + 1, *at + bytes);
                    return Ok(true);
                }
                Err(error) => {
                    let bytes = self.blocks.pass_over(*at, error)?;
                    (*done, *at) = (*done + 1, *at + bytes);
                }
            }
        }
    }
}

/// The records of several files, with one schema.
pub(crate) struct Files<'a> {
    files: std::vec::IntoIter<Arc<str>>,
    options: &'a RecordOptions,
    schema: Schema,
    open: Option<(Records, Arc<str>)>,
}

impl<'a> Files<'a> {
    /// Of the schema of the first file, or of another.
    pub(crate) fn open(
        files: Vec<Arc<str>>,
        options: &'a RecordOptions,
        schema: Option<Schema>,
    ) -> Result<Self, tfxio::Error> {
        let mut files = files.into_iter();
        let Some(first) = files.next() else {
            let message = "no file is named; name at least one file or pattern";
            return Err(tfxio::Error::new(tfxio::ErrorKind::InvalidArgument, message));
        };
        let records = Records::open(&first, options, None, schema.as_ref())?;
        let schema = records.schema().clone();
        Ok(Self { files, options, schema, open: Some((records, first)) })
    }

    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// As [`Records::next`], with the name of the file.
    pub(crate) fn next(
        &mut self,
        mut take: impl FnMut(&[u8], &str) -> Result<usize>,
    ) -> Result<bool, tfxio::Error> {
        while let Some((records, file)) = &mut self.open {
            if records.next(|bytes| take(bytes, file))? {
                return Ok(true);
            }
            self.open = match self.files.next() {
                Some(file) => Some((Records::open(&file, self.options, None, Some(&self.schema))?, file)),
                None => None,
            };
        }
        Ok(false)
    }
}
