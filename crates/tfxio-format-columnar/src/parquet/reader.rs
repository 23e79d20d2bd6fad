//! Footers of Parquet files.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatchReader as _;
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::file::metadata::ParquetMetaData;
use tfxio_core::{
    ColumnPath, ColumnStatistics, Count, Error, ErrorKind, FormatOptions, Input, Limits, Predicate,
    Projection, ScanRequest,
};
use tfxio_scan::filter::possible::{Facts, Nulls, Page, rows_that_may};

use super::chunks::Chunks;
use super::converted::{self, Targets};
use super::elements::Bare;
use super::facts::ChunkFacts;
use super::footer::{self, Stored};
use super::leaves::{Leaf, leaves, projected};
use super::rewrite::rewritten;
use super::row_groups::{RowGroups, number};
use super::{INT96, mended};
use crate::columnar::{Failure, Footer, Group, GroupReader};

/// Bytes at the end of a file that are read at once.
const FOOTER_BYTES: u64 = 64 << 10;
/// Bytes that a value takes at least when it is decoded, with offsets of lists; a guess.
const LEAST_VALUE: u64 = 8;

/// Reads the footer of a file. May panic if it is damaged.
pub(super) fn open(
    input: Box<dyn Input>,
    size: u64,
    options: &FormatOptions,
) -> Result<Arc<dyn Footer>, Failure> {
    let limits = &options.request.limits;
    let chunks = Chunks::new(input, size);
    // Most footers are in what comes with the last bytes.
    chunks.will_read(std::slice::from_ref(&(size.saturating_sub(FOOTER_BYTES)..size)));
    let stored = footer::read(&chunks, limits.nesting)?;
    let Described { metadata, described, targets } = describe(&stored, options.text(INT96) == Some("us"))?;
    let encrypted = stored.encrypted;
    let groups = metadata.metadata().row_groups().iter().map(|group| {
        let offset = |column: &parquet::file::metadata::ColumnChunkMetaData| {
            column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset())
        };
        Group {
            start: number(group.columns().iter().map(offset).min().unwrap_or_default()),
            bytes: group.columns().iter().map(|column| number(column.compressed_size())).sum(),
            rows: Some(number(group.num_rows())),
        }
    });
    let groups = groups.collect::<Vec<_>>();
    if metadata.parquet_schema().num_columns() == 0 {
        refuse_empty(&groups, limits)?;
    }
    // What the reader makes of the schema, with what else the file says.
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(chunks, metadata.clone());
    let fields = builder.with_row_groups(Vec::new()).build()?.schema().fields().clone();
    let schema = Schema::new_with_metadata(fields, metadata.schema().metadata().clone());
    let all = (0..metadata.parquet_schema().num_columns()).collect::<Vec<_>>();
    let schema = converted::schema(&schema, &all, &targets);
    let leaves = leaves(&schema, described.metadata().file_metadata());
    Ok(Arc::new(ParquetFooter { metadata, size, schema, groups, leaves, targets, encrypted }))
}

/// The metadata of a file, for its reader and as they are.
struct Described {
    /// Without types whose values are converted here.
    metadata: ArrowReaderMetadata,
    described: ArrowReaderMetadata,
    targets: Targets,
}

