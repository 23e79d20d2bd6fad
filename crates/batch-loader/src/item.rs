//! Parsed records and the examples that are cut from them.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32};

use crate::column::Column;
use crate::progress::ItemPosition;

/// Records of one file that were parsed together, or of several that were mixed, processed and ready for batches.
/// Shared by the examples in them.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    /// The number of the file in the data set.
    pub(crate) file: u32,
    /// The file of each row, where they are of several; empty where all are of `file`.
    pub(crate) files: Vec<u32>,
    /// The number in its file of each record (row), ascending.
    pub(crate) records: Vec<u64>,
    /// The byte in its file, after decompression, at which each record begins; empty where the source has none.
    pub(crate) bytes: Vec<u64>,
    /// The tensors of the pipeline, in its order, after secondary features and processing.
    pub(crate) columns: Vec<Column>,
    /// Step offsets of the records among all steps of the chunk: rows + 1 numbers from 0 on. Only for continuous
    /// sequences, all of whose tensors have these lengths along their first dimension.
    pub(crate) steps: Option<Vec<usize>>,
    /// Number of records that a filter left out among these.
    pub(crate) filtered: u64,
    /// Schema violations of the rows, in the order of rows; empty where rows are not compared with a schema.
    pub(crate) anomalies: Vec<Found>,
    /// Bookkeeping for waiting examples.
    pub(crate) held: Held,
}

/// A record that leaves the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) row: usize,
    /// The number of the rule that it breaks.
    pub(crate) rule: u32,
    /// Description of the wrong value; `None` where the first record of the rule was reported already.
    pub(crate) text: Option<Arc<str>>,
}

/// Bookkeeping of the shuffle buffer, buckets and open rows for a chunk. Only the planner changes it.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// Number of its rows that came into the buffer as examples; `live` is the number of them in it.
    pub(crate) came: AtomicU32,
    pub(crate) live: AtomicU32,
    /// Whether its bytes were counted among the chunks with windows in the buffer.
    pub(crate) counted: AtomicBool,
    /// Whether its bytes were counted among the chunks with examples that wait for others of their batch.
    pub(crate) waits: AtomicBool,
    /// Number of steps of each row's record that were cut before the first one here; empty for whole records.
    pub(crate) cut: Vec<usize>,
}

impl Chunk {
    pub(crate) fn rows(&self) -> usize {
        self.records.len()
    }

    /// Returns the number of the file of a row.
    pub(crate) fn file_of(&self, row: usize) -> u32 {
        self.files.get(row).copied().unwrap_or(self.file)
    }
}

/// Unit of the numbers of a [`Span`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// One row of the chunk is an example of its own.
    Row,
    /// Rows that follow each other, concatenated along the first dimension of each tensor (discrete sequences).
    Rows,
    /// Steps that follow each other, whatever the rows (continuous sequences).
    Steps,
}

/// Part of an example in one chunk.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) chunk: Arc<Chunk>,
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// An example: a record (one part of length 1) or a window (one part or more, in order).
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) first: Span,
    pub(crate) rest: Option<Box<[Span]>>,
}

impl Item {
    pub(crate) fn spans(&self) -> impl Iterator<Item = &Span> {
        std::iter::once(&self.first).chain(self.rest.iter().flat_map(|rest| rest.iter()))
    }
}

impl Chunk {
    /// Returns a chunk of these rows, in this order; `None` if a row does not exist.
    pub(crate) fn take(&self, rows: &[usize]) -> Option<Self> {
        let columns = self.columns.iter().map(|column| column.take(rows)).collect::<Option<_>>()?;
        let of =
            |numbers: &[u64]| rows.iter().map(|&row| numbers.get(row).copied()).collect::<Option<Vec<_>>>();
        let bytes = if self.bytes.is_empty() { Vec::new() } else { of(&self.bytes)? };
        let anomalies = self.anomalies_of(rows.iter().copied());
        let files = match &self.files[..] {
            [] => Vec::new(),
            files => rows.iter().map(|&row| files.get(row).copied()).collect::<Option<_>>()?,
        };
        Some(Self {
            file: self.file,
            files,
            records: of(&self.records)?,
            bytes,
            columns,
            anomalies,
            ..Self::default()
        })
    }

    /// Returns the anomalies of these rows, renumbered by their position among them.
    fn anomalies_of(&self, rows: impl Iterator<Item = usize>) -> Vec<Found> {
        if self.anomalies.is_empty() {
            return Vec::new();
        }
        let of_row =
            |(new, old): (usize, usize)| self.anomalies_in(old..=old).iter().map(move |found| (new, found));
        rows.enumerate().flat_map(of_row).map(|(row, found)| Found { row, ..found.clone() }).collect()
    }

