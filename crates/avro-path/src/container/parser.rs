//! Parser that finds the blocks of a container in its bytes, without I/O.

use std::sync::Arc;

use super::block::{Block, BlockPosition};
use super::codec::{Codec, Decompressor};
use super::frame::{Head, Parsed, SYNC, Window, find_marker, other_marker, read_frame};
use super::gate::Gate;
use super::header::{Header, HeaderParser};
use super::open::Settings;
use crate::datum::{DatumReader, SkipPlan};
use crate::{Error, Kind, Result};

/// Bytes that are searched at once for a marker, at least.
const SEARCHED: usize = 4 << 10;

/// Finds the blocks of a container, after its header, in windows of its bytes that the caller keeps.
#[derive(Debug)]
pub(super) struct BlockParser {
    header: Arc<Header>,
    gate: Gate,
    decompressor: Decompressor,
    /// Last block after decompression.
    data: Vec<u8>,
    /// Position of the last block, or of the next one.
    position: BlockPosition,
    /// Block that was found last.
    last: Option<Head>,
    /// Bytes of the last block with its head and marker; 0 before the first.
    last_size: usize,
    /// Offset from which on no block of this parser begins.
    end: u64,
    state: State,
    /// Whether another parser has opened the next block, too.
    is_again: bool,
    /// Error after the block that was found last.
    pending: Option<Error>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Blocks follow after the next marker.
    Search,
    Blocks,
    /// Nothing follows.
    Ended,
}

/// Result of parsing a window for blocks.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ParseStep {
    /// A block with this many bytes is at the beginning of the window; see [`BlockParser::lent`]. The next window begins
    /// after it.
    Block(usize),
    /// Useless bytes at the beginning of the window. The next window begins after them.
    Skip(usize),
    /// Incomplete: the window must have at least this many bytes, or be the end.
    Need(usize),
    /// End of the blocks.
    End,
}

impl BlockParser {
    /// Continues with a header, which the first block follows.
    pub(super) fn parse_header(
        parser: &mut HeaderParser,
        window: Window<'_>,
        settings: &Settings,
    ) -> Result<Parsed<Self>> {
        let parsed = parser.parse(window).and_then(|parsed| match parsed {
            Parsed::Need(bytes) => Ok(Parsed::Need(bytes)),
            Parsed::Done(header) => {
                let position = BlockPosition::first(&header);
                Self::enter(Arc::new(header), settings, position, u64::MAX).map(Parsed::Done)
            }
        });
        parsed.map_err(|error| settings.locate(error))
    }

    /// Continues at a block of a container whose header is known, up to the last block that begins before `end`.
    pub(super) fn enter(
        header: Arc<Header>,
        settings: &Settings,
        position: BlockPosition,
        end: u64,
    ) -> Result<Self> {
        let gate = Gate::new(&header, settings.limits);
        let position = BlockPosition { file: settings.name.clone().or(position.file), ..position };
        Ok(Self { end, ..Self::of(header, gate, position)? })
    }

    fn of(header: Arc<Header>, gate: Gate, position: BlockPosition) -> Result<Self> {
        Ok(Self {
            decompressor: Decompressor::new(header.codec())?,
            header,
            gate,
            data: Vec::new(),
            position,
            last: None,
            last_size: 0,
            end: u64::MAX,
            state: State::Blocks,
            is_again: false,
            pending: None,
        })
    }

    /// Returns another parser of the same container, with the same limit on all blocks together.
    pub(super) fn fork(&self) -> Result<Self> {
        Self::of(Arc::clone(&self.header), self.gate.clone(), self.position.clone())
    }

    /// Continues at the block of this position; `again` if another parser opens it, too.
    pub(super) fn begin(&mut self, position: BlockPosition, again: bool) {
        self.position = position;
        self.is_again = again;
        (self.last, self.pending, self.state) = (None, None, State::Blocks);
    }

    /// Restricts the parser to blocks that begin at `start` or after it and before `end`. To be called before the first
    /// block is parsed. Returns the offset at which the next window begins.
    pub(super) fn restrict(&mut self, start: u64, end: u64) -> u64 {
        self.end = end;
        if start > self.header.len() {
            // The block at `start` has its marker right before it.
            self.position.offset = start.saturating_sub(SYNC as u64);
            self.state = State::Search;
        }
        self.position.offset
    }

    pub(super) fn header(&self) -> &Arc<Header> {
        &self.header
    }

    /// Returns the offset of the block that was found last, or of the next window.
    pub(super) fn offset(&self) -> u64 {
        self.position.offset
    }

    /// Returns the size of the last block with its head and marker; 0 before the first.
    pub(super) fn last_size(&self) -> usize {
        self.last_size
    }

    /// Returns whether the marker before the first block is searched.
    pub(super) fn is_searching(&self) -> bool {
        self.state == State::Search
    }

    pub(super) fn has_ended(&self) -> bool {
        self.state == State::Ended
    }

    /// Ends before the next block.
    pub(super) fn end(&mut self) {
        self.advance();
        self.state = State::Ended;
    }

    /// Looks for the next block.
    ///
    /// # Errors
    /// When the container is damaged here, with file, byte and block. Then nothing follows.
    pub(super) fn step(&mut self, window: Window<'_>) -> Result<ParseStep> {
        self.advance();
        let step = match self.state {
            State::Search => self.search(window),
            State::Blocks => self.block(window),
            State::Ended => return Ok(ParseStep::End),
        };
        if matches!(step, Ok(ParseStep::End) | Err(_)) {
            self.state = State::Ended;
        }
        step
    }

