//! Row groups as record batches.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader as _};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder, RowSelection, RowSelectionPolicy,
};
use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use tfxio_core::{Error, ErrorKind, Limits, Position, Predicate, ScanRequest};

use super::budget;
use super::chunks::{Chunks, Part, Reading};
use super::delta::Room;
use super::foreign::Columns;
use super::pages::PageCheck;
use super::reader::ParquetFooter;
use super::selected::first_rows;
use super::span::{self, Span};
use super::unit::Unit;
use crate::columnar::{Failure, GroupReader};

/// Bytes of the columns of a row group that are read before they are decoded. Of larger ones a window each is in memory: memory that
/// was never used costs more than further reads.
pub(super) const FETCHED: u64 = 2 << 20;

/// Reads row groups, one after the other.
pub(super) struct RowGroups {
    pub(super) footer: Arc<ParquetFooter>,
    pub(super) chunks: Chunks,
    /// Leaf columns that are read.
    pub(super) leaves: Vec<usize>,
    mask: ProjectionMask,
    pub(super) filter: Option<Predicate>,
    batch_rows: usize,
    limits: Limits,
    /// Rows that the reader decodes at once.
    rows_at_once: usize,
    /// Bytes that are fetched before they are decoded; nothing where few rows are read of what is entered.
    fetched: Option<u64>,
    most: u64,
    unit: Unit,
    /// Validates what the reader makes.
    columns: Columns,
    /// Whether the rows of the columns can be counted, so that a reader may go over several groups.
    is_counted: bool,
    /// Groups that are read by nobody else, one after the other; none where that is not known.
    ahead: Range<usize>,
    /// Reads the groups that were entered.
    reader: Option<ParquetRecordBatchReader>,
    /// The groups of the reader, where they may be several.
    span: Option<Span>,
    /// Groups that are read after those of the reader, and the rows of them.
    later: VecDeque<(usize, Range<u64>)>,
    /// Rows that the reader has, where others follow.
    left: u64,
}

impl RowGroups {
    pub(super) fn new(
        footer: Arc<ParquetFooter>,
        chunks: Chunks,
        leaves: Vec<usize>,
        request: &ScanRequest,
        batch_rows: usize,
    ) -> Result<Self, Failure> {
        let mask = ProjectionMask::leaves(footer.metadata.parquet_schema(), leaves.iter().copied());
        let (filter, most) = (request.filter.clone(), FETCHED.min(request.limits.batch_bytes));
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(chunks.clone(), footer.metadata.clone());
        let builder = builder.with_projection(mask.clone()).with_row_groups(Vec::new());
        let schema = builder.build()?.schema();
        let is_counted = span::is_counted(&schema, leaves.len());
        let columns = Columns::new(&schema, footer.metadata.parquet_schema(), &leaves);
        Ok(Self {
            footer,
            chunks,
            leaves,
            mask,
            filter,
            batch_rows,
            limits: request.limits,
            rows_at_once: batch_rows,
            fetched: None,
            most,
            unit: Unit::new(batch_rows),
            columns,
            is_counted,
            ahead: 0..0,
            reader: None,
            span: None,
            later: VecDeque::new(),
            left: 0,
        })
    }

    /// Refuses columns of a compression that is not read.
    fn check_compressions(&self, group: &RowGroupMetaData) -> Result<(), Failure> {
        for chunk in self.leaves.iter().filter_map(|leaf| group.columns().get(*leaf)) {
            let name = match chunk.compression() {
                Compression::BROTLI(_) => "Brotli",
                Compression::LZO => "LZO",
                _ => continue,
            };
            let column = chunk.column_path().string();
            let what = format!(
                "the Parquet file cannot be read: the column {column:?} is compressed with {name}, which is not supported"
            );
            let help = "write it again with zstd, snappy, gzip or lz4";
            return Err(Error::new(ErrorKind::Unsupported, what).help(help).into());
        }
        Ok(())
    }

    /// Returns the parts of the file in which the columns of a group are that are read; the footer was checked for them.
    fn parts(&self, number: usize, group: &RowGroupMetaData) -> Result<Vec<Part>, Failure> {
        let mut columns =
            self.leaves.iter().filter_map(|leaf| group.columns().get(*leaf)).collect::<Vec<_>>();
        columns.sort_by_key(|column| column.byte_range());
        let range = |column: &ColumnChunkMetaData| {
            let (start, bytes) = column.byte_range();
            start..start.saturating_add(bytes)
        };
        for (column, next) in columns.iter().zip(columns.iter().skip(1)) {
            let (first, second) = (range(column), range(next));
            if second.start < first.end && !second.is_empty() {
                let what = format!(
                    "the Parquet file cannot be read: in row group {number}, the column begins in the bytes of the column {:?}",
                    column.column_path().string()
                );
                let position = Position::new().byte(second.start).column(next.column_path().string());
                let error = Error::new(ErrorKind::Malformed, what);
                return Err(error.help("the file is damaged; copy or download it again").at(position).into());
            }
        }
        Ok(columns
            .iter()
            .map(|column| Part::new(range(column), Some(PageCheck::new(column, number, self.room()))))
            .collect())
    }

    /// Returns how many rows are decoded at once, and how many bytes they may take.
    pub(super) fn room(&self) -> Room {
        Room { rows: self.batch_rows as u64, bytes: self.limits.batch_bytes }
    }

