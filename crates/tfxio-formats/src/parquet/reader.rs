//! Row groups as record batches.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use tfxio_core::{Input, Limits};

use super::chunks::Chunks;
use super::footer;
use crate::columnar::{Failure, Footer, Group, GroupReader};

/// Reads the footer of a file. May panic if it is damaged.
pub(super) fn open(input: Box<dyn Input>, size: u64, limits: &Limits) -> Result<Arc<dyn Footer>, Failure> {
    let chunks = Chunks::new(input, size);
    let (metadata, encrypted) = footer::read(&chunks, limits.nesting)?;
    let roots = metadata.file_metadata().schema_descr();
    let encrypted = (0..roots.num_columns()).filter(|leaf| encrypted.contains(leaf));
    let encrypted = encrypted.map(|leaf| roots.get_column_root_idx(leaf)).collect();
    let metadata = ArrowReaderMetadata::try_new(Arc::new(metadata), ArrowReaderOptions::default())?;
    let groups = metadata.metadata().row_groups().iter().map(|group| {
        let offset = |column: &parquet::file::metadata::ColumnChunkMetaData| {
            column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset())
        };
        let number = |number: i64| u64::try_from(number).unwrap_or_default();
        Group {
            start: number(group.columns().iter().map(offset).min().unwrap_or_default()),
            bytes: group.columns().iter().map(|column| number(column.compressed_size())).sum(),
            rows: Some(number(group.num_rows())),
        }
    });
    let groups = groups.collect();
    // What the reader makes of the schema, with what else the file says.
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(chunks, metadata.clone());
    let fields = builder.with_row_groups(Vec::new()).build()?.schema().fields().clone();
    let schema = Schema::new_with_metadata(fields, metadata.schema().metadata().clone());
    Ok(Arc::new(ParquetFooter { metadata, size, schema: Arc::new(schema), groups, encrypted }))
}

struct ParquetFooter {
    metadata: ArrowReaderMetadata,
    size: u64,
    schema: SchemaRef,
    groups: Vec<Group>,
    /// Numbers of the columns of which values are encrypted.
    encrypted: BTreeSet<usize>,
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
        for column in self.metadata.metadata().row_group(group).columns() {
            let name = match column.compression() {
                Compression::UNCOMPRESSED => "none".to_owned(),
                other => other.to_string().to_ascii_lowercase(),
            };
            // The level is not in the file.
            names.insert(name.split('(').next().unwrap_or_default().to_owned());
        }
        Ok(())
    }

    fn reader(
        self: Arc<Self>,
        input: Box<dyn Input>,
        columns: Vec<usize>,
        batch_rows: usize,
        _: &Limits,
    ) -> Result<Box<dyn GroupReader>, Failure> {
        if let Some(column) = columns.iter().find(|column| self.encrypted.contains(column)) {
            let name = self.schema.fields().get(*column).map_or("", |field| field.name());
            return Err(footer::encrypted(&format!("the column {name:?} is encrypted")));
        }
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), columns);
        let chunks = Chunks::new(input, self.size);
        Ok(Box::new(RowGroups { metadata: self.metadata.clone(), chunks, mask, batch_rows, reader: None }))
    }
}

impl fmt::Debug for ParquetFooter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParquetFooter").field("groups", &self.groups).finish_non_exhaustive()
    }
}

struct RowGroups {
    metadata: ArrowReaderMetadata,
    chunks: Chunks,
    mask: ProjectionMask,
    batch_rows: usize,
    /// Reads the group that was entered last.
    reader: Option<ParquetRecordBatchReader>,
}

impl GroupReader for RowGroups {
    fn enter(&mut self, group: usize, skip: u64) -> Result<(), Failure> {
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.chunks.clone(), self.metadata.clone());
        let builder = builder.with_projection(self.mask.clone()).with_batch_size(self.batch_rows);
        let builder = builder.with_row_groups(vec![group]);
        let builder = match usize::try_from(skip)? {
            0 => builder,
            skip => builder.with_offset(skip),
        };
        self.reader = Some(builder.build()?);
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, Failure> {
        let Some(reader) = &mut self.reader else { return Ok(None) };
        Ok(reader.next().transpose()?)
    }
}
