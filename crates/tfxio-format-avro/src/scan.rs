//! A scan of a part of a file.

use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use avro_path::container::{BlockPosition, ReaderBuilder};
use tfxio_core::{Batch, Error, ErrorKind, Partition, Position, Result, Scan, ScanRequest, Seek};
use tfxio_scan::executor;

use super::blocks::{Blocks, Wanted};
use super::cursor::Cursor;
use super::dataset::Inner;
use super::decoded::Decoded;
use super::decoder::BatchPlan;
use super::serial::{RecordRows, Serial};
use super::threaded::{self, Threaded};

/// Reads a partition.
pub(super) struct AvroScan {
    dataset: Arc<Inner>,
    request: ScanRequest,
    plan: BatchPlan,
    file: Arc<str>,
    /// Position at which the partition begins.
    start: Cursor,
    /// Position of the first record that was not returned.
    at: Cursor,
    /// Offset at which no block of the partition begins, nor after it.
    end: u64,
    /// Number of records that were not returned, where it is known.
    records: Option<u64>,
    /// Rows that may still be returned.
    limit: u64,
    /// Rows of other partitions that the first batch follows in one batch, and that it is shorter by.
    before: usize,
    engine: Option<ScanEngine>,
    /// Whether one thread decodes, as a batch of as many rows as were asked for may not be within the limits.
    is_serial: bool,
    has_failed: bool,
}

/// Returns the maximum number of rows that a scan returns; if rows are filtered above it, they are counted there.
pub(super) fn limit(plan: &BatchPlan, request: &ScanRequest) -> u64 {
    match plan.filtering {
        Some(_) => request.limit.unwrap_or(u64::MAX),
        None => executor::most_rows(request),
    }
}

/// Batch that was read of a partition.
pub(super) struct Read {
    pub(super) batch: Batch,
    /// Number of records that were read.
    pub(super) records: usize,
    /// Whether the next record has no room in the batch.
    pub(super) is_full: bool,
}

/// Decoder of rows, on one thread or on several.
enum ScanEngine {
    Serial(Box<Serial>),
    Threaded(Box<Threaded>),
}

impl AvroScan {
    pub(super) fn open(
        dataset: Arc<Inner>,
        partition: &Partition,
        plan: BatchPlan,
        request: &ScanRequest,
        before: usize,
    ) -> Result<Self> {
        let start = Cursor::start(partition);
        let mut scan = Self {
            file: Arc::clone(&partition.file),
            end: partition.end,
            records: partition.records,
            limit: limit(&plan, request),
            request: request.clone().batch_rows(request.batch_rows),
            at: start,
            start,
            before,
            engine: None,
            is_serial: false,
            has_failed: false,
            dataset,
            plan,
        };
        // Errors of the file come early.
        scan.engine = Some(scan.engine()?);
        Ok(scan)
    }

    /// Opens the file at the first record that was not returned.
    fn engine(&mut self) -> Result<ScanEngine> {
        let Self { dataset, request, plan, file, at, end, is_serial, .. } = self;
        let wanted = Wanted::of(request, plan.program.is_none());
        let is_start = *at == self.start;
        let blocks = Blocks::open(&dataset.metadata, file, at, *end, &wanted, request)?;
        if is_start {
            self.start = *at;
        }
        let Some(program) = &plan.program else {
            let rows = RecordRows::Counted(0, Arc::clone(&plan.schema));
            return Ok(ScanEngine::Serial(Box::new(Serial::new(blocks, rows, *at))));
        };
        let filtering = plan.filtering.as_ref();
        let recipe = dataset.recipe(program, filtering, file, blocks.header().schema(), request)?;
        let rows = self.limit.min(self.records.unwrap_or(u64::MAX));
        Ok(match blocks {
            Blocks::Strict(container)
                if !*is_serial && threaded::is_worth_it(request.threads, request.batch_rows, rows) =>
            {
                let (rows, threading) = (request.batch_rows, request.threading());
                let schema = Arc::clone(&plan.schema);
                let threaded = Threaded::new(*container, recipe, schema, *at, rows, self.before, &threading)?;
                ScanEngine::Threaded(Box::new(threaded))
            }
            blocks => {
                let rows = RecordRows::Decoded(Box::new(recipe.decoder()));
                ScanEngine::Serial(Box::new(Serial::new(blocks, rows, *at)))
            }
        })
    }

