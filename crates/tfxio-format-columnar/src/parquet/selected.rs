//! Row groups of which a part is read: the pages with some rows, by the page index.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaDataBuilder, RowGroupMetaData};
use tfxio_core::ColumnPath;
use tfxio_scan::filter::possible::{Page, intersection, rows_that_may};

use super::chunks::{AccessPattern, Part};
use super::page_index::{self, Index, Location};
use super::pages::PageCheck;
use super::reader::of_struct;
use super::row_groups::{FETCHED, RowGroups, number};
use crate::columnar::Failure;

impl RowGroups {
    /// Enters the page indexes of leaves: the locations of their pages, and, for a filter, their bounds.
    pub(super) fn enter_index(
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
        Ok(self.chunks.enter(parts, AccessPattern::Whole(FETCHED))?)
    }

    /// Returns the rows of a group that may satisfy the filter, by the page index of its columns.
    pub(super) fn selected(
        &self,
        group: &RowGroupMetaData,
        rows: &Range<u64>,
    ) -> Result<Vec<Range<u64>>, Failure> {
        let Some(filter) = &self.filter else { return Ok(vec![rows.clone()]) };
        let mut paths = Vec::new();
        filter.columns(&mut paths);
        let leaves = paths.iter().filter_map(|path| self.footer.leaf(path));
        self.enter_index(group, leaves.map(|(leaf, _)| leaf), true)?;
        let shared = shared_indexes(group);
        let mut known: Vec<(&ColumnPath, Vec<Page>)> = Vec::new();
        for path in paths {
            let Some((leaf, is_whole)) = self.footer.leaf(path) else { continue };
            if let Index::Pages(mut pages) = self.pages(group, leaf, &shared)? {
                page_index::forget_empty(&mut pages);
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

    /// Returns the page index of a column.
    pub(super) fn pages(
        &self,
        group: &RowGroupMetaData,
        leaf: usize,
        shared: &BTreeSet<usize>,
    ) -> Result<Index, Failure> {
        let (Some(chunk), Some(of)) = (group.columns().get(leaf), self.footer.leaves.get(leaf)) else {
            return Ok(Index::None);
        };
        if shared.contains(&leaf) {
            return Ok(Index::Contradictory);
        }
        let rows = number(group.num_rows());
        match page_index::locations(&self.chunks, chunk, rows)? {
            Some(locations) => page_index::pages(&self.chunks, chunk, of, &locations, rows),
            None => Ok(Index::None),
        }
    }

    /// Returns where the pages of the columns are that are read, by leaf; nothing where that is not known.
    pub(super) fn locations(&self, group: &RowGroupMetaData) -> Result<Option<Vec<Vec<Location>>>, Failure> {
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
    pub(super) fn pages_with(
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
                let check = PageCheck::of_page(chunk, number, page, &range, self.room());
                Part::new(range, Some(check.compressed_by(self.created_by())))
            }));
        }
        parts
    }

    /// Returns metadata of only this group with the locations of its pages, so that no others are read.
    pub(super) fn with_locations(
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
}

/// Returns the leaf columns whose column index is, by the footer, in the bytes of that of another.
pub(super) fn shared_indexes(group: &RowGroupMetaData) -> BTreeSet<usize> {
    let range = |(leaf, chunk): (usize, &ColumnChunkMetaData)| {
        let start = u64::try_from(chunk.column_index_offset()?).ok()?;
        let end = start.saturating_add(u64::try_from(chunk.column_index_length()?).ok()?);
        Some((start, end, leaf))
    };
    let mut ranges = group.columns().iter().enumerate().filter_map(range).collect::<Vec<_>>();
    ranges.sort_unstable();
    let (mut shared, mut last): (_, Option<(u64, usize)>) = (BTreeSet::new(), None);
    for (start, end, leaf) in ranges {
        if let Some((_, other)) = last.filter(|(last, _)| start < *last && start < end) {
            shared.extend([leaf, other]);
        }
        if last.is_none_or(|(last, _)| last < end) {
            last = Some((end, leaf));
        }
    }
    shared
}

/// Returns the first rows of some.
pub(super) fn first_rows(rows: &[Range<u64>], mut count: u64) -> Vec<Range<u64>> {
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
