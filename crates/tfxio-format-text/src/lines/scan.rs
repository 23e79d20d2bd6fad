//! Scans of files of text.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_core::{
    Batch, Cancel, Error, ErrorKind, Ordered, Partition, RecordPlan, Result, Scan, ScanCounts, ScanRequest,
    Seek,
};
use tfxio_scan::executor::{self, Decoder, Done, Executor};

use super::data::Data;
use super::entry::from_row;
use super::job::{Cursor, Job};

/// A scan of a partition.
pub(super) struct TextScan {
    data: Arc<Data>,
    plan: Arc<dyn RecordPlan>,
    request: ScanRequest,
    schema: SchemaRef,
    /// Ends the reads of other threads when the scan is dropped.
    cancel: Cancel,
    /// The partition as it was asked for, without what was given away.
    whole: Partition,
    /// Partition that the engine reads: it begins with a record.
    from: Partition,
    /// Position after the batches that were returned.
    cursor: Option<Cursor>,
    engine: Option<Executor<Job>>,
    /// Rows that are still to be returned.
    left: u64,
    counts: ScanCounts,
    ended: bool,
}

impl TextScan {
    pub(super) fn new(
        data: Arc<Data>,
        plan: Arc<dyn RecordPlan>,
        partition: &Partition,
        request: &ScanRequest,
    ) -> Result<Self> {
        let decoder = executor::decoder(&*plan, request)?;
        let schema = executor::schema(&decoder, &*plan);
        let from = data.exact(partition, &request.limits, &request.cancel)?;
        let mut scan = Self {
            data,
            plan,
            request: request.clone(),
            schema,
            cancel: request.cancel.child(),
            whole: from.clone(),
            from,
            cursor: None,
            engine: None,
            left: executor::most_rows(request),
            counts: ScanCounts::default(),
            ended: false,
        };
        scan.start(Some(decoder))?;
        Ok(scan)
    }