    /// Returns the next rows, and which records they were.
    fn fill(&mut self) -> Result<Option<Decoded>> {
        // Where a filter leaves records out, the limit counts those that it does not.
        let rows = if self.plan.filtering.is_some() && self.limit > 0 { u64::MAX } else { self.limit };
        let records = rows.min(self.records.unwrap_or(u64::MAX));
        let batch_rows = self.request.batch_rows.saturating_sub(self.before);
        let most = usize::try_from(records).unwrap_or(usize::MAX).min(batch_rows);
        if most == 0 {
            return Ok(None);
        }
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => self.engine()?,
        };
        let filled = loop {
            match &mut engine {
                ScanEngine::Serial(serial) => break serial.next(most, &self.request.cancel)?,
                ScanEngine::Threaded(threaded) => match threaded.next(batch_rows, &self.request.cancel) {
                    // Borders of batches are those of one thread.
                    Err(error) if error.kind() == ErrorKind::LimitExceeded => {
                        self.is_serial = true;
                        engine = self.engine()?;
                    }
                    filled => break filled?,
                },
            }
        };
        let Some(mut decoded) = filled else { return Ok(None) };
        decoded.cut(most);
        decoded.limit(self.limit);
        (self.engine, self.before) = (Some(engine), 0);
        Ok(Some(decoded))
    }

    /// Returns the rows of the next records, which may be none.
    pub(super) fn next_rows(&mut self) -> Result<Option<Read>> {
        if self.has_failed {
            return Ok(None);
        }
        match self.fill() {
            Ok(Some(decoded)) => {
                let records = decoded.records();
                self.limit = self.limit.saturating_sub(decoded.rows.num_rows() as u64);
                self.records = self.records.map(|left| left.saturating_sub(records as u64));
                self.at = decoded.spans.end().unwrap_or(self.at);
                let is_full = decoded.is_full;
                Ok(Some(Read { batch: decoded.into_batch(&self.file), records, is_full }))
            }
            Ok(None) => {
                let is_end = self.limit > 0;
                if is_end {
                    self.records = Some(0);
                }
                Ok(None)
            }
            Err(error) => {
                (self.has_failed, self.engine) = (true, None);
                Err(self.located(error))
            }
        }
    }

    /// Adds to an error that its record is counted from the beginning of the partition, if it is.
    fn located(&self, error: Error) -> Error {
        if self.at.is_numbered {
            return error;
        }
        Partition::range(Arc::clone(&self.file), self.start.offset, self.end).locate(error)
    }

    /// Returns the number in the file of the first record of the partition.
    fn first_record(&mut self) -> Result<u64> {
        if !self.start.is_numbered {
            let found = self.block_at(self.start.offset)?;
            self.start = Cursor { first: found.first_record, is_numbered: true, ..self.start };
        }
        Ok(self.start.record())
    }

    /// Returns the number in the file of the record after the last, if the partition is bounded by a number.
    fn end_record(&mut self) -> Result<Option<u64>> {
        let Some(left) = self.records else { return Ok(None) };
        if self.at.is_numbered {
            return Ok(Some(self.at.record().saturating_add(left)));
        }
        let first = self.first_record()?;
        // The position is still counted from the first record of the partition, skipped ones included.
        let read = self.at.record().saturating_sub(self.start.skip);
        Ok(Some(first.saturating_add(read).saturating_add(left)))
    }

    /// Returns whether all records from an offset on are yet to be returned.
    fn is_ahead(&self, offset: u64) -> Result<bool> {
        if self.at != self.start || self.at.skip == 0 {
            return Ok(true);
        }
        // The records to skip may be those of several blocks.
        let first = self.block_at(self.at.offset)?.first_record.saturating_add(self.at.skip);
        Ok(self.block_at(offset)?.first_record > first)
    }

    fn block_at(&self, offset: u64) -> Result<BlockPosition> {
        let (limits, cancel) = (&self.request.limits, &self.request.cancel);
        self.dataset.metadata.block_at(&self.file, offset, limits, cancel)
    }

    fn outside(&self, record: u64) -> Error {
        let partition = self.start.rest(&self.file, self.end, None);
        let what = format!("record {record} is not in the partition {partition}");
        let error =
            Error::new(ErrorKind::InvalidArgument, what).help("seek within the partition of the scan");
        error.at(Position::new().file(Arc::clone(&self.file)))
    }
}

