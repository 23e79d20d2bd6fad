//! Writer of containers.

use std::hash::{BuildHasher as _, RandomState};
use std::io::Write;
use std::path::Path;

use serde_core::Serialize;
use tfxio_base::OutputFile;

use super::codec::{Codec, Compressor};
use super::encoded_block::{BlockEncoder, EncodedBlock};
use super::file::FileWriter;
use super::header::Header;
use crate::datum::{DatumReader, SkipPlan, to_datum, write};
use crate::schema::AvroSchema;
use crate::{Error, ErrorKind, Kind, Result};

/// Sets up a [`ContainerWriter`] to any `Write` ([`build`](Self::build)) or a [`FileWriter`] to a path
/// ([`create`](Self::create)). Made by [`ContainerWriter::builder`]; by default not compressed,
/// with blocks of 64 KiB and a random sync marker.
///
/// ```
/// use avro_path::AvroSchema;
/// use avro_path::container::{Codec, ContainerReader, ContainerWriter};
///
/// let schema = AvroSchema::parse("\"boolean\"")?;
/// let mut writer = ContainerWriter::builder(Vec::new(), &schema)
///     .codec(Codec::Null)
///     .metadata("made.by", "an example")
///     .build()?;
/// writer.write(&[1])?;
/// let file = writer.finish()?;
///
/// let reader = ContainerReader::new(&file[..])?;
/// assert_eq!(reader.header().metadata_value("made.by"), Some(&b"an example"[..]));
/// # Ok::<(), avro_path::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct WriterBuilder<T = (), S = ()> {
    pub(super) target: T,
    schema: S,
    settings: Settings,
}

/// Settings of a writer, except its target and schema.
#[derive(Clone, Debug)]
struct Settings {
    codec: Codec,
    level: Option<u32>,
    block_bytes: usize,
    metadata: Vec<(Vec<u8>, Vec<u8>)>,
    sync: Option<[u8; 16]>,
    check: bool,
    overwrite: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            codec: Codec::Null,
            level: None,
            block_bytes: 64 << 10,
            metadata: Vec::new(),
            sync: None,
            check: true,
            overwrite: false,
        }
    }
}

impl Default for WriterBuilder {
    /// Returns settings without a target and a schema yet: see [`target`](Self::target).
    fn default() -> Self {
        Self { target: (), schema: (), settings: Settings::default() }
    }
}

impl<T, S> WriterBuilder<T, S> {
    /// Sets the compression of blocks. Default [`Codec::Null`].
    pub fn codec(mut self, codec: Codec) -> Self {
        self.settings.codec = codec;
        self
    }

    /// Sets the level of the codec: 0 to 9 for deflate and xz (default 6), 1 to 9 for bzip2 (default 9), 1 to 22 for
    /// zstandard (default 3).
    pub fn level(mut self, level: u32) -> Self {
        self.settings.level = Some(level);
        self
    }

    /// Sets the length in bytes, before compression, with which a block ends. Default 65,536.
    pub fn block_bytes(mut self, bytes: usize) -> Self {
        self.settings.block_bytes = bytes;
        self
    }

    /// Adds an entry to the metadata. Keys that begin with `avro.` are Avro's own and refused.
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.settings.metadata.push((key.into().into_bytes(), value.into()));
        self
    }

    /// Sets the sync marker, for files that should come out the same every time. Default random.
    pub fn sync_marker(mut self, marker: [u8; 16]) -> Self {
        self.settings.sync = Some(marker);
        self
    }

    /// Sets whether each record is checked to have the length that its schema requires, which costs a pass over it.
    /// Default true: one record of another schema makes a whole block unreadable.
    pub fn check(mut self, check: bool) -> Self {
        self.settings.check = check;
        self
    }

    /// Sets whether [`create`](Self::create) may replace a file. Default false.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.settings.overwrite = overwrite;
        self
    }

    /// Returns what compresses blocks apart from the writer, on any thread.
    ///
    /// # Errors
    /// When the level makes no sense or this build lacks the codec.
    pub fn block_encoder(&self) -> Result<BlockEncoder> {
        BlockEncoder::new(self.settings.codec, self.settings.level)
    }

    /// Returns whether blocks are compressed.
    #[must_use]
    pub fn is_compressed(&self) -> bool {
        self.settings.codec != Codec::Null
    }

    /// Returns the number of bytes with which a block ends.
    #[must_use]
    pub fn block_len(&self) -> usize {
        self.settings.block_bytes.max(1)
    }

    /// Uses the same settings for another target and the schema of its records.
    pub fn target<U>(self, target: U, schema: &AvroSchema) -> WriterBuilder<U, AvroSchema> {
        WriterBuilder { target, schema: schema.clone(), settings: self.settings }
    }
}

