//! The push decoder of containers: bytes in, blocks out.

use std::sync::Arc;

use super::block::Block;
use super::frame::{Parsed, Window};
use super::header::{Header, HeaderParser};
use super::open::{ReaderBuilder, Settings};
use super::parser::{BlockParser, ParseStep};
use crate::Result;

/// Decodes a container that comes in chunks of any sizes: from a socket, an object store, a message queue. It does no I/O.
///
/// Give it the bytes in order. It takes from the front of a chunk what it needs and lends one block after the other. A
/// block that is whole within a chunk is lent from there if its codec is [`Codec::Null`](super::Codec::Null), and
/// decompressed from there otherwise; only one that begins in an earlier chunk is copied, into memory that is used
/// again. Wherever the chunks end, the blocks, their positions and the errors are the same as of a
/// [`ContainerReader`](super::ContainerReader) of the whole.
///
/// Counts and sizes in the input are claims: memory grows with the bytes that have come, within the
/// [`Limits`](crate::Limits) of the [`ReaderBuilder`] that [makes](ReaderBuilder::build_decoder) the decoder.
///
/// ```
/// use avro_path::AvroSchema;
/// use avro_path::container::{BlockDecoder, ContainerWriter};
///
/// # let schema = AvroSchema::parse("\"long\"")?;
/// # let mut writer = ContainerWriter::builder(Vec::new(), &schema).block_bytes(100).build()?;
/// # for _ in 0..1000 {
/// #     writer.write(&[84])?;
/// # }
/// # let file = writer.finish()?;
/// let mut decoder = BlockDecoder::new();
/// let mut records = 0;
/// // Any source, synchronous or not.
/// for chunk in file.chunks(4096) {
///     let mut input = chunk;
///     while let Some(block) = decoder.next_block(&mut input)? {
///         records += block.count();
///     }
/// }
/// while let Some(block) = decoder.finish()? {
///     records += block.count();
/// }
/// assert_eq!(records, 1000);
/// # Ok::<(), avro_path::Error>(())
/// ```
///
/// The same in an asynchronous function, with any runtime:
///
/// ```
/// # use avro_path::container::BlockDecoder;
/// # struct Socket;
/// # impl Socket {
/// #     async fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> { Ok(0) }
/// # }
/// async fn count(mut socket: Socket) -> Result<u64, Box<dyn std::error::Error>> {
///     let (mut decoder, mut records) = (BlockDecoder::new(), 0);
///     let mut buffer = vec![0; 64 << 10];
///     loop {
///         let read = socket.read(&mut buffer).await?;
///         if read == 0 {
///             break;
///         }
///         let mut input = &buffer[..read];
///         while let Some(block) = decoder.next_block(&mut input)? {
///             records += block.count();
///         }
///     }
///     while let Some(block) = decoder.finish()? {
///         records += block.count();
///     }
///     Ok(records)
/// }
/// ```
#[derive(Debug)]
pub struct BlockDecoder {
    stage: Stage,
    /// Bytes that came and are not done with.
    held: Vec<u8>,
    /// Bytes at the beginning of `held` that were lent.
    lent: usize,
    /// Number of bytes that must be held before parsing them again can succeed.
    need: usize,
}

#[derive(Debug)]
enum Stage {
    Header(HeaderParser, Settings),
    Blocks(Box<BlockParser>),
    Failed,
}

impl Default for BlockDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl BlockDecoder {
    /// Returns a decoder with the default limits, and without a name for errors; see [`ReaderBuilder::build_decoder`].
    #[must_use]
    pub fn new() -> Self {
        ReaderBuilder::default().build_decoder()
    }

    pub(super) fn start(settings: Settings) -> Self {
        Self {
            stage: Stage::Header(HeaderParser::new(settings.schema_limits), settings),
            held: Vec::new(),
            lent: 0,
            need: 0,
        }
    }

    /// Returns the container's header, as soon as all of it has come.
    #[must_use]
    pub fn header(&self) -> Option<&Arc<Header>> {
        match &self.stage {
            Stage::Blocks(parser) => Some(parser.header()),
            _ => None,
        }
    }

