//! The push decoder over a plan.

use std::fmt;
use std::sync::Arc;

use arrow_array::{Array, RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{ArrowError, SchemaRef};
use tfxio_core::{Count, Limits, Origin, RecordDecoder};

use super::DecodePlan;
use super::batch_budget::BatchBudget;
use super::finish::{finish, truncate};
use super::run::DatumRun;
use super::shape::Kind;
use super::stores::Stores;
use crate::buffers::Offset;
use crate::datum::At;
use crate::{Error, ErrorKind, Result, error};

/// Converts Avro data to batches: whole records by a [`RecordPlan`](crate::RecordPlan), or the columns of a
/// [`KeyProgram`](crate::KeyProgram).
///
/// A datum that fails leaves the decoder as it was before it. Memory of batches that nobody holds any more is used
/// again. Every buffer begins at an address that is a multiple of 64.
pub struct AvroDecoder {
    plan: Arc<DecodePlan>,
    limits: Limits,
    stores: Buffers,
    rows: usize,
    budget: BatchBudget,
}

enum Buffers {
    Large(Stores<i64>),
    Small(Stores<i32>),
}

/// Calls a function with the stores of whichever offsets.
macro_rules! with_stores {
    ($stores:expr, $name:ident => $body:expr) => {
        match $stores {
            Buffers::Large($name) => $body,
            Buffers::Small($name) => $body,
        }
    };
}

impl AvroDecoder {
    pub(crate) fn new(plan: &Arc<DecodePlan>) -> Self {
        let stores = if plan.large_offsets {
            Buffers::Large(Stores::new(plan.counts))
        } else {
            Buffers::Small(Stores::new(plan.counts))
        };
        Self {
            plan: Arc::clone(plan),
            limits: Limits::default(),
            stores,
            rows: 0,
            budget: BatchBudget::default(),
        }
    }

    /// Sets the limits. Those that matter here are [`record_bytes`](Limits::record_bytes) of a datum,
    /// [`list_items`](Limits::list_items) of a datum, and [`empty_items`](Limits::empty_items) and
    /// [`batch_bytes`](Limits::batch_bytes) of a batch.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Appends the datum at the beginning of `bytes` as one row and returns its length in bytes, which is where the
    /// next one begins in a block.
    ///
    /// # Errors
    /// When the datum is not one of the schema, of kind [`Malformed`](crate::Kind::Malformed),
    /// [`Truncated`](crate::Kind::Truncated) or [`NotUtf8`](crate::Kind::NotUtf8), when it holds what the reader's schema
    /// cannot hold, of kind [`Resolution`](crate::Kind::Resolution), or what a key refuses, of kind
    /// [`ValueMismatch`](crate::Kind::ValueMismatch), or a limit is reached. The error has the
    /// record, the path within it and the byte; the decoder is as it was before the call.
    #[inline]
    pub fn push_first(&mut self, bytes: &[u8], origin: Origin<'_>) -> Result<usize> {
        let Self { plan, limits, stores, budget, .. } = self;
        let result = with_stores!(stores, stores => push(plan, limits, stores, budget, bytes));
        match result {
            Ok(read) => {
                self.rows += 1;
                Ok(read)
            }
            Err(error) => {
                self.undo();
                Err(error.or_at(&origin.position()))
            }
        }
    }

    /// Appends a datum as one row.
    ///
    /// # Errors
    /// As [`push_first`](Self::push_first), and when bytes are left after the datum.
    pub fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<()> {
        let read = self.push_first(record, origin)?;
        if read == record.len() {
            return Ok(());
        }
        self.rows -= 1;
        self.undo();
        let left = Count::of(record.len() - read, "byte");
        let what = format!("{left} {} left after the datum", left.verb("is", "are"));
        let error = Error::new(error::Kind::Malformed, what).at_record_byte(read);
        Err(error.help("the data may have been written with another schema").or_at(&origin.position()))
    }

    /// Removes what was appended after the rows.
    #[cold]
    fn undo(&mut self) {
        let (shape, rows) = (&self.plan.shape, self.rows);
        with_stores!(&mut self.stores, stores => truncate(shape, rows, stores));
    }

    /// Returns the number of rows gathered since the last flush.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns whether there are rows beside which a datum had no room and was refused: it is the first of the next batch, if it has room
    /// there.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.rows > 0 && self.budget.is_full()
    }

    /// Returns the schema of the batches.
    #[must_use]
    pub fn arrow_schema(&self) -> SchemaRef {
        Arc::clone(&self.plan.schema)
    }

    /// Hands out the gathered rows as a batch, which may have none.
    ///
    /// # Errors
    /// When Arrow refuses the columns, such as a map of more than 2,147,483,647 entries in all; the rows are then
    /// gone.
    pub fn flush(&mut self) -> Result<RecordBatch> {
        let rows = std::mem::take(&mut self.rows);
        self.budget = BatchBudget::default();
        let plan = &self.plan;
        let batch = with_stores!(&mut self.stores, stores => {
            let batch = batch(plan, rows, stores);
            if batch.is_err() {
                stores.clear();
            }
            batch
        });
        batch.map_err(|error| Error::new(ErrorKind::Other, "the columns make no batch").because(error))
    }
}

fn push<O: Offset>(
    plan: &DecodePlan,
    limits: &Limits,
    stores: &mut Stores<O>,
    budget: &mut BatchBudget,
    bytes: &[u8],
) -> Result<usize> {
    let empty_left = budget.empty_left(limits);
    let mut run = DatumRun { bytes: At(bytes), stores, items_left: limits.list_items, empty_left };
    let read = run.datum(plan)?;
    let empty_left = run.empty_left;
    let items = limits.list_items - run.items_left;
    let stored = (read as u64).saturating_mul(plan.copies);
    let most = items.saturating_add(1).saturating_mul(plan.widest).saturating_add(stored);
    budget.add::<O>(read, most, limits, || stores.measure())?;
    budget.set_empty_left(empty_left, limits);
    Ok(read)
}

fn batch<O: Offset>(
    plan: &DecodePlan,
    rows: usize,
    stores: &mut Stores<O>,
) -> Result<RecordBatch, ArrowError> {
    let column = finish(&plan.shape, rows, stores)?;
    let columns = match (&plan.shape.kind, column.as_any().downcast_ref::<StructArray>()) {
        (Kind::Struct(_), Some(root)) if plan.is_split => root.columns().to_vec(),
        _ => vec![column],
    };
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::clone(&plan.schema), columns, &options)
}

impl RecordDecoder for AvroDecoder {
    fn schema(&self) -> Option<SchemaRef> {
        Some(self.arrow_schema())
    }

    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<()> {
        Self::push(self, record, origin)
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn flush(&mut self) -> Result<RecordBatch> {
        Self::flush(self)
    }
}

impl fmt::Debug for AvroDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AvroDecoder")
            .field("schema", &self.plan.schema)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}
