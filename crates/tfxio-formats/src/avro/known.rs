//! What is known of the files of a data set: their headers, and where their blocks are.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use avro_path::container::{BlockHeads, BlockPosition, Header, ReaderBuilder};
use tfxio_core::{Cancel, Files, Input, Limits, Partition, Result};

/// Maximum number of headers that are kept.
const HEADERS: usize = 1024;
/// Bytes at the beginning of a file that hold most headers.
const HEADER_BYTES: u64 = 64 << 10;
/// Heads that are read between two looks at the token that cancels.
const BETWEEN_LOOKS: usize = 256;

/// An open file.
pub(super) type Source = Box<dyn Input>;

/// The files of a data set, and what was found out about them.
pub(super) struct Known {
    pub(super) files: Files,
    headers: Mutex<HashMap<Arc<str>, Arc<Header>>>,
    tables: Mutex<HashMap<Arc<str>, Arc<Mutex<Table>>>>,
}

/// Where the blocks of a file begin, as far as somebody wanted to know.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Offset and number of the first record of each block.
    blocks: Vec<(u64, u64)>,
    /// Where the next block stands, or would stand.
    next: Option<BlockPosition>,
    is_complete: bool,
}

/// A block of a table.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) place: BlockPosition,
    /// Offset just past the block.
    pub(super) end: u64,
    /// Number of the first record after the block.
    pub(super) next_record: u64,
}

impl Known {
    pub(super) fn new(files: Files) -> Self {
        Self { files, headers: Mutex::default(), tables: Mutex::default() }
    }

    /// Opens a file at `start`, to be read up to `end`.
    pub(super) fn open(&self, file: &Arc<str>, start: u64, end: u64, cancel: &Cancel) -> Result<Source> {
        self.files.open_with(&Partition::range(Arc::clone(file), start, end), cancel)
    }

    /// Returns the header of a file.
    pub(super) fn header(&self, file: &Arc<str>, cancel: &Cancel) -> Result<Arc<Header>> {
        if let Some(header) = lock(&self.headers).get(file) {
            return Ok(Arc::clone(header));
        }
        let input = self.open(file, 0, HEADER_BYTES, cancel)?;
        let reader = ReaderBuilder::new().name(Arc::clone(file)).from_reader(input)?;
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
        let table = self.table(file);
        let mut table = lock(&table);
        self.extend(&mut table, file, limits, cancel, |next| next.first_record > record)?;
        // Of several that begin with the record, all but the last have none.
        let at = table.blocks.partition_point(|(_, first)| *first <= record);
        let found = at.checked_sub(1).and_then(|at| table.get(file, at));
        Ok(found.filter(|found| record < found.next_record))
    }

    /// Returns the first block that begins at an offset or after it, or what would stand there, after the last block.
    pub(super) fn block_at(
        &self,
        file: &Arc<str>,
        offset: u64,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<BlockPosition> {
        let table = self.table(file);
        let mut table = lock(&table);
        self.extend(&mut table, file, limits, cancel, |next| next.offset >= offset)?;
        let at = table.blocks.partition_point(|(block, _)| *block < offset);
        let found = table.get(file, at).map(|found| found.place);
        Ok(found.or_else(|| table.next.clone()).unwrap_or_default())
    }

    /// Returns the block at an offset, if somebody wanted to know before.
    pub(super) fn found(&self, file: &Arc<str>, offset: u64) -> Option<BlockPosition> {
        let table = self.table(file);
        let table = lock(&table);
        let at = table.blocks.binary_search_by_key(&offset, |(block, _)| *block).ok()?;
        table.get(file, at).map(|found| found.place)
    }

    /// Reads further heads until that of the next block is enough, or there are no more.
    fn extend(
        &self,
        table: &mut Table,
        file: &Arc<str>,
        limits: &Limits,
        cancel: &Cancel,
        is_enough: impl Fn(&BlockPosition) -> bool,
    ) -> Result<()> {
        if table.is_complete || table.next.as_ref().is_some_and(&is_enough) {
            return Ok(());
        }
        let header = self.header(file, cancel)?;
        let place = table.next.clone().unwrap_or_else(|| BlockPosition {
            file: Some(Arc::clone(file)),
            offset: header.len(),
            ..BlockPosition::default()
        });
        let input = self.open(file, place.offset, place.offset, cancel)?;
        let mut heads = BlockHeads::at(input, header, *limits, place);
        loop {
            if table.blocks.len().is_multiple_of(BETWEEN_LOOKS) {
                cancel.check()?;
            }
            match heads.next_head()? {
                Some(head) => table.blocks.push((head.offset, head.first_record)),
                None => table.is_complete = true,
            }
            let next = table.next.insert(heads.position().clone());
            if table.is_complete || is_enough(next) {
                return Ok(());
            }
        }
    }
}

impl Table {
    fn get(&self, file: &Arc<str>, at: usize) -> Option<Found> {
        let &(offset, first_record) = self.blocks.get(at)?;
        let place = BlockPosition { file: Some(Arc::clone(file)), number: at as u64, offset, first_record };
        let next = self.next.as_ref().map_or((offset, first_record), |next| (next.offset, next.first_record));
        let (end, next_record) = self.blocks.get(at + 1).copied().unwrap_or(next);
        Some(Found { place, end, next_record })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What they hold is whole at every moment.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.files.fmt(f)
    }
}
