//! A file that appears under its name only when it is whole.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{RecordWriter, WriterBuilder};
use crate::error::{Error, ErrorKind, Result};

/// Writes a file of records under a temporary name beside the target, and gives it its name in
/// [`finish`](Self::finish). Dropped without that, it removes what it wrote; a crash leaves at most a file whose name
/// begins with a dot and ends with `.tmp`.
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
        let writer = builder.from_writer(file).map_err(|error| error.in_file(&output.name))?;
        Ok(Self { writer: Some(writer), output, sync: builder.sync })
    }

    /// Writes one record.
    ///
    /// # Errors
    ///
    /// Writing fails, for example because the disk is full. Drop the writer then: that removes what it wrote.
    pub fn write(&mut self, payload: &[u8]) -> Result<()> {
        match &mut self.writer {
            Some(writer) => writer.write(payload).map_err(|error| error.in_file(&self.output.name)),
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
        &self.output.target
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
        let named = |error: Error| error.in_file(&self.output.name);
        let (file, size) = writer.finish_counted().map_err(named)?;
        if self.sync && self.output.temporary.is_some() {
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
        self.output.overwrite = overwrite;
    }

    /// Gives the file another final name, in the same directory.
    pub(super) fn set_target(&mut self, target: PathBuf) {
        self.output.name = target.to_string_lossy().into();
        self.output.target = target;
    }
}

/// Writes a small file that is not one of records, whole or not at all, in place of an older one.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let (mut output, mut file) = Output::create(path, true)?;
    let written = io::Write::write_all(&mut file, bytes).and_then(|()| file.sync_all());
    // Closed before it is renamed: Windows refuses otherwise.
    drop(file);
    written.map_err(|error| Error::io(error, "writing").in_file(&output.name))?;
    output.publish()
}

/// The names of a file being written; removes the temporary one when dropped.
#[derive(Debug)]
struct Output {
    target: PathBuf,
    /// For errors: the name that the user gave.
    name: Arc<str>,
    temporary: Option<PathBuf>,
    overwrite: bool,
}

impl Output {
    fn create(path: &Path, overwrite: bool) -> Result<(Self, File)> {
        let name: Arc<str> = path.to_string_lossy().into();
        let fail = |error| Error::io(error, "creating the file").in_file(&name);
        // Through a symbolic link, the file it names is replaced and not the link.
        let target = match fs::symlink_metadata(path) {
            Ok(found) if found.is_symlink() => fs::canonicalize(path).map_err(fail)?,
            _ => path.to_path_buf(),
        };
        match fs::metadata(&target) {
            Ok(found) if found.is_dir() => return Err(fail(io::ErrorKind::IsADirectory.into())),
            Ok(found) if !found.is_file() => {
                let file = OpenOptions::new().write(true).open(&target).map_err(fail)?;
                return Ok((Self { target, name, temporary: None, overwrite: true }, file));
            }
            Ok(_) if !overwrite => return Err(exists(&name)),
            _ => {}
        }
        let Some(file_name) = target.file_name() else {
            return Err(
                Error::new(ErrorKind::InvalidOption, "the path of an output names no file").in_file(&name)
            );
        };
        loop {
            let temporary = target.with_file_name(temporary_name(&file_name.to_string_lossy()));
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(file) => return Ok((Self { target, name, temporary: Some(temporary), overwrite }, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let folder = target.parent().unwrap_or(Path::new("")).display();
                    return Err(Error::new(
                        ErrorKind::NotFound,
                        format!("creating the file failed: the directory \"{folder}\" does not exist"),
                    )
                    .with_hint("make the directory first")
                    .with_source(error)
                    .in_file(&name));
                }
                Err(error) => return Err(fail(error)),
            }
        }
    }

    fn check_target(&self) -> Result<()> {
        if !self.overwrite && self.target.exists() { Err(exists(&self.name)) } else { Ok(()) }
    }

    fn publish(&mut self) -> Result<()> {
        self.check_target()?;
        let Some(temporary) = &self.temporary else { return Ok(()) };
        fs::rename(temporary, &self.target)
            .map_err(|error| Error::io(error, "giving the finished file its name").in_file(&self.name))?;
        self.temporary = None;
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // Nobody could be told if this failed.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// A name that no other writer of this machine uses at the moment, and that patterns such as `*` do not match.
fn temporary_name(name: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    // File systems stop at 255 bytes.
    let start: String = name.chars().take(50).collect();
    format!(".{start}.{process}-{count}.tmp")
}

fn exists(name: &Arc<str>) -> Error {
    Error::new(ErrorKind::OutputExists, "the output file exists already")
        .with_hint("remove it, choose another name, or allow overwriting")
        .in_file(name)
}
