//! Row groups, encoded apart from the file that they are appended to.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
};
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::SchemaDescriptor;
use tfxio_scan::row_bytes;

use super::converted;
use crate::columnar::even_parts;

/// Maximum number of parts of a row group that are encoded each by itself.
const PARTS: usize = 4;
/// Row groups of more columns have one part: each part begins with the encoders of all columns.
const MOST_COLUMNS: usize = 256;

/// Encodes row groups of a file, on any thread. What becomes of rows depends on them and their batches alone.
#[derive(Clone)]
pub(super) struct RowGroupEncoder {
    factory: Arc<ArrowRowGroupWriterFactory>,
    /// Columns as they are stored.
    schema: SchemaRef,
    /// For each column, the number of leaves before it and of its own.
    leaves: Arc<[(usize, usize)]>,
}

impl RowGroupEncoder {
    pub(super) fn new(
        factory: ArrowRowGroupWriterFactory,
        schema: &SchemaRef,
        stored: &SchemaDescriptor,
    ) -> Self {
        let mut leaves = vec![(0, 0); schema.fields().len()];
        for leaf in (0..stored.num_columns()).rev() {
            if let Some((before, count)) = leaves.get_mut(stored.get_column_root_idx(leaf)) {
                (*before, *count) = (leaf, *count + 1);
            }
        }
        Self { factory: Arc::new(factory), schema: Arc::clone(schema), leaves: leaves.into() }
    }

    /// Returns the number of parts of a row group: columns that are next to each other.
    pub(super) fn parts(&self) -> usize {
        match self.schema.flattened_fields().len() {
            0..=MOST_COLUMNS => self.schema.fields().len().clamp(1, PARTS),
            _ => 1,
        }
    }

    /// Returns the columns of at most this many parts of a row group that begins with these rows; the parts have about the same bytes.
    pub(super) fn cut_columns(first: &RecordBatch, parts: usize) -> Vec<Range<usize>> {
        let bytes = first.columns().iter().map(|column| row_bytes::of_column(column)).collect::<Vec<_>>();
        even_parts(&bytes, parts)
    }

    /// Begins a part of a row group, which has these columns.
    pub(super) fn begin_part(&self, columns: Range<usize>) -> Result<OpenRowGroup> {
        let mut open = self.begin()?;
        let leaves = self.leaves.get(columns.clone()).unwrap_or_default();
        let before = leaves.first().map_or(0, |(before, _)| *before);
        let own = leaves.iter().map(|(_, count)| *count).sum();
        open.writers = open.writers.into_iter().skip(before).take(own).collect();
        open.columns = columns;
        Ok(open)
    }

    /// Begins a row group.
    pub(super) fn begin(&self) -> Result<OpenRowGroup> {
        // The number of the row group counts only where files are encrypted.
        let writers = self.factory.create_column_writers(0)?;
        Ok(OpenRowGroup { columns: 0..self.schema.fields().len(), writers, schema: Arc::clone(&self.schema) })
    }
}

/// Columns of a row group, of which more rows may follow.
pub(super) struct OpenRowGroup {
    columns: Range<usize>,
    writers: Vec<ArrowColumnWriter>,
    schema: SchemaRef,
}

impl OpenRowGroup {
    /// Encodes rows of these columns, column by column, whose dictionary is then near.
    pub(super) fn write(&mut self, batches: &[RecordBatch]) -> Result<()> {
        let mut writers = self.writers.as_mut_slice();
        let fields = self.schema.fields().iter().skip(self.columns.start).take(self.columns.len());
        for (index, field) in fields.enumerate() {
            let mut count = 0;
            for column in batches.iter().filter_map(|batch| batch.columns().get(index)) {
                let column =
                    converted::stored(column, field).map_err(|error| ParquetError::External(error.into()))?;
                let leaves = compute_leaves(field, &column)?;
                count = leaves.len();
                let Some(own) = writers.get_mut(..count) else {
                    let what = format!("the column {:?} has other leaves", field.name());
                    return Err(ParquetError::General(what));
                };
                own.iter_mut().zip(&leaves).try_for_each(|(writer, leaf)| writer.write(leaf))?;
            }
            writers = writers.split_at_mut(count).1;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Vec<ArrowColumnChunk>> {
        self.writers.into_iter().map(ArrowColumnWriter::close).collect()
    }
}
