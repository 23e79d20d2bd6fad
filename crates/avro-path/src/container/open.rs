//! Settings for opening a container.

use std::fs::File;
use std::io::{Read, Seek};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use tfxio_core::{Limits, Skip};

use super::{BlockDecoder, ContainerReader, SalvageReader, SkippingReader};
use crate::schema::SchemaLimits;
use crate::{Error, Result};

/// Sets up a [`ContainerReader`] over a source: a path, which [`open`](Self::open) opens, or any `Read`, which
/// [`build`](Self::build) takes. Made by [`ContainerReader::builder`]; the same settings make a [`SalvageReader`], a
/// [`SkippingReader`] and a [`BlockDecoder`].
///
/// ```
/// use avro_path::{Limits, AvroSchema};
/// use avro_path::container::{ContainerReader, ContainerWriter};
///
/// let schema = AvroSchema::parse("\"long\"")?;
/// let mut writer = ContainerWriter::builder(Vec::new(), &schema).build()?;
/// writer.write(&[84])?;
/// let file = writer.finish()?;
///
/// let limits = Limits::default().record_bytes(1 << 20);
/// let mut reader = ContainerReader::builder(&file[..]).limits(limits).name("memory").build()?;
/// let block = reader.next_block()?.expect("one block");
/// assert_eq!((block.count(), block.bytes()), (1, &[84][..]));
/// assert!(reader.next_block()?.is_none());
/// # Ok::<(), avro_path::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ReaderBuilder<S = ()> {
    source: S,
    pub(super) settings: Settings,
}

/// Settings of a reader, except its source.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    pub(super) limits: Limits,
    pub(super) schema_limits: SchemaLimits,
    pub(super) name: Option<Arc<str>>,
}

impl Settings {
    /// Returns the error with the name of the source.
    pub(super) fn locate(&self, mut error: Error) -> Error {
        error.position_mut().file.clone_from(&self.name);
        error
    }
}

impl Default for ReaderBuilder {
    /// Returns settings without a source yet: see [`source`](Self::source).
    fn default() -> Self {
        Self { source: (), settings: Settings::default() }
    }
}

impl<S> ReaderBuilder<S> {
    /// Sets the limits on claims of the container. [`record_bytes`](Limits::record_bytes) bounds a block as it is
    /// stored and after decompression, and so does [`batch_bytes`](Limits::batch_bytes), where it is more than 16 MiB;
    /// [`decompression_ratio`](Limits::decompression_ratio) bounds the size of a block after decompression, but never
    /// below 16 MiB; [`decompressed_bytes`](Limits::decompressed_bytes) the sum over all blocks;
    /// [`empty_rows`](Limits::empty_rows) the number of records without bytes in all blocks.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.settings.limits = limits;
        self
    }

    /// Sets the limits on the memory that the schema in the header may take. Default: [`SchemaLimits::default`], with
    /// which a
    /// schema of more than 250,000 fields and types with properties is refused.
    ///
    /// ```
    /// use avro_path::container::{ContainerReader, ContainerWriter};
    /// use avro_path::schema::SchemaLimits;
    ///
    /// # let schema = avro_path::AvroSchema::parse(r#"{"type": "array", "items": "long"}"#)?;
    /// # let file = ContainerWriter::builder(Vec::new(), &schema).build()?.finish()?;
    /// let limits = SchemaLimits::default().objects(1_000_000);
    /// let reader = ContainerReader::builder(&file[..]).schema_limits(limits).build()?;
    /// # assert_eq!(reader.header().schema().text(), schema.text());
    /// # Ok::<(), avro_path::Error>(())
    /// ```
    pub fn schema_limits(mut self, limits: SchemaLimits) -> Self {
        self.settings.schema_limits = limits;
        self
    }

    /// Names the source in errors. [`open`](Self::open) uses the path.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.settings.name = Some(name.into());
        self
    }

    /// Uses the same settings for another source.
    pub fn source<T>(self, source: T) -> ReaderBuilder<T> {
        ReaderBuilder { source, settings: self.settings }
    }

    /// Returns the source and the settings.
    pub(super) fn parts(self) -> (S, Settings) {
        (self.source, self.settings)
    }
}

impl ReaderBuilder {
    /// Makes a decoder of bytes that somebody else reads.
    #[must_use]
    pub fn build_decoder(self) -> BlockDecoder {
        BlockDecoder::start(self.settings)
    }
}

impl<R: Read> ReaderBuilder<R> {
    /// Reads the source from its present position on; what is there is read in chunks of 256 KiB or more, so that it need
    /// not be buffered.
    ///
    /// # Errors
    /// When reading fails; when the source is not an Avro object container, or has a schema or codec that cannot be read.
    pub fn build(self) -> Result<ContainerReader<R>> {
        ContainerReader::start(self.source, &self.settings)
    }

    /// Reads the blocks that begin in a range of bytes; see [`splits`](super::splits). The source is read from its
    /// beginning for the header, then from the start of the range.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_range(self, range: Range<u64>) -> Result<ContainerReader<R>>
    where
        R: Seek,
    {
        let mut reader = ContainerReader::start(self.source, &self.settings)?;
        reader.restrict(range.start, range.end).map_err(|error| self.settings.locate(error))?;
        Ok(reader)
    }

    /// Reads the good records of a damaged container.
    ///
    /// # Errors
    /// When reading fails or the header is damaged.
    pub fn build_salvage(self) -> Result<SalvageReader<R>> {
        SalvageReader::start(self.source, &self.settings)
    }

    /// Reads a whole container of `bytes` bytes, and skips damage within the budget of `skip`.
    ///
    /// # Errors
    /// When reading fails or the header is damaged.
    pub fn build_skipping(self, bytes: u64, skip: &Skip) -> Result<SkippingReader<R>> {
        SkippingReader::start(self.source, &self.settings, bytes, skip)
    }
}

impl<P: AsRef<Path>> ReaderBuilder<P> {
    /// Opens the file.
    ///
    /// # Errors
    /// When the file cannot be opened, is not an Avro object container, or has a schema or codec that cannot be read.
    pub fn open(self) -> Result<ContainerReader<File>> {
        self.opened()?.build()
    }

    /// Opens the file and reads the blocks that begin in a range of bytes; see [`splits`](super::splits).
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_range(self, range: Range<u64>) -> Result<ContainerReader<File>> {
        self.opened()?.build_range(range)
    }

    fn opened(self) -> Result<ReaderBuilder<File>> {
        let Self { source, mut settings } = self;
        let path = source.as_ref();
        settings.name.get_or_insert_with(|| path.to_string_lossy().into());
        let fail = |error| settings.locate(Error::io(error, "opening the file"));
        let file = File::open(path).map_err(fail)?;
        if file.metadata().map_err(fail)?.is_dir() {
            return Err(fail(std::io::ErrorKind::IsADirectory.into()));
        }
        Ok(ReaderBuilder { source: file, settings })
    }
}