/// Decodes metadata, and mends what the reader refuses or reads wrongly.
fn describe(stored: &Stored, in_micros: bool) -> Result<Described, Failure> {
    let decode = |bytes: &[u8]| -> Result<ArrowReaderMetadata, Failure> {
        let metadata = mended::counts(footer::decode(bytes, stored.start)?, stored.start);
        Ok(ArrowReaderMetadata::try_new(Arc::new(metadata), ArrowReaderOptions::default())?)
    };
    let mut bytes = Cow::Borrowed(&*stored.bytes);
    let described = match decode(&bytes) {
        Ok(metadata) if !mended::has_empty_groups(metadata.parquet_schema().root_schema()) => metadata,
        refused => {
            let rewritten = rewritten(&bytes, Bare(false));
            match rewritten.and_then(|bytes| Some((decode(&bytes).ok()?, bytes))) {
                Some((metadata, rewritten)) => {
                    bytes = Cow::Owned(rewritten);
                    metadata
                }
                None => refused?,
            }
        }
    };
    let targets = converted::targets(&described, in_micros);
    if targets.is_empty() {
        return Ok(Described { metadata: described.clone(), described, targets });
    }
    let bare = rewritten(&bytes, Bare(true)).ok_or("the footer is damaged")?;
    Ok(Described { metadata: decode(&bare)?, described, targets })
}

/// Refuses more rows of a file without columns than the limit of rows that have no bytes.
fn refuse_empty(groups: &[Group], limits: &Limits) -> Result<(), Failure> {
    let rows = groups.iter().filter_map(|group| group.rows).fold(0, u64::saturating_add);
    if rows <= limits.empty_rows {
        return Ok(());
    }
    let rows = Count::of(rows, "row");
    let what =
        format!("the file has no columns and claims {rows}, more than the limit of rows without bytes");
    Err(Error::new(ErrorKind::LimitExceeded, what).help("raise the limit empty_rows if this is meant").into())
}

pub(super) struct ParquetFooter {
    pub(super) metadata: ArrowReaderMetadata,
    pub(super) size: u64,
    schema: SchemaRef,
    groups: Vec<Group>,
    /// The leaf columns, in order.
    pub(super) leaves: Vec<Leaf>,
    /// Types of leaf columns whose values are converted after they are read.
    pub(super) targets: Targets,
    /// Numbers of the leaf columns of which values are encrypted.
    encrypted: BTreeSet<usize>,
}

impl ParquetFooter {
    pub(super) fn file(&self) -> &ParquetMetaData {
        self.metadata.metadata()
    }

    /// Returns the leaf that a path names, or the first below it, and whether it is the one that is named.
    pub(super) fn leaf(&self, path: &ColumnPath) -> Option<(usize, bool)> {
        let is_below = |leaf: &Leaf| leaf.path.as_ref().is_some_and(|leaf| leaf.starts_with(path));
        let found = self.leaves.iter().position(is_below)?;
        Some((found, self.leaves.get(found)?.path.as_ref() == Some(path)))
    }

    /// Returns the facts about a leaf column in a row group.
    fn facts(&self, group: usize, leaf: usize) -> Option<ChunkFacts> {
        let chunk = self.file().row_groups().get(group)?.columns().get(leaf)?;
        Some(ChunkFacts::new(chunk, self.leaves.get(leaf)?))
    }
}

/// Returns the facts about a struct by the facts about a leaf of it: the struct is not null where the leaf is not.
pub(super) fn of_struct(facts: &Facts) -> Facts {
    let nulls = if facts.nulls == Nulls::None { Nulls::None } else { Nulls::Unknown };
    Facts { nulls, in_lists: facts.in_lists, ..Facts::default() }
}

impl Footer for ParquetFooter {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn groups(&self) -> &[Group] {
        &self.groups
    }

    fn rows(&self, group: usize, _: &mut dyn Input) -> Result<u64, Failure> {
        Ok(self.groups.get(group).and_then(|group| group.rows).unwrap_or_default())
    }

    fn compressions(
        &self,
        group: usize,
        _: &mut dyn Input,
        names: &mut BTreeSet<String>,
    ) -> Result<(), Failure> {
        for column in self.file().row_group(group).columns() {
            let name = match column.compression() {
                Compression::UNCOMPRESSED => "none".to_owned(),
                other => other.to_string().to_ascii_lowercase(),
            };
            // The level is not in the file.
            names.insert(name.split('(').next().unwrap_or_default().to_owned());
        }
        Ok(())
    }

