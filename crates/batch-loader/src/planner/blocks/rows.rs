//! The records of windows, each in one piece of memory, and chunks of them in any order.

use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;

use crate::column::{RowKind, columns_of};
use crate::item::{Chunk, Found};

/// Bytes before the columns of a row: its file, its record and its byte.
const HEAD: usize = 20;
/// Bytes that memory gives at once.
const LINE: usize = 64;

/// The records of a window.
#[derive(Debug, Default)]
pub(super) struct Rows {
    kinds: Vec<RowKind>,
    /// The rows, one after the other, and where each begins and the last ends.
    data: Vec<u8>,
    starts: Vec<usize>,
    /// Whether a row's byte is not known.
    lacks_bytes: bool,
    /// How rows left the schema, in the order of rows.
    anomalies: Vec<Found>,
}

/// Where the bytes of a row begin and end.
pub(super) type Span = (usize, usize);

/// A row of one of several windows.
pub(super) type Pick = (u32, Span);

impl Rows {
    /// Forgets all rows, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.kinds.clear();
        self.data.clear();
        self.starts.clear();
        self.lacks_bytes = false;
        self.anomalies.clear();
    }

    /// Returns where each row lies.
    pub(super) fn spans(&self) -> impl Iterator<Item = Span> + '_ {
        self.starts.windows(2).filter_map(|pair| Some((*pair.first()?, *pair.last()?)))
    }

    /// Appends rows of a chunk; `None` if they are not such as those before.
    pub(super) fn append(&mut self, chunk: &Chunk, rows: Range<usize>) -> Option<()> {
        let kinds = chunk.columns.iter().map(RowKind::of).collect::<Option<Vec<_>>>()?;
        let before = self.starts.len().saturating_sub(1);
        if self.starts.is_empty() {
            self.kinds.clone_from(&kinds);
            self.starts.push(0);
        }
        if self.kinds.len() != kinds.len() {
            return None;
        }
        let mut sizes = vec![HEAD; rows.len()];
        for ((own, kind), column) in self.kinds.iter_mut().zip(&kinds).zip(&chunk.columns) {
            own.join(kind)?;
            kind.measure(column, rows.clone(), &mut sizes)?;
        }
        let mut end = *self.starts.last()?;
        let mut cursors = Vec::with_capacity(rows.len());
        self.starts.reserve(rows.len());
        for size in sizes {
            cursors.push(end);
            end = end.checked_add(size)?;
            self.starts.push(end);
        }
        self.data.resize(end, 0);
        for (row, cursor) in rows.clone().zip(&mut cursors) {
            let head = self.data.get_mut(*cursor..)?.first_chunk_mut::<HEAD>()?;
            let (file, numbers) = head.split_first_chunk_mut::<4>()?;
            let (record, byte) = numbers.split_first_chunk_mut::<8>()?;
            *file = chunk.file_of(row).to_ne_bytes();
            *record = chunk.records.get(row)?.to_ne_bytes();
            byte.copy_from_slice(&chunk.bytes.get(row).copied().unwrap_or_default().to_ne_bytes());
            *cursor += HEAD;
        }
        for (kind, column) in kinds.iter().zip(&chunk.columns) {
            kind.write(column, rows.clone(), &mut self.data, &mut cursors)?;
        }
        self.lacks_bytes |= chunk.bytes.is_empty();
        if !rows.is_empty() && !chunk.anomalies.is_empty() {
            let found = chunk.anomalies_in(rows.start..=rows.end.saturating_sub(1));
            let moved =
                found.iter().map(|found| Found { row: found.row - rows.start + before, ..found.clone() });
            self.anomalies.extend(moved);
        }
        Some(())
    }
}

/// Returns a chunk of rows of several windows; `None` if there are none such.
pub(super) fn chunk_of(windows: &[Arc<Rows>], picks: &[Pick]) -> Option<Chunk> {
    let (first, others) = windows.split_first()?;
    let mut kinds = first.kinds.clone();
    for other in others {
        if other.kinds.len() != kinds.len() {
            return None;
        }
        kinds.iter_mut().zip(&other.kinds).try_for_each(|(kind, other)| kind.join(other))?;
    }
    // Rows lie anywhere in memory: first all of them are asked for, so that many are under way at a time.
    let mut rows = Vec::with_capacity(picks.len());
    let mut touched = 0u8;
    for &(window, (start, end)) in picks {
        let row = windows.get(window as usize)?.data.get(start..end)?;
        for line in row.chunks(LINE) {
            touched ^= line.first().copied().unwrap_or_default();
        }
        rows.push(row);
    }
    black_box(touched);
    let mut chunk = Chunk::default();
    chunk.files.reserve(rows.len());
    chunk.records.reserve(rows.len());
    let has_bytes = windows.iter().all(|rows| !rows.lacks_bytes);
    for row in &rows {
        let (file, rest) = row.split_first_chunk::<4>()?;
        let (record, rest) = rest.split_first_chunk::<8>()?;
        chunk.files.push(u32::from_ne_bytes(*file));
        chunk.records.push(u64::from_ne_bytes(*record));
        if has_bytes {
            chunk.bytes.push(u64::from_ne_bytes(*rest.first_chunk::<8>()?));
        }
    }
    chunk.columns = columns_of(&kinds, &rows, &mut vec![HEAD; rows.len()])?;
    if windows.iter().any(|rows| !rows.anomalies.is_empty()) {
        for (at, &(window, (start, _))) in picks.iter().enumerate() {
            let Rows { anomalies, starts, .. } = &**windows.get(window as usize)?;
            let row = starts.binary_search(&start).ok()?;
            let from = anomalies.partition_point(|found| found.row < row);
            let own = anomalies.get(from..)?.iter().take_while(|found| found.row == row);
            chunk.anomalies.extend(own.map(|found| Found { row: at, ..found.clone() }));
        }
    }
    Some(chunk)
}
