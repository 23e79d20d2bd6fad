//! The writer over any `Write`.

use std::io::Write;

#[cfg(feature = "gzip")]
use super::GzipMember;
use super::WriterBuilder;
use super::sink::Sink;
use crate::frame;
use crate::{Error, ErrorKind, Result};

/// Writes records to any [`Write`]. Made by a [`WriterBuilder`]; needs no `BufWriter` around its target.
///
/// Call [`finish`](Self::finish): a writer that is dropped writes what is buffered, too, but cannot report an error.
///
/// ```
/// use tfrecord_io::{Reader, Writer};
///
/// let mut writer = Writer::new(Vec::new());
/// writer.write(b"one")?;
/// writer.write(b"two")?;
/// let file = writer.finish()?;
///
/// let records = Reader::new(&file[..]).into_records().collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(records[1].data, b"two");
/// assert_eq!(records[1].offset, 19);
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
#[derive(Debug)]
pub struct Writer<W: Write = Vec<u8>> {
    /// Nothing once the target was given back or writing has failed.
    sink: Option<Sink<W>>,
    /// Whole frames that wait for the sink.
    pending: Vec<u8>,
    pending_records: u64,
    /// The sink gets `pending` when it is this long.
    threshold: usize,
    records: u64,
    offset: u64,
}

impl Writer {
    /// Returns a builder of a writer to `target`: any [`Write`], a path, or the name of a set of shards.
    pub fn builder<T>(target: T) -> WriterBuilder<T> {
        WriterBuilder::over(target)
    }
}

impl<W: Write> Writer<W> {
    /// Writes to `target`, not compressed.
    pub fn new(target: W) -> Self {
        Self::build(Sink::plain(target), WriterBuilder::default().buffer_bytes)
    }

    pub(super) fn build(sink: Sink<W>, threshold: usize) -> Self {
        Self { sink: Some(sink), pending: Vec::new(), pending_records: 0, threshold, records: 0, offset: 0 }
    }

    /// Writes one record.
    ///
    /// # Errors
    ///
    /// Writing to the target fails, which may concern records that were buffered before. The output is then incomplete,
    /// and the writer should be dropped.
    pub fn write(&mut self, payload: &[u8]) -> Result<()> {
        frame::append(&mut self.pending, payload);
        self.pending_records += 1;
        self.records += 1;
        self.offset += (payload.len() + frame::OVERHEAD) as u64;
        if self.pending.len() >= self.threshold {
            self.drain()?;
        }
        Ok(())
    }

    /// Writes whole frames, as [`frame::append`](crate::frame::append) makes them, and how many records they are. They are not
    /// checked. So other threads can compute the checksums.
    ///
    /// ```
    /// use tfrecord_io::{Reader, Writer, frame};
    ///
    /// let mut frames = Vec::new();
    /// frame::append(&mut frames, b"one");
    /// frame::append(&mut frames, b"two");
    /// let mut writer = Writer::new(Vec::new());
    /// writer.write_frames(&frames, 2)?;
    /// assert_eq!(Reader::new(&writer.finish()?[..]).into_records().count(), 2);
    /// # Ok::<(), tfrecord_io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn write_frames(&mut self, frames: &[u8], records: u64) -> Result<()> {
        self.records += records;
        self.offset += frames.len() as u64;
        if self.pending.is_empty() && frames.len() >= self.threshold {
            return self.with_sink(|sink, _| sink.write(frames, records));
        }
        self.pending.extend_from_slice(frames);
        self.pending_records += records;
        if self.pending.len() >= self.threshold {
            self.drain()?;
        }
        Ok(())
    }

    /// Writes a member that was compressed before, by another thread perhaps. Records that are buffered come before it, in a member
    /// of their own.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where gzip is not written in members; otherwise as
    /// [`write`](Self::write).
    #[cfg(feature = "gzip")]
    pub fn write_member(&mut self, member: &GzipMember) -> Result<()> {
        self.drain()?;
        self.with_sink(|sink, _| sink.write_member(member))?;
        self.records += member.records();
        self.offset += member.uncompressed_len();
        Ok(())
    }

    /// Hands all records over to the target and flushes it. In a gzip file of members, ends the member; in a single
    /// stream, spends a few bytes: not for every record.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn flush(&mut self) -> Result<()> {
        self.drain()?;
        self.with_sink(|sink, _| sink.flush())
    }

    /// Writes all that is buffered, ends compressed streams, and gives the target back.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn finish(mut self) -> Result<W> {
        self.drain()?;
        self.sink.take().ok_or_else(ended)?.finish()
    }

    /// Returns the number of records that were written.
    pub fn records_written(&self) -> u64 {
        self.records
    }

    /// Returns the offset in the uncompressed stream where the next record will begin.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the number of bytes that the target has received so far, after compression.
    pub fn stored_bytes(&self) -> u64 {
        self.sink.as_ref().map_or(0, Sink::written)
    }

    fn drain(&mut self) -> Result<()> {
        if self.pending_records > 0 {
            let records = self.pending_records;
            self.with_sink(|sink, pending| sink.write(pending, records))?;
            self.pending.clear();
            self.pending_records = 0;
        }
        Ok(())
    }

    /// Uses the sink, which is given up where it fails: what it has of a record by then is not known.
    fn with_sink(&mut self, with: impl FnOnce(&mut Sink<W>, &[u8]) -> Result<()>) -> Result<()> {
        let done = with(self.sink.as_mut().ok_or_else(ended)?, &self.pending);
        if done.as_ref().is_err_and(|error| error.kind() != ErrorKind::InvalidArgument) {
            self.sink = None;
        }
        done
    }
}

#[cold]
fn ended() -> Error {
    Error::new(ErrorKind::Other, "an earlier write to this target has failed")
        .help("drop the writer and write the file again")
}

impl<W: Write> Drop for Writer<W> {
    fn drop(&mut self) {
        if std::thread::panicking() || self.drain().is_err() {
            return;
        }
        if let Some(sink) = self.sink.take() {
            let _ = sink.finish();
        }
    }
}
