//! A container file that appears under its name only when it is whole.

use serde_core::Serialize;
use tfxio_base::{ClosedFile, OutputFile, WriteErrors};

use super::encoded_block::EncodedBlock;
use super::writer::{ContainerWriter, WriterBuilder};
use crate::Result;
use crate::schema::AvroSchema;

/// Writes a container, which appears under its name in [`finish`](Self::finish), as every [`OutputFile`]. Made by
/// [`WriterBuilder::create`].
#[derive(Debug)]
pub struct FileWriter {
    writer: ContainerWriter<OutputFile>,
    errors: WriteErrors,
}

impl FileWriter {
    pub(super) fn start(builder: WriterBuilder<OutputFile, AvroSchema>) -> Result<Self> {
        let errors = builder.target.errors();
        let writer = builder.build().map_err(|error| errors.named(error))?;
        Ok(Self { writer, errors })
    }

    /// Writes a record from its bytes; see [`ContainerWriter::write`].
    ///
    /// # Errors
    /// As [`ContainerWriter::write`].
    pub fn write(&mut self, datum: &[u8]) -> Result<()> {
        self.writer.write(datum).map_err(|error| self.errors.named(error))
    }

    /// Writes a record whose bytes are appended by a function; see [`ContainerWriter::write_with`].
    ///
    /// # Errors
    /// As [`ContainerWriter::write_with`].
    pub fn write_with(&mut self, append: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
        self.writer.write_with(append).map_err(|error| self.errors.named(error))
    }

    /// Writes a record from a value of a type of serde; see [`ContainerWriter::write_value`].
    ///
    /// # Errors
    /// As [`ContainerWriter::write_value`].
    pub fn write_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.writer.write_value(value).map_err(|error| self.errors.named(error))
    }

    /// Writes a block that was compressed before; see [`ContainerWriter::write_block`].
    ///
    /// # Errors
    /// As [`ContainerWriter::write_block`].
    pub fn write_block(&mut self, block: &EncodedBlock) -> Result<()> {
        self.writer.write_block(block).map_err(|error| self.errors.named(error))
    }

    /// Returns the number of records written.
    #[must_use]
    pub fn records_written(&self) -> u64 {
        self.writer.records_written()
    }

    /// Returns the number of bytes so far; see [`ContainerWriter::bytes_written`].
    #[must_use]
    pub fn bytes_written(&self) -> u64 {
        self.writer.bytes_written()
    }

    /// Writes the buffered block, waits for the device, and gives the file its name. Returns its size in bytes.
    ///
    /// # Errors
    /// When writing or renaming fails, or the target came into being meanwhile and may not be replaced. Nothing is left
    /// then, and a file that had the name before is still there.
    pub fn finish(self) -> Result<u64> {
        self.close()?.publish()
    }

    /// Does all of [`finish`](Self::finish) but the renaming, for sets of files that should appear together.
    ///
    /// # Errors
    /// When writing fails.
    pub fn close(self) -> Result<ClosedFile> {
        let Self { writer, errors } = self;
        writer.finish().map_err(|error| errors.named(error))?.close()
    }
}
