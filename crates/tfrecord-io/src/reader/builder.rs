//! Settings of a reader.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::ahead::{ReaderSource, Threaded};
use super::inflow::Inflow;
use super::push::PushDecoder;
use super::{FileDecoder, Reader};
use crate::compression::Compression;
use crate::frame::{FrameDecoder, Verify};
use crate::{Error, ErrorKind, Limits, Result, Threading};

/// Sets up a [`Reader`] over a source: a path, which [`open`](Self::open) opens, or any `Read`, which
/// [`build`](Self::build) takes. Made by [`Reader::builder`].
///
/// ```
/// use tfrecord_io::{frame, Compression, Kind, Reader};
///
/// let mut file = Vec::new();
/// frame::append(&mut file, b"not compressed");
///
/// // The default detects the compression.
/// let mut reader = Reader::new(&file[..]);
/// assert_eq!(reader.compression()?, Compression::None);
///
/// // A wrong statement is an error.
/// let mut reader = Reader::builder(&file[..]).compression(Compression::Gzip).build();
/// assert_eq!(reader.next_record().unwrap_err().detail(), Some(&Kind::CompressionMismatch));
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReaderBuilder<S = ()> {
    source: S,
    compression: Option<Compression>,
    verify: Verify,
    limits: Limits,
    buffer_bytes: usize,
    name: Option<Arc<str>>,
    stored_bytes: u64,
}

impl Default for ReaderBuilder {
    /// Returns settings without a source yet: see [`source`](Self::source).
    fn default() -> Self {
        Self::over(())
    }
}

impl ReaderBuilder {
    /// The default of [`ReaderBuilder::buffer_bytes`]: 256 KiB, which stays in a processor's second-level cache
    /// between the read and the checksum.
    pub const DEFAULT_BUFFER_BYTES: usize = 256 << 10;
}

impl<S> ReaderBuilder<S> {
    /// Returns a builder that detects the compression and compares both checksums, with default limits and buffer.
    pub(super) fn over(source: S) -> Self {
        Self {
            source,
            compression: None,
            verify: Verify::All,
            limits: Limits::default(),
            buffer_bytes: ReaderBuilder::DEFAULT_BUFFER_BYTES,
            name: None,
            stored_bytes: 0,
        }
    }

    /// States the compression; `None` detects it (see [`crate::compression`]). Default: `None`.
    pub fn compression(mut self, compression: impl Into<Option<Compression>>) -> Self {
        self.compression = compression.into();
        self
    }

    /// Chooses the checksums to compare. Default: [`Verify::All`].
    ///
    /// ```
    /// use tfrecord_io::{frame::{self, Verify}, Kind, Reader};
    ///
    /// let mut file = Vec::new();
    /// frame::append(&mut file, b"payload");
    /// file[12] = b'P';
    /// let mut reader = Reader::new(&file[..]);
    /// assert_eq!(reader.next_record().unwrap_err().detail(), Some(&Kind::PayloadCrc));
    ///
    /// let mut reader = Reader::builder(&file[..]).verify(Verify::Headers).build();
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

    /// Sets the maximum number of bytes read from the source at a time. Default: 256 KiB. Values below 4 KiB are raised to it.
    pub fn buffer_bytes(mut self, bytes: usize) -> Self {
        self.buffer_bytes = bytes.max(4 << 10);
        self
    }

    /// States how many bytes the source has, as they are stored. One that ends before them is an error: it was cut while it
    /// was read, perhaps exactly between two records. One that has more by then is read to its end. Default: 0, not known;
    /// [`open`](Self::open) asks for the file's size.
    ///
    /// ```
    /// use tfrecord_io::{frame, Kind, Reader};
    ///
    /// let mut file = Vec::new();
    /// frame::append(&mut file, b"one");
    /// let size = 2 * file.len() as u64;
    /// let mut reader = Reader::builder(&file[..]).stored_bytes(size).build();
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

    /// Uses the same settings for another source.
    pub fn source<T>(self, source: T) -> ReaderBuilder<T> {
        let Self { source: _, compression, verify, limits, buffer_bytes, name, stored_bytes } = self;
        ReaderBuilder { source, compression, verify, limits, buffer_bytes, name, stored_bytes }
    }

    /// Returns the most bytes of a payload.
    #[cfg(feature = "async")]
    pub(crate) fn record_bytes(&self) -> u64 {
        self.limits.record_bytes
    }

    /// Returns the decoder of a file, or of a range of an uncompressed one.
    pub(crate) fn push_decoder(&self, range: Option<Range<u64>>) -> PushDecoder {
        let mut inflow = Inflow::new(self.compression, self.limits, self.buffer_bytes, self.stored_bytes);
        let decoder = FrameDecoder::new().verify(self.verify).record_bytes(self.limits.record_bytes);
        let Range { start, end } = range.clone().unwrap_or(0..u64::MAX);
        if range.is_some() {
            inflow = inflow.plain_from(start);
        }
        PushDecoder::new(inflow, decoder.start(start), self.buffer_bytes, end, self.name.clone())
    }
}

