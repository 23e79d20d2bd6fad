//! Row groups as record batches.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
    RowSelection, RowSelectionPolicy,
};
use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaDataBuilder, RowGroupMetaData};
use tfxio_core::{ColumnPath, Error, ErrorKind, Position, Predicate, ScanRequest};

use super::chunks::{Chunks, Part, Reading};
use super::page_index::{self, Location};
use super::pages::PageCheck;
use super::reader::{ParquetFooter, of_struct};
use super::unit::Unit;
use crate::columnar::{Failure, GroupReader};
use crate::filter::possible::{Page, intersection, rows_that_may};

/// Bytes of the columns of a row group that are read before they are decoded. Of larger ones a window each is in memory: memory that
/// was never used costs more than further reads.
const FETCHED: u64 = 2 << 20;

/// Reads row groups, one after the other.
pub(super) struct RowGroups {
    footer: Arc<ParquetFooter>,
    chunks: Chunks,
    /// Leaf columns that are read.
    leaves: Vec<usize>,
    mask: ProjectionMask,
    filter: Option<Predicate>,
    batch_rows: usize,
    /// Bytes that are fetched before they are decoded; nothing where few rows are read of what is entered.
    fetched: Option<u64>,
    most: u64,
    unit: Unit,
    /// Reads the group that was entered last.
    reader: Option<ParquetRecordBatchReader>,
}

impl RowGroups {
    pub(super) fn new(
        footer: Arc<ParquetFooter>,
        chunks: Chunks,
        leaves: Vec<usize>,
        request: &ScanRequest,
        batch_rows: usize,
    ) -> Self {
        let mask = ProjectionMask::leaves(footer.metadata.parquet_schema(), leaves.iter().copied());
        let (filter, most) = (request.filter.clone(), FETCHED.min(request.limits.batch_bytes));
        Self {
            footer,
            chunks,
            leaves,
            mask,
            filter,
            batch_rows,
            fetched: None,
            most,
            unit: Unit::new(batch_rows),
            reader: None,
        }
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
    fn columns(&self, number: usize, group: &RowGroupMetaData) -> Result<Vec<Part>, Failure> {
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
            .map(|column| Part::new(range(column), Some(PageCheck::new(column, number))))
            .collect())
    }

    /// Reads what says where the pages of leaves are, and, for a filter, what their bounds are.
    fn enter_index(
        &self,
        group: &RowGroupMetaData,
        leaves: impl Iterator<Item = usize>,
        with_bounds: bool,
    ) -> Result<(), Failure> {
        let mut parts = Vec::new();
        for chunk in leaves.filter_map(|leaf| group.columns().get(leaf)) {
            let locations = (chunk.offset_index_offset(), chunk.offset_index_length());
            let bounds = (chunk.column_index_offset(), chunk.column_index_length());
            for (offset, length) in
                [Some(locations), Some(bounds).filter(|_| with_bounds)].into_iter().flatten()
            {
                let range = page_index::range(&self.chunks, offset, length);
                parts.extend(range.map(|range| Part::new(range, None)));
            }
        }
        Ok(self.chunks.enter(parts, Reading::Whole(FETCHED))?)
    }

    /// Returns those of the rows of a group that may satisfy the filter, by the page index of its columns.
    fn selected(&self, group: &RowGroupMetaData, rows: &Range<u64>) -> Result<Vec<Range<u64>>, Failure> {
        let Some(filter) = &self.filter else { return Ok(vec![rows.clone()]) };
        let mut paths = Vec::new();
        filter.columns(&mut paths);
        let leaves = paths.iter().filter_map(|path| self.footer.leaf(path));
        self.enter_index(group, leaves.map(|(leaf, _)| leaf), true)?;
        let mut known: Vec<(&ColumnPath, Vec<Page>)> = Vec::new();
        for path in paths {
            let Some((leaf, is_whole)) = self.footer.leaf(path) else { continue };
            if let Some(mut pages) = self.pages(group, leaf)? {
                if !is_whole {
                    pages.iter_mut().for_each(|page| page.facts = of_struct(&page.facts));
                }
                known.push((path, pages));
            }
        }
        let pages = |path: &ColumnPath| {
            known.iter().find(|(known, _)| *known == path).map(|(_, pages)| pages.as_slice())
        };
        let may = rows_that_may(filter, &(0..number(group.num_rows())), &pages);
        Ok(intersection(&may, std::slice::from_ref(rows)))
    }

    fn pages(&self, group: &RowGroupMetaData, leaf: usize) -> Result<Option<Vec<Page>>, Failure> {
        let (Some(chunk), Some(of)) = (group.columns().get(leaf), self.footer.leaves.get(leaf)) else {
            return Ok(None);
        };
        let rows = number(group.num_rows());
        match page_index::locations(&self.chunks, chunk, rows)? {
            Some(locations) => page_index::pages(&self.chunks, chunk, of, &locations, rows),
            None => Ok(None),
        }
    }

