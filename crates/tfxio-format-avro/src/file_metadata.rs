//! Known headers and block offsets of the files of a data set.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use avro_path::container::{BlockHeads, BlockPosition, ContainerReader, Header};
use tfxio_core::{Cancel, Files, Input, Limits, Partition, Result};

use super::table::{Found, Nearest, Table};

/// Maximum number of headers that are kept.
const HEADERS: usize = 1024;
/// Bytes at the beginning of a file that hold most headers.
const HEADER_BYTES: u64 = 64 << 10;
/// Heads that are read between two looks at the token that cancels.
const BETWEEN_LOOKS: usize = 256;

/// An open file.
pub(super) type FileInput = Box<dyn Input>;

/// Files of a data set, with their known headers and blocks.
pub(super) struct FileMetadata {
    pub(super) files: Files,
    headers: Mutex<HashMap<Arc<str>, Arc<Header>>>,
    tables: Mutex<HashMap<Arc<str>, Arc<Mutex<Table>>>>,
}

impl FileMetadata {
    pub(super) fn new(files: Files) -> Self {
        Self { files, headers: Mutex::default(), tables: Mutex::default() }
    }

    /// Opens a file at `start`, to be read up to `end`.
    pub(super) fn open(&self, file: &Arc<str>, start: u64, end: u64, cancel: &Cancel) -> Result<FileInput> {
        self.files.open_with(&Partition::range(Arc::clone(file), start, end), cancel)
    }

    /// Returns the header of a file.
    pub(super) fn header(&self, file: &Arc<str>, cancel: &Cancel) -> Result<Arc<Header>> {
        if let Some(header) = lock(&self.headers).get(file) {
            return Ok(Arc::clone(header));
        }
        let input = self.open(file, 0, HEADER_BYTES, cancel)?;
        let reader = ContainerReader::builder(input).name(Arc::clone(file)).build()?;
        let header = Arc::clone(reader.header());
        let mut headers = lock(&self.headers);
        if headers.len() >= HEADERS {
            headers.clear();
        }
        headers.insert(Arc::clone(file), Arc::clone(&header));
        Ok(header)
    }

    fn table(&self, file: &Arc<str>) -> Arc<Mutex<Table>> {
        Arc::clone(lock(&self.tables).entry(Arc::clone(file)).or_default())
    }

    /// Returns the block of a record, or `None` if the file has fewer records.
    pub(super) fn block_of(
        &self,
        file: &Arc<str>,
        record: u64,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<Option<Found>> {
        // Of several that begin with the record, all but the last have none.
        let found = self.last_before(file, limits, cancel, |_, first| first <= record)?.1;
        Ok(found.filter(|found| record < found.next_record))
    }

    /// Returns the first block that begins at an offset or after it; after the last block, the position where another would begin.
    pub(super) fn block_at(
        &self,
        file: &Arc<str>,
        offset: u64,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<BlockPosition> {
        let (first, before) = self.last_before(file, limits, cancel, |block, _| block < offset)?;
        let next = before.map(|Found { position, end, next_record }| BlockPosition {
            number: position.number.saturating_add(1),
            offset: end,
            first_record: next_record,
            ..position
        });
        Ok(next.unwrap_or(first))
    }

    /// Returns the block at an offset, if somebody wanted to know before.
    pub(super) fn found(&self, file: &Arc<str>, offset: u64) -> Option<BlockPosition> {
        let table = self.table(file);
        let table = lock(&table);
        table.at(file, offset)
    }

    /// Returns the first block of a file, and the last for whose offset and first record `is_before` holds, which does up to
    /// some block.
    fn last_before(
        &self,
        file: &Arc<str>,
        limits: &Limits,
        cancel: &Cancel,
        is_before: impl Fn(u64, u64) -> bool,
    ) -> Result<(BlockPosition, Option<Found>)> {
        let table = self.table(file);
        let mut table = lock(&table);
        self.extend(&mut table, file, limits, cancel, &is_before)?;
        let found = match table.last_before(file, &is_before) {
            Nearest::None => None,
            Nearest::Exact(found) => Some(found),
            Nearest::From(position) => {
                let found = self.walk(position, file, limits, cancel, &is_before)?;
                table.between = found.as_ref().map(|found| found.position.clone());
                found
            }
        };
        Ok((table.first(file), found))
    }

    /// Returns the heads of blocks from an offset on.
    fn heads(
        &self,
        position: BlockPosition,
        file: &Arc<str>,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<BlockHeads<FileInput>> {
        let header = self.header(file, cancel)?;
        let input = self.open(file, position.offset, position.offset, cancel)?;
        Ok(BlockHeads::at(input, header, *limits, position))
    }

    /// Goes on from a block to the last for which `is_before` holds.
    fn walk(
        &self,
        from: BlockPosition,
        file: &Arc<str>,
        limits: &Limits,
        cancel: &Cancel,
        is_before: impl Fn(u64, u64) -> bool,
    ) -> Result<Option<Found>> {
        let mut heads = self.heads(from, file, limits, cancel)?;
        let mut found = None;
        for read in 0_usize.. {
            if read.is_multiple_of(BETWEEN_LOOKS) {
                cancel.check()?;
            }
            let position = heads.position().clone();
            if read > 0 && !is_before(position.offset, position.first_record) {
                break;
            }
            let Some(head) = heads.next_head()? else { break };
            found = Some(Found { position, end: head.end, next_record: heads.position().first_record });
        }
        Ok(found)
    }

    /// Reads further heads until the next block is not before the wanted one, or the file ends.
    fn extend(
        &self,
        table: &mut Table,
        file: &Arc<str>,
        limits: &Limits,
        cancel: &Cancel,
        is_before: impl Fn(u64, u64) -> bool,
    ) -> Result<()> {
        let is_enough = |next: &BlockPosition| !is_before(next.offset, next.first_record);
        if table.is_complete || table.next.as_ref().is_some_and(is_enough) {
            return Ok(());
        }
        let position = match table.next.clone() {
            Some(next) => next,
            None => {
                let offset = self.header(file, cancel)?.len();
                BlockPosition { file: Some(Arc::clone(file)), offset, ..BlockPosition::default() }
            }
        };
        // The files of a data set share the bound.
        let most = limits.block_offsets / self.files.names().len().max(1);
        let mut heads = self.heads(position, file, limits, cancel)?;
        for read in 0_usize.. {
            if read.is_multiple_of(BETWEEN_LOOKS) {
                cancel.check()?;
            }
            let number = heads.position().number;
            match heads.next_head()? {
                Some(head) => table.push(number, head.offset, head.first_record, most),
                None => table.is_complete = true,
            }
            let next = table.next.insert(heads.position().clone());
            if table.is_complete || is_enough(next) {
                break;
            }
        }
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What they hold is whole at every moment.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for FileMetadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.files.fmt(f)
    }
}