impl<P: AsRef<Path>> WriterBuilder<P, AvroSchema> {
    /// Writes a file, which appears under its name when it is finished.
    ///
    /// # Errors
    /// When the file cannot be made, or exists; when an option makes no sense or this build lacks the codec.
    pub fn create(self) -> Result<FileWriter> {
        let file = OutputFile::create(self.target.as_ref(), self.settings.overwrite)?;
        let Self { target: _, schema, settings } = self;
        FileWriter::start(WriterBuilder { target: file, schema, settings })
    }
}

impl WriterBuilder<OutputFile, AvroSchema> {
    /// Writes to a file that was created before, such as an [upload](OutputFile::upload).
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn into_file(self) -> Result<FileWriter> {
        FileWriter::start(self)
    }
}

impl<W: Write> WriterBuilder<W, AvroSchema> {
    /// Writes to the target. The header is written at once.
    ///
    /// # Errors
    /// When writing fails; when an option makes no sense or this build lacks the codec.
    pub fn build(self) -> Result<ContainerWriter<W>> {
        let Self { target: mut sink, schema, settings } = self;
        let compressor = Compressor::new(settings.codec, settings.level)?;
        if let Some((key, _)) = settings.metadata.iter().find(|(key, _)| key.starts_with(b"avro.")) {
            let key = String::from_utf8_lossy(key);
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("the metadata key {key:?} is one of Avro's own"),
            )
            .help("choose a key that does not begin with \"avro.\""));
        }
        let mut metadata = vec![
            (b"avro.schema".to_vec(), schema.text().as_bytes().to_vec()),
            (b"avro.codec".to_vec(), settings.codec.name().as_bytes().to_vec()),
        ];
        metadata.extend(settings.metadata);
        let sync = settings.sync.unwrap_or_else(random_marker);
        let mut header = Vec::new();
        Header::write(&metadata, sync, &mut header);
        sink.write_all(&header).map_err(|error| Error::io(error, "writing"))?;
        Ok(ContainerWriter {
            sink,
            compressor,
            sync,
            check: settings.check.then(|| SkipPlan::new(&schema)),
            schema,
            block_bytes: settings.block_bytes.max(1),
            block: Vec::new(),
            count: 0,
            frame: Vec::new(),
            records: 0,
            ended: 0,
        })
    }
}

/// Returns sixteen bytes that no other file has: the hasher's keys are random.
fn random_marker() -> [u8; 16] {
    let half = || RandomState::new().hash_one(std::process::id());
    (u128::from(half()) << 64 | u128::from(half())).to_le_bytes()
}

/// Writes a container to anything. Made by [`ContainerWriter::builder`].
///
/// Dropped without [`finish`](Self::finish), it leaves out the last block.
#[derive(Debug)]
pub struct ContainerWriter<W> {
    sink: W,
    compressor: Compressor,
    sync: [u8; 16],
    check: Option<SkipPlan>,
    schema: AvroSchema,
    block_bytes: usize,
    block: Vec<u8>,
    count: u64,
    /// The block as it is stored, and before that, its bytes compressed.
    frame: Vec<u8>,
    records: u64,
    /// Bytes of the records in blocks that have ended.
    ended: u64,
}

impl ContainerWriter<()> {
    /// Returns a builder of a writer to `target`: a path or any [`Write`].
    pub fn builder<T>(target: T, schema: &AvroSchema) -> WriterBuilder<T, AvroSchema> {
        WriterBuilder::default().target(target, schema)
    }
}

impl<W: Write> ContainerWriter<W> {
    /// Writes a record from its bytes.
    ///
    /// # Errors
    /// When the bytes are not one datum of the schema (they are then left out), or writing fails.
    pub fn write(&mut self, datum: &[u8]) -> Result<()> {
        self.write_with(|out| {
            out.extend_from_slice(datum);
            Ok(())
        })
    }

