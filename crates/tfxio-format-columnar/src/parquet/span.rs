//! Row groups that one reader spans, so that no batch is joined of two.
//!
//! The reader fills a batch column by column, and each goes on to the next row group by itself, where its pages end. A column with other
//! rows there than in the footer would take rows that others do not take; so the values of each column are counted.

use std::collections::VecDeque;
use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use tfxio_core::{Error, ErrorKind, Position};

use super::levels;

/// Maximum number of row groups, times the columns that are read: each column has a list of them.
const MOST_CHUNKS: usize = 1 << 20;

/// The row groups of a reader.
pub(super) struct Span {
    /// Row group after the last.
    end: usize,
    /// Row group after the last that was entered.
    next: usize,
    /// Groups that were entered, and whose rows were not all read.
    entered: VecDeque<Entered>,
}

struct Entered {
    group: usize,
    /// Rows that were not read.
    rows: Range<u64>,
    /// Values of each leaf column in the rows that were read.
    values: Vec<u64>,
}

/// Returns whether the rows of columns, which have this number of leaf columns, can be counted by their values.
pub(super) fn is_counted(schema: &Schema, leaves: usize) -> bool {
    schema.fields().iter().map(|field| levels::leaves(field)).sum::<Option<usize>>() == Some(leaves)
}

/// Returns the first of the row groups, one at least, that a reader of this number of leaf columns can span.
pub(super) fn of(file: &ParquetMetaData, leaves: usize, groups: Range<usize>) -> Range<usize> {
    let most = (MOST_CHUNKS / leaves.max(1)).max(1);
    // The rows are a claim of the footer, and the reader adds them up.
    let mut rows = 0i64;
    let described = file.row_groups().iter().take(groups.end).skip(groups.start);
    let fitting = described.take(most).take_while(|group| {
        let sum = rows.checked_add(group.num_rows()).filter(|_| group.num_rows() > 0);
        rows = sum.unwrap_or(rows);
        sum.is_some()
    });
    groups.start..groups.start.saturating_add(fitting.count().max(1))
}

impl Span {
    /// Begins with the rows of the first group.
    pub(super) fn new(groups: Range<usize>, rows: u64, leaves: usize) -> Self {
        let mut span = Self { end: groups.end, next: groups.start, entered: VecDeque::new() };
        span.enter(rows, leaves);
        span
    }

    /// Enters the next group.
    pub(super) fn enter(&mut self, rows: u64, leaves: usize) {
        self.entered.push_back(Entered { group: self.next, rows: 0..rows, values: vec![0; leaves] });
        self.next += 1;
    }

    /// Returns the group of the next row that is read, and the number of the row in it.
    pub(super) fn row(&self) -> Option<(usize, u64)> {
        self.entered.front().map(|entered| (entered.group, entered.rows.start))
    }

    /// Returns the next group of the reader, if it has one.
    pub(super) fn next(&self) -> Option<usize> {
        (self.next < self.end).then_some(self.next)
    }

    /// Returns the groups whose rows were not all read, and those rows.
    pub(super) fn left(self) -> VecDeque<(usize, Range<u64>)> {
        self.entered.into_iter().map(|entered| (entered.group, entered.rows)).collect()
    }

    /// Returns the error of a column that goes on at an offset, in a row group that was not entered.
    pub(super) fn ends_early(&self, file: &ParquetMetaData, at: u64) -> Option<Error> {
        let columns = file.row_groups().get(self.next)?.columns();
        let chunk = columns.iter().find(|chunk| chunk.byte_range().0 == at)?;
        Some(other_rows(chunk, self.next.saturating_sub(1)))
    }

    /// Counts a batch that was read. Returns the first group that may still be read from: the one of its last row.
    pub(super) fn read(
        &mut self,
        batch: &RecordBatch,
        file: &ParquetMetaData,
        leaves: &[usize],
    ) -> Result<Option<usize>, Error> {
        let (mut at, mut last) = (0, None);
        while at < batch.num_rows()
            && let Some(entered) = self.entered.front_mut()
        {
            let left = usize::try_from(entered.rows.end - entered.rows.start).unwrap_or(usize::MAX);
            let rows = at..at.saturating_add(left).min(batch.num_rows());
            levels::add(batch, &rows, &mut entered.values);
            entered.rows.start += rows.len() as u64;
            (at, last) = (rows.end, Some(entered.group));
            if entered.rows.is_empty() {
                entered.check(file, leaves)?;
                self.entered.pop_front();
            }
        }
        Ok(last)
    }
}

impl Entered {
    /// Compares the values of each column with the number in the footer.
    fn check(&self, file: &ParquetMetaData, leaves: &[usize]) -> Result<(), Error> {
        for (leaf, values) in leaves.iter().zip(&self.values) {
            let Some(chunk) = file.row_groups().get(self.group).and_then(|group| group.columns().get(*leaf))
            else {
                continue;
            };
            if u64::try_from(chunk.num_values()).ok() != Some(*values) {
                return Err(other_rows(chunk, self.group));
            }
        }
        Ok(())
    }
}

#[cold]
fn other_rows(chunk: &ColumnChunkMetaData, group: usize) -> Error {
    let what = format!(
        "the Parquet file cannot be read: the column has other rows in row group {group} than the footer says"
    );
    let error = Error::new(ErrorKind::Malformed, what).help("the file is damaged; copy or download it again");
    error.at(Position::new().column(chunk.column_path().string()))
}
