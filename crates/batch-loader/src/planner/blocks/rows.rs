//! The records of windows, each in one range of memory, and chunks of them in any order.

use std::collections::HashMap;
use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;

use tfxio_core::random::Stream;

use super::window::shuffle;
use crate::column::{RowKind, columns_of};
use crate::item::{Chunk, Found};

/// Bytes before the columns of a row: its file, its record and its byte.
const HEAD: usize = 20;
/// Bytes that memory gives at once.
const LINE: usize = 64;
/// Bytes of a pile, so that the piles from which all streams draw at a time stay in a cache, and the most piles.
const PILE_BYTES: u64 = 64 << 10;
const PILES: u64 = 256;
/// Bytes for which room is made before there are rows.
const MOST_EXPECTED: u64 = 64 << 20;

/// The records of a window.
///
/// Each is thrown, as it is read, on a pile that is drawn at random, and the piles are shuffled one by one. So any
/// order is as likely as any other, and the records that are drawn from a pile are near each other.
#[derive(Debug)]
pub(super) struct WindowRows {
    kinds: Vec<RowKind>,
    piles: Vec<Pile>,
    /// The numbers that piles are drawn by.
    numbers: Stream,
    /// The rows that were read last, before they are thrown on piles.
    written: Vec<u8>,
    /// All rows in their order, once all were read.
    order: Vec<Span>,
    /// Whether a row's byte is not known.
    lacks_bytes: bool,
    /// Schema violations, by row.
    anomalies: HashMap<(u32, usize), Vec<Found>>,
}

/// Rows, one after the other, and where each ends.
#[derive(Debug, Default)]
struct Pile {
    data: Vec<u8>,
    ends: Vec<usize>,
}

/// Bytes of a row in a pile, and the number of the pile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pile: u32,
    len: u32,
    start: usize,
}

/// A row of one of several windows.
pub(super) type Pick = (u32, Span);

impl WindowRows {
    /// Room for rows of about `bytes` bytes together, whose order follows from numbers.
    pub(super) fn new(numbers: Stream, bytes: u64, spare: Option<Self>) -> Self {
        let piles = usize::try_from((bytes / PILE_BYTES).clamp(1, PILES)).unwrap_or(1);
        let expected = usize::try_from(bytes.min(MOST_EXPECTED)).unwrap_or(0) / piles;
        let mut rows = spare.unwrap_or_else(|| Self {
            kinds: Vec::new(),
            piles: Vec::new(),
            numbers,
            written: Vec::new(),
            order: Vec::new(),
            lacks_bytes: false,
            anomalies: HashMap::new(),
        });
        rows.numbers = numbers;
        rows.kinds.clear();
        rows.order.clear();
        rows.lacks_bytes = false;
        rows.anomalies.clear();
        rows.piles.resize_with(piles, Pile::default);
        for pile in &mut rows.piles {
            pile.data.clear();
            pile.ends.clear();
            // A pile that is a little larger than others need not grow.
            pile.data.reserve(expected.saturating_add(expected / 8));
        }
        rows
    }

    /// Draws the order, once all rows were appended.
    pub(super) fn mix(&mut self) {
        let Self { piles, order, numbers, .. } = self;
        order.reserve(piles.iter().map(|pile| pile.ends.len()).sum());
        for (number, pile) in (0u32..).zip(piles) {
            let first = order.len();
            let mut start = 0;
            for &end in &pile.ends {
                let len = u32::try_from(end.saturating_sub(start)).unwrap_or(u32::MAX);
                order.push(Span { pile: number, len, start });
                start = end;
            }
            shuffle(order.get_mut(first..).unwrap_or_default(), numbers);
        }
    }

    /// Returns the bytes of the row at a position of the order.
    pub(super) fn at(&self, position: usize) -> Option<Span> {
        self.order.get(position).copied()
    }

    fn row(&self, span: Span) -> Option<&[u8]> {
        let end = span.start.checked_add(span.len as usize)?;
        self.piles.get(span.pile as usize)?.data.get(span.start..end)
    }

    /// Appends rows of a chunk; `None` if they are not such as those before.
    pub(super) fn append(&mut self, chunk: &Chunk, rows: Range<usize>) -> Option<()> {
        let kinds = chunk.columns.iter().map(RowKind::of).collect::<Option<Vec<_>>>()?;
        if self.kinds.is_empty() {
            self.kinds.clone_from(&kinds);
        }
        if self.kinds.len() != kinds.len() {
            return None;
        }
        let mut sizes = vec![HEAD; rows.len()];
        for ((own, kind), column) in self.kinds.iter_mut().zip(&kinds).zip(&chunk.columns) {
            own.join(kind)?;
            kind.measure(column, rows.clone(), &mut sizes)?;
        }
        let mut cursors = Vec::with_capacity(rows.len());
        let mut end = 0usize;
        for size in &sizes {
            u32::try_from(*size).ok()?;
            cursors.push(end);
            end = end.checked_add(*size)?;
        }
        // Whatever was in the memory before, all of it is written.
        if self.written.len() < end {
            self.written.resize(end, 0);
        }
        for (row, cursor) in rows.clone().zip(&mut cursors) {
            let head = self.written.get_mut(*cursor..)?.first_chunk_mut::<HEAD>()?;
            let (file, numbers) = head.split_first_chunk_mut::<4>()?;
            let (record, byte) = numbers.split_first_chunk_mut::<8>()?;
            *file = chunk.file_of(row).to_ne_bytes();
            *record = chunk.records.get(row)?.to_ne_bytes();
            byte.copy_from_slice(&chunk.bytes.get(row).copied().unwrap_or_default().to_ne_bytes());
            *cursor += HEAD;
        }
        for (kind, column) in kinds.iter().zip(&chunk.columns) {
            kind.write(column, rows.clone(), &mut self.written, &mut cursors)?;
        }
        self.lacks_bytes |= chunk.bytes.is_empty();
        let mut rest = self.written.as_slice();
        for (row, size) in rows.zip(sizes) {
            let (written, others) = rest.split_at_checked(size)?;
            rest = others;
            let number = self.numbers.below(self.piles.len() as u64);
            let pile = self.piles.get_mut(usize::try_from(number).ok()?)?;
            if !chunk.anomalies.is_empty() {
                let found = chunk.anomalies_in(row..=row);
                if !found.is_empty() {
                    self.anomalies.insert((u32::try_from(number).ok()?, pile.data.len()), found.to_vec());
                }
            }
            pile.data.extend_from_slice(written);
            pile.ends.push(pile.data.len());
        }
        Some(())
    }
}

/// Returns a chunk of rows of several windows; `None` if there are none such.
pub(super) fn chunk_of(windows: &[Arc<WindowRows>], picks: &[Pick]) -> Option<Chunk> {
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
    for &(window, span) in picks {
        let row = windows.get(window as usize)?.row(span)?;
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
        for (at, (window, span)) in picks.iter().enumerate() {
            let found = windows.get(*window as usize)?.anomalies.get(&(span.pile, span.start));
            chunk
                .anomalies
                .extend(found.into_iter().flatten().map(|found| Found { row: at, ..found.clone() }));
        }
    }
    Some(chunk)
}
