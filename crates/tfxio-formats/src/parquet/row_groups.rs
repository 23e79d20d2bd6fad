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
use parquet::file::metadata::{ParquetMetaDataBuilder, RowGroupMetaData};
use tfxio_core::{ColumnPath, Error, ErrorKind, Predicate};

use super::chunks::Chunks;
use super::page_index::{self, Location};
use super::reader::{ParquetFooter, of_struct};
use crate::columnar::{Failure, GroupReader};
use crate::filter::possible::{Page, intersection, rows_that_may};

/// Reads row groups, one after the other.
pub(super) struct RowGroups {
    footer: Arc<ParquetFooter>,
    chunks: Chunks,
    /// Leaf columns that are read.
    leaves: Vec<usize>,
    mask: ProjectionMask,
    filter: Option<Predicate>,
    batch_rows: usize,
    /// Reads the group that was entered last.
    reader: Option<ParquetRecordBatchReader>,
}

impl RowGroups {
    pub(super) fn new(
        footer: Arc<ParquetFooter>,
        chunks: Chunks,
        leaves: Vec<usize>,
        filter: Option<Predicate>,
        batch_rows: usize,
    ) -> Self {
        let mask = ProjectionMask::leaves(footer.metadata.parquet_schema(), leaves.iter().copied());
        Self { footer, chunks, leaves, mask, filter, batch_rows, reader: None }
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

    /// Returns where the columns of a group that are read lie in the file; the footer was checked for them.
    fn ranges(&self, group: &RowGroupMetaData) -> Vec<Range<u64>> {
        let columns = self.leaves.iter().filter_map(|leaf| group.columns().get(*leaf));
        columns
            .map(|column| column.byte_range())
            .map(|(start, bytes)| start..start.saturating_add(bytes))
            .collect()
    }

    /// Returns those of the rows of a group that may satisfy the filter, by the page index of its columns.
    fn selected(&self, group: &RowGroupMetaData, rows: &Range<u64>) -> Result<Vec<Range<u64>>, Failure> {
        let Some(filter) = &self.filter else { return Ok(vec![rows.clone()]) };
        let mut paths = Vec::new();
        filter.columns(&mut paths);
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

    /// Returns metadata of only this group in which the locations of pages stand, so that no others are read; nothing where
    /// they are not known.
    fn with_locations(&self, group: &RowGroupMetaData) -> Result<Option<ArrowReaderMetadata>, Failure> {
        let rows = number(group.num_rows());
        let mut index = Vec::with_capacity(group.num_columns());
        for (leaf, chunk) in group.columns().iter().enumerate() {
            let locations = match self.leaves.binary_search(&leaf) {
                Ok(_) => page_index::locations(&self.chunks, chunk, rows)?,
                Err(_) => Some(Vec::<Location>::new()),
            };
            let Some(locations) = locations else { return Ok(None) };
            index.push(page_index::offset_index(&locations, rows));
        }
        let file = self.footer.file().file_metadata().clone();
        let metadata = ParquetMetaDataBuilder::new(file).add_row_group(group.clone());
        let metadata = metadata.set_offset_index(Some(vec![index])).build();
        Ok(Some(ArrowReaderMetadata::try_new(Arc::new(metadata), ArrowReaderOptions::default())?))
    }
}

fn number(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

impl GroupReader for RowGroups {
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
        let is_cut = self.filter.is_some() && !is_whole;
        // Of a group that is cut, pages are read one by one.
        let announced = if is_cut { Vec::new() } else { self.ranges(described) };
        self.chunks.will_read(&announced);
        let located = if is_cut { self.with_locations(described)? } else { None };
        let (metadata, group) = located.map_or((footer.metadata.clone(), group), |metadata| (metadata, 0));
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(self.chunks.clone(), metadata);
        let builder = builder.with_projection(self.mask.clone()).with_batch_size(self.batch_rows);
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
        self.reader = Some(builder.build()?);
        Ok(selected)
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, Failure> {
        let Some(reader) = &mut self.reader else { return Ok(None) };
        Ok(reader.next().transpose()?)
    }
}