    /// Starts reading what is left, with this decoder or a new one.
    fn start(&mut self, decoder: Option<Decoder>) -> Result<()> {
        let Self { data, from, request, cancel, left, .. } = self;
        let skip = request.on_error.skip();
        // Records that are skipped do not count.
        let limit = if skip.is_some() { u64::MAX } else { *left };
        let records = from.records.unwrap_or(u64::MAX).min(limit);
        let mut rows = data.open(from, records.saturating_add(from.skip), &request.limits, cancel)?;
        rows.skip = skip.cloned();
        if from.skip > 0 {
            rows.pass_over(from.skip, |_| true).map_err(|error| from.locate(error))?;
        }
        let partition = Arc::new(from.clone());
        // What is one batch at most is not shared.
        let is_small = records <= request.batch_rows as u64;
        self.engine = Some(if request.threads > 1 && !is_small {
            let (plan, request) = (Arc::clone(&self.plan), request.clone());
            let threading = request.threading().cancel(cancel.clone());
            let make = move || {
                Ok(Job::new(executor::decoder(&*plan, &request)?, Arc::clone(&partition), &request, true))
            };
            Executor::Threads(Ordered::new(rows, &threading, make)?)
        } else {
            let decoder = match decoder {
                Some(decoder) => decoder,
                None => executor::decoder(&*self.plan, request)?,
            };
            Executor::Alone(Box::new((rows, Job::new(decoder, partition, request, false))))
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
            self.cursor = Some(after);
            self.counts = self.counts.plus(counts);
            if let Some(batch) = executor::rows_left(batch, &mut self.left) {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    /// Returns what follows the batches that were returned.
    fn rest(&self) -> Partition {
        let from = &self.from;
        let Some(Cursor { offset, record, is_compressed }) = self.cursor else { return from.clone() };
        let first = from.first_record.unwrap_or_default();
        // Those of the partition that were passed over included.
        let read = record.saturating_sub(first);
        let left = from.records.map(|records| records.saturating_sub(read.saturating_sub(from.skip)));
        if is_compressed {
            let mut rest = from.clone();
            (rest.skip, rest.records) = (read, left);
            return rest;
        }
        let mut rest = from_row(&from.file, offset, from.end.max(offset));
        rest.first_record = from.first_record.map(|first| first.saturating_add(read));
        rest.records = left;
        rest
    }

    /// Goes on from the beginning of a partition.
    fn move_to(&mut self, partition: Partition) {
        self.from = partition;
        self.cursor = None;
        self.engine = None;
        self.ended = false;
    }

    fn seek_record(&mut self, record: u64) -> Result<Seek> {
        let Some(first) = self.whole.first_read() else { return Ok(Seek::NotOffered) };
        let end = self.whole.records.map(|records| first.saturating_add(records));
        if record < first || end.is_some_and(|end| record > end) {
            let what = format!("the record {record} is not in the partition {}", self.whole);
            return Err(Error::new(ErrorKind::InvalidArgument, what)
                .help("seek records of the partition")
                .in_file(Arc::clone(&self.whole.file)));
        }
        let (file, limits) = (Arc::clone(&self.whole.file), self.request.limits);
        let left = end.map(|end| end.saturating_sub(record));
        let is_local = self.data.files.store().local_path(&file).is_some();
        let is_entered = is_local && !self.data.is_compressed(&file, &self.cancel)?;
        // What is damaged is said when it is read.
        let rows = if is_entered { self.data.rows(&file, &limits, &self.cancel).ok() } else { None };
        if let Some((offset, number)) = rows.and_then(|rows| rows.before_record(record)) {
            let mut partition =
                from_row(&file, offset, self.whole.end).first_record(number).skip(record - number);
            // A partition may begin between the rows that are known.
            if offset < self.whole.start {
                partition =
                    self.whole.clone().skip(record.saturating_sub(self.whole.first_record.unwrap_or(first)));
            }
            partition.records = left;
            self.move_to(partition);
            return Ok(Seek::Exact);
        }
        let rest = self.rest();
        let (mut from, next) = match rest.first_read() {
            Some(next) if next <= record => (rest, next),
            _ => (self.whole.clone(), first),
        };
        from.skip = from.skip.saturating_add(record - next);
        from.records = left;
        self.move_to(from);
        Ok(Seek::Read(record - next))
    }

    /// Gives away the end of what is left, from about this fraction of it on.
    fn split(&mut self, fraction: f64) -> Result<Option<Partition>> {
        let rest = self.rest();
        let file = Arc::clone(&rest.file);
        let Some(size) = self.data.files.store().size(&file)? else { return Ok(None) };
        let end = rest.end.min(size);
        if rest.skip > 0 || rest.records.is_some() || rest.start >= end {
            return Ok(None);
        }
        if self.data.is_compressed(&file, &self.cancel)? {
            return Ok(None);
        }
        let kept = (end - rest.start) as f64 * fraction.clamp(0.0, 1.0);
        // Of numbers beyond 2^53 not each is a float.
        let at = rest.start.saturating_add(kept.round() as u64).max(rest.start.saturating_add(1));
        let known = Some((rest.start, rest.first_record));
        let limits = &self.request.limits;
        let (at, record) = match self.data.row_from(&file, at, known, limits, &self.cancel) {
            Err(error) if error.kind() == ErrorKind::Malformed => return Ok(None),
            found => found?,
        };
        if at >= end || at <= rest.start {
            return Ok(None);
        }
        let mut tail = from_row(&file, at, rest.end);
        tail.first_record = record;
        let mut kept = rest;
        kept.end = at;
        self.whole.end = at;
        self.move_to(kept);
        Ok(Some(tail))
    }
}

impl Scan for TextScan {
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
        (!self.ended).then(|| self.rest())
    }

    fn seek(&mut self, record: u64) -> Result<Seek> {
        self.seek_record(record)
    }

    fn seek_to_byte(&mut self, record: u64, byte: u64) -> Result<Seek> {
        let file = &self.whole.file;
        let is_whole = self.whole.is_whole() && self.whole.records.is_none() && byte > 0;
        if !is_whole || self.data.is_compressed(file, &self.cancel)? {
            return self.seek_record(record);
        }
        let partition = from_row(file, byte, u64::MAX).first_record(record);
        self.move_to(partition);
        Ok(Seek::Exact)
    }

    fn counts(&self) -> ScanCounts {
        self.counts
    }
}

impl Drop for TextScan {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
