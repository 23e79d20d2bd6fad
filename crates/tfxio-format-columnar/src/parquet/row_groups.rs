//! Row groups as record batches.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader as _};
use arrow_schema::SchemaRef;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder, RowSelection, RowSelectionPolicy,
};
use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use tfxio_core::{Error, ErrorKind, Limits, Position, Predicate, ScanRequest};
use tfxio_scan::filter::possible::Page;

use super::bounds_check::{Said, Structs};
use super::budget;
use super::chunks::{AccessPattern, Chunks, Part};
use super::delta::Room;
use super::facts::ChunkFacts;
use super::foreign::ForeignColumns;
use super::page_index::Index;
use super::pages::PageCheck;
use super::reader::ParquetFooter;
use super::selected::{first_rows, shared_indexes};
use super::span::{self, Span};
use super::unit::Unit;
use super::{contradicted, converted};
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
    /// Rows that the reader decodes at once, and that it may in the groups that were entered last.
    rows_at_once: usize,
    most_at_once: usize,
    /// Rows that are left of the group that was begun, and its number.
    rest: (usize, Vec<Range<u64>>),
    /// Bytes that are fetched before they are decoded; nothing where few rows are read of the groups.
    fetched: Option<u64>,
    most: u64,
    unit: Unit,
    /// Validates what the reader makes.
    columns: ForeignColumns,
    /// The columns with the types to which values are converted; nothing where none are.
    converted: Option<SchemaRef>,
    /// Whether the rows of the columns can be counted, so that a reader may span several groups.
    is_counted: bool,
    /// Groups that are read by nobody else, one after the other; none where that is not known.
    ahead: Range<usize>,
    /// Reads the groups that were entered.
    reader: Option<ParquetRecordBatchReader>,
    /// The groups of the reader, where they may be several.
    span: Option<Span>,
    /// Groups that are read after the groups of the reader, and their rows.
    later: VecDeque<(usize, Range<u64>)>,
    /// Rows that the reader has, where others follow.
    left: u64,
    /// Claims of statistics about the group that was begun, where they are compared with the values.
    said: Option<Vec<Said>>,
}

