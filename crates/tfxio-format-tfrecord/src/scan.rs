//! Scans of TFRecord files.

mod seek;
mod split;

use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_core::{
    Batch, Cancel, Nested, Ordered, Partition, RecordPlan, Result, Scan, ScanCounts, ScanRequest, Seek,
};
use tfxio_scan::executor::{Done, Executor, rows_left};
use tfxio_scan::filter;

use super::cut;
use super::data::Data;
use super::decoding::Decoding;
use super::job::{Cursor, Job};
use super::partition_reader::ReadOptions;
use super::records::Records;

/// A scan of one partition, or of several for chosen records.
pub(super) struct TfRecordScan {
    data: Arc<Data>,
    plan: Arc<dyn RecordPlan>,
    request: ScanRequest,
    schema: SchemaRef,
    /// Ends the reads of other threads when the scan is dropped.
    cancel: Cancel,
    /// The partition as it was asked for, without what was given away; nothing where there are several.
    whole: Option<Partition>,
    /// Partitions that the engine reads, from its first record on; with several, the scan is of chosen records.
    from: Vec<Partition>,
    /// Position after the batches that were returned.
    cursor: Option<Cursor>,
    /// Number of records after them that are to be passed over.
    passed: u64,
    engine: Option<Executor<Job>>,
    /// Whether only rows come out that satisfy the filter.
    filters: bool,
    /// Rows that are still to be returned.
    left: u64,
    counts: ScanCounts,
    ended: bool,
}

impl TfRecordScan {
    /// Returns a scan of partitions, one after the other. Opens the first, so that its errors come early.
    pub(super) fn new(
        data: Arc<Data>,
        plan: Arc<dyn RecordPlan>,
        partitions: Vec<Partition>,
        request: &ScanRequest,
    ) -> Result<Self> {
        let decoding = Decoding::new(&*plan, request)?;
        let schema = decoding.schema(&*plan);
        let filters = filter::is_applied(request);
        let mut scan = Self {
            data,
            plan,
            request: request.clone(),
            schema,
            cancel: request.cancel.child(),
            whole: match partitions.as_slice() {
                [one] => Some(one.clone()),
                _ => None,
            },
            from: partitions,
            cursor: None,
            passed: 0,
            engine: None,
            left: request.limit.filter(|_| request.filter.is_none() || filters).unwrap_or(u64::MAX),
            filters,
            counts: ScanCounts::default(),
            ended: false,
        };
        scan.start(Some(decoding))?;
        Ok(scan)
    }

    /// Starts reading what is left, with this decoder or a new one.
    fn start(&mut self, decoding: Option<Decoding>) -> Result<()> {
        let threading = self.request.threading().cancel(self.cancel.clone());
        let nested = Nested::new();
        let options = ReadOptions {
            limits: self.request.limits,
            skip: self.request.on_error.skip().cloned(),
            cancel: self.cancel.clone(),
            inflates: (self.request.threads > 1).then(|| nested.threading(&threading)),
        };
        // Records that are skipped or filtered out do not count.
        let limit = if options.skip.is_some() || self.filters { u64::MAX } else { self.left };
        // What is one batch at most is not shared.
        let rows = self.from.iter().try_fold(0u64, |rows, from| rows.checked_add(from.records?));
        let partitions = match &self.whole {
            Some(_) => self.from.clone(),
            None => std::mem::take(&mut self.from),
        };
        let mut records = Records::new(Arc::clone(&self.data), options, partitions, limit);
        if self.left > 0 {
            records.open()?;
        }
        let is_small = rows.is_some_and(|rows| rows <= self.request.batch_rows as u64);
        self.engine = Some(if self.request.threads > 1 && !is_small {
            let (plan, request) = (Arc::clone(&self.plan), self.request.clone());
            let make = move || Ok(Job::new(Decoding::new(&*plan, &request)?, &request, true));
            Executor::Threads(Ordered::over(records, &threading, nested, make)?)
        } else {
            let decoding = match decoding {
                Some(decoding) => decoding,
                None => Decoding::new(&*self.plan, &self.request)?,
            };
            Executor::Alone(Box::new((records, Job::new(decoding, &self.request, false))))
        });
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        while self.left > 0 {
            self.request.cancel.check()?;
            if self.engine.is_none() {
                self.start(None)?;
            }
            let Some(engine) = &mut self.engine else { return Ok(None) };
            let Some(Done { batch, after, counts }) = engine.next_output()? else { return Ok(None) };
            self.cursor = after.map(|after| self.cursor_within(&batch, after));
            self.counts = self.counts.plus(counts);
            self.passed = 0;
            if let Some(batch) = rows_left(batch, &mut self.left) {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    /// Returns the position of the first row of a filtered batch that is not returned, because of the limit.
    fn cursor_within(&self, batch: &Batch, after: Cursor) -> Cursor {
        let next = usize::try_from(self.left).ok().filter(|_| self.filters);
        let Some(next) = next.and_then(|row| batch.origins().get(row)) else { return after };
        let first = self.from.first().and_then(|from| from.first_record).unwrap_or_default();
        Cursor {
            records: next.record.saturating_sub(first),
            offset: next.byte.unwrap_or(after.offset),
            ..after
        }
    }

    /// Returns what was not returned yet.
    fn rest(&self) -> Option<Partition> {
        self.after_cursor().map(|rest| cut::without(&rest, self.passed))
    }

    /// Goes on from the beginning of a partition.
    fn move_to(&mut self, partition: Partition) {
        self.from = vec![partition];
        self.cursor = None;
        self.passed = 0;
        self.engine = None;
    }
}

impl Scan for TfRecordScan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        if self.ended {
            return Ok(None);
        }
        let next = self.next();
        if !matches!(next, Ok(Some(_))) {
            self.ended = true;
            self.engine = None;
        }
        next
    }

    fn try_split(&mut self, fraction: f64) -> Result<Option<Partition>> {
        if self.ended { Ok(None) } else { self.split(fraction) }
    }

    fn remaining(&self) -> Option<Partition> {
        if self.ended {
            return None;
        }
        self.rest()
    }

    fn seek(&mut self, record: u64) -> Result<Seek> {
        self.seek_record(record)
    }

    fn seek_to_byte(&mut self, record: u64, byte: u64) -> Result<Seek> {
        self.seek_byte(record, byte)
    }

    fn counts(&self) -> ScanCounts {
        self.counts
    }
}

impl Drop for TfRecordScan {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
