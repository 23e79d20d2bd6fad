//! Reader of containers, block by block.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::sync::Arc;

use super::block::Block;
use super::header::{Header, HeaderParser};
use super::input::Input;
use super::open::{ReaderBuilder, Settings};
use super::parser::{BlockParser, ParseStep};
use crate::Result;

/// Reads an object container block by block. The memory is one block as it is stored and one after decompression,
/// both used again and again.
///
/// Records before a damage are delivered first, as far as the block that has it. If a block does not end with the
/// file's sync marker, the block itself may be good: if its bytes are exactly the records that it claims, it is
/// delivered too, and the error comes after it; otherwise it is not. Nothing follows an error; see
/// [`SalvageReader`](super::SalvageReader) for the records after the damage.
#[derive(Debug)]
pub struct ContainerReader<R> {
    pub(super) input: Input<R>,
    pub(super) parser: BlockParser,
    /// Bytes of the block that was lent last, as it is stored.
    pub(super) lent: usize,
}

impl ContainerReader<File> {
    /// Opens a file with the default limits.
    ///
    /// # Errors
    /// As [`ReaderBuilder::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::builder(path).open()
    }

    /// Returns a builder of a reader over `source`: a path or any [`Read`].
    pub fn builder<S>(source: S) -> ReaderBuilder<S> {
        ReaderBuilder::default().source(source)
    }
}

impl<R: Read> ContainerReader<R> {
    /// Reads from anything with the default limits.
    ///
    /// # Errors
    /// As [`ReaderBuilder::build`].
    pub fn new(source: R) -> Result<Self> {
        ContainerReader::builder(source).build()
    }

    pub(super) fn start(source: R, settings: &Settings) -> Result<Self> {
        let mut input = Input::new(source);
        let mut header = HeaderParser::new(settings.schema_limits);
        let parser = input.look(|window| BlockParser::parse_header(&mut header, window, settings));
        let parser = parser.map_err(|error| settings.locate(error))?;
        input.take_to(parser.offset());
        Ok(Self { input, parser, lent: 0 })
    }

    /// Returns the container's header: schema, codec, metadata.
    #[must_use]
    pub fn header(&self) -> &Arc<Header> {
        self.parser.header()
    }

    /// Returns the next block, or `None` at the end. Blocks without records are lent too.
    ///
    /// # Errors
    /// When reading fails; when the block's head, its sync marker or its compressed bytes are damaged, or the file
    /// ends within it; when a limit is reached. The position has file, byte and block.
    pub fn next_block(&mut self) -> Result<Option<Block<'_>>> {
        let Self { input, parser, lent, .. } = self;
        input.take(std::mem::take(lent));
        loop {
            match parser.step(input.window())? {
                ParseStep::Block(bytes) => {
                    *lent = bytes;
                    return Ok(parser.lent(input.window().bytes));
                }
                ParseStep::Need(bytes) => input.fill(bytes).map_err(|error| parser.fail(error))?,
                ParseStep::Skip(bytes) => input.take(bytes),
                ParseStep::End => return Ok(None),
            }
        }
    }

    /// Returns the block that [`next_block`](Self::next_block) lent last, once more, for callers that work on it in
    /// several steps. `None` before the first block, after the last one and after an error.
    #[must_use]
    pub fn last_block(&self) -> Option<Block<'_>> {
        self.parser.lent(self.input.window().bytes)
    }
}

impl<R> ContainerReader<R> {
    /// Returns the name of the source, if it has one.
    pub(crate) fn name(&self) -> Option<&Arc<str>> {
        self.parser.position().file.as_ref()
    }

    pub(crate) fn limits(&self) -> tfxio_core::Limits {
        self.parser.limits()
    }
}

impl<R: Read + Seek> ContainerReader<R> {
    /// Restricts the reader to blocks that begin at `start` or after it and before `end`.
    pub(super) fn restrict(&mut self, start: u64, end: u64) -> Result<()> {
        let Self { input, parser, .. } = self;
        let offset = parser.restrict(start, end);
        if offset != input.offset() {
            input.seek(offset)?;
        }
        while parser.is_searching() {
            match parser.step(input.window())? {
                ParseStep::Skip(bytes) => input.take(bytes),
                ParseStep::Need(bytes) => input.fill(bytes)?,
                ParseStep::Block(_) | ParseStep::End => break,
            }
        }
        Ok(())
    }
}