    /// Begins to read rows of a group, and of those after it where it `may_span` and is read as a whole.
    fn begin(&mut self, group: usize, rows: Range<u64>, may_span: bool) -> Result<Vec<Range<u64>>, Failure> {
        let footer = Arc::clone(&self.footer);
        let described = footer.file().row_group(group);
        let total = number(described.num_rows());
        let rows = rows.start..rows.end.min(total);
        self.check_compressions(described)?;
        let selected = self.selected(described, &rows)?;
        (self.reader, self.span) = (None, None);
        if selected.is_empty() {
            return Ok(selected);
        }
        let is_whole = selected.first() == Some(&(0..total));
        let located = if is_whole { None } else { self.locations(described)? };
        let (metadata, group) = match located {
            Some(located) => {
                let parts = self.pages_with(group, described, &located, &selected);
                let reading = self.fetched.map_or_else(
                    || {
                        let next = first_rows(&selected, self.batch_rows as u64);
                        let parts = self.pages_with(group, described, &located, &next);
                        Reading::Few(parts.iter().map(Part::first).collect())
                    },
                    Reading::Whole,
                );
                self.chunks.enter(parts, reading)?;
                (self.with_locations(described, &located)?, 0)
            }
            None => {
                let parts = self.parts(group, described)?;
                let reading = match self.fetched.filter(|_| is_whole) {
                    Some(most) => Reading::Whole(most),
                    None => Reading::Few(parts.iter().map(Part::first).collect()),
                };
                self.chunks.enter(parts, reading)?;
                (footer.metadata.clone(), group)
            }
        };
        let may_span = may_span && is_whole && self.is_counted && self.filter.is_none();
        let end = if may_span && self.ahead.contains(&group) { self.ahead.end } else { group + 1 };
        let groups = span::of(footer.file(), self.leaves.len(), group..end);
        let is_span = groups.len() > 1;
        self.chunks.only_parts(is_span);
        let rows_at_once = match self.fetched {
            Some(_) if !is_span => self.unit.rows(),
            _ => self.batch_rows,
        };
        let rows_at_once = budget::rows(&self.chunks, described, &self.leaves, rows_at_once, &self.limits)?;
        self.rows_at_once = rows_at_once;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(self.chunks.clone(), metadata);
        let builder = builder.with_projection(self.mask.clone()).with_batch_size(rows_at_once);
        let builder = builder.with_row_groups(groups.clone().collect());
        let builder = if is_whole {
            builder
        } else {
            let ranges =
                selected.iter().map(|rows| Ok(usize::try_from(rows.start)?..usize::try_from(rows.end)?));
            let ranges = ranges.collect::<Result<Vec<_>, Failure>>()?;
            let selection =
                RowSelection::from_consecutive_ranges(ranges.into_iter(), usize::try_from(total)?);
            // Pages between the rows are passed over, and not read and dropped.
            builder.with_row_selection(selection).with_row_selection_policy(RowSelectionPolicy::Selectors)
        };
        self.reader = Some(builder.build().map_err(|error| self.explained(error))?);
        self.span = is_span.then(|| Span::new(groups, total, self.leaves.len()));
        self.left = selected.iter().map(|rows| rows.end - rows.start).sum();
        Ok(selected)
    }

    /// Returns the error that says what is wrong with a page, if that is known.
    fn explained(&self, error: impl Into<Failure>) -> Failure {
        let beyond = || {
            let (at, span) = (self.chunks.beyond()?, self.span.as_ref()?);
            span.ends_early(self.footer.file(), at)
        };
        self.chunks.damage().or_else(beyond).map_or_else(|| error.into(), Into::into)
    }
}

pub(super) fn number(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

impl GroupReader for RowGroups {
    fn read_whole(&mut self, groups: Option<Range<usize>>) {
        self.fetched = Some(self.most);
        self.ahead = groups.unwrap_or_default();
    }

    fn enter(&mut self, group: usize, rows: Range<u64>) -> Result<Vec<Range<u64>>, Failure> {
        self.begin(group, rows, true)
    }

    fn reach(&self) -> usize {
        self.span.as_ref().map_or(0, |_| self.batch_rows)
    }

    fn follow(&mut self, group: Option<usize>) -> Result<bool, Failure> {
        let Some(span) = self.span.as_ref() else { return Ok(false) };
        let next = group.filter(|group| span.next() == Some(*group));
        if let Some(group) = next {
            let footer = Arc::clone(&self.footer);
            let described = footer.file().row_group(group);
            self.check_compressions(described)?;
            let parts = self.parts(group, described)?;
            // A dictionary of the next group may make rows longer.
            let is_entered = self.chunks.enter_more(parts, self.most)?;
            let rows = self.rows_at_once;
            let fits = |rows| budget::rows(&self.chunks, described, &self.leaves, rows, &self.limits);
            if is_entered
                && fits(rows).is_ok_and(|fitting| fitting >= rows)
                && let Some(span) = &mut self.span
            {
                span.enter(number(described.num_rows()), self.leaves.len());
                return Ok(true);
            }
        }
        if let Some(span) = self.span.take_if(|span| span.next().is_some()) {
            // The reader would go on.
            (self.reader, self.later) = (None, span.left());
        }
        self.span = None;
        Ok(false)
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, Failure> {
        while self.reader.is_none()
            && let Some((group, rows)) = self.later.pop_front()
        {
            self.begin(group, rows, false)?;
        }
        let Some(reader) = &mut self.reader else { return Ok(None) };
        let batch = reader.next().transpose().map_err(|error| self.explained(error))?;
        let Some(batch) = batch else { return Ok(None) };
        self.columns.check(&batch)?;
        self.unit.add(batch.num_rows(), batch.get_array_memory_size());
        if let Some(span) = &mut self.span
            && let Some(group) = span.read(&batch, self.footer.file(), &self.leaves)?
        {
            self.chunks.leave(group)?;
        }
        if !self.later.is_empty() {
            let left = self.left.checked_sub(batch.num_rows() as u64);
            self.left = left.ok_or("a row group has more rows than the footer says")?;
            self.reader.take_if(|_| self.left == 0);
        }
        Ok(Some(batch))
    }
}
