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
pub(crate) type Decoder = Option<Box<dyn RecordDecoder + Send>>;

/// Returns a decoder of the columns that are asked for.
pub(crate) fn decoder(plan: &dyn RecordPlan, request: &ScanRequest) -> Result<Decoder> {
    let is_counting = request.columns.as_ref().is_some_and(Vec::is_empty);
    if is_counting { Ok(None) } else { plan.decoder(request).map(Some) }
}

/// Returns the schema of the batches of a decoder.
pub(crate) fn schema(decoder: &Decoder, plan: &dyn RecordPlan) -> SchemaRef {
    match decoder {
        Some(decoder) => decoder.schema().unwrap_or_else(|| Arc::clone(plan.schema())),
        None => Arc::new(Schema::empty()),
    }
}

/// Returns the columns of the records that a decoder was given, of this number.
pub(crate) fn flush(decoder: &mut Decoder, rows: usize) -> Result<RecordBatch> {
    match decoder {
        Some(decoder) => decoder.flush(),
        None => {
            let options = RecordBatchOptions::new().with_row_count(Some(rows));
            Ok(RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options)?)
        }
    }
}

/// A batch, which may have no rows.
pub(crate) struct Done<C> {
    pub(crate) batch: Batch,
    /// Position of the first record after the batch.
    pub(crate) after: C,
    /// Counts of the data that was read for the batch.
    pub(crate) counts: ScanCounts,
}

/// Executor of a scan: the calling thread alone, or several threads.
pub(crate) enum Engine<J: Work> {
    Alone(Box<(J::Source, J)>),
    Threads(Ordered<J>),
}

impl<J: Work<Error = Error>> Engine<J> {
    pub(crate) fn next(&mut self) -> Result<Option<J::Output>> {
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
#[cfg(any(feature = "avro", feature = "csv", feature = "ipc", feature = "jsonl", feature = "parquet"))]
pub(crate) fn most_rows(request: &ScanRequest) -> u64 {
    request.limit.filter(|_| request.filter.is_none()).unwrap_or(u64::MAX)
}

/// Returns a request without its filter, and without the limit, which counts the rows that it leaves.
pub(crate) fn unfiltered(request: &ScanRequest) -> Cow<'_, ScanRequest> {
    if request.filter.is_none() {
        return Cow::Borrowed(request);
    }
    let mut all = request.clone();
    (all.filter, all.limit) = (None, None);
    Cow::Owned(all)
}

/// Returns the rows of a batch that are still to be returned; nothing where it has none.
pub(crate) fn rows_left(batch: Batch, left: &mut u64) -> Option<Batch> {
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
pub(crate) fn check_columns(columns: usize, limits: &Limits) -> Result<()> {
    if columns <= limits.columns {
        return Ok(());
    }
    let (columns, most) = (Count::of(columns, "column"), limits.columns);
    let what = format!("a batch would have {columns}, and has at most {most}");
    let error = Error::new(ErrorKind::LimitExceeded, what);
    Err(error.help("read fewer columns, or raise the limit columns"))
}