    /// Writes a record whose bytes are appended by a function, which saves a copy.
    ///
    /// # Errors
    /// As [`write`](Self::write), and the error of the function; the bytes that it appended are then removed.
    pub fn write_with(&mut self, append: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
        let start = self.block.len();
        if let Err(mut error) = append(&mut self.block).and_then(|()| self.check_from(start)) {
            self.block.truncate(start);
            error.position_mut().record = Some(self.records);
            return Err(error);
        }
        self.count += 1;
        self.records += 1;
        if self.block.len() >= self.block_bytes { self.end_block() } else { Ok(()) }
    }

    /// Writes a record from a value of a type of serde, by the rules of [`to_datum`](crate::datum::to_datum).
    ///
    /// # Errors
    /// When the value is not one of the schema, with its path; nothing of it is then written. When writing fails.
    pub fn write_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let schema = self.schema.clone();
        self.write_with(|out| to_datum(&schema, value, out))
    }

    fn check_from(&self, start: usize) -> Result<()> {
        let Some(plan) = &self.check else { return Ok(()) };
        let mut reader = DatumReader::new(self.block.get(start..).unwrap_or_default());
        let what = match plan.skip(self.schema.root(), &mut reader) {
            Ok(()) if reader.is_empty() => return Ok(()),
            Ok(()) => Error::new(Kind::ValueMismatch, "the record has more bytes than a datum of the schema")
                .at_record_byte(reader.position()),
            Err(error) => {
                let byte = error.position().record_byte.unwrap_or_default();
                Error::new(Kind::ValueMismatch, "the record is not a datum of the schema")
                    .at_record_byte(usize::try_from(byte).unwrap_or_default())
                    .because(error)
            }
        };
        Err(what)
    }

    /// Returns the number of records written.
    #[must_use]
    pub fn records_written(&self) -> u64 {
        self.records
    }

    /// Returns the number of bytes of the records so far, before compression.
    #[must_use]
    pub fn bytes_written(&self) -> u64 {
        self.ended + self.block.len() as u64
    }

    /// Ends the block at hand, if there is one, so that what was written can be read when the sink is flushed.
    ///
    /// # Errors
    /// When writing fails.
    pub fn end_block(&mut self) -> Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let mut compressed = std::mem::take(&mut self.frame);
        compressed.clear();
        self.compressor.compress(&self.block, &mut compressed)?;
        let mut head = Vec::with_capacity(20);
        write::long(&mut head, self.count.cast_signed());
        write::long(&mut head, compressed.len() as i64);
        compressed.extend_from_slice(&self.sync);
        let written = self.sink.write_all(&head).and_then(|()| self.sink.write_all(&compressed));
        self.frame = compressed;
        self.ended += self.block.len() as u64;
        self.block.clear();
        self.count = 0;
        written.map_err(|error| Error::io(error, "writing"))
    }

    /// Writes a block that was compressed before. Its records are not checked.
    ///
    /// # Errors
    /// `InvalidArgument` when the block has another codec than the container; otherwise when writing fails.
    pub fn write_block(&mut self, block: &EncodedBlock) -> Result<()> {
        if block.codec() != self.compressor.codec() {
            let what = format!(
                "the block is compressed with {}, and the container has the codec {}",
                block.codec(),
                self.compressor.codec()
            );
            return Err(Error::new(ErrorKind::InvalidArgument, what));
        }
        self.end_block()?;
        if block.records() == 0 {
            return Ok(());
        }
        let mut head = Vec::with_capacity(20);
        write::long(&mut head, block.records().cast_signed());
        write::long(&mut head, block.stored().len() as i64);
        let written = self.sink.write_all(&head).and_then(|()| self.sink.write_all(block.stored()));
        self.records += block.records();
        self.ended += block.uncompressed_len();
        written.and_then(|()| self.sink.write_all(&self.sync)).map_err(|error| Error::io(error, "writing"))
    }

    /// Ends the last block and hands back the sink, flushed.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(mut self) -> Result<W> {
        self.end_block()?;
        self.sink.flush().map_err(|error| Error::io(error, "writing"))?;
        Ok(self.sink)
    }
}
