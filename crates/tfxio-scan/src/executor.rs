//! Decoding of records into batches, shared by the scans of all formats that store records one after the other.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};
use tfxio_core::{
    Batch, Count, Error, ErrorKind, Limits, Ordered, RecordDecoder, RecordPlan, Result, ScanCounts,
    ScanRequest, Work,
};

/// A decoder of some columns; nothing where no column is asked for.
pub type Decoder = Option<Box<dyn RecordDecoder + Send>>;

/// Returns a decoder of the columns that are asked for.
pub fn decoder(plan: &dyn RecordPlan, request: &ScanRequest) -> Result<Decoder> {
    let is_counting = request.columns.as_ref().is_some_and(Vec::is_empty);
    if is_counting { Ok(None) } else { plan.decoder(request).map(Some) }
}

/// Returns the schema of the batches of a decoder.
pub fn schema(decoder: &Decoder, plan: &dyn RecordPlan) -> SchemaRef {
    match decoder {
        Some(decoder) => decoder.schema().unwrap_or_else(|| Arc::clone(plan.schema())),
        None => Arc::new(Schema::empty()),
    }
}

/// Returns the columns of the records that a decoder was given, of this number.
pub fn flush(decoder: &mut Decoder, rows: usize) -> Result<RecordBatch> {
    match decoder {
        Some(decoder) => decoder.flush(),
        None => {
            let options = RecordBatchOptions::new().with_row_count(Some(rows));
            Ok(RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options)?)
        }
    }
}

/// A batch, which may have no rows.
#[derive(Debug)]
pub struct Done<C> {
    /// The batch.
    pub batch: Batch,
    /// Position of the first record after the batch.
    pub after: C,
    /// Counts of the data that was read for the batch.
    pub counts: ScanCounts,
}

/// Executor of a scan: the calling thread alone, or several threads.
#[allow(missing_debug_implementations, reason = "jobs need not have one")]
pub enum Executor<J: Work> {
    /// The calling thread, with the source of the records and the job.
    Alone(Box<(J::Source, J)>),
    /// Threads, whose results come in the order of the records.
    Threads(Ordered<J>),
}

impl<J: Work<Error = Error>> Executor<J> {
    /// Returns the next result; `None` at the end.
    pub fn next_output(&mut self) -> Result<Option<J::Output>> {
        match self {
            Self::Alone(both) => {
                let (records, job) = &mut **both;
                if !job.is_done() || job.read(records)? { job.next() } else { Ok(None) }
            }
            Self::Threads(ordered) => ordered.next().transpose(),
        }
    }
}

/// Returns the most rows that a scan returns that does not apply its filter. Those that it leaves are counted above it.
pub fn most_rows(request: &ScanRequest) -> u64 {
    request.limit.filter(|_| request.filter.is_none()).unwrap_or(u64::MAX)
}

/// Returns a request without its filter, and without the limit, which counts the rows that it leaves.
pub fn unfiltered(request: &ScanRequest) -> Cow<'_, ScanRequest> {
    if request.filter.is_none() {
        return Cow::Borrowed(request);
    }
    let mut all = request.clone();
    (all.filter, all.limit) = (None, None);
    Cow::Owned(all)
}

/// Returns the rows of a batch that are still to be returned; nothing where it has none.
pub fn rows_left(batch: Batch, left: &mut u64) -> Option<Batch> {
    let rows = batch.num_rows() as u64;
    if rows == 0 {
        return None;
    }
    let wanted = usize::try_from(*left).unwrap_or(usize::MAX);
    let batch = if rows > *left { batch.slice(0, wanted) } else { batch };
    *left = left.saturating_sub(rows);
    Some(batch)
}

/// Refuses more columns than a batch may have.
pub fn check_columns(columns: usize, limits: &Limits) -> Result<()> {
    if columns <= limits.columns {
        return Ok(());
    }
    let (columns, most) = (Count::of(columns, "column"), limits.columns);
    let what = format!("a batch would have {columns}, and has at most {most}");
    let error = Error::new(ErrorKind::LimitExceeded, what);
    Err(error.help("read fewer columns, or raise the limit columns"))
}
