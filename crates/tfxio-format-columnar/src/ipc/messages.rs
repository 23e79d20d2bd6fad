//! The messages of a stream, one after the other; see the
//! [format](https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format).

use std::io::{self, Read as _, SeekFrom};

use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::{Block, Message};
use arrow_schema::ArrowError;
use tfxio_core::{Count, Error, ErrorKind, Input};

use super::block::{self, damaged};
use super::file;
use super::sniff::MARKER;
use crate::columnar::Failure;

/// Bytes of metadata of one message.
const MOST_METADATA: u64 = 1 << 28;
/// Maximum bytes of a footer in the position of a message.
const MOST_FOOTER: u64 = 1 << 26;
/// Bytes by which a buffer grows, since the length of what follows is a claim.
const STEP: usize = 1 << 20;

/// Reads the messages of a stream.
pub(super) struct Messages {
    input: Box<dyn Input>,
    /// Bytes that were read of the input before, and come first.
    before: Vec<u8>,
    /// Offset of the next byte.
    at: u64,
    /// Size of the input, if it is known.
    size: Option<u64>,
    /// Number of record batches that were begun.
    batches: u64,
    /// Whether a footer follows the messages.
    is_file: bool,
}

/// The head of a message: its marker, its length and its metadata.
pub(super) struct Head {
    pub(super) bytes: Vec<u8>,
    pub(super) block: Block,
    pub(super) is_batch: bool,
}

impl Head {
    pub(super) fn message(&self) -> Result<Message<'_>, ArrowError> {
        block::message(&self.bytes)
    }
}

impl Messages {
    /// Reads an input of which something was read before, which comes first, from an offset on.
    pub(super) fn new(input: Box<dyn Input>, before: Vec<u8>, at: u64) -> Self {
        let size = input.size();
        Self { input, before, at, size, batches: 0, is_file: false }
    }

    /// Sets the size of an input that does not know it.
    pub(super) fn size(self, size: u64) -> Self {
        Self { size: Some(size), ..self }
    }

    /// Sets whether the messages are in a file, in which a footer follows them.
    pub(super) fn of_file(self, is_file: bool) -> Self {
        Self { is_file, ..self }
    }

    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Reads the head of the next message; nothing at the end of the stream.
    pub(super) fn next(&mut self) -> Result<Option<Head>, Failure> {
        let start = self.at;
        let mut bytes = self.read(4)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let is_marked = bytes == MARKER;
        if is_marked {
            let mut length = self.read(4)?;
            bytes.append(&mut length);
        }
        let length = match bytes.last_chunk() {
            Some(length) if bytes.len() == 4 + 4 * usize::from(is_marked) => i32::from_le_bytes(*length),
            _ => return Err(self.cut()),
        };
        let length = match u64::try_from(length) {
            Ok(0) => return Ok(None),
            Ok(length) if length <= MOST_METADATA => length,
            _ => {
                return Err(damaged(format!(
                    "a message at byte {start} claims a head of {}",
                    Count::of(length, "byte")
                ))
                .into());
            }
        };
        let prefix = bytes.len() as u64;
        bytes.append(&mut self.read(length)?);
        if bytes.len() as u64 != prefix + length {
            return Err(self.cut());
        }
        if self.is_file && !is_marked && !is_content(&bytes) {
            // Nothing marks the end of the messages of old files.
            let mut rest = self.read(MOST_FOOTER)?;
            let mut all = bytes.clone();
            all.append(&mut rest);
            if file::is_footer(&all) {
                return Ok(None);
            }
        }
        let message = block::message(&bytes)?;
        let is_batch = message.header_as_record_batch().is_some();
        let body = message.bodyLength();
        let Ok(body_bytes) = u64::try_from(body) else {
            return Err(damaged(format!(
                "a message at byte {start} claims a body of {}",
                Count::of(body, "byte")
            ))
            .into());
        };
        if self.size.is_some_and(|size| body_bytes > size.saturating_sub(self.at)) {
            return Err(self.cut());
        }
        let number = i64::try_from(start).ok().zip(i32::try_from(bytes.len()).ok());
        let (offset, metadata) = number.ok_or_else(|| damaged("a message begins too late"))?;
        let block = Block::new(offset, metadata, body);
        Ok(Some(Head { bytes, block, is_batch }))
    }

    /// Passes over the body of a message.
    pub(super) fn pass(&mut self, head: &Head) -> Result<(), Failure> {
        self.batches += u64::from(head.is_batch);
        self.at = self.at.saturating_add(head.block.bodyLength().unsigned_abs());
        self.input.seek(SeekFrom::Start(self.at))?;
        Ok(())
    }

    /// Returns a message with its body.
    pub(super) fn body(&mut self, head: &Head) -> Result<Buffer, Failure> {
        let length = usize::try_from(head.block.bodyLength())?;
        let mut buffer = MutableBuffer::from_len_zeroed(0);
        buffer.extend_from_slice(&head.bytes);
        let end = buffer.len().saturating_add(length);
        while buffer.len() < end {
            let from = buffer.len();
            buffer.resize(end.min(from.saturating_add(STEP.max(from))), 0);
            let part = buffer.get_mut(from..).unwrap_or_default();
            match self.input.read_exact(part) {
                Ok(()) => self.at = self.at.saturating_add(part.len() as u64),
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(self.cut()),
                Err(error) => return Err(error.into()),
            }
        }
        self.batches += u64::from(head.is_batch);
        Ok(buffer.into())
    }

    /// Reads as many bytes, or fewer at the end.
    fn read(&mut self, length: u64) -> Result<Vec<u8>, Failure> {
        let known = usize::try_from(length).unwrap_or(usize::MAX).min(self.before.len());
        let mut bytes = self.before.drain(..known).collect::<Vec<_>>();
        (&mut self.input).take(length - known as u64).read_to_end(&mut bytes)?;
        self.at = self.at.saturating_add(bytes.len() as u64);
        Ok(bytes)
    }

    /// Returns the error of a stream that ends within a message.
    #[cold]
    fn cut(&self) -> Failure {
        let end =
            self.size.map_or(String::new(), |size| format!(", and the file has {}", Count::of(size, "byte")));
        let what = format!(
            "the Arrow file cannot be read: the stream ends in the message of batch {} at byte {}{end}: it was not written \
             or copied to its end",
            self.batches, self.at
        );
        Error::new(ErrorKind::Malformed, what)
            .help("the file is not complete; copy or download it again")
            .into()
    }
}

/// Returns whether the head of a message is that of one that a file has.
fn is_content(head: &[u8]) -> bool {
    block::message(head).is_ok_and(|message| {
        message.header_as_schema().is_some()
            || message.header_as_record_batch().is_some()
            || message.header_as_dictionary_batch().is_some()
    })
}
