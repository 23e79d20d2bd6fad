//! A file of records that appears under its name only when it is whole.

use std::path::Path;

use tfxio_base::{ClosedFile, OutputFile, WriteErrors};

#[cfg(feature = "gzip")]
use super::GzipMember;
use super::{Writer, WriterBuilder};
use crate::Result;
use crate::shards::Shard;

/// Writes a file of records, which appears under its name in [`finish`](Self::finish), as every [`OutputFile`].
///
/// ```
/// use tfrecord_io::{FileWriter, Reader};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("train.tfrecord");
/// let mut writer = FileWriter::create(&path)?;
/// writer.write(b"payload")?;
/// assert!(!path.exists());
/// writer.finish()?;
/// assert_eq!(Reader::open(&path)?.into_records().count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FileWriter {
    writer: Writer<OutputFile>,
    errors: WriteErrors,
}

impl FileWriter {
    /// Creates a file with the defaults of [`WriterBuilder`].
    ///
    /// # Errors
    ///
    /// As [`WriterBuilder::create`].
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        Writer::builder(path).create()
    }

    pub(super) fn build(settings: &WriterBuilder, path: &Path) -> Result<Self> {
        Self::of_file(settings, OutputFile::create(path, settings.overwrite)?.sync(settings.sync))
    }

    pub(super) fn of_file(settings: &WriterBuilder, file: OutputFile) -> Result<Self> {
        let errors = file.errors();
        let writer = settings.target(file).build().map_err(|error| errors.named(error))?;
        Ok(Self { writer, errors })
    }

    /// Writes one record.
    ///
    /// # Errors
    ///
    /// Writing fails, for example because the disk is full. Drop the writer then: that removes the incomplete file.
    pub fn write(&mut self, payload: &[u8]) -> Result<()> {
        self.writer.write(payload).map_err(|error| self.errors.named(error))
    }

    /// Writes whole frames; see [`Writer::write_frames`].
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn write_frames(&mut self, frames: &[u8], records: u64) -> Result<()> {
        self.writer.write_frames(frames, records).map_err(|error| self.errors.named(error))
    }

    /// Writes a member that was compressed before; see [`Writer::write_member`].
    ///
    /// # Errors
    ///
    /// As [`Writer::write_member`].
    #[cfg(feature = "gzip")]
    pub fn write_member(&mut self, member: &GzipMember) -> Result<()> {
        self.writer.write_member(member).map_err(|error| self.errors.named(error))
    }

    /// Returns the number of records that were written.
    pub fn records_written(&self) -> u64 {
        self.writer.records_written()
    }

    /// Returns the offset in the uncompressed stream where the next record will begin.
    pub fn offset(&self) -> u64 {
        self.writer.offset()
    }

    /// Writes the buffered bytes, waits for the device (see [`WriterBuilder::sync`]), and gives the file its name.
    /// Returns the size of the file in bytes.
    ///
    /// # Errors
    ///
    /// Writing or renaming fails, or the target came into being meanwhile and may not be replaced. Nothing is left
    /// then, and a file that had the name before is still there.
    pub fn finish(self) -> Result<u64> {
        self.close()?.publish()
    }
}

impl Shard for FileWriter {
    fn offset(&self) -> u64 {
        self.writer.offset()
    }

    fn close(self) -> Result<ClosedFile> {
        let Self { writer, errors } = self;
        writer.finish().map_err(|error| errors.named(error))?.close()
    }
}
