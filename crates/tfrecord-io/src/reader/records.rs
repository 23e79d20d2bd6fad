//! The reader over any `Read`.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::buffer::grow;
use super::iter::IntoRecords;
use super::source::Source;
use super::{ReaderBuilder, Record, RecordBuffer};
use crate::compression::Compression;
use crate::frame::{FrameDecoder, HEADER_LEN, OVERHEAD};
use crate::{Error, Result};

/// The least that is read at a time once the rest of a batch is estimated: a system call costs as much as copying
/// this.
const MIN_READ: usize = 16 << 10;

/// Reads records from any [`Read`]. Made by a [`ReaderBuilder`]; needs no `BufReader` around its source.
///
/// ```no_run
/// use tfrecord_io::Reader;
///
/// let mut reader = Reader::open("train-00000-of-00016.tfrecord.gz")?;
/// let mut bytes = 0;
/// while let Some(record) = reader.next_record()? {
///     bytes += record.data.len();
/// }
/// println!("{bytes} bytes in {} records", reader.records_read());
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R = File> {
    source: Source<R>,
    decoder: FrameDecoder,
    /// `[..filled]` is read; the frames from `next` on are not decoded.
    data: Vec<u8>,
    next: usize,
    filled: usize,
    at_end: bool,
    /// An error that came while a batch already held records.
    pending: Option<Error>,
    buffer_bytes: usize,
    /// Offset before which the header of a record must start.
    end: u64,
    start: u64,
    file: Option<Arc<str>>,
}

impl Reader<File> {
    /// Opens a file with the defaults of [`ReaderBuilder`].
    ///
    /// # Errors
    ///
    /// As [`ReaderBuilder::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::builder(path).open()
    }

    /// Returns a builder of a reader over `source`: a path or any [`Read`].
    pub fn builder<S>(source: S) -> ReaderBuilder<S> {
        ReaderBuilder::over(source)
    }
}

impl<R: Read> Reader<R> {
    /// Reads `source` from its start with the defaults of [`ReaderBuilder`].
    pub fn new(source: R) -> Self {
        ReaderBuilder::over(source).build()
    }

    pub(super) fn build(
        source: Source<R>,
        decoder: FrameDecoder,
        buffer_bytes: usize,
        end: u64,
        file: Option<Arc<str>>,
    ) -> Self {
        let start = decoder.offset();
        Self {
            source,
            decoder: decoder.end(end),
            data: Vec::new(),
            next: 0,
            filled: 0,
            at_end: false,
            pending: None,
            buffer_bytes,
            end,
            start,
            file,
        }
    }

