//! Row groups, encoded apart from the file that they are appended to.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
};
use parquet::errors::{ParquetError, Result};

/// Encodes row groups of a file, on any thread. What becomes of rows depends on them and their batches alone.
#[derive(Clone)]
pub(super) struct RowGroupEncoder {
    factory: Arc<ArrowRowGroupWriterFactory>,
    schema: SchemaRef,
}

impl RowGroupEncoder {
    pub(super) fn new(factory: ArrowRowGroupWriterFactory, schema: &SchemaRef) -> Self {
        Self { factory: Arc::new(factory), schema: Arc::clone(schema) }
    }

    /// Begins a row group.
    pub(super) fn begin(&self) -> Result<OpenRowGroup> {
        // The number of the row group counts only where files are encrypted.
        let columns = self.factory.create_column_writers(0)?;
        Ok(OpenRowGroup { columns, schema: Arc::clone(&self.schema) })
    }
}

/// A row group of which more rows may follow.
pub(super) struct OpenRowGroup {
    columns: Vec<ArrowColumnWriter>,
    schema: SchemaRef,
}

impl OpenRowGroup {
    /// Encodes rows.
    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let mut columns = self.columns.iter_mut();
        for (field, column) in self.schema.fields().iter().zip(batch.columns()) {
            for leaf in compute_leaves(field, column)? {
                let Some(column) = columns.next() else {
                    return Err(ParquetError::General(format!(
                        "the column {:?} has other leaves",
                        field.name()
                    )));
                };
                column.write(&leaf)?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<EncodedRowGroup> {
        let columns = self.columns.into_iter().map(ArrowColumnWriter::close).collect::<Result<_>>()?;
        Ok(EncodedRowGroup { columns })
    }
}

/// A row group as it is stored.
pub(super) struct EncodedRowGroup {
    pub(super) columns: Vec<ArrowColumnChunk>,
}
