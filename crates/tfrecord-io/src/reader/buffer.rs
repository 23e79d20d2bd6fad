//! A batch of records in one buffer.

use std::iter::FusedIterator;
use std::ops::Range;
use std::sync::Arc;

use super::Record;
use super::memory::Memory;
use crate::Result;
use crate::frame::{FrameDecoder, HEADER_LEN, footer, payload_damaged};

/// Many records in one buffer of bytes, to be filled again and again.
///
/// The bytes are a part of the file, frames included; the records are ranges of them. A buffer grows to the size of the
/// largest batch and stays there, so that a loop over batches allocates nothing after the first ones.
///
/// ```
/// use tfrecord_io::{BatchSize, frame, Reader, RecordBuffer};
///
/// let mut file = Vec::new();
/// for i in 0..10u8 {
///     frame::append(&mut file, &[i; 3]);
/// }
/// let mut reader = Reader::new(&file[..]);
/// let mut batch = RecordBuffer::new();
/// let mut sizes = Vec::new();
/// while reader.read_batch(&mut batch, BatchSize::records(4))? > 0 {
///     sizes.push(batch.len());
///     for record in &batch {
///         assert_eq!(record.data, [record.index as u8; 3]);
///     }
/// }
/// assert_eq!(sizes, [4, 4, 2]);
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RecordBuffer {
    /// Bytes of the batch, the first `filled` of the memory.
    pub(super) data: Memory,
    pub(super) filled: usize,
    pub(super) payloads: Vec<Range<usize>>,
    /// Offset in the stream of the first byte.
    first_offset: u64,
    first_index: u64,
    /// The file, for errors.
    file: Option<Arc<str>>,
}

impl RecordBuffer {
    /// Returns an empty buffer; allocates nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns how many records it holds.
    #[inline]
    pub fn len(&self) -> usize {
        self.payloads.len()
    }

    /// Returns whether it holds no record.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.payloads.is_empty()
    }

    /// Returns the record at `position`, counted from the start of the batch.
    #[inline]
    pub fn get(&self, position: usize) -> Option<Record<'_>> {
        let payload = self.payloads.get(position)?;
        Some(self.record(position, payload))
    }

    /// Returns the records in the order of the file.
    #[inline]
    pub fn iter(&self) -> Records<'_> {
        Records { buffer: self, next: 0 }
    }

    /// Compares the checksum of the payload at `position`, which is also in the buffer. For records that were read
    /// without checking it ([`Verify::Headers`](crate::frame::Verify::Headers)), to check it where they are used: on
    /// another thread, or only for some. A `position` without a record is not an error.
    ///
    /// ```
    /// use tfrecord_io::frame::{self, Verify};
    /// use tfrecord_io::{BatchSize, Kind, Reader, RecordBuffer};
    ///
    /// let mut file = Vec::new();
    /// frame::append(&mut file, b"first");
    /// frame::append(&mut file, b"second");
    /// file[34] ^= 1;
    /// let mut batch = RecordBuffer::new();
    /// Reader::builder(&file[..]).verify(Verify::Headers).build().read_batch(&mut batch, BatchSize::records(10).and_bytes(1 << 20))?;
    /// batch.check_payload(0)?;
    /// assert_eq!(batch.check_payload(1).unwrap_err().detail(), Some(&Kind::PayloadCrc));
    /// # Ok::<(), tfrecord_io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Kind::PayloadCrc`](crate::Kind::PayloadCrc), the same that the reader would have given.
    #[inline]
    pub fn check_payload(&self, position: usize) -> Result<()> {
        let Some(payload) = self.payloads.get(position) else { return Ok(()) };
        let record = self.record(position, payload);
        let behind = self.data.get(payload.end..).unwrap_or_default();
        match behind.first_chunk() {
            Some(stored) if *stored == footer(record.data) => Ok(()),
            _ => Err(payload_damaged(record.data.len() as u64)
                .at_byte(record.offset)
                .at_record(record.index)
                .in_file_if_known(self.file.as_ref())),
        }
    }

    /// Returns the bytes that [`ranges`](Self::ranges) index.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        self.data.get(..self.filled).unwrap_or_default()
    }

    /// Returns the range of each payload in [`bytes`](Self::bytes).
    #[inline]
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.payloads
    }

    /// Returns the sum of the payloads' lengths in bytes.
    pub fn payload_bytes(&self) -> u64 {
        self.payloads.iter().map(|payload| payload.len() as u64).sum()
    }

    /// Forgets the records, keeps the memory.
    pub fn clear(&mut self) {
        self.payloads.clear();
        self.filled = 0;
    }

    #[inline]
    fn record(&self, position: usize, payload: &Range<usize>) -> Record<'_> {
        let into = payload.start.saturating_sub(HEADER_LEN);
        Record {
            offset: self.first_offset.saturating_add(into as u64),
            index: self.first_index.saturating_add(position as u64),
            data: self.data.get(payload.clone()).unwrap_or_default(),
        }
    }

    /// Starts a batch at the decoder's position in a file.
    pub(crate) fn begin(&mut self, decoder: &FrameDecoder, file: Option<&Arc<str>>) {
        self.payloads.clear();
        self.file = file.cloned();
        self.first_offset = decoder.offset();
        self.first_index = decoder.index();
    }
}

impl<'a> IntoIterator for &'a RecordBuffer {
    type Item = Record<'a>;
    type IntoIter = Records<'a>;

    #[inline]
    fn into_iter(self) -> Records<'a> {
        self.iter()
    }
}

/// Iterator over the records of a [`RecordBuffer`].
#[derive(Clone, Debug)]
pub struct Records<'a> {
    buffer: &'a RecordBuffer,
    next: usize,
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    #[inline]
    fn next(&mut self) -> Option<Record<'a>> {
        let record = self.buffer.get(self.next)?;
        self.next += 1;
        Some(record)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.buffer.len() - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Records<'_> {}
impl FusedIterator for Records<'_> {}