    fn statistics(&self, groups: Range<usize>, some_rows: bool) -> Vec<(ColumnPath, ColumnStatistics)> {
        let mut out: Vec<(ColumnPath, ColumnStatistics)> = Vec::new();
        for (index, leaf) in self.leaves.iter().enumerate() {
            let mut of_groups = groups.clone().map(|group| self.facts(group, index));
            let (Some(path), Some(Some(mut facts))) = (&leaf.path, of_groups.next()) else { continue };
            for other in of_groups.flatten() {
                facts.add(other);
            }
            if some_rows {
                facts.of_some_rows();
            }
            // Keys and values of a map have one path.
            if let Some(statistics) = facts.statistics(leaf.order.as_ref(), some_rows)
                && out.last().is_none_or(|(last, _)| last != path)
            {
                out.push((path.clone(), statistics));
            }
        }
        out
    }

    fn may_hold(&self, group: usize, filter: &Predicate) -> bool {
        let rows = 0..self.groups.get(group).and_then(|group| group.rows).unwrap_or(u64::MAX);
        let mut paths = Vec::new();
        filter.columns(&mut paths);
        let known = paths.into_iter().filter_map(|path| {
            let (leaf, is_whole) = self.leaf(path)?;
            let facts = self.facts(group, leaf)?.facts();
            let facts = if is_whole { facts } else { of_struct(&facts) };
            Some((path, [Page { rows: rows.clone(), facts }]))
        });
        let known = known.collect::<Vec<_>>();
        let pages = |path: &ColumnPath| {
            known.iter().find(|(known, _)| *known == path).map(|(_, page)| page.as_slice())
        };
        !rows_that_may(filter, &rows, &pages).is_empty()
    }

    fn decoded_bytes(&self, groups: Range<usize>, projection: &Projection) -> Option<Vec<u64>> {
        let schema = self.metadata.parquet_schema();
        let leaves = projected(&self.schema, projection, self.file().file_metadata());
        let mut bytes = vec![0u64; projection.read().len()];
        for group in self.file().row_groups().get(groups)? {
            let mut columns = Vec::with_capacity(leaves.len());
            for leaf in &leaves {
                let column = group.columns().get(*leaf)?;
                let stored = number(column.uncompressed_size());
                // Those of a dictionary, or of one value many times, are stored in less.
                let values = number(column.num_values()).saturating_mul(LEAST_VALUE);
                let index = projection.read().binary_search(&schema.get_column_root_idx(*leaf)).ok()?;
                let bytes = bytes.get_mut(index)?;
                *bytes = bytes.saturating_add(stored.max(values));
                columns.push(column.byte_range());
            }
            // Who reads one of two columns that overlap does not see it.
            columns.sort_unstable();
            let ends = columns.iter().map(|(start, length)| start.saturating_add(*length));
            if ends.zip(columns.iter().skip(1)).any(|(end, (next, length))| *next < end && *length > 0) {
                return None;
            }
        }
        Some(bytes)
    }

    fn reader(
        self: Arc<Self>,
        input: Box<dyn Input>,
        projection: &Projection,
        request: &ScanRequest,
        batch_rows: usize,
    ) -> Result<Box<dyn GroupReader>, Failure> {
        let leaves = projected(&self.schema, projection, self.file().file_metadata());
        if let Some(leaf) = leaves.iter().find(|leaf| self.encrypted.contains(leaf)) {
            let root = self.metadata.parquet_schema().get_column_root_idx(*leaf);
            let name = self.schema.fields().get(root).map_or("", |field| field.name());
            return Err(footer::encrypted(&format!("the column {name:?} is encrypted")));
        }
        let chunks = Chunks::new(input, self.size);
        Ok(Box::new(RowGroups::new(self, chunks, leaves, request, batch_rows)?))
    }
}

impl fmt::Debug for ParquetFooter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParquetFooter").field("groups", &self.groups).finish_non_exhaustive()
    }
}