    /// Lends the next record; `None` at the end.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the input, with its place; see [`ErrorKind`](crate::ErrorKind). The reader stays where
    /// it is: damage is reported again by the next call, a failed read is tried again.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>> {
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        loop {
            let (offset, index) = (self.decoder.offset(), self.decoder.index());
            if offset >= self.end {
                return Ok(None);
            }
            let frames = self.data.get(self.next..self.filled).unwrap_or_default();
            let length = match self.decoder.decode_one(frames) {
                Ok(payload) => payload.map(<[u8]>::len),
                Err(error) => return Err(self.named(error)),
            };
            if let Some(length) = length {
                let start = self.next + HEADER_LEN;
                self.next += length + OVERHEAD;
                let data = self.data.get(start..start + length).unwrap_or_default();
                return Ok(Some(Record { offset, index, data }));
            }
            if self.at_end {
                return match self.decoder.finish(frames) {
                    Ok(()) => Ok(None),
                    Err(error) => Err(self.named(error)),
                };
            }
            if let Err(error) = self.refill() {
                return Err(self.placed(error));
            }
        }
    }

    /// Fills `batch` with the next records: at most `max_records`, and at most `max_bytes` of frames (a record and its
    /// 16 bytes), but one record at least. Returns how many; 0 at the end.
    ///
    /// Batches and [`next_record`](Self::next_record) may be mixed freely.
    ///
    /// # Errors
    ///
    /// As [`next_record`](Self::next_record). Records before the damage come as a shorter batch first.
    pub fn read_batch(
        &mut self,
        batch: &mut RecordBuffer,
        max_records: usize,
        max_bytes: usize,
    ) -> Result<usize> {
        if max_records == 0 {
            batch.clear();
            return Ok(0);
        }
        let mut from = self.begin_batch(batch)?;
        let result = self.extend_batch(batch, &mut from, max_records, max_bytes);
        self.end_batch(batch, from, result)
    }

    /// Starts a batch with what was read ahead. Returns where in it the first frame begins that is not decoded.
    ///
    /// A batch is begun, extended and ended; a reader whose source has nothing *yet* may extend it several times.
    pub(crate) fn begin_batch(&mut self, batch: &mut RecordBuffer) -> Result<usize> {
        batch.clear();
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        batch.append(self.data.get(self.next..self.filled).unwrap_or_default());
        batch.begin(&self.decoder, self.file.as_ref());
        Ok(0)
    }

    /// Reads and decodes until the batch is complete or something stands in the way.
    pub(crate) fn extend_batch(
        &mut self,
        batch: &mut RecordBuffer,
        from: &mut usize,
        max_records: usize,
        max_bytes: usize,
    ) -> Result<()> {
        loop {
            if self.decoder.offset() >= self.end {
                return Ok(());
            }
            let limit = max_bytes.max(HEADER_LEN);
            let progress = batch
                .decode(&mut self.decoder, *from, limit, max_records)
                .map_err(|error| self.named(error))?;
            *from = progress.next;
            if batch.len() >= max_records || progress.damaged {
                return Ok(());
            }
            let needed = from.saturating_add(progress.frame_len);
            if needed > limit {
                if batch.is_empty() {
                    // The first record alone is more than was asked for.
                    let progress = batch
                        .decode(&mut self.decoder, *from, usize::MAX, 1)
                        .map_err(|error| self.named(error))?;
                    *from = progress.next;
                }
                if !batch.is_empty() {
                    return Ok(());
                }
            }
            if self.at_end {
                let rest = batch.bytes().get(*from..).unwrap_or_default();
                return self.decoder.finish(rest).map_err(|error| self.named(error));
            }
            let wanted = self.wanted(batch, *from, needed, max_records, limit);
            batch.make_room(wanted);
            let out = batch.data.get_mut(..batch.filled + wanted).unwrap_or_default();
            match self.source.fill(out, batch.filled) {
                Ok(0) => self.at_end = true,
                Ok(more) => batch.filled += more,
                Err(error) => return Err(self.placed(error)),
            }
        }
    }

    /// Keeps what the batch does not need for the next one, and an error for later if there are records first.
    pub(crate) fn end_batch(
        &mut self,
        batch: &mut RecordBuffer,
        from: usize,
        result: Result<()>,
    ) -> Result<usize> {
        self.keep_rest(batch, from);
        match result {
            Err(error) if batch.is_empty() => Err(error),
            Err(error) => {
                self.pending = Some(error);
                Ok(batch.len())
            }
            Ok(()) => Ok(batch.len()),
        }
    }

    /// Iterates over the records, each in an allocation of its own.
    ///
    /// ```
    /// use tfrecord_io::{Reader, frame};
    ///
    /// let mut file = Vec::new();
    /// frame::append(&mut file, b"one");
    /// let records = Reader::new(&file[..]).into_records().collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(records[0].data, b"one");
    /// # Ok::<(), tfrecord_io::Error>(())
    /// ```
    pub fn into_records(self) -> IntoRecords<R> {
        IntoRecords::new(self)
    }

    /// How the source is compressed; reads its first bytes if nothing was read before.
    ///
    /// # Errors
    ///
    /// Reading fails, or a stated compression is not what the bytes hold.
    pub fn compression(&mut self) -> Result<Compression> {
        self.source.compression().map_err(|error| error.in_file_if_known(self.file.as_ref()))
    }

    /// How many records were read.
    pub fn records_read(&self) -> u64 {
        self.decoder.index()
    }

    /// Offset in the uncompressed stream behind the last record that was read.
    pub fn offset(&self) -> u64 {
        self.decoder.offset()
    }

    /// The name of the file, if it is known.
    pub fn file_name(&self) -> Option<&Arc<str>> {
        self.file.as_ref()
    }

    /// The source, for those who feed it.
    #[cfg(feature = "async")]
    pub(crate) fn source_mut(&mut self) -> &mut R {
        self.source.get_mut()
    }

    /// Gives the source back. It stands somewhere behind the last record that was read.
    pub fn into_inner(self) -> R {
        self.source.into_inner()
    }

    /// Reads more behind what is not decoded yet, in the reader's own buffer.
    fn refill(&mut self) -> Result<()> {
        self.source.compression()?;
        // Move what is needed to the front when the buffer is used up.
        if self.data.len() - self.filled < MIN_READ {
            self.data.copy_within(self.next..self.filled, 0);
            self.filled -= self.next;
            self.next = 0;
        }
        // A record longer than the buffer: grow with what has really come, not with what it claims.
        let undecoded = self.filled - self.next;
        grow(&mut self.data, self.next.saturating_add(self.buffer_bytes.max(undecoded.saturating_mul(2))));
        match self.source.fill(&mut self.data, self.filled)? {
            0 => self.at_end = true,
            more => self.filled += more,
        }
        Ok(())
    }

    /// How many bytes to read next for a batch whose frames from `from` on are not decoded. What is read beyond the
    /// batch must be copied for the next one, so this tries to hit its end.
    fn wanted(
        &self,
        batch: &RecordBuffer,
        from: usize,
        needed: usize,
        max_records: usize,
        limit: usize,
    ) -> usize {
        let most = self.buffer_bytes;
        let before = self.decoder.offset().saturating_sub(self.start);
        let estimate = match before.checked_div(self.decoder.index()) {
            None => most,
            Some(average) => {
                let missing = max_records.saturating_sub(batch.len()) as u64;
                let bytes = (average + 1).saturating_mul(missing);
                usize::try_from(bytes).unwrap_or(usize::MAX).saturating_sub(batch.filled.saturating_sub(from))
            }
        };
        let to_limit = limit.saturating_sub(batch.filled);
        // Behind the end of a range only the rest of its last record is needed.
        let undecoded = batch.filled.saturating_sub(from) as u64;
        let to_end = self.end.saturating_sub(self.decoder.offset()).saturating_sub(undecoded);
        let to_limit = to_limit.min(usize::try_from(to_end).unwrap_or(usize::MAX));
        // At least the frame that was begun, and never so little that the system call is what costs.
        let least = needed.saturating_sub(batch.filled).max(MIN_READ);
        estimate.min(to_limit).max(least).min(most)
    }

    /// Keeps what was read beyond the batch for the next call.
    fn keep_rest(&mut self, batch: &mut RecordBuffer, from: usize) {
        let rest = batch.data.get(from..batch.filled).unwrap_or_default();
        grow(&mut self.data, rest.len());
        if let Some(place) = self.data.get_mut(..rest.len()) {
            place.copy_from_slice(rest);
        }
        self.next = 0;
        self.filled = rest.len();
        batch.filled = from;
    }

    /// Adds the file's name to an error of the decoder.
    fn named(&self, error: Error) -> Error {
        error.in_file_if_known(self.file.as_ref())
    }

    /// Adds all that is known of the place to an error of the source.
    fn placed(&self, error: Error) -> Error {
        self.named(error.at_byte(self.decoder.offset()).at_record(self.decoder.index()))
    }
}
