//! The push decoder over a program.

use std::fmt;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, SchemaRef};
use tfxio_core::{Limits, Origin, RecordDecoder};

use super::column::{Column, Offset};
use super::run::{Run, Slot};
use super::{KeyProgram, Program};
use crate::datum::DatumReader;
use crate::{Error, ErrorKind, Result};

/// Turns Avro data into batches with one column a key.
///
/// A datum that fails leaves the decoder as it was before it. Memory of batches that nobody holds any more is used
/// again.
pub struct KeyDecoder {
    program: KeyProgram,
    limits: Limits,
    columns: Columns,
    slots: Vec<Slot>,
    found: Vec<bool>,
    rows: usize,
}

enum Columns {
    Large(Vec<Column<i64>>),
    Small(Vec<Column<i32>>),
}

impl KeyDecoder {
    pub(super) fn new(program: &KeyProgram) -> Self {
        let Program { tree, options, .. } = &*program.0;
        let columns = if options.large_offsets {
            Columns::Large(tree.columns.iter().map(|&(leaf, rank)| Column::new(leaf, rank)).collect())
        } else {
            Columns::Small(tree.columns.iter().map(|&(leaf, rank)| Column::new(leaf, rank)).collect())
        };
        Self {
            program: program.clone(),
            limits: Limits::default(),
            columns,
            slots: vec![Slot::Null; tree.slots],
            found: vec![false; tree.keys],
            rows: 0,
        }
    }

    /// Sets the limits. Those that matter here are [`record_bytes`](Limits::record_bytes) of a datum,
    /// [`list_items`](Limits::list_items) of a datum and [`batch_bytes`](Limits::batch_bytes).
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Appends the datum at the beginning of `bytes` as one row and says how many bytes it has: the next one follows
    /// there in a block.
    ///
    /// # Errors
    /// When the datum is not one of the schema, of kind [`Malformed`](ErrorKind::Malformed),
    /// [`Truncated`](ErrorKind::Truncated) or [`NotUtf8`](ErrorKind::NotUtf8), or a limit is reached. The error has the
    /// record, the path within it and the byte; the decoder is as it was before the call.
    pub fn push_first(&mut self, bytes: &[u8], origin: Origin<'_>) -> Result<usize> {
        let Self { program, limits, columns, slots, found, rows } = self;
        let result = match columns {
            Columns::Large(columns) => push(&program.0, limits, columns, slots, found, bytes),
            Columns::Small(columns) => push(&program.0, limits, columns, slots, found, bytes),
        };
        match result {
            Ok(read) => {
                *rows += 1;
                Ok(read)
            }
            Err(error) => {
                match columns {
                    Columns::Large(columns) => {
                        columns.iter_mut().for_each(|column| column.truncate(0, *rows))
                    }
                    Columns::Small(columns) => {
                        columns.iter_mut().for_each(|column| column.truncate(0, *rows))
                    }
                }
                Err(error.in_record(origin))
            }
        }
    }

    /// Appends a datum as one row.
    ///
    /// # Errors
    /// As [`push_first`](Self::push_first), and when bytes are left behind the datum.
    pub fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<()> {
        let read = self.push_first(record, origin)?;
        if read == record.len() {
            return Ok(());
        }
        self.rows -= 1;
        let rows = self.rows;
        match &mut self.columns {
            Columns::Large(columns) => columns.iter_mut().for_each(|column| column.truncate(0, rows)),
            Columns::Small(columns) => columns.iter_mut().for_each(|column| column.truncate(0, rows)),
        }
        let what = format!("{} bytes are left behind the datum", record.len() - read);
        let error = Error::new(ErrorKind::Malformed, what).at_inner_byte(read);
        Err(error.with_hint("the data may have been written with another schema").in_record(origin))
    }

    /// Rows gathered since the last flush.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The schema of the batches.
    #[must_use]
    pub fn arrow_schema(&self) -> SchemaRef {
        self.program.arrow_schema()
    }

    /// Hands out the gathered rows as a batch, which may have none.
    ///
    /// # Errors
    /// When Arrow refuses the columns; the rows are then gone.
    pub fn flush(&mut self) -> Result<RecordBatch> {
        let rows = std::mem::take(&mut self.rows);
        let arrays = match &mut self.columns {
            Columns::Large(columns) => finish(columns),
            Columns::Small(columns) => finish(columns),
        };
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = arrays.and_then(|arrays| {
            RecordBatch::try_new_with_options(self.program.arrow_schema(), arrays, &options)
        });
        batch.map_err(|error| Error::new(ErrorKind::Arrow, "the columns make no batch").because(error))
    }
}

fn push<O: Offset>(
    program: &Program,
    limits: &Limits,
    columns: &mut [Column<O>],
    slots: &mut [Slot],
    found: &mut [bool],
    bytes: &[u8],
) -> Result<usize> {
    let reader = DatumReader::new(bytes);
    let items_left = limits.list_items;
    let mut run = Run { skip: &program.skip, reader, bytes, columns, slots, found, items_left };
    run.datum(&program.tree)?;
    let read = run.reader.position();
    if read as u64 > limits.record_bytes {
        let what = format!("the datum has {read} bytes, the limit is {}", limits.record_bytes);
        let error = Error::new(ErrorKind::LimitExceeded, what);
        return Err(error.with_hint("raise Limits::record_bytes if this is meant"));
    }
    let total = columns.iter().map(|column| column.bytes() as u64).sum::<u64>();
    if total > limits.batch_bytes {
        let what = format!("the batch has more than {} bytes", limits.batch_bytes);
        let error = Error::new(ErrorKind::LimitExceeded, what);
        return Err(error.with_hint("flush before, or raise Limits::batch_bytes"));
    }
    Ok(read)
}

fn finish<O: Offset>(columns: &mut [Column<O>]) -> Result<Vec<ArrayRef>, ArrowError> {
    // All of them, also after an error: the next batch begins empty.
    let arrays = columns.iter_mut().map(Column::finish).collect::<Vec<_>>();
    arrays.into_iter().collect()
}

impl RecordDecoder for KeyDecoder {
    fn schema(&self) -> Option<SchemaRef> {
        Some(Arc::clone(&self.program.0.schema))
    }

    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), tfxio_core::Error> {
        Self::push(self, record, origin).map_err(Into::into)
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn flush(&mut self) -> Result<RecordBatch, tfxio_core::Error> {
        Self::flush(self).map_err(Into::into)
    }
}

impl fmt::Debug for KeyDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyDecoder")
            .field("program", &self.program)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}
