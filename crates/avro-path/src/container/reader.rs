//! Reads a container block by block.

use std::fs::File;
use std::io::{Read, Seek};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::block::{Block, BlockPlace};
use super::codec::{Codec, Decompressor};
use super::frame::{self, Head, SYNC};
use super::gate::Gate;
use super::header::Header;
use super::input::Input;
use super::open::ReaderBuilder;
use crate::{Error, ErrorKind, Result};

/// Reads an object container block by block. The memory is one block as it is stored and one after decompression,
/// both used again and again.
///
/// Records before a damage are delivered first, as far as the block that has it. After an error there is nothing
/// more; see [`SalvageReader`](super::SalvageReader) for what can be had behind it.
#[derive(Debug)]
pub struct ContainerReader<R> {
    pub(super) frames: Frames<R>,
    pub(super) gate: Gate,
    decompressor: Decompressor,
    data: Vec<u8>,
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
        let frames = Frames {
            input,
            header: Arc::new(header),
            place,
            most: gate.most_stored(),
            taken: 0,
            stored: 0..0,
            count: 0,
            next_block: 0,
            end: u64::MAX,
            ended: false,
        };
        Ok(Self { frames, gate, decompressor, data: Vec::new() })
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
        let Self { frames, gate, decompressor, data } = self;
        let Some((count, stored, place, ended)) = frames.next()? else { return Ok(None) };
        match gate.open(count, stored, decompressor, data) {
            Ok(bytes) => Ok(Some(Block { place, count, bytes })),
            Err(error) => {
                *ended = true;
                Err(place.locate(error))
            }
        }
    }

    /// The block that [`next_block`](Self::next_block) lent last, once more, for who works on it in several goes. `None`
    /// before the first block, behind the last one and after an error.
    #[must_use]
    pub fn last_block(&self) -> Option<Block<'_>> {
        let frames = &self.frames;
        if frames.taken == 0 || frames.ended {
            return None;
        }
        let bytes = match frames.header.codec() {
            Codec::Null => frames.input.window().get(frames.stored.clone()).unwrap_or_default(),
            _ => &self.data,
        };
        Some(Block { place: &frames.place, count: frames.count, bytes })
    }
}

impl<R: Read + Seek> ContainerReader<R> {
    /// Leaves out the blocks that begin before `start`, and those that begin at `end` or behind it.
    pub(super) fn restrict(&mut self, start: u64, end: u64) -> Result<()> {
        let frames = &mut self.frames;
        frames.end = end;
        if start <= frames.header.len() {
            return Ok(());
        }
        // The block at `start` has its marker right before it.
        let from = start.saturating_sub(SYNC as u64).max(frames.header.len() - SYNC as u64);
        let marker = frames.header.sync_marker();
        let found = frames.input.seek(from).and_then(|()| frames.input.skip_past(&marker));
        match found {
            Ok(true) => Ok(()),
            Ok(false) => {
                frames.ended = true;
                Ok(())
            }
            Err(mut error) => {
                error.position_mut().file.clone_from(&frames.place.file);
                Err(error)
            }
        }
    }
}

/// Cuts a container into blocks as they are stored.
#[derive(Debug)]
pub(super) struct Frames<R> {
    pub(super) input: Input<R>,
    pub(super) header: Arc<Header>,
    place: BlockPlace,
    /// The most bytes of a block.
    most: u64,
    /// Bytes of the window that the last block has, which was lent.
    taken: usize,
    /// Where in the window its stored bytes are.
    stored: Range<usize>,
    /// Records of the last block.
    count: u64,
    next_block: u64,
    /// The first byte at which no block of this reader begins.
    end: u64,
    ended: bool,
}

/// Records, the stored bytes, where the block stands, and what to set when nothing may follow.
type Frame<'a> = (u64, &'a [u8], &'a BlockPlace, &'a mut bool);

impl<R: Read> Frames<R> {
    /// The next block. `None` at the end, and after an error.
    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>> {
        if self.ended {
            return Ok(None);
        }
        self.input.take(std::mem::take(&mut self.taken));
        self.place.first_record = self.place.first_record.saturating_add(std::mem::take(&mut self.count));
        self.place.offset = self.input.offset();
        self.place.number = self.next_block;
        match self.head() {
            Ok(Some(head)) => {
                self.taken = head.whole();
                self.count = head.count;
                self.next_block += 1;
                self.stored = head.length..head.length.saturating_add(head.size);
                let stored = self.input.window().get(self.stored.clone()).unwrap_or_default();
                Ok(Some((head.count, stored, &self.place, &mut self.ended)))
            }
            Ok(None) => {
                self.ended = true;
                Ok(None)
            }
            Err(error) => {
                self.ended = true;
                Err(self.place.locate(error))
            }
        }
    }

    fn head(&mut self) -> Result<Option<Head>> {
        if self.place.offset >= self.end {
            return Ok(None);
        }
        let marker = self.header.sync_marker();
        read_frame(&mut self.input, 0, &marker, self.most)
    }
}

/// Reads the block that stands behind so many bytes of the window, without taking it. `None` at the end of the source.
pub(super) fn read_frame<R: Read>(
    input: &mut Input<R>,
    skip: usize,
    marker: &[u8; SYNC],
    most: u64,
) -> Result<Option<Head>> {
    let bytes = input.fill(skip.saturating_add(frame::MOST))?.get(skip..).unwrap_or_default();
    if bytes.is_empty() {
        return Ok(None);
    }
    let head = Head::parse(bytes, most)?;
    let bytes = input.fill(skip.saturating_add(head.whole()))?;
    let sync = skip.saturating_add(head.length).saturating_add(head.size);
    match bytes.get(sync..).and_then(<[u8]>::first_chunk) {
        None => Err(Error::new(
            ErrorKind::Truncated,
            format!("the file ends within a block of {} bytes", head.size),
        )
        .with_hint("the file is not complete; copy it again, or salvage what is there")),
        Some(found) if found != marker => {
            Err(Error::new(ErrorKind::Sync, "the file's sync marker does not stand behind the block")
                .with_hint("the file is damaged here; salvage reads what follows"))
        }
        Some(_) => Ok(Some(head)),
    }
}
