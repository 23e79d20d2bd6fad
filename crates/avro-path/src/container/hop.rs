//! Iterator over the block heads of a container, which skips the records.

use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use tfxio_core::Limits;

use super::block::BlockPosition;
use super::frame::{Head, SYNC, other_end, truncated};
use super::gate::Gate;
use super::header::Header;
use crate::{Error, Result};

/// Bytes that are read at a time: a marker, the head after it, and small blocks.
const CHUNK: usize = 4 << 10;
/// Maximum number of bytes of a head: two numbers.
const HEAD: usize = 20;

/// Head of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockHead {
    /// Offset in the file of the first byte of the block, which is that of its head.
    pub offset: u64,
    /// Offset in the file just past the block and its sync marker.
    pub end: u64,
    /// Number of the block's first record in the file.
    pub first_record: u64,
    /// Number of records that the block claims to have.
    pub count: u64,
}

/// Reads the heads of blocks and checks the sync markers after them, without reading the blocks: records are counted
/// and found at the cost of a small read for each block.
///
/// ```
/// use std::io::Cursor;
/// use avro_path::AvroSchema;
/// use avro_path::container::{BlockHeads, ContainerReader, ContainerWriter};
///
/// let schema = AvroSchema::parse("\"long\"")?;
/// let mut writer = ContainerWriter::builder(Vec::new(), &schema).block_bytes(100).build()?;
/// for _ in 0..250 {
///     writer.write(&[84])?;
/// }
/// let file = writer.finish()?;
/// let header = ContainerReader::new(&file[..])?.header().clone();
///
/// let mut heads = BlockHeads::new(Cursor::new(&file), header, Default::default());
/// let mut last = None;
/// while let Some(head) = heads.next_head()? {
///     last = Some((head.first_record, head.count, head.end));
/// }
/// assert_eq!(last, Some((200, 50, file.len() as u64)));
/// # Ok::<(), avro_path::Error>(())
/// ```
#[derive(Debug)]
pub struct BlockHeads<R> {
    source: R,
    header: Arc<Header>,
    gate: Gate,
    /// Position of the next block.
    position: BlockPosition,
    /// Bytes of the source from `window_at` on.
    window: Vec<u8>,
    window_at: u64,
    /// Whether the next block follows another, whose marker is checked together with the head.
    is_after_block: bool,
    ended: bool,
}

impl<R: Read + Seek> BlockHeads<R> {
    /// Begins at the first block of a source of which this is the header.
    pub fn new(source: R, header: Arc<Header>, limits: Limits) -> Self {
        let position = BlockPosition::first(&header);
        Self::at(source, header, limits, position)
    }

    /// Begins at the first byte of a block, whose position this is; numbers continue from there.
    pub fn at(source: R, header: Arc<Header>, limits: Limits, position: BlockPosition) -> Self {
        let is_after_block = position.offset > header.len();
        let gate = Gate::new(&header, limits);
        let window = Vec::new();
        Self { source, header, gate, position, window, window_at: 0, is_after_block, ended: false }
    }

    /// Returns the position of the next block, or the one that it would have.
    #[must_use]
    pub fn position(&self) -> &BlockPosition {
        &self.position
    }

    /// Returns the head of the next block, or `None` after the last.
    ///
    /// A block is returned before the marker after it was checked; if that is damaged, the next call fails.
    ///
    /// # Errors
    /// When reading fails; when the head of a block or the marker before it is damaged, a block claims more than the limits
    /// allow, or the file ends within it. Nothing follows an error.
    pub fn next_head(&mut self) -> Result<Option<BlockHead>> {
        if self.ended {
            return Ok(None);
        }
        let next = self.step();
        self.ended = !matches!(next, Ok(Some(_)));
        next.map_err(|error| self.position.locate(error))
    }

    fn step(&mut self) -> Result<Option<BlockHead>> {
        let offset = self.position.offset;
        let before = if self.is_after_block { SYNC } else { 0 };
        let marker = self.header.sync_marker();
        let most = self.gate.most_stored();
        let bytes = self.read_at(offset.saturating_sub(before as u64), before + HEAD)?;
        let (found, bytes) = bytes.split_at(before.min(bytes.len()));
        if before > 0 && found.len() < before {
            return Err(truncated("the file ends within a block"));
        }
        if before > 0 && *found != marker {
            return Err(other_end());
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let Some(head) = Head::parse(bytes, most)? else {
            return Err(truncated("the file ends within the head of a block"));
        };
        self.gate.check_head(&head)?;
        let first_record = self.position.first_record;
        self.is_after_block = true;
        self.position.pass(&head);
        Ok(Some(BlockHead { offset, end: self.position.offset, first_record, count: head.count }))
    }

    /// Returns up to `wanted` bytes from an offset on; fewer only at the end of the source.
    fn read_at(&mut self, offset: u64, wanted: usize) -> Result<&[u8]> {
        let skip = offset.checked_sub(self.window_at).and_then(|skip| usize::try_from(skip).ok());
        let skip = match skip.filter(|skip| skip.saturating_add(wanted) <= self.window.len()) {
            Some(skip) => skip,
            None => {
                self.load(offset)?;
                0
            }
        };
        let end = skip.saturating_add(wanted).min(self.window.len());
        Ok(self.window.get(skip..end).unwrap_or_default())
    }

    fn load(&mut self, offset: u64) -> Result<()> {
        self.window.clear();
        self.window_at = offset;
        self.source.seek(SeekFrom::Start(offset)).map_err(|error| Error::io(error, "seeking"))?;
        let mut chunk = [0; CHUNK];
        while self.window.len() < CHUNK {
            let room = chunk.get_mut(self.window.len()..).unwrap_or_default();
            match self.source.read(room) {
                Ok(0) => break,
                Ok(read) => self.window.extend_from_slice(room.get(..read).unwrap_or_default()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::io(error, "reading")),
            }
        }
        Ok(())
    }
}
