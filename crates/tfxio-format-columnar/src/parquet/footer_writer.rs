//! Footers of files that are being written.
//!
//! The `parquet` crate's writer of files keeps structs of all columns of all row groups until the file ends: tens of kilobytes a
//! row group, in allocations that are small, and made between the buffers of columns. Those buffers are freed and the structs
//! are not, so that the heap grows by ten times their size. Here each row group is kept as the bytes that it has in the footer,
//! see the [format](https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift).

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{
    FileMetaData, ParquetMetaData, ParquetMetaDataBuilder, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::page_index::offset_index::OffsetIndexMetaData;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::TrackedWrite;
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor, Type};

use super::thrift::{Kind, Walk, write_integer, write_structs};

/// Bytes at the end of a file: the length of the metadata and `PAR1`.
const TAIL: usize = 8;
/// Structs and lists within each other.
const NESTING: u32 = 32;
/// Fields of the metadata of a file.
const NUM_ROWS: i64 = 3;
const ROW_GROUPS: i64 = 4;
/// Field of a row group.
const COLUMNS: i64 = 1;
/// Fields of a column of a row group.
const OFFSET_INDEX_OFFSET: i64 = 4;
const COLUMN_INDEX_OFFSET: i64 = 6;

/// The footer of a file that may get more row groups.
pub(super) struct FooterWriter {
    /// The metadata of a file without row groups.
    empty: ParquetMetaData,
    /// A schema without columns.
    no_columns: SchemaDescPtr,
    rows: i64,
    count: usize,
    /// Row groups, one after the other; the offsets of their indexes count from the first byte of those below.
    row_groups: Vec<u8>,
    column_indexes: Vec<u8>,
    offset_indexes: Vec<u8>,
}

impl FooterWriter {
    pub(super) fn new(schema: SchemaDescPtr, properties: &WriterProperties) -> Result<Self> {
        let no_columns = SchemaDescriptor::new(Arc::new(Type::group_type_builder("schema").build()?));
        let file = FileMetaData::new(
            properties.writer_version().as_num(),
            0,
            Some(properties.created_by().to_owned()),
            properties.key_value_metadata().cloned(),
            schema,
            None,
        );
        Ok(Self {
            empty: ParquetMetaData::new(file, Vec::new()),
            no_columns: Arc::new(no_columns),
            rows: 0,
            count: 0,
            row_groups: Vec::new(),
            column_indexes: Vec::new(),
            offset_indexes: Vec::new(),
        })
    }

    /// Returns the number of row groups.
    pub(super) fn row_groups(&self) -> usize {
        self.count
    }

    /// Appends a row group, with the indexes of its columns.
    pub(super) fn add(
        &mut self,
        row_group: RowGroupMetaData,
        column_indexes: Vec<Option<ColumnIndexMetaData>>,
        offset_indexes: Vec<Option<OffsetIndexMetaData>>,
    ) -> Result<()> {
        self.rows = self.rows.checked_add(row_group.num_rows()).ok_or_else(unfit)?;
        let column_indexes =
            column_indexes.into_iter().map(|index| index.unwrap_or(ColumnIndexMetaData::NONE));
        // The columns of a file all have one, or none of them.
        let is_indexed = offset_indexes.iter().any(Option::is_some);
        let offset_indexes = offset_indexes.into_iter().collect::<Option<Vec<_>>>();
        if is_indexed && offset_indexes.is_none() {
            return Err(unfit());
        }
        let file = FileMetaData::new(1, 0, None, None, Arc::clone(&self.no_columns), None);
        let alone = ParquetMetaDataBuilder::new(file)
            .add_row_group(row_group)
            .set_column_index(Some(vec![column_indexes.collect()]))
            .set_offset_index(offset_indexes.map(|indexes| vec![indexes]))
            .build();
        self.keep(&written(&alone)?).ok_or_else(unfit)
    }

    /// Keeps the row group of a file that has only this one, given by its indexes and metadata.
    fn keep(&mut self, bytes: &[u8]) -> Option<()> {
        let metadata_at = metadata_at(bytes)?;
        let metadata = bytes.get(metadata_at..)?;
        let list = field(metadata, ROW_GROUPS, Kind::List)?;
        // After the byte that says that it is a list of one struct.
        let row_group = metadata.get(list.start.checked_add(1)?..list.end)?;
        let mut offset_indexes_at = metadata_at;
        index_offsets(&mut Walk::new(row_group), &mut |field, _, offset| {
            if field == OFFSET_INDEX_OFFSET {
                offset_indexes_at = offset_indexes_at.min(usize::try_from(offset).ok()?);
            }
            Some(())
        })?;
        let column_indexes_by = i64::try_from(self.column_indexes.len()).ok()?;
        let offset_indexes_by = i64::try_from(self.offset_indexes.len()).ok()?;
        let offset_indexes_by = offset_indexes_by.checked_sub(i64::try_from(offset_indexes_at).ok()?)?;
        moved(&mut Walk::new(row_group), column_indexes_by, offset_indexes_by, &mut self.row_groups)?;
        self.column_indexes.extend_from_slice(bytes.get(..offset_indexes_at)?);
        self.offset_indexes.extend_from_slice(bytes.get(offset_indexes_at..metadata_at)?);
        self.count = self.count.checked_add(1)?;
        Some(())
    }