impl Scan for AvroScan {
    fn schema(&self) -> &SchemaRef {
        &self.plan.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        while let Some(Read { batch, .. }) = self.next_rows()? {
            if batch.num_rows() > 0 {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn try_split(&mut self, fraction: f64) -> Result<Option<Partition>> {
        let fraction = if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { return Ok(None) };
        let (metadata, cancel) = (&self.dataset.metadata, &self.request.cancel);
        if self.records == Some(0) || self.has_failed {
            return Ok(None);
        }
        let Some(size) = metadata.files.store().size(&self.file)? else { return Ok(None) };
        let left = size.min(self.end).saturating_sub(self.at.offset);
        // At least the block that is being read stays.
        let target = self.at.offset.saturating_add(((left as f64 * fraction) as u64).max(1));
        let header = metadata.header(&self.file, cancel)?;
        let builder = ReaderBuilder::default().limits(self.request.limits).name(Arc::clone(&self.file));
        let source = metadata.open(&self.file, target, target, cancel)?;
        let found = builder
            .source(source)
            .find_block(Arc::clone(&header), target.max(header.len().saturating_add(1)))?;
        let Some(offset) = found.filter(|offset| *offset < self.end) else { return Ok(None) };
        if !self.is_ahead(offset)? {
            return Ok(None);
        }
        let mut tail = Cursor { offset, is_exact: false, block: 0, first: 0, is_numbered: false, skip: 0 };
        let mut records = None;
        if let Some(end) = self.end_record()? {
            let found = self.block_at(offset)?;
            let Some(more) = end.checked_sub(found.first_record).filter(|more| *more > 0) else {
                return Ok(None);
            };
            records = Some(more);
            self.records = self.records.map(|left| left.saturating_sub(more));
            tail = Cursor::block(&found);
        } else if let Some(found) = self.dataset.metadata.found(&self.file, offset) {
            tail = Cursor::block(&found);
        }
        let partition = tail.rest(&self.file, self.end, records);
        self.end = offset;
        // It may have read further.
        self.engine = None;
        Ok(Some(partition))
    }

    fn remaining(&self) -> Option<Partition> {
        Some(self.at.rest(&self.file, self.end, self.records))
    }

    fn seek(&mut self, record: u64) -> Result<Seek> {
        let first = self.first_record()?;
        let end = self.end_record()?;
        if record < first || end.is_some_and(|end| record >= end) {
            return Err(self.outside(record));
        }
        let (limits, cancel) = (&self.request.limits, &self.request.cancel);
        let found = match self.dataset.metadata.block_of(&self.file, record, limits, cancel) {
            Err(error) if error.kind() == ErrorKind::Malformed && self.request.on_error.skip().is_some() => {
                // Blocks after damage are found by reading it.
                self.at = Cursor { skip: record.saturating_sub(self.start.first), ..self.start };
                self.records = end.map(|end| end - record);
                self.engine = None;
                return Ok(Seek::Read(record - first));
            }
            found => found?,
        };
        let Some(found) = found.filter(|found| found.position.offset < self.end) else {
            return Err(self.outside(record));
        };
        self.at = Cursor { skip: record - found.position.first_record, ..Cursor::block(&found.position) };
        self.records = end.map(|end| end - record);
        self.engine = None;
        Ok(Seek::Exact)
    }
}

impl fmt::Debug for AvroScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AvroScan").field("remaining", &self.remaining()).finish_non_exhaustive()
    }
}
