//! All knobs of a reader.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use super::RecordReader;
use super::source::Source;
use crate::compression::Compression;
use crate::frame::{FrameDecoder, Verify};
use crate::{Error, ErrorKind, Limits, Result};

/// Sets up a [`RecordReader`]. The verb that takes the source comes last.
///
/// ```
/// use tfrecord_io::{Compression, Kind, ReaderBuilder, frame};
///
/// let mut file = Vec::new();
/// frame::append(&mut file, b"not compressed");
///
/// // The default detects the compression.
/// let mut reader = ReaderBuilder::new().from_reader(&file[..]);
/// assert_eq!(reader.compression()?, Compression::None);
///
/// // A wrong statement is an error.
/// let mut reader = ReaderBuilder::new().compression(Some(Compression::Gzip)).from_reader(&file[..]);
/// assert_eq!(reader.next_record().unwrap_err().detail(), Some(&Kind::CompressionMismatch));
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReaderBuilder {
    compression: Option<Compression>,
    verify: Verify,
    limits: Limits,
    buffer_bytes: usize,
    name: Option<Arc<str>>,
    stored_bytes: u64,
}

impl Default for ReaderBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ReaderBuilder {
    /// The default of [`ReaderBuilder::buffer_bytes`]: 256 KiB, which stays in a processor's second-level cache
    /// between the read and the checksum.
    pub const DEFAULT_BUFFER_BYTES: usize = 256 << 10;

    /// Compression detected, both checksums compared, default limits and buffer.
    pub fn new() -> Self {
        Self {
            compression: None,
            verify: Verify::All,
            limits: Limits::default(),
            buffer_bytes: Self::DEFAULT_BUFFER_BYTES,
            name: None,
            stored_bytes: 0,
        }
    }

    /// States the compression; `None` detects it (see [`crate::compression`]). Default: `None`.
    pub fn compression(mut self, compression: Option<Compression>) -> Self {
        self.compression = compression;
        self
    }

    /// Chooses the checksums to compare. Default: [`Verify::All`].
    ///
    /// ```
    /// use tfrecord_io::{Kind, ReaderBuilder, frame::{self, Verify}};
    ///
    /// let mut file = Vec::new();
    /// frame::append(&mut file, b"payload");
    /// file[12] = b'P';
    /// let mut reader = ReaderBuilder::new().from_reader(&file[..]);
    /// assert_eq!(reader.next_record().unwrap_err().detail(), Some(&Kind::PayloadCrc));
    ///
    /// let mut reader = ReaderBuilder::new().verify(Verify::Headers).from_reader(&file[..]);
    /// assert_eq!(reader.next_record()?.map(|record| record.data), Some(&b"Payload"[..]));
    /// # Ok::<(), tfrecord_io::Error>(())
    /// ```
    pub fn verify(mut self, verify: Verify) -> Self {
        self.verify = verify;
        self
    }

    /// Sets the limits. Default: [`Limits::default`].
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The most bytes read from the source at a time. Default: 256 KiB. Values below 4 KiB are raised to it.
    pub fn buffer_bytes(mut self, bytes: usize) -> Self {
        self.buffer_bytes = bytes.max(4 << 10);
        self
    }

    /// States how many bytes the source has, as they are stored. One that ends before them is an error: it was cut while it
    /// was read, perhaps exactly between two records. One that has more by then is read to its end. Default: 0, not known;
    /// [`open`](Self::open) asks for the file's size.
    ///
    /// ```
    /// use tfrecord_io::{Kind, ReaderBuilder, frame};
    ///
    /// let mut file = Vec::new();
    /// frame::append(&mut file, b"one");
    /// let size = 2 * file.len() as u64;
    /// let mut reader = ReaderBuilder::new().stored_bytes(size).from_reader(&file[..]);
    /// reader.next_record()?;
    /// assert_eq!(reader.next_record().unwrap_err().detail(), Some(&Kind::Truncated));
    /// # Ok::<(), tfrecord_io::Error>(())
    /// ```
    pub fn stored_bytes(mut self, bytes: u64) -> Self {
        self.stored_bytes = bytes;
        self
    }

