//! The batches of all partitions of a data set.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tfxio_core::{Batch, BatchReader, Dataset, Partition, Result, Scan, ScanCounts, ScanRequest, Seek};

use super::builder::{BatchesBuilder, ScanWatch};
use crate::filter::{self, RowFilter};

/// The batches of all partitions of a data set, in order.
///
/// An iterator of record batches; [`Scan::next_batch`] gives them with the origins of their rows.
pub struct Batches {
    dataset: Arc<dyn Dataset>,
    request: ScanRequest,
    /// The filter of the request, unless the scans apply it.
    filter: Option<RowFilter>,
    schema: SchemaRef,
    partitions: VecDeque<Partition>,
    scan: Option<Box<dyn Scan>>,
    /// Rows of all scans, including the ones that do not satisfy the filter.
    scanned: u64,
    /// Rows before the first that is returned.
    dropped: u64,
    left: u64,
    /// Whether somebody else applies the filter.
    is_apart: bool,
    /// Counts of the scans that have ended, and the rows of the one that is open.
    ended: ScanCounts,
    rows: u64,
    watch: Option<Box<dyn ScanWatch>>,
}

impl Batches {
    /// Begins to read a data set.
    pub fn builder(dataset: Arc<dyn Dataset>, request: ScanRequest) -> BatchesBuilder {
        BatchesBuilder::new(dataset, request)
    }

    pub(crate) fn new(dataset: Arc<dyn Dataset>, request: ScanRequest) -> Result<Self> {
        Self::builder(dataset, request).build()
    }

    /// Reads without the first `dropped` rows.
    pub(crate) fn from_row(dataset: Arc<dyn Dataset>, dropped: u64, request: ScanRequest) -> Result<Self> {
        Self::builder(dataset, request).dropped(dropped).build()
    }

    pub(super) fn of_builder(builder: BatchesBuilder) -> Result<Self> {
        let BatchesBuilder { dataset, mut request, partitions, dropped, is_hint, watch } = builder;
        let filter = request.filter.clone().filter(|_| !is_hint && !dataset.applies_filter(&request));
        let asked = filter.as_ref().zip(request.columns.as_mut());
        let asked = asked.and_then(|(filter, columns)| filter::append_columns(columns, filter));
        let left = request.limit.unwrap_or(u64::MAX);
        let mut batches = Self {
            schema: Arc::clone(dataset.schema()),
            partitions: match partitions {
                Some(partitions) => partitions.into(),
                None => dataset.partitions(u64::MAX)?.into(),
            },
            dataset,
            request,
            filter: None,
            scan: None,
            scanned: 0,
            dropped,
            left,
            is_apart: false,
            ended: ScanCounts::default(),
            rows: 0,
            watch,
        };
        // Opened at once, so that its errors come early, and its schema is known.
        batches.open_next()?;
        if let Some(scan) = &batches.scan {
            batches.schema = Arc::clone(scan.schema());
        }
        if let Some(predicate) = filter {
            let filter = RowFilter::new(&predicate, &batches.schema, asked)?;
            if let Some(schema) = filter.schema() {
                batches.schema = Arc::clone(schema);
            }
            batches.filter = Some(filter);
        }
        Ok(batches)
    }

    /// Reads what a scan of the data set gives, which has the limit, the columns and the rows that are asked for.
    pub(super) fn of_scan(dataset: Arc<dyn Dataset>, request: ScanRequest, scan: Box<dyn Scan>) -> Self {
        Self {
            schema: Arc::clone(scan.schema()),
            dataset,
            request,
            filter: None,
            partitions: VecDeque::new(),
            scan: Some(scan),
            scanned: 0,
            dropped: 0,
            left: u64::MAX,
            is_apart: false,
            ended: ScanCounts::default(),
            rows: 0,
            watch: None,
        }
    }

    /// Returns the filter for the caller to apply to each batch, perhaps on other threads; the batches then have all columns that it reads.
    /// Nothing without a filter, or if this reader has to count the rows that satisfy it.
    pub fn filter_apart(&mut self) -> Option<RowFilter> {
        // Where damage is skipped, it is an error if nothing is left.
        if self.left < u64::MAX || self.dropped > 0 || self.request.on_error.skip().is_some() {
            return None;
        }
        let filter = self.filter.clone();
        self.is_apart = filter.is_some();
        filter
    }

    /// Returns the batches as a [`RecordBatchReader`](arrow_array::RecordBatchReader) of Arrow.
    #[must_use]
    pub fn into_record_batch_reader(self) -> BatchReader<Self> {
        BatchReader::new(Arc::clone(&self.schema), self)
    }

