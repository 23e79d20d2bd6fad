//! A file that appears under its name only when it is whole.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::output::Output;
use super::{RecordWriter, WriterBuilder};
use crate::{Error, Result};

/// Writes a file of records under a temporary name beside the target, and gives it its name in
/// [`finish`](Self::finish). Dropped without that, it removes what it wrote; a crash leaves at most a file whose name
/// begins with a dot and ends with `.tmp`, and [`remove_unfinished`](super::remove_unfinished) removes those before a
/// signal ends the process. A file that is replaced gives the new one its mode.
///
/// A target that is no ordinary file (a pipe, a device) is written directly: there is nothing to rename.
///
/// ```
/// use tfrecord_io::{RecordReader, WriterBuilder};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("train.tfrecord");
/// let mut writer = WriterBuilder::new().create(&path)?;
/// writer.write(b"payload")?;
/// assert!(!path.exists());
/// writer.finish()?;
/// assert_eq!(RecordReader::open(&path)?.into_records().count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FileWriter {
    // Before `output`, so that the file is closed before it is renamed or removed (Windows refuses otherwise).
    writer: Option<RecordWriter<File>>,
    output: Output,
    sync: bool,
}

impl FileWriter {
    pub(super) fn create(builder: &WriterBuilder, path: &Path) -> Result<Self> {
        let (output, file) = Output::create(path, builder.overwrite)?;
        let writer = builder.from_writer(file).map_err(|error| output.named(error))?;
        Ok(Self { writer: Some(writer), output, sync: builder.sync })
    }

    /// Writes one record.
    ///
    /// # Errors
    ///
    /// Writing fails, for example because the disk is full. Drop the writer then: that removes what it wrote.
    pub fn write(&mut self, payload: &[u8]) -> Result<()> {
        match &mut self.writer {
            Some(writer) => writer.write(payload).map_err(|error| self.output.named(error)),
            None => Ok(()),
        }
    }

    /// How many records were written.
    pub fn records_written(&self) -> u64 {
        self.writer.as_ref().map_or(0, RecordWriter::records_written)
    }

    /// Offset in the uncompressed stream where the next record will begin.
    pub fn offset(&self) -> u64 {
        self.writer.as_ref().map_or(0, RecordWriter::offset)
    }

    /// The path that the file will have.
    pub fn path(&self) -> &Path {
        self.output.target()
    }

    /// Writes what is buffered, waits for the device (see [`WriterBuilder::sync`]), and gives the file its name.
    /// Returns the size of the file in bytes.
    ///
    /// # Errors
    ///
    /// Writing or renaming fails, or the target came into being meanwhile and may not be replaced. Nothing is left
    /// then, and what had the name before is still there.
    pub fn finish(mut self) -> Result<u64> {
        let size = self.close()?;
        self.output.publish()?;
        Ok(size)
    }

    /// All of [`finish`](Self::finish) but the renaming. For sets of files that should appear together.
    pub(super) fn close(&mut self) -> Result<u64> {
        let Some(writer) = self.writer.take() else { return Ok(0) };
        let named = |error: Error| self.output.named(error);
        let (file, size) = writer.finish_counted().map_err(named)?;
        if self.sync && !self.output.is_device() {
            file.sync_all().map_err(|error| named(Error::io(error, "writing to the device")))?;
        }
        Ok(size)
    }

    pub(super) fn publish(&mut self) -> Result<()> {
        self.output.publish()
    }

    /// Whether the target may have its name, as things stand.
    pub(super) fn check_target(&self) -> Result<()> {
        self.output.check_target()
    }

    pub(super) fn set_overwrite(&mut self, overwrite: bool) {
        self.output.set_overwrite(overwrite);
    }

    /// Gives the file another final name, in the same directory.
    pub(super) fn set_target(&mut self, target: PathBuf) {
        self.output.set_target(target);
    }
}
