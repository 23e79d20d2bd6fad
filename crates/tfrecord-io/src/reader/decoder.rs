//! Decoder of a file that is pushed.

use super::push::{PushDecoder, PushStep};
use super::{ReaderBuilder, Record};
use crate::Result;

/// Decodes the records of a file, compressed or not, from bytes that come in chunks of any size: from a socket, a channel, or a source that
/// is neither a [`Read`](std::io::Read) nor an object store. [`ReaderBuilder::decoder`] has the settings of one;
/// [`FrameDecoder`](crate::frame::FrameDecoder) decodes frames in memory, without compression.
///
/// ```
/// use tfrecord_io::{FileDecoder, Writer};
///
/// let mut writer = Writer::new(Vec::new());
/// writer.write(b"one")?;
/// writer.write(b"two")?;
/// let file = writer.finish()?;
///
/// let mut decoder = FileDecoder::new();
/// let mut lengths = Vec::new();
/// for mut chunk in file.chunks(5) {
///     while let Some(record) = decoder.next_record(&mut chunk)? {
///         lengths.push(record.data.len());
///     }
/// }
/// decoder.finish()?;
/// assert_eq!(lengths, [3, 3]);
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
#[derive(Debug)]
pub struct FileDecoder {
    push: PushDecoder,
}

impl Default for FileDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl FileDecoder {
    /// Returns a decoder that detects the compression and compares both checksums, with default limits.
    #[must_use]
    pub fn new() -> Self {
        ReaderBuilder::default().decoder()
    }

    pub(super) fn build(push: PushDecoder) -> Self {
        Self { push }
    }

    /// Lends the next record. Takes bytes from the front of `input` until a record is whole; `None` once all are taken and no record is.
    ///
    /// # Errors
    ///
    /// As [`Reader::next_record`](crate::Reader::next_record), but for an input that ends within a record.
    pub fn next_record(&mut self, input: &mut &[u8]) -> Result<Option<Record<'_>>> {
        loop {
            match self.push.next()? {
                PushStep::Done(true) => return Ok(Some(self.push.last())),
                PushStep::Done(false) => return Ok(None),
                PushStep::NeedsInput if input.is_empty() => return Ok(None),
                PushStep::NeedsInput => self.push.read_from(input)?,
            }
        }
    }

    /// Returns the number of records so far.
    #[must_use]
    pub fn records_read(&self) -> u64 {
        self.push.decoder().index()
    }

    /// Ends the input, whose records have all been lent, and returns their number.
    ///
    /// # Errors
    ///
    /// The input ended within a record or within a compressed stream.
    pub fn finish(mut self) -> Result<u64> {
        loop {
            match self.push.next()? {
                PushStep::Done(true) => {}
                PushStep::Done(false) => return Ok(self.records_read()),
                PushStep::NeedsInput => self.push.read_from(&mut std::io::empty())?,
            }
        }
    }
}