    /// Returns where the pages of the columns are that are read, by leaf; nothing where that is not known.
    fn locations(&self, group: &RowGroupMetaData) -> Result<Option<Vec<Vec<Location>>>, Failure> {
        self.enter_index(group, self.leaves.iter().copied(), false)?;
        let mut of_leaves = Vec::with_capacity(group.num_columns());
        for (leaf, chunk) in group.columns().iter().enumerate() {
            let locations = match self.leaves.binary_search(&leaf) {
                Ok(_) => page_index::locations(&self.chunks, chunk, number(group.num_rows()))?,
                Err(_) => Some(Vec::new()),
            };
            let Some(locations) = locations else { return Ok(None) };
            of_leaves.push(locations);
        }
        Ok(Some(of_leaves))
    }

    /// Returns the parts of the file in which the pages with these rows are, and their dictionaries.
    fn pages_with(
        &self,
        number: usize,
        group: &RowGroupMetaData,
        located: &[Vec<Location>],
        rows: &[Range<u64>],
    ) -> Vec<Part> {
        let total = self::number(group.num_rows());
        let mut parts = Vec::new();
        for (chunk, locations) in group.columns().iter().zip(located) {
            let Some(first) = locations.first() else { continue };
            let dictionary = chunk.byte_range().0..first.range().start;
            let of_pages = page_index::rows_of_pages(locations, total);
            let wanted = of_pages.map(|page| {
                let next = rows.partition_point(|rows| rows.end <= page.start);
                rows.get(next).is_some_and(|rows| rows.start < page.end)
            });
            let pages = locations.iter().map(Location::range).zip(wanted);
            let has_dictionary = !dictionary.is_empty();
            let all = std::iter::once((dictionary, true)).filter(|_| has_dictionary).chain(pages).enumerate();
            parts.extend(all.filter(|(_, (_, is_wanted))| *is_wanted).map(|(page, (range, _))| {
                let check = PageCheck::of_page(chunk, number, page, &range);
                Part::new(range, Some(check))
            }));
        }
        parts
    }

    /// Returns metadata of only this group in which the locations of pages stand, so that no others are read.
    fn with_locations(
        &self,
        group: &RowGroupMetaData,
        located: &[Vec<Location>],
    ) -> Result<ArrowReaderMetadata, Failure> {
        let rows = number(group.num_rows());
        let index = located.iter().map(|locations| page_index::offset_index(locations, rows)).collect();
        let file = self.footer.file().file_metadata().clone();
        let metadata = ParquetMetaDataBuilder::new(file).add_row_group(group.clone());
        let metadata = metadata.set_offset_index(Some(vec![index])).build();
        Ok(ArrowReaderMetadata::try_new(Arc::new(metadata), ArrowReaderOptions::default())?)
    }

    /// Returns the error that says what is wrong with a page, if that is known.
    fn explained(&self, error: impl Into<Failure>) -> Failure {
        self.chunks.damage().map_or_else(|| error.into(), Into::into)
    }
}

fn number(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

/// Returns the first rows of some.
fn first_rows(rows: &[Range<u64>], mut count: u64) -> Vec<Range<u64>> {
    let mut first = Vec::new();
    for rows in rows {
        let end = rows.end.min(rows.start.saturating_add(count));
        count -= end - rows.start;
        first.push(rows.start..end);
        if count == 0 {
            break;
        }
    }
    first
}

impl GroupReader for RowGroups {
    fn read_whole(&mut self, _: Option<Range<usize>>) {
        self.fetched = Some(self.most);
    }

    fn enter(&mut self, group: usize, rows: Range<u64>) -> Result<Vec<Range<u64>>, Failure> {
        let footer = Arc::clone(&self.footer);
        let described = footer.file().row_group(group);
        let total = number(described.num_rows());
        let rows = rows.start..rows.end.min(total);
        self.check_compressions(described)?;
        let selected = self.selected(described, &rows)?;
        self.reader = None;
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
                let parts = self.columns(group, described)?;
                let reading = match self.fetched.filter(|_| is_whole) {
                    Some(most) => Reading::Whole(most),
                    None => Reading::Few(parts.iter().map(Part::first).collect()),
                };
                self.chunks.enter(parts, reading)?;
                (footer.metadata.clone(), group)
            }
        };
        let rows_at_once = self.fetched.map_or(self.batch_rows, |_| self.unit.rows());
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(self.chunks.clone(), metadata);
        let builder = builder.with_projection(self.mask.clone()).with_batch_size(rows_at_once);
        let builder = builder.with_row_groups(vec![group]);
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
        Ok(selected)
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, Failure> {
        let Some(reader) = &mut self.reader else { return Ok(None) };
        let batch = reader.next().transpose().map_err(|error| self.explained(error))?;
        if let Some(batch) = &batch {
            self.unit.add(batch.num_rows(), batch.get_array_memory_size());
        }
        Ok(batch)
    }
}
