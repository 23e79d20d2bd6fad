//! Records of an uncompressed file in memory: nothing is copied, nothing is allocated.

use std::iter::FusedIterator;

use super::Record;
use crate::frame::{FrameDecoder, Verify};
use crate::{Limits, Result};

/// Reads the records of an uncompressed TFRecord file in memory (or memory-mapped).
///
/// The payloads are parts of the slice and live as long as it does.
///
/// ```
/// use tfrecord_io::{SliceReader, frame};
///
/// let mut file = Vec::new();
/// frame::append(&mut file, b"one");
/// frame::append(&mut file, b"two");
///
/// let payloads = SliceReader::new(&file).into_iter().map(|r| r.map(|r| r.data)).collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(payloads, [b"one", b"two"]);
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SliceReader<'a> {
    rest: &'a [u8],
    decoder: FrameDecoder,
}

impl<'a> SliceReader<'a> {
    /// Returns a reader that compares both checksums and keeps to the default limits.
    pub fn new(data: &'a [u8]) -> Self {
        Self { rest: data, decoder: FrameDecoder::new() }
    }

    /// Chooses the checksums to compare. Default: [`Verify::All`].
    pub fn verify(mut self, verify: Verify) -> Self {
        self.decoder = self.decoder.verify(verify);
        self
    }

    /// Sets the limits; of these only [`Limits::record_bytes`] applies.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.decoder = self.decoder.record_bytes(limits.record_bytes);
        self
    }

    /// Returns the next record, or `None` at the end.
    ///
    /// # Errors
    ///
    /// As [`FrameDecoder::decode`] and [`FrameDecoder::finish`]. The reader stays before the damage: asking again
    /// gives the same error.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<Record<'a>>> {
        let (offset, index) = (self.decoder.offset(), self.decoder.index());
        match self.decoder.decode_one(self.rest)? {
            Some(data) => {
                self.rest = self.rest.get(data.len() + crate::frame::OVERHEAD..).unwrap_or_default();
                Ok(Some(Record { offset, index, data }))
            }
            None => self.decoder.finish(self.rest).map(|()| None),
        }
    }
}

impl<'a> IntoIterator for SliceReader<'a> {
    type Item = Result<Record<'a>>;
    type IntoIter = SliceRecords<'a>;

    fn into_iter(self) -> SliceRecords<'a> {
        SliceRecords { reader: Some(self) }
    }
}

/// Iterator over the records of a [`SliceReader`]; ends after the first error.
#[derive(Clone, Debug)]
pub struct SliceRecords<'a> {
    reader: Option<SliceReader<'a>>,
}

impl<'a> Iterator for SliceRecords<'a> {
    type Item = Result<Record<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let next = self.reader.as_mut()?.next_record().transpose();
        if !matches!(next, Some(Ok(_))) {
            self.reader = None;
        }
        next
    }
}

impl FusedIterator for SliceRecords<'_> {}