    /// Writes the indexes and the metadata after the row groups of a file.
    pub(super) fn write<W: Write>(&self, file: &mut TrackedWrite<W>) -> Result<()> {
        let column_indexes_at = file.bytes_written();
        file.write_all(&self.column_indexes)?;
        let offset_indexes_at = file.bytes_written();
        file.write_all(&self.offset_indexes)?;
        let metadata_at = file.bytes_written();

        let empty = written(&self.empty)?;
        let (before, between, after) = around(&empty).ok_or_else(unfit)?;
        let mut bytes = before.to_vec();
        write_integer(self.rows, &mut bytes);
        bytes.extend_from_slice(between);
        write_structs(self.count as u64, &mut bytes);
        let by = |at: usize| i64::try_from(at).map_err(|_| unfit());
        let (column_indexes_by, offset_indexes_by) = (by(column_indexes_at)?, by(offset_indexes_at)?);
        let mut row_groups = Walk::new(&self.row_groups);
        for _ in 0..self.count {
            moved(&mut row_groups, column_indexes_by, offset_indexes_by, &mut bytes).ok_or_else(unfit)?;
            file.write_all(&bytes)?;
            bytes.clear();
        }
        bytes.extend_from_slice(after);
        file.write_all(&bytes)?;
        let length = u32::try_from(file.bytes_written().saturating_sub(metadata_at)).map_err(|_| {
            let what = "the metadata of all row groups take more than 4 GiB; write several files, or larger row groups";
            ParquetError::General(what.to_owned())
        })?;
        file.write_all(&length.to_le_bytes())?;
        file.write_all(b"PAR1")?;
        Ok(())
    }
}

/// Returns the error for metadata that are not what the `parquet` crate writes.
#[cold]
fn unfit() -> ParquetError {
    ParquetError::General(
        "the metadata of a row group have another form than those of a file; please report this".to_owned(),
    )
}

/// Returns the indexes and metadata as bytes, in which the offsets of the indexes count from the first.
fn written(metadata: &ParquetMetaData) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    ParquetMetaDataWriter::new(&mut bytes, metadata).finish()?;
    Ok(bytes)
}

/// Returns where the metadata begin that end with these bytes.
fn metadata_at(bytes: &[u8]) -> Option<usize> {
    let (rest, tail) = bytes.split_last_chunk::<TAIL>()?;
    let [a, b, c, d, b'P', b'A', b'R', b'1'] = *tail else { return None };
    rest.len().checked_sub(usize::try_from(u32::from_le_bytes([a, b, c, d])).ok()?)
}

/// Returns the bytes of the metadata of a file before its number of rows, between that and the list of row groups, and after it.
fn around(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let metadata = bytes.get(metadata_at(bytes)?..bytes.len().checked_sub(TAIL)?)?;
    let rows = field(metadata, NUM_ROWS, Kind::Integer)?;
    let list = field(metadata, ROW_GROUPS, Kind::List)?;
    Some((metadata.get(..rows.start)?, metadata.get(rows.end..list.start)?, metadata.get(list.end..)?))
}

/// Returns where the value of a field of a struct is.
fn field(bytes: &[u8], number: i64, kind: Kind) -> Option<Range<usize>> {
    let mut found = None;
    Walk::new(bytes).fields(&mut |walk, field, of| {
        let start = bytes.len() - walk.left();
        walk.skip(of, NESTING)?;
        if (field, of) == (number, kind) {
            found = Some(start..bytes.len() - walk.left());
        }
        Some(())
    })?;
    found
}

/// Goes over a row group, and calls a function for each offset of an index: with its field, how many bytes are left where it
/// begins and where it ends, and the offset.
fn index_offsets(
    walk: &mut Walk<'_>,
    visit: &mut dyn FnMut(i64, (usize, usize), i64) -> Option<()>,
) -> Option<()> {
    walk.fields(&mut |walk, field, kind| match (field, kind) {
        (COLUMNS, Kind::List) => walk.structs(&mut |walk, _| {
            walk.fields(&mut |walk, field, kind| match (field, kind) {
                (OFFSET_INDEX_OFFSET | COLUMN_INDEX_OFFSET, Kind::Integer) => {
                    let before = walk.left();
                    let offset = walk.integer()?;
                    visit(field, (before, walk.left()), offset)
                }
                (_, kind) => walk.skip(kind, NESTING),
            })
        }),
        (_, kind) => walk.skip(kind, NESTING),
    })
}

/// Appends a row group to bytes, with other offsets of its indexes.
fn moved(
    walk: &mut Walk<'_>,
    column_indexes_by: i64,
    offset_indexes_by: i64,
    to: &mut Vec<u8>,
) -> Option<()> {
    let bytes = walk.rest();
    let mut copied = 0;
    index_offsets(walk, &mut |field, (before, after), offset| {
        to.extend_from_slice(bytes.get(copied..bytes.len() - before)?);
        let by = if field == COLUMN_INDEX_OFFSET { column_indexes_by } else { offset_indexes_by };
        write_integer(offset.checked_add(by)?, to);
        copied = bytes.len() - after;
        Some(())
    })?;
    to.extend_from_slice(bytes.get(copied..bytes.len() - walk.left())?);
    Some(())
}
