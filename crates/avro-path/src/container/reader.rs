//! Reads a container block by block.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::sync::Arc;

use super::block::{Block, BlockPlace, whole_records};
use super::codec::{Codec, Decompressor};
use super::cut::{Frame, Frames};
use super::gate::Gate;
use super::header::Header;
use super::input::Input;
use super::open::ReaderBuilder;
use crate::Result;
use crate::datum::SkipPlan;

/// Reads an object container block by block. The memory is one block as it is stored and one after decompression,
/// both used again and again.
///
/// Records before a damage are delivered first, as far as the block that has it. Where a block is followed by another
/// marker than the file's, the block itself may be good: if its bytes are exactly so many records as it says, it is
/// delivered too, and the error comes behind it; otherwise it is not. After an error there is nothing more; see
/// [`SalvageReader`](super::SalvageReader) for what can be had behind it.
#[derive(Debug)]
pub struct ContainerReader<R> {
    pub(super) frames: Frames<R>,
    pub(super) gate: Gate,
    decompressor: Decompressor,
    data: Vec<u8>,
    /// Bytes of the block that was lent last, after decompression.
    last: Option<u64>,
    /// Bytes of the blocks before it, as far as nobody has taken them into account.
    pub(super) done: Option<u64>,
}

impl ContainerReader<File> {
    /// Opens a file with the default limits.
    ///
    /// # Errors
    /// As [`ReaderBuilder::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        ReaderBuilder::new().open(path)
    }
}

impl<R: Read> ContainerReader<R> {
    /// Reads from anything with the default limits.
    ///
    /// # Errors
    /// As [`ReaderBuilder::from_reader`].
    pub fn new(source: R) -> Result<Self> {
        ReaderBuilder::new().from_reader(source)
    }

    pub(super) fn start(source: R, builder: &ReaderBuilder) -> Result<Self> {
        let place = BlockPlace { file: builder.name.clone(), ..BlockPlace::default() };
        let mut input = Input::new(source, 0);
        let opened =
            Header::read(&mut input).and_then(|header| Ok((Decompressor::new(header.codec())?, header)));
        let (decompressor, header) = opened.map_err(|mut error| {
            error.position_mut().file.clone_from(&place.file);
            error
        })?;
        let gate = Gate::new(&header, builder.limits);
        let frames = Frames::new(input, Arc::new(header), place, gate.most_stored());
        Ok(Self::of(frames, gate, decompressor))
    }

    pub(super) fn of(frames: Frames<R>, gate: Gate, decompressor: Decompressor) -> Self {
        Self { frames, gate, decompressor, data: Vec::new(), last: None, done: None }
    }

    /// The container's header: schema, codec, metadata.
    #[must_use]
    pub fn header(&self) -> &Arc<Header> {
        &self.frames.header
    }

    /// The next block, or `None` at the end. Blocks without records are lent too.
    ///
    /// # Errors
    /// When reading fails; when the block's head, its sync marker or its compressed bytes are damaged, or the file
    /// ends within it; when a limit is reached. The position has file, byte and block.
    pub fn next_block(&mut self) -> Result<Option<Block<'_>>> {
        let Self { frames, gate, decompressor, data, last, done } = self;
        if let Some(bytes) = last.take() {
            *done = Some(done.unwrap_or_default().saturating_add(bytes));
        }
        let Some(Frame { count, stored, place, header, behind, ended }) = frames.next()? else {
            return Ok(None);
        };
        let mut opened = gate.open(count, stored, decompressor, data).map_err(|error| place.locate(error));
        let is_whole = |bytes: &&[u8]| {
            let found = whole_records(header, &SkipPlan::new(header.schema()), count, bytes);
            found == (count, bytes.len())
        };
        if let Some(error) = behind.take_if(|_| !opened.as_ref().is_ok_and(is_whole)) {
            opened = Err(error);
        }
        match opened {
            Ok(bytes) => {
                *last = Some(bytes.len() as u64);
                Ok(Some(Block { place, count, bytes }))
            }
            Err(error) => {
                *ended = true;
                Err(error)
            }
        }
    }

    /// The block that [`next_block`](Self::next_block) lent last, once more, for who works on it in several goes. `None`
    /// before the first block, behind the last one and after an error.
    #[must_use]
    pub fn last_block(&self) -> Option<Block<'_>> {
        let (count, stored, place) = self.frames.last()?;
        let bytes = match self.header().codec() {
            Codec::Null => stored,
            _ => &self.data,
        };
        Some(Block { place, count, bytes })
    }
}

impl<R: Read + Seek> ContainerReader<R> {
    /// Leaves out the blocks that begin before `start`, and those that begin at `end` or behind it.
    pub(super) fn restrict(&mut self, start: u64, end: u64) -> Result<()> {
        self.frames.restrict(start, end)
    }
}
