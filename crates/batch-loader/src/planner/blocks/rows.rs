//! The rows of windows, laid one after the other, and chunks of them in any order.

use std::ops::Range;
use std::sync::Arc;

use crate::column::{Growing, Pick, pick};
use crate::item::{Chunk, Found};

/// The records of a window.
///
/// Its columns lie one after the other, so that a record that is drawn is found by one look-up a column.
#[derive(Debug, Default)]
pub(super) struct Rows {
    columns: Vec<Growing>,
    places: Vec<Place>,
    /// Whether a row's byte is not known.
    lacks_bytes: bool,
    /// How rows left the schema, in the order of rows.
    anomalies: Vec<Found>,
}

/// Where a row comes from.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    file: u32,
    record: u64,
    byte: u64,
}

impl Rows {
    /// Appends rows of a chunk; `None` if they are not such as those before.
    pub(super) fn append(&mut self, chunk: &Chunk, rows: Range<usize>) -> Option<()> {
        if self.columns.is_empty() {
            self.columns = chunk.columns.iter().map(Growing::like).collect();
        }
        if self.columns.len() != chunk.columns.len() {
            return None;
        }
        for (own, column) in self.columns.iter_mut().zip(&chunk.columns) {
            own.append(column, rows.clone())?;
        }
        let before = self.places.len();
        self.lacks_bytes |= chunk.bytes.is_empty();
        self.places.reserve(rows.len());
        for row in rows.clone() {
            let byte = chunk.bytes.get(row).copied().unwrap_or_default();
            self.places.push(Place { file: chunk.file_of(row), record: *chunk.records.get(row)?, byte });
        }
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
    let mut chunk = Chunk::default();
    let tensors = windows.first()?.columns.len();
    for tensor in 0..tensors {
        let columns = windows.iter().map(|rows| rows.columns.get(tensor)).collect::<Option<Vec<_>>>()?;
        chunk.columns.push(pick(&columns, picks)?);
    }
    let mut places = Vec::with_capacity(picks.len());
    for &(window, row) in picks {
        places.push(*windows.get(window as usize)?.places.get(row as usize)?);
    }
    chunk.files = places.iter().map(|place| place.file).collect();
    chunk.records = places.iter().map(|place| place.record).collect();
    if windows.iter().all(|rows| !rows.lacks_bytes) {
        chunk.bytes = places.iter().map(|place| place.byte).collect();
    }
    if windows.iter().any(|rows| !rows.anomalies.is_empty()) {
        for (at, &(window, row)) in picks.iter().enumerate() {
            let all = &windows.get(window as usize)?.anomalies;
            let from = all.partition_point(|found| found.row < row as usize);
            let own = all.get(from..)?.iter().take_while(|found| found.row == row as usize);
            chunk.anomalies.extend(own.map(|found| Found { row: at, ..found.clone() }));
        }
    }
    Some(chunk)
}
