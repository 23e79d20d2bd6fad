//! The blocks of a part of a file, one after the other.

use std::io::{Seek as _, SeekFrom};
use std::sync::Arc;

use avro_path::container::{
    Block, BlockHead, BlockHeads, BlockPosition, ContainerReader, Header, ReaderBuilder, SkippingReader,
};
use tfxio_core::{Error, Limits, Result, ScanRequest, Skip};

use super::cursor::Cursor;
use super::file_metadata::{FileInput, FileMetadata};

/// Source of the blocks of a part of a file.
pub(super) enum Blocks {
    /// Damage is an error.
    Strict(Box<ContainerReader<FileInput>>),
    /// Damage is skipped.
    Skipping(Box<SkippingReader<FileInput>>),
    /// Only heads are read.
    Heads(Box<Heads>),
    /// There are none.
    None(Arc<Header>),
}

/// Heads of blocks that begin before an offset.
pub(super) struct Heads {
    heads: BlockHeads<FileInput>,
    last: Option<BlockHead>,
    block: u64,
    end: u64,
    header: Arc<Header>,
}

/// Options for reading blocks.
pub(super) struct Wanted<'a> {
    pub(super) limits: Limits,
    pub(super) skip: Option<&'a Skip>,
    /// Whether only numbers of records are needed.
    pub(super) counts: bool,
}

impl<'a> Wanted<'a> {
    pub(super) fn of(request: &'a ScanRequest, counts: bool) -> Self {
        Self { limits: request.limits, skip: request.on_error.skip(), counts }
    }
}

impl Blocks {
    /// Opens the blocks from a cursor, whose block is found and becomes exact, up to the last that begins before `end`.
    pub(super) fn open(
        metadata: &FileMetadata,
        file: &Arc<str>,
        cursor: &mut Cursor,
        end: u64,
        wanted: &Wanted<'_>,
        request: &ScanRequest,
    ) -> Result<Self> {
        let builder = ReaderBuilder::default().limits(wanted.limits).name(Arc::clone(file));
        if let Some(skip) = wanted.skip {
            let source = metadata.open(file, 0, end, &request.cancel)?;
            let size = source.size().unwrap_or_default();
            let mut reader = builder.source(source).build_skipping(size, skip)?;
            if cursor.offset > 0 || end < u64::MAX {
                reader.restrict(cursor.offset, end)?;
            }
            return Ok(Self::Skipping(Box::new(reader)));
        }
        let header = metadata.header(file, &request.cancel)?;
        if !cursor.is_exact {
            let found = if cursor.offset <= header.len() {
                Some(header.len())
            } else {
                let source = metadata.open(file, cursor.offset, cursor.offset, &request.cancel)?;
                builder.clone().source(source).find_block(Arc::clone(&header), cursor.offset)?
            };
            let Some(offset) = found.filter(|offset| *offset < end) else { return Ok(Self::None(header)) };
            (cursor.offset, cursor.is_exact) = (offset, true);
        }
        let position = BlockPosition {
            file: Some(Arc::clone(file)),
            number: cursor.block,
            offset: cursor.offset,
            first_record: cursor.first,
        };
        let mut source = metadata.open(file, cursor.offset, end, &request.cancel)?;
        if wanted.counts {
            let heads = BlockHeads::at(source, Arc::clone(&header), wanted.limits, position);
            return Ok(Self::Heads(Box::new(Heads { heads, last: None, block: cursor.block, end, header })));
        }
        source
            .seek(SeekFrom::Start(cursor.offset))
            .map_err(|error| Error::io(error, "seeking").in_file(Arc::clone(file)))?;
        Ok(Self::Strict(Box::new(builder.source(source).build_at(header, position, end)?)))
    }

    pub(super) fn header(&self) -> &Arc<Header> {
        match self {
            Self::Strict(container) => container.header(),
            Self::Skipping(container) => container.header(),
            Self::Heads(heads) => &heads.header,
            Self::None(header) => header,
        }
    }

    /// Goes on to the next block and returns whether there is one.
    pub(super) fn next_block(&mut self) -> Result<bool> {
        match self {
            Self::Strict(container) => Ok(container.next_block()?.is_some()),
            Self::Skipping(container) => container.next_block(),
            Self::Heads(heads) => heads.next(),
            Self::None(_) => Ok(false),
        }
    }

    /// Returns the block that was lent last.
    pub(super) fn last_block(&self) -> Option<Block<'_>> {
        match self {
            Self::Strict(container) => container.last_block(),
            Self::Skipping(container) => container.last_block(),
            Self::Heads(_) | Self::None(_) => None,
        }
    }

    /// Returns the number of records of the last block.
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::Heads(heads) => heads.last.map_or(0, |head| head.count),
            blocks => blocks.last_block().map_or(0, |block| block.count()),
        }
    }

    /// Returns offset and number of the last block, and whether a reader can enter the file there.
    pub(super) fn position(&self) -> (u64, u64, bool) {
        let of = |block: Option<Block<'_>>| {
            block.map_or((0, 0), |block| (block.position().offset, block.position().number))
        };
        match self {
            Self::Heads(heads) => {
                (heads.last.map_or(0, |head| head.offset), heads.block.saturating_sub(1), true)
            }
            Self::Skipping(container) => {
                let (offset, number) = of(container.last_block());
                (offset, number, container.is_entered())
            }
            blocks => {
                let (offset, number) = of(blocks.last_block());
                (offset, number, true)
            }
        }
    }

    /// Returns the number of the first record of the last block, good or not.
    pub(super) fn first_number(&self) -> u64 {
        match self {
            Self::Skipping(container) => container.first_number(),
            blocks => blocks.number_of(0),
        }
    }

    /// Returns the number of a record of the last block: with damage skipped, from the first that was read.
    pub(super) fn number_of(&self, record: u64) -> u64 {
        match self {
            Self::Skipping(container) => container.number_of(record),
            Self::Heads(heads) => heads.last.map_or(0, |head| head.first_record).saturating_add(record),
            blocks => {
                blocks.last_block().map_or(0, |block| block.position().first_record).saturating_add(record)
            }
        }
    }

    /// Passes over the record at a byte of the last block, which cannot be decoded, where damage is skipped. Returns its
    /// length.
    pub(super) fn pass_over(&mut self, at: usize, error: Error) -> Result<usize> {
        match self {
            Self::Skipping(container) => container.pass_over(at, error),
            _ => Err(error),
        }
    }
}

impl Heads {
    fn next(&mut self) -> Result<bool> {
        self.last = if self.heads.position().offset < self.end { self.heads.next_head()? } else { None };
        self.block = self.block.saturating_add(1);
        Ok(self.last.is_some())
    }
}