    /// Returns whether nothing more comes, whatever the input: after an error, after the end of a range, and after
    /// [`finish`](Self::finish) has returned `None`.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        match &self.stage {
            Stage::Header(..) => false,
            Stage::Blocks(parser) => parser.has_ended(),
            Stage::Failed => true,
        }
    }

    /// Takes bytes from the front of `input` until a block is there as a whole, and lends it. `None` means that all of the
    /// input was taken and more is needed, or that the decoder [has ended](Self::has_ended).
    ///
    /// # Errors
    /// When the header cannot be read; when a block's head, its sync marker or its compressed bytes are damaged; when a
    /// limit is reached. The position has file, byte and block. After an error nothing follows.
    pub fn next_block<'a, 'b: 'a>(&'a mut self, input: &mut &'b [u8]) -> Result<Option<Block<'a>>> {
        self.decode(input, false)
    }

    /// Lends the remaining blocks after the end of the input. To be called until it returns `None`.
    ///
    /// # Errors
    /// When the input has ended within the header or a block; as [`next_block`](Self::next_block).
    pub fn finish(&mut self) -> Result<Option<Block<'_>>> {
        self.decode(&mut &[][..], true)
    }

    /// Restricts the decoder to blocks that begin at `start` or after it and before `end`; see
    /// [`splits`](super::splits). Returns the offset in the container at which the input has to go on. To be called
    /// when the [header](Self::header) is there and before any block was lent; without a header it does nothing and
    /// returns `None`.
    ///
    /// ```
    /// use avro_path::AvroSchema;
    /// use avro_path::container::{BlockDecoder, ContainerWriter};
    ///
    /// # let schema = AvroSchema::parse("\"long\"")?;
    /// # let mut writer = ContainerWriter::builder(Vec::new(), &schema).block_bytes(100).build()?;
    /// # for _ in 0..1000 {
    /// #     writer.write(&[84])?;
    /// # }
    /// # let file = writer.finish()?;
    /// let mut decoder = BlockDecoder::new();
    /// let mut at = 0;
    /// while decoder.header().is_none() {
    ///     assert!(decoder.next_block(&mut &file[at..at + 1])?.is_none());
    ///     at += 1;
    /// }
    /// let start = decoder.restrict(500, 900).unwrap();
    /// let mut input = &file[usize::try_from(start)?..];
    /// while let Some(block) = decoder.next_block(&mut input)? {
    ///     assert!((500..900).contains(&block.position().offset));
    /// }
    /// assert!(decoder.has_ended());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restrict(&mut self, start: u64, end: u64) -> Option<u64> {
        let Stage::Blocks(parser) = &mut self.stage else { return None };
        self.held.clear();
        (self.lent, self.need) = (0, 0);
        Some(parser.restrict(start, end))
    }

    fn decode<'a, 'b: 'a>(&'a mut self, input: &mut &'b [u8], is_end: bool) -> Result<Option<Block<'a>>> {
        let lent = std::mem::take(&mut self.lent);
        self.held.drain(..lent.min(self.held.len()));
        let (is_held, whole) = loop {
            let is_held = !self.held.is_empty();
            if is_held && self.held.len() < self.need {
                let more = self.need - self.held.len();
                self.held.extend_from_slice(take(input, more));
                if self.held.len() < self.need && !is_end {
                    return Ok(None);
                }
            }
            let bytes = if is_held { &self.held } else { *input };
            match Self::step(&mut self.stage, Window { bytes, is_end })? {
                ParseStep::Block(whole) => break (is_held, whole),
                ParseStep::Skip(bytes) if is_held => {
                    self.held.drain(..bytes.min(self.held.len()));
                    self.need = 0;
                }
                ParseStep::Skip(bytes) => _ = take(input, bytes),
                ParseStep::Need(bytes) => {
                    self.need = bytes;
                    if !is_held {
                        self.held.extend_from_slice(take(input, usize::MAX));
                        return Ok(None);
                    }
                }
                ParseStep::End => {
                    self.held.clear();
                    return Ok(None);
                }
            }
        };
        self.need = 0;
        let Stage::Blocks(parser) = &self.stage else { return Ok(None) };
        Ok(if is_held {
            self.lent = whole;
            parser.lent(&self.held)
        } else {
            let window = *input;
            take(input, whole);
            parser.lent(window)
        })
    }

    /// Makes a step with a window.
    fn step(stage: &mut Stage, window: Window<'_>) -> Result<ParseStep> {
        match stage {
            Stage::Header(header, settings) => match BlockParser::parse_header(header, window, settings) {
                Ok(Parsed::Need(bytes)) => Ok(ParseStep::Need(bytes)),
                Ok(Parsed::Done(parser)) => {
                    let length = usize::try_from(parser.offset()).unwrap_or(usize::MAX);
                    *stage = Stage::Blocks(Box::new(parser));
                    Ok(ParseStep::Skip(length))
                }
                Err(error) => {
                    *stage = Stage::Failed;
                    Err(error)
                }
            },
            Stage::Blocks(parser) => parser.step(window),
            Stage::Failed => Ok(ParseStep::End),
        }
    }
}

/// Takes bytes from the front.
fn take<'a>(input: &mut &'a [u8], bytes: usize) -> &'a [u8] {
    let (taken, rest) = input.split_at_checked(bytes).unwrap_or((*input, &[]));
    *input = rest;
    taken
}
