//! What can be set before a container is opened.

use std::fs::File;
use std::io::{Read, Seek};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use tfxio_core::Limits;

use super::{BlockDecoder, ContainerReader};
use crate::{Error, Result};

/// Opens containers.
///
/// ```
/// use avro_path::{Limits, Schema};
/// use avro_path::container::{ReaderBuilder, WriterBuilder};
///
/// let schema = Schema::parse("\"long\"")?;
/// let mut writer = WriterBuilder::new().from_writer(Vec::new(), &schema)?;
/// writer.write(&[84])?;
/// let file = writer.finish()?;
///
/// let limits = Limits::default().record_bytes(1 << 20);
/// let mut reader = ReaderBuilder::new().limits(limits).name("memory").from_reader(&file[..])?;
/// let block = reader.next_block()?.expect("one block");
/// assert_eq!((block.count(), block.bytes()), (1, &[84][..]));
/// assert!(reader.next_block()?.is_none());
/// # Ok::<(), avro_path::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ReaderBuilder {
    pub(super) limits: Limits,
    pub(super) name: Option<Arc<str>>,
}

impl ReaderBuilder {
    /// With the default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What a container may claim. [`record_bytes`](Limits::record_bytes) bounds a block as it is stored and after
    /// decompression; [`decompression_ratio`](Limits::decompression_ratio) bounds what a block becomes by
    /// decompression, but never below 16 MiB; [`decompressed_bytes`](Limits::decompressed_bytes) the sum over all
    /// blocks; [`list_items`](Limits::list_items) the records of one block if they have no bytes.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// A name for errors, where there is no path. Default none.
    #[must_use]
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Opens a file.
    ///
    /// # Errors
    /// When the file cannot be opened, is not an Avro object container, or has a schema or codec that cannot be read.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<ContainerReader<File>> {
        let (builder, file) = self.file(path.as_ref())?;
        builder.from_reader(file)
    }

    /// Reads from anything, from its present position on; what is there is read in chunks of 128 KiB or more, so that
    /// it need not be buffered.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_reader<R: Read>(&self, source: R) -> Result<ContainerReader<R>> {
        ContainerReader::start(source, self)
    }

    /// Reads the blocks that belong to a part of a file; see [`splits`](super::splits).
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_split(&self, path: impl AsRef<Path>, split: Range<u64>) -> Result<ContainerReader<File>> {
        let (builder, file) = self.file(path.as_ref())?;
        builder.from_reader_split(file, split.start, split.end)
    }

    /// Reads the blocks of a source that begin in a range of bytes. The source is read from its beginning for the
    /// header, then from `start`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_reader_split<R: Read + Seek>(
        &self,
        source: R,
        start: u64,
        end: u64,
    ) -> Result<ContainerReader<R>> {
        let mut reader = self.from_reader(source)?;
        reader.restrict(start, end).map_err(|error| self.locate(error))?;
        Ok(reader)
    }

    /// Makes a decoder of bytes that somebody else reads.
    #[must_use]
    pub fn build_decoder(&self) -> BlockDecoder {
        BlockDecoder::start(self.clone())
    }

    /// Returns the error with the name of the file.
    pub(super) fn locate(&self, mut error: Error) -> Error {
        error.position_mut().file.clone_from(&self.name);
        error
    }

    fn file(&self, path: &Path) -> Result<(Self, File)> {
        let mut builder = self.clone();
        let name = builder.name.get_or_insert_with(|| path.to_string_lossy().into());
        let fail = |error| {
            let mut error = Error::io(error, "opening the file");
            error.position_mut().file = Some(Arc::clone(name));
            error
        };
        let file = File::open(path).map_err(fail)?;
        if file.metadata().map_err(fail)?.is_dir() {
            return Err(fail(std::io::ErrorKind::IsADirectory.into()));
        }
        Ok((builder, file))
    }
}