    /// Returns the block that was found last in this window.
    pub(super) fn lent<'a>(&'a self, window: &'a [u8]) -> Option<Block<'a>> {
        let last = self.last.as_ref()?;
        let bytes = match self.header.codec() {
            Codec::Null => window.get(last.stored()).unwrap_or_default(),
            _ => &self.data,
        };
        Some(Block { position: &self.position, count: last.count, bytes })
    }

    /// Ends with an error of the source.
    pub(super) fn fail(&mut self, error: Error) -> Error {
        self.end();
        self.position.locate(error)
    }

    /// Notes an error of the source that follows the blocks found so far.
    pub(super) fn fail_later(&mut self, error: Error) {
        self.advance();
        self.pending = Some(self.position.locate(error));
    }

    /// Returns the position of the next block, if one may follow.
    ///
    /// # Errors
    /// The error after the block that was found last.
    pub(super) fn next_position(&mut self) -> Result<Option<BlockPosition>> {
        self.advance();
        if let Some(error) = self.pending.take() {
            self.last = None;
            self.state = State::Ended;
            return Err(error);
        }
        Ok((self.state == State::Blocks).then(|| self.position.clone()))
    }

    /// Returns the position of the next block, without checking whether one may follow.
    pub(super) fn position(&self) -> &BlockPosition {
        &self.position
    }

    /// Returns the limits on blocks.
    pub(super) fn limits(&self) -> tfxio_core::Limits {
        self.gate.limits()
    }

    /// Passes over the blocks at the beginning of the bytes that are all there, have nothing wrong about their frames and
    /// no record from `end` on. Returns the number of their bytes.
    pub(super) fn pass_blocks(&mut self, bytes: &[u8], end: u64) -> usize {
        let (marker, most) = (self.header.sync_marker(), self.gate.most_stored());
        let mut passed = 0;
        while self.position.offset < self.end {
            let window = Window { bytes, is_end: true };
            let Ok(Parsed::Done(Some(head))) = read_frame(window, passed, &marker, most) else { break };
            if self.position.first_record.saturating_add(head.count) > end {
                break;
            }
            passed += head.whole();
            self.pass(head);
        }
        passed
    }

    /// Parses the next block without opening it; `None` at the end.
    pub(super) fn frame(&self, window: Window<'_>) -> Result<Parsed<Option<Head>>> {
        if self.position.offset >= self.end {
            return Ok(Parsed::Done(None));
        }
        let (marker, most) = (self.header.sync_marker(), self.gate.most_stored());
        let error = match read_frame(window, 0, &marker, most) {
            Err(error) if error.is(Kind::Sync) && self.position.offset == self.header.len() => error,
            read => return read,
        };
        match other_marker(window, &marker, most) {
            Parsed::Need(bytes) => Ok(Parsed::Need(bytes)),
            Parsed::Done(None) => Err(error),
            Parsed::Done(Some(_)) => {
                let what = "the sync marker in the file's header is damaged: the blocks end with another one";
                Err(Error::new(Kind::Sync, what).help("the blocks may be whole; salvage reads them"))
            }
        }
    }

    /// Passes over the next block.
    pub(super) fn pass(&mut self, head: Head) {
        self.last = Some(head);
        self.advance();
    }

    /// Moves to the position of the next block.
    fn advance(&mut self) {
        // What follows an error is said to be at the block before it.
        if self.pending.is_none()
            && let Some(last) = self.last.take()
        {
            self.position.pass(&last);
            self.last_size = last.whole();
        }
    }

    fn search(&mut self, window: Window<'_>) -> Result<ParseStep> {
        let length = window.bytes.len();
        let skip = match find_marker(window.bytes, &self.header.sync_marker()) {
            Some(at) => {
                self.state = State::Blocks;
                at + SYNC
            }
            None if window.is_end => return Ok(ParseStep::End),
            None if length < SEARCHED => return Ok(ParseStep::Need(SEARCHED)),
            None => length.saturating_sub(SYNC - 1),
        };
        self.position.offset = self.position.offset.saturating_add(skip as u64);
        Ok(ParseStep::Skip(skip))
    }

    fn block(&mut self, window: Window<'_>) -> Result<ParseStep> {
        if let Some(error) = self.pending.take() {
            self.last = None;
            return Err(error);
        }
        let (head, mut doubt) = match self.frame(window) {
            Ok(Parsed::Done(Some(head))) => (head, None),
            Ok(Parsed::Done(None)) => return Ok(ParseStep::End),
            Ok(Parsed::Need(bytes)) => return Ok(ParseStep::Need(bytes)),
            Err(error) if error.is(Kind::Sync) => {
                let error = self.position.locate(error);
                match Head::parse(window.bytes, self.gate.most_stored()) {
                    Ok(Some(head)) => (head, Some(error)),
                    _ => return Err(error),
                }
            }
            Err(error) => return Err(self.position.locate(error)),
        };
        let stored = window.bytes.get(head.stored()).unwrap_or_default();
        let again = std::mem::take(&mut self.is_again);
        let opened = self.gate.open(head.count, stored, again, &mut self.decompressor, &mut self.data);
        if doubt.is_some() {
            // Then this is a block only if its bytes are exactly its records.
            let plan = SkipPlan::new(self.header.schema());
            let is_whole = opened.as_ref().is_ok_and(|bytes| {
                plan.is_rest(self.header.schema().root(), &mut DatumReader::new(bytes), head.count)
            });
            if let Some(error) = doubt.take_if(|_| !is_whole) {
                return Err(error);
            }
        }
        opened.map_err(|error| self.position.locate(error))?;
        self.pending = doubt;
        self.last = Some(head);
        Ok(ParseStep::Block(head.whole()))
    }
}