    /// Returns the counts of all scans so far.
    #[must_use]
    pub fn counts(&self) -> ScanCounts {
        match &self.scan {
            Some(scan) => self.ended.plus(scan.counts()),
            None => self.ended,
        }
    }

    /// Returns the number of rows of all scans so far, including the rows that do not satisfy the filter.
    #[must_use]
    pub fn scanned(&self) -> u64 {
        self.scanned
    }

    /// Closes the scan that has ended.
    fn close(&mut self) -> Result<()> {
        let Some(scan) = self.scan.take() else { return Ok(()) };
        self.ended = self.ended.plus(scan.counts());
        let rows = std::mem::take(&mut self.rows);
        self.watch.as_mut().map_or(Ok(()), |watch| watch.ended(scan.counts(), rows))
    }

    /// Passes over partitions of which it is known that they have only rows to drop, and enters the next one where it can be
    /// entered.
    fn enter(&mut self) -> Result<()> {
        // Only what is read shows which rows satisfy the filter, and which records are skipped.
        if self.dropped == 0 || self.request.filter.is_some() || self.request.on_error.skip().is_some() {
            return Ok(());
        }
        while let Some(partition) = self.partitions.front() {
            // What is wrong with a file is said when it is read.
            let Some(rows) = self.dataset.statistics(partition).unwrap_or_default().rows.exact() else {
                break;
            };
            if rows <= self.dropped {
                self.dropped -= rows;
                self.partitions.pop_front();
                continue;
            }
            let Some(first) = partition.first_read().and_then(|first| first.checked_add(self.dropped)) else {
                break;
            };
            let mut request = self.request.clone();
            request.limit = None;
            if let Some(watch) = &mut self.watch {
                watch.opening(std::slice::from_ref(partition))?;
            }
            let mut scan = self.dataset.scan(partition, &request)?;
            if scan.seek(first)? != Seek::NotOffered {
                self.dropped = 0;
            }
            self.partitions.pop_front();
            self.scan = Some(scan);
            break;
        }
        Ok(())
    }

    fn open_next(&mut self) -> Result<()> {
        self.close()?;
        self.enter()?;
        if self.scan.is_some() {
            return Ok(());
        }
        // Rows that do not satisfy the filter do not count.
        let counts = self.request.filter.is_none() || self.dataset.applies_filter(&self.request);
        let limit = self.left.checked_add(self.dropped).filter(|left| *left < u64::MAX);
        self.request.limit = limit.filter(|_| counts);
        if self.partitions.len() > 1 {
            let partitions = self.partitions.make_contiguous();
            let opened = self.dataset.scan_all(partitions, &self.request);
            // What the observer finds wrong with the files explains why they cannot be opened.
            if !matches!(opened, Ok(None))
                && let Some(watch) = &mut self.watch
            {
                watch.opening(partitions)?;
            }
            self.scan = opened?;
            if self.scan.is_some() {
                self.partitions.clear();
                return Ok(());
            }
        }
        if let Some(partition) = self.partitions.pop_front() {
            if let Some(watch) = &mut self.watch {
                watch.opening(std::slice::from_ref(&partition))?;
            }
            self.scan = Some(self.dataset.scan(&partition, &self.request)?);
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        while self.left > 0 {
            let Some(scan) = &mut self.scan else {
                self.request.on_error.refuse_nothing(self.scanned)?;
                return Ok(None);
            };
            let Some(mut batch) = scan.next_batch()? else {
                self.open_next()?;
                continue;
            };
            self.scanned = self.scanned.saturating_add(batch.num_rows() as u64);
            self.rows = self.rows.saturating_add(batch.num_rows() as u64);
            if let Some(filter) = self.filter.as_ref().filter(|_| !self.is_apart) {
                batch = filter.apply(batch)?;
            }
            let dropped = self.dropped.min(batch.num_rows() as u64);
            self.dropped -= dropped;
            if dropped > 0 {
                batch = batch.slice(usize::try_from(dropped).unwrap_or(usize::MAX), usize::MAX);
            }
            let rows = batch.num_rows() as u64;
            if rows == 0 {
                continue;
            }
            if rows > self.left {
                batch = batch.slice(0, usize::try_from(self.left).unwrap_or(usize::MAX));
            }
            self.left = self.left.saturating_sub(rows);
            return Ok(Some(batch));
        }
        Ok(None)
    }
}

impl Scan for Batches {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let next = self.next();
        if !matches!(next, Ok(Some(_))) {
            self.ended = self.counts();
            self.scan = None;
            self.partitions.clear();
            self.left = 0;
        }
        next
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().map(|batch| batch.map(Batch::into_columns)).transpose()
    }
}

impl fmt::Debug for Batches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batches")
            .field("request", &self.request)
            .field("partitions", &self.partitions)
            .finish_non_exhaustive()
    }
}
