//! The batches of a partition, read on the blocking pool of DataFusion's runtime.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream};
use datafusion::physical_plan::ExecutionPlan as _;
use datafusion::physical_plan::metrics::{BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder};
use futures::{FutureExt as _, Stream};
use tfxio_core::{Cancel, Dataset, Partition, Scan as _, ScanCounts, ScanRequest, Spawn};
use tokio::runtime::Handle;

use super::TfxioExec;
use crate::error::carried;
use crate::output::{self, Output};

/// Reader of the parts of a partition, one after the other.
pub(super) struct Reader {
    dataset: Arc<dyn Dataset>,
    parts: Vec<Partition>,
    /// The batches of the parts, from the first read on.
    batches: Option<tfxio_scan::Batches>,
    request: ScanRequest,
    #[cfg(feature = "codec")]
    stamps: Option<Arc<super::stamps::Stamps>>,
    outputs: Arc<[Output]>,
    schema: SchemaRef,
    /// Rows that may still be returned.
    left: Option<u64>,
}

/// A batch, and what had been read when it was there.
struct Read {
    batch: Option<RecordBatch>,
    counts: ScanCounts,
    rows: u64,
}

impl Reader {
    pub(super) fn new(exec: &TfxioExec, parts: Vec<Partition>, request: ScanRequest) -> Self {
        Self {
            dataset: Arc::clone(&exec.dataset),
            parts,
            batches: None,
            request,
            #[cfg(feature = "codec")]
            stamps: exec.stamps.clone(),
            outputs: Arc::clone(&exec.outputs),
            schema: exec.schema(),
            left: exec.fetch.map(|rows| rows as u64),
        }
    }

    /// Opens the parts.
    fn open(&mut self) -> tfxio_core::Result<tfxio_scan::Batches> {
        let (dataset, parts) = (Arc::clone(&self.dataset), std::mem::take(&mut self.parts));
        // Conditions that the scan does not apply are evaluated by DataFusion.
        let batches = tfxio_scan::Batches::builder(dataset, self.request.clone())
            .partitions(parts)
            .filter_is_hint(true);
        #[cfg(feature = "codec")]
        if let Some(stamps) = &self.stamps {
            return batches.watch(super::stamps::Checked(Arc::clone(stamps))).build();
        }
        batches.build()
    }

    /// Reads a batch; it blocks.
    fn next(&mut self) -> tfxio_core::Result<Option<RecordBatch>> {
        if self.left == Some(0) {
            return Ok(None);
        }
        if self.batches.is_none() {
            self.batches = Some(self.open()?);
        }
        let Some(batches) = &mut self.batches else { return Ok(None) };
        let Some(batch) = batches.next_batch()? else { return Ok(None) };
        self.left = self.left.map(|left| left.saturating_sub(batch.num_rows() as u64));
        output::make(&batch, &self.outputs, &self.schema).map(Some)
    }

    fn read(mut self) -> (Self, Result<Read>) {
        let batch = self.next();
        let (counts, rows) = match &self.batches {
            Some(batches) => (batches.counts(), batches.scanned()),
            None => Default::default(),
        };
        (self, batch.map(|batch| Read { batch, counts, rows }).map_err(carried))
    }
}

/// The blocking pool of the runtime that a plan runs on.
#[derive(Debug)]
pub(crate) struct Pool(pub(crate) Handle);

impl Spawn for Pool {
    fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        self.0.spawn_blocking(task);
    }
}

/// Progress of a partition's batches.
enum State {
    Begins(Box<Reader>),
    Reads(SpawnedTask<(Reader, Result<Read>)>),
    Ended,
}

/// The batches of a partition. The next is read while the last is worked on, and none after it.
struct PartitionBatches {
    state: State,
    schema: SchemaRef,
    /// Ends a read that nobody waits for.
    cancel: Cancel,
    baseline: BaselineMetrics,
    metrics: Metrics,
}

/// Metrics of a partition.
struct Metrics {
    bytes: Count,
    records: Count,
    decoded: Count,
    pruned: Count,
    /// Counts and rows that were already added to the counters.
    seen: (ScanCounts, u64),
}

impl Metrics {
    fn add(&mut self, counts: ScanCounts, rows: u64) {
        let (before, rows_before) = std::mem::replace(&mut self.seen, (counts, rows));
        let (new, rows) = (counts.since(before), rows.saturating_sub(rows_before));
        let add = |count: &Count, number: u64| count.add(usize::try_from(number).unwrap_or(usize::MAX));
        add(&self.bytes, new.bytes);
        add(&self.records, new.records);
        add(&self.decoded, rows);
        add(&self.pruned, new.records.saturating_sub(rows));
    }
}

pub(super) fn stream(
    mut reader: Reader,
    metrics: &ExecutionPlanMetricsSet,
    partition: usize,
) -> SendableRecordBatchStream {
    let cancel = reader.request.cancel.child();
    reader.request.cancel = cancel.clone();
    let baseline = BaselineMetrics::new(metrics, partition);
    let counter = |name: &'static str| MetricBuilder::new(metrics).counter(name, partition);
    let metrics = Metrics {
        bytes: counter("bytes_read"),
        records: counter("records_read"),
        decoded: counter("rows_decoded"),
        pruned: counter("rows_pruned"),
        seen: (ScanCounts::default(), 0),
    };
    let schema = Arc::clone(&reader.schema);
    Box::pin(PartitionBatches { state: State::Begins(Box::new(reader)), schema, cancel, baseline, metrics })
}

impl PartitionBatches {
    fn read(&mut self, mut reader: Reader) {
        if reader.request.spawn.is_none() {
            reader.request.spawn = Some(Arc::new(Pool(Handle::current())));
        }
        self.state = State::Reads(SpawnedTask::spawn_blocking(move || reader.read()));
    }

    fn poll_batch(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<RecordBatch>>> {
        let task = match &mut self.state {
            State::Reads(task) => task,
            State::Begins(_) => {
                if let State::Begins(reader) = std::mem::replace(&mut self.state, State::Ended) {
                    self.read(*reader);
                }
                return self.poll_batch(context);
            }
            State::Ended => return Poll::Ready(None),
        };
        let done = ready!(task.poll_unpin(context));
        self.state = State::Ended;
        let (reader, read) = match done {
            Ok(done) => done,
            Err(error) => return Poll::Ready(Some(Err(DataFusionError::ExecutionJoin(Box::new(error))))),
        };
        Poll::Ready(match read {
            Err(error) => Some(Err(error)),
            Ok(Read { batch, counts, rows }) => {
                self.metrics.add(counts, rows);
                if batch.is_some() && reader.left != Some(0) {
                    self.read(reader);
                }
                batch.map(Ok)
            }
        })
    }
}

impl Stream for PartitionBatches {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.poll_batch(context);
        self.baseline.record_poll(polled)
    }
}

impl RecordBatchStream for PartitionBatches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl Drop for PartitionBatches {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