impl ReaderBuilder {
    /// Returns the decoder of a file whose bytes are pushed.
    #[must_use]
    pub fn decoder(self) -> FileDecoder {
        FileDecoder::build(self.push_decoder(None))
    }
}

impl<R: Read> ReaderBuilder<R> {
    /// Reads the source, which is at the start of a file. Reads nothing yet.
    pub fn build(self) -> Reader<R> {
        let push = self.push_decoder(None);
        Reader::build(ReaderSource::Alone(self.source), push)
    }

    /// Reads the source, as [`build`](Self::build) does, with several threads if it is compressed: one inflates chunks
    /// of [`buffer_bytes`](Self::buffer_bytes) ahead, eight of them unless [`Threading::ahead`] is set, while the
    /// caller's checks and lends the records before them. More than two threads gain nothing. Records and errors are
    /// the same for any number of threads.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use tfrecord_io::{Compression, Reader, Threading, Writer};
    ///
    /// # #[cfg(feature = "gzip")] {
    /// let mut writer = Writer::builder(Vec::new()).compression(Compression::Gzip).build()?;
    /// for number in 0..1000u32 {
    ///     writer.write(&number.to_le_bytes())?;
    /// }
    /// let file = Cursor::new(writer.finish()?);
    ///
    /// let mut reader = Reader::builder(file).build_threaded(&Threading::new().threads(2));
    /// while reader.next_record()?.is_some() {}
    /// assert_eq!(reader.records_read(), 1000);
    /// # }
    /// # Ok::<(), tfrecord_io::Error>(())
    /// ```
    pub fn build_threaded(self, threading: &Threading) -> Reader<R>
    where
        R: Send + 'static,
    {
        if threading.threads < 2 {
            return self.build();
        }
        let push = self.push_decoder(None);
        Reader::build(ReaderSource::Threads(Threaded::new(self.source, threading, self.buffer_bytes)), push)
    }

    /// Reads the records of an *uncompressed* file whose headers start in a range of bytes; the last of them may reach
    /// beyond its end. A record must start at the start of the range, unless the range or the file ends there.
    ///
    /// # Errors
    ///
    /// Seeking fails, or the range ends before it starts.
    pub fn build_range(mut self, range: Range<u64>) -> Result<Reader<R>>
    where
        R: Seek,
    {
        check_range(&range)?;
        seek(&mut self.source, range.start, self.name.as_ref())?;
        let push = self.push_decoder(Some(range));
        Ok(Reader::build(ReaderSource::Alone(self.source), push))
    }
}

impl<P: AsRef<Path>> ReaderBuilder<P> {
    /// Opens the file.
    ///
    /// # Errors
    ///
    /// The file is missing, is a directory, or may not be read.
    pub fn open(self) -> Result<Reader<File>> {
        Ok(self.opened()?.build())
    }

    /// Opens the file and reads it with several threads, as [`build_threaded`](Self::build_threaded) does.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_threaded(self, threading: &Threading) -> Result<Reader<File>> {
        Ok(self.opened()?.build_threaded(threading))
    }

    /// Opens the file and reads a range of it, as [`build_range`](Self::build_range) does.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open) and [`build_range`](Self::build_range).
    pub fn open_range(self, range: Range<u64>) -> Result<Reader<File>> {
        self.opened()?.build_range(range)
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        self.source.as_ref()
    }

    fn opened(self) -> Result<ReaderBuilder<File>> {
        let (file, name) = open_file(self.source.as_ref())?;
        let bytes = file.metadata().ok().filter(|found| found.is_file()).map(|found| found.len());
        let mut builder = self.source(file);
        builder.stored_bytes = bytes.unwrap_or(builder.stored_bytes);
        builder.name.get_or_insert(name);
        Ok(builder)
    }
}

/// Moves a source to an offset.
pub(super) fn seek(source: &mut impl Seek, offset: u64, name: Option<&Arc<str>>) -> Result<()> {
    let sought = source.seek(SeekFrom::Start(offset)).map(drop);
    sought.map_err(|error| Error::io(error, "seeking").in_file_if_known(name).at_byte(offset))
}

/// Checks that a range of bytes does not end before it starts.
pub(crate) fn check_range(range: &Range<u64>) -> Result<()> {
    let Range { start, end } = range;
    if start <= end {
        return Ok(());
    }
    let what = format!("the range of bytes ends at {end}, before it starts at {start}");
    Err(Error::new(ErrorKind::InvalidArgument, what))
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