    /// Returns the schema violations of these rows.
    pub(crate) fn anomalies_in(&self, rows: RangeInclusive<usize>) -> &[Found] {
        let from = self.anomalies.partition_point(|found| found.row < *rows.start());
        let to = self.anomalies.partition_point(|found| found.row <= *rows.end());
        self.anomalies.get(from..to).unwrap_or_default()
    }

    /// Returns a chunk of these units, which are ascending, disjoint ranges; `None` if a unit does not exist. A record
    /// with steps in several ranges becomes several rows.
    pub(crate) fn take_units(&self, ranges: &[Range<usize>]) -> Option<Self> {
        let Some(steps) = &self.steps else {
            return self.take(&ranges.iter().cloned().flatten().collect::<Vec<_>>());
        };
        let mut taken = Self { file: self.file, ..Self::default() };
        let mut offsets = vec![0usize];
        let mut rows = Vec::new();
        for range in ranges {
            let mut at = range.start;
            while at < range.end {
                let row = steps.partition_point(|&start| start <= at).checked_sub(1)?;
                let to = range.end.min(*steps.get(row + 1)?);
                rows.push(row);
                taken.records.push(*self.records.get(row)?);
                if !self.bytes.is_empty() {
                    taken.bytes.push(*self.bytes.get(row)?);
                }
                let before = self.held.cut.get(row).copied().unwrap_or(0);
                taken.held.cut.push(before + at.checked_sub(*steps.get(row)?)?);
                offsets.push(offsets.last()? + to.checked_sub(at)?);
                at = to;
            }
        }
        let columns = self.columns.iter().map(|column| column.take_steps(ranges, &offsets));
        taken.columns = columns.collect::<Option<_>>()?;
        taken.steps = Some(offsets);
        taken.anomalies = self.anomalies_of(rows.into_iter());
        Some(taken)
    }

    /// Returns the number of its units: steps of a continuous sequence, rows otherwise.
    pub(crate) fn units(&self) -> usize {
        match &self.steps {
            Some(steps) => steps.last().copied().unwrap_or(0),
            None => self.rows(),
        }
    }

    /// Returns about the bytes that it takes in memory.
    pub(crate) fn memory(&self) -> usize {
        let columns = self.columns.iter().map(Column::memory).sum::<usize>();
        let anomalies = self.anomalies.len().saturating_mul(size_of::<Found>());
        columns.saturating_add(self.rows().saturating_mul(24)).saturating_add(anomalies)
    }

    /// Returns the row of a unit, and the number of units before it in that row's record.
    pub(crate) fn row_of(&self, unit: Unit, at: usize) -> (usize, usize) {
        match (&self.steps, unit) {
            (Some(steps), Unit::Steps) => {
                let row = steps.partition_point(|&start| start <= at).saturating_sub(1);
                let before = self.held.cut.get(row).copied().unwrap_or(0);
                (row, before + (at - steps.get(row).copied().unwrap_or(0).min(at)))
            }
            _ => (at, 0),
        }
    }
}

impl Item {
    /// Returns whether it is a record, not a window.
    pub(crate) fn is_row(&self) -> bool {
        self.rest.is_none() && self.first.len == 1 && self.first.chunk.steps.is_none()
    }

    /// Returns the position of the example in its part.
    pub(crate) fn position(&self, unit: Unit) -> ItemPosition {
        let chunk = &self.first.chunk;
        let (row, step) = chunk.row_of(unit, self.first.start as usize);
        let record = chunk.records.get(row).copied().unwrap_or(0);
        let (mut len, mut last) = (0u32, record);
        for span in self.spans() {
            let end = span.start.saturating_add(span.len).saturating_sub(1) as usize;
            let (row, _) = span.chunk.row_of(unit, end);
            len = len.saturating_add(span.len);
            last = span.chunk.records.get(row).copied().unwrap_or(last);
        }
        ItemPosition {
            part: chunk.file_of(row),
            step: u32::try_from(step).unwrap_or(u32::MAX),
            len,
            // By their numbers: records without steps, and those that were left out, lie between.
            records: u32::try_from(last.saturating_sub(record).saturating_add(1)).unwrap_or(u32::MAX),
            record,
            byte: chunk.bytes.get(row).copied().unwrap_or(0),
        }
    }
}