    /// Names the source in errors. [`open`](Self::open) uses the path.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Reads from `source`, which stands at the start of a file. Reads nothing yet.
    pub fn from_reader<R: Read>(self, source: R) -> RecordReader<R> {
        let source = Source::new(source, self.compression, self.limits, self.buffer_bytes);
        let source = source.of_bytes(0, self.stored_bytes);
        RecordReader::build(source, self.decoder(0), self.buffer_bytes, u64::MAX, self.name)
    }

    /// Reads from `source` the records of an *uncompressed* file whose headers start in `start..end`; the last of them
    /// may reach beyond `end`. A record must start at `start`, unless the range or the file ends there.
    ///
    /// # Errors
    ///
    /// Seeking fails, or `end` is before `start`.
    pub fn from_range<R: Read + Seek>(self, mut source: R, start: u64, end: u64) -> Result<RecordReader<R>> {
        if end < start {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("the range of bytes ends at {end}, before it starts at {start}"),
            ));
        }
        source.seek(SeekFrom::Start(start)).map_err(|error| {
            Error::io(error, "seeking").in_file_if_known(self.name.as_ref()).at_byte(start)
        })?;
        let decoder = self.decoder(start);
        Ok(RecordReader::build(
            Source::plain(source, self.limits).of_bytes(start, self.stored_bytes),
            decoder,
            self.buffer_bytes,
            end,
            self.name,
        ))
    }

    /// Opens a file.
    ///
    /// # Errors
    ///
    /// The file is missing, is a directory, or may not be read.
    pub fn open(self, path: impl AsRef<Path>) -> Result<RecordReader<File>> {
        let (file, name) = open_file(path.as_ref())?;
        let builder = if self.name.is_some() { self } else { self.name(name) };
        Ok(builder.of_file(&file).from_reader(file))
    }

    /// Opens a file and reads a range of it, as [`from_range`](Self::from_range) does.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open) and [`from_range`](Self::from_range).
    pub fn open_range(self, path: impl AsRef<Path>, start: u64, end: u64) -> Result<RecordReader<File>> {
        let (file, name) = open_file(path.as_ref())?;
        let builder = if self.name.is_some() { self } else { self.name(name) };
        builder.of_file(&file).from_range(file, start, end)
    }

    /// As [`from_range`](Self::from_range), for a source that stands at `start` already. A range from 0 on may be
    /// compressed if it has no end.
    #[cfg(feature = "async")]
    pub(crate) fn build_positioned<R: Read>(self, source: R, start: u64, end: u64) -> RecordReader<R> {
        if start == 0 && end == u64::MAX {
            return self.from_reader(source);
        }
        let decoder = self.decoder(start);
        RecordReader::build(Source::plain(source, self.limits), decoder, self.buffer_bytes, end, self.name)
    }

    /// With the size of a file, if it is a regular one.
    fn of_file(self, file: &File) -> Self {
        match file.metadata() {
            Ok(found) if found.is_file() => self.stored_bytes(found.len()),
            _ => self,
        }
    }

    fn decoder(&self, offset: u64) -> FrameDecoder {
        FrameDecoder::new()
            .with_verify(self.verify)
            .record_bytes(self.limits.record_bytes)
            .with_offset(offset)
    }
}

/// Opens a file for reading, with clear errors. Directories can be opened on some systems and fail at the first read
/// on others, so they are refused here.
pub(crate) fn open_file(path: &Path) -> Result<(File, Arc<str>)> {
    let name: Arc<str> = path.to_string_lossy().into();
    let fail = |error| Error::io(error, "opening the file").in_file(Arc::clone(&name));
    // On Windows opening a directory says "permission denied", so ask first.
    if path.is_dir() {
        return Err(fail(io::ErrorKind::IsADirectory.into()));
    }
    let file = File::open(path).map_err(fail)?;
    Ok((file, name))
}
