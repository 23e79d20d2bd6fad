//! The push decoder over a program.

use std::fmt;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, SchemaRef};
use tfxio_core::{Limits, Origin, RecordDecoder};

use super::column::Column;
use super::filter::Slot;
use super::run::Run;
use super::tree::Tree;
use super::{KeyProgram, Program};
use crate::buffers::Offset;
use crate::datum::At;
use crate::walk::Held;
use crate::{Error, ErrorKind, Result};

/// Turns Avro data into batches with one column a key.
///
/// A datum that fails leaves the decoder as it was before it. Memory of batches that nobody holds any more is used
/// again.
pub struct KeyDecoder {
    program: KeyProgram,
    limits: Limits,
    columns: Columns,
    memory: Memory,
    rows: usize,
    held: Held,
}

enum Columns {
    Large(Vec<Column<i64>>),
    Small(Vec<Column<i32>>),
}

/// What a run remembers while it walks a datum.
struct Memory {
    slots: Vec<Slot>,
    found: Vec<bool>,
}

/// Does something with the columns of whichever offsets.
macro_rules! with_columns {
    ($columns:expr, $name:ident => $body:expr) => {
        match $columns {
            Columns::Large($name) => $body,
            Columns::Small($name) => $body,
        }
    };
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
            memory: Memory { slots: vec![Slot::Null; tree.slots], found: vec![false; tree.keys] },
            rows: 0,
            held: Held::default(),
        }
    }

    /// Sets the limits. Those that matter here are [`record_bytes`](Limits::record_bytes) of a datum,
    /// [`list_items`](Limits::list_items) of a datum, and [`empty_items`](Limits::empty_items) and
    /// [`batch_bytes`](Limits::batch_bytes) of a batch.
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
    #[inline]
    pub fn push_first(&mut self, bytes: &[u8], origin: Origin<'_>) -> Result<usize> {
        let Self { program, limits, columns, memory, held, .. } = self;
        let tree = &program.0.tree;
        match with_columns!(columns, columns => push(tree, limits, columns, memory, held, bytes)) {
            Ok(read) => {
                self.rows += 1;
                Ok(read)
            }
            Err(error) => {
                self.undo();
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
        self.undo();
        let what = format!("{} bytes are left behind the datum", record.len() - read);
        let error = Error::new(ErrorKind::Malformed, what).at_inner_byte(read);
        Err(error.with_hint("the data may have been written with another schema").in_record(origin))
    }

    /// Takes back what is behind the rows.
    #[cold]
    fn undo(&mut self) {
        let rows = self.rows;
        with_columns!(&mut self.columns, columns => columns.iter_mut().for_each(|column| column.truncate(0, rows)));
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
        self.held = Held::default();
        let arrays = with_columns!(&mut self.columns, columns => finish(columns));
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = arrays.and_then(|arrays| {
            RecordBatch::try_new_with_options(self.program.arrow_schema(), arrays, &options)
        });
        batch.map_err(|error| Error::new(ErrorKind::Arrow, "the columns make no batch").because(error))
    }
}

fn push<O: Offset>(
    tree: &Tree,
    limits: &Limits,
    columns: &mut [Column<O>],
    memory: &mut Memory,
    held: &mut Held,
    bytes: &[u8],
) -> Result<usize> {
    let Memory { slots, found } = memory;
    let empty_left = held.empty_left(limits);
    let mut run = Run { bytes: At(bytes), columns, slots, found, items_left: limits.list_items, empty_left };
    let read = run.datum(tree)?;
    // An item is one entry of each column at most.
    let empty_left = run.empty_left;
    let entries = (limits.list_items - run.items_left).saturating_add(1);
    let most = (read as u64).saturating_mul(tree.copies).saturating_add(entries.saturating_mul(tree.widest));
    held.add::<O>(read, most, limits, || {
        let columns = columns.iter().map(Column::measure);
        columns.fold((0, 0), |(sum, most), (bytes, last)| (sum + bytes, last.max(most)))
    })?;
    held.set_empty_left(empty_left, limits);
    Ok(read)
}

fn finish<O: Offset>(columns: &mut [Column<O>]) -> Result<Vec<ArrayRef>, ArrowError> {
    let arrays = columns.iter_mut().map(Column::finish).collect::<Result<Vec<_>, _>>();
    if arrays.is_err() {
        // The next batch begins empty.
        columns.iter_mut().for_each(|column| column.truncate(0, 0));
    }
    arrays
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