impl RowGroups {
    pub(super) fn new(
        footer: Arc<ParquetFooter>,
        chunks: Chunks,
        leaves: Vec<usize>,
        request: &ScanRequest,
        batch_rows: usize,
    ) -> Result<Self, Failure> {
        contradicted::refuse(&footer.metadata, &leaves)?;
        let mask = ProjectionMask::leaves(footer.metadata.parquet_schema(), leaves.iter().copied());
        let (filter, most) = (request.filter.clone(), FETCHED.min(request.limits.batch_bytes));
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(chunks.clone(), footer.metadata.clone());
        let builder = builder.with_projection(mask.clone()).with_row_groups(Vec::new());
        let schema = builder.build()?.schema();
        let is_counted = span::is_counted(&schema, leaves.len());
        let columns = ForeignColumns::new(&schema, footer.metadata.parquet_schema(), &leaves);
        let converted =
            (!footer.targets.is_empty()).then(|| converted::schema(&schema, &leaves, &footer.targets));
        Ok(Self {
            footer,
            chunks,
            leaves,
            mask,
            filter,
            batch_rows,
            limits: request.limits,
            rows_at_once: batch_rows,
            most_at_once: usize::MAX,
            rest: (0, Vec::new()),
            fetched: None,
            most,
            unit: Unit::new(batch_rows),
            columns,
            converted,
            is_counted,
            ahead: 0..0,
            reader: None,
            span: None,
            later: VecDeque::new(),
            left: 0,
            said: None,
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
            .map(|column| {
                let check = PageCheck::new(column, number, self.room());
                Part::new(range(column), Some(check.compressed_by(self.created_by())))
            })
            .collect())
    }

    /// Returns the writer of the file, if it is known.
    pub(super) fn created_by(&self) -> Option<&str> {
        self.footer.file().file_metadata().created_by()
    }

    /// Returns how many rows are decoded at once, and how many bytes they may take.
    pub(super) fn room(&self) -> Room {
        Room { rows: self.rows_at_once as u64, bytes: self.limits.batch_bytes }
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
        self.rest = (group, selected.clone());
        if selected.is_empty() {
            return Ok(selected);
        }
        let is_whole = selected.first() == Some(&(0..total));
        let located = if is_whole { None } else { self.locations(described)? };
        let (metadata, group) = match located {
            Some(located) => {
                let parts = self.pages_with(group, described, &located, &selected);
                let access = self.fetched.map_or_else(
                    || {
                        let next = first_rows(&selected, self.batch_rows as u64);
                        let parts = self.pages_with(group, described, &located, &next);
                        AccessPattern::Few(parts.iter().map(Part::first).collect())
                    },
                    AccessPattern::Whole,
                );
                self.chunks.enter(parts, access)?;
                (self.with_locations(described, &located)?, 0)
            }
            None => {
                let parts = self.parts(group, described)?;
                let access = match self.fetched.filter(|_| is_whole) {
                    Some(most) => AccessPattern::Whole(most),
                    None => AccessPattern::Few(parts.iter().map(Part::first).collect()),
                };
                self.chunks.enter(parts, access)?;
                (footer.metadata.clone(), group)
            }
        };
        let may_span = may_span && is_whole && self.is_counted && self.filter.is_none();
        let end = if may_span && self.ahead.contains(&group) { self.ahead.end } else { group + 1 };
        let mut groups = span::of(footer.file(), self.leaves.len(), group..end);
        let rows_at_once = match self.fetched {
            Some(_) if groups.len() == 1 => self.unit.rows(),
            _ => self.batch_rows,
        };
        let budget = budget::rows(&self.chunks, described, &self.leaves, rows_at_once, &self.limits)?;
        if !budget.counted.is_empty() {
            groups.end = group + 1;
        }
        let is_span = groups.len() > 1;
        self.chunks.only_parts(is_span);
        let rows_at_once = budget.rows.min(self.most_at_once);
        self.rows_at_once = rows_at_once;
        self.chunks.watch(self.room(), &budget.counted);
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

    /// Returns the claims of statistics and page indexes about the columns of a group.
    fn statistics_of(&self, number: usize) -> Result<Vec<Said>, Failure> {
        let Some(group) = self.footer.file().row_groups().get(number) else { return Ok(Vec::new()) };
        let rows = 0..self::number(group.num_rows());
        let mut all = Vec::new();
        let shared = shared_indexes(group);
        let schema = self.footer.metadata.parquet_schema();
        // Columns of a batch are in the order of their leaves.
        let (mut root, mut last) = (0, None);
        self.enter_index(group, self.leaves.iter().copied(), true)?;
        for leaf in &self.leaves {
            let of_leaf = schema.get_column_root_idx(*leaf);
            root += usize::from(last.is_some_and(|last| last != of_leaf));
            last = Some(of_leaf);
            let (Some(chunk), Some(described)) = (group.columns().get(*leaf), self.footer.leaves.get(*leaf))
            else {
                continue;
            };
            let Some(path) = described.path.clone().filter(|_| !described.in_lists) else { continue };
            let facts = ChunkFacts::new(chunk, described).facts();
            let pages = vec![Page { rows: rows.clone(), facts }];
            all.push(Said { root, path: path.clone(), group: number, by: "the statistics", pages });
            let mut of_pages = Said { root, path, group: number, by: "the page index", pages: Vec::new() };
            match self.pages(group, *leaf, &shared)? {
                Index::None => {}
                Index::Contradictory => {
                    return Err(of_pages
                        .error(0, "contradicts itself or the statistics, and is not used")
                        .into());
                }
                Index::Pages(pages) => {
                    of_pages.pages = pages;
                    all.push(of_pages);
                }
            }
        }
        Ok(all)
    }

    /// Goes on with fewer rows at once, if as many as were asked for are too long and fewer may not be. Returns whether it does.
    fn decodes_fewer(&mut self) -> bool {
        let Some(bytes) = self.chunks.row_bytes().filter(|_| self.rows_at_once > 1) else { return false };
        let fitting = usize::try_from(self.limits.batch_bytes / bytes.max(1)).unwrap_or(usize::MAX);
        self.most_at_once = fitting.clamp(1, self.rows_at_once / 2);
        self.reader = None;
        match self.span.take() {
            Some(span) => self.later = span.left(),
            None => {
                let (group, rest) = std::mem::take(&mut self.rest);
                if let (Some(first), Some(last)) = (rest.first(), rest.last()) {
                    self.later.push_front((group, first.start..last.end));
                }
            }
        }
        true
    }

    /// Returns the number in the file of the next row that is read.
    fn row(&self) -> u64 {
        let next = self.span.as_ref().and_then(Span::row);
        let (group, row) = next.unwrap_or((self.rest.0, self.rest.1.first().map_or(0, |rows| rows.start)));
        let before = self.footer.file().row_groups().iter().take(group).map(|group| number(group.num_rows()));
        before.fold(row, u64::saturating_add)
    }

    /// Returns the known error of a page in place of an error of the reader, if there is one.
    fn explained(&self, error: impl Into<Failure>) -> Failure {
        let beyond = || {
            let (at, span) = (self.chunks.beyond()?, self.span.as_ref()?);
            span.ends_early(self.footer.file(), at)
        };
        self.chunks.damage().or_else(beyond).map_or_else(|| error.into(), Into::into)
    }
}

/// Returns what is left of ranges after a number of rows.
fn after(ranges: Vec<Range<u64>>, mut rows: u64) -> Vec<Range<u64>> {
    let left = ranges.into_iter().map(|range| {
        let passed = rows.min(range.end.saturating_sub(range.start));
        rows -= passed;
        range.start.saturating_add(passed)..range.end
    });
    left.filter(|range| !range.is_empty()).collect()
}

pub(super) fn number(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

impl GroupReader for RowGroups {
    fn read_whole(&mut self, groups: Option<Range<usize>>) {
        self.fetched = Some(self.most);
        self.ahead = groups.unwrap_or_default();
    }

    fn compare_statistics(&mut self) {
        self.said = Some(Vec::new());
    }

    fn enter(&mut self, group: usize, rows: Range<u64>) -> Result<Vec<Range<u64>>, Failure> {
        self.most_at_once = usize::MAX;
        if self.said.is_some() {
            self.said = Some(self.statistics_of(group)?);
        }
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
            let budget = budget::rows(&self.chunks, described, &self.leaves, rows, &self.limits);
            if is_entered
                && budget.is_ok_and(|budget| budget.rows >= rows && budget.counted.is_empty())
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
        let batch = loop {
            while self.reader.is_none()
                && let Some((group, rows)) = self.later.pop_front()
            {
                self.begin(group, rows, false)?;
            }
            let Some(reader) = &mut self.reader else { return Ok(None) };
            match reader.next().transpose() {
                Ok(Some(batch)) => break batch,
                Ok(None) => return Ok(None),
                Err(error) if !self.decodes_fewer() => return Err(self.explained(error)),
                Err(_) => {}
            }
        };
        self.columns.check(&batch)?;
        let batch = match &self.converted {
            Some(schema) => converted::batch(&batch, schema, || self.row())?,
            None => batch,
        };
        let first = self.rest.1.first().map_or(0, |rows| rows.start);
        let mut structs = Structs::default();
        for said in self.said.iter().flatten() {
            said.compare(&batch, &mut structs, first, || self.row())?;
        }
        self.rest.1 = after(std::mem::take(&mut self.rest.1), batch.num_rows() as u64);
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
