//! The rows of a data set that satisfy a condition.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_core::{
    Batch, Dataset, Entries, Estimate, Loss, Partition, PartitionStatistics, Predicate, RecordRun, Result,
    Scan, ScanCounts, ScanRequest, Seek,
};

use super::numbered::Numbered;
use crate::filter::{self, RowFilter};

/// Rows of a data set that satisfy a condition. Records keep their numbers in the files.
#[derive(Debug)]
pub struct Filtered {
    dataset: Arc<dyn Dataset>,
    condition: Predicate,
}

impl Filtered {
    /// Returns the rows that satisfy a condition.
    ///
    /// # Errors
    /// `InvalidArgument` for a column that does not exist, and for a value that does not fit its type.
    pub fn new(dataset: Arc<dyn Dataset>, condition: Predicate) -> Result<Self> {
        filter::check(&condition, dataset.schema())?;
        Ok(Self { dataset, condition })
    }

    /// Returns the request with both conditions that the data set below is given.
    fn inner(&self, request: &ScanRequest) -> ScanRequest {
        let mut inner = request.clone();
        inner.filter = Some(match &request.filter {
            Some(filter) => self.condition.clone().and(filter.clone()),
            None => self.condition.clone(),
        });
        inner
    }

    /// Starts a scan whose rows are looked at here.
    fn looked_at(
        &self,
        mut inner: ScanRequest,
        file: Option<&Partition>,
        scan: impl FnOnce(&ScanRequest) -> Result<Box<dyn Scan>>,
    ) -> Result<Box<dyn Scan>> {
        let condition = inner.filter.clone().unwrap_or_else(|| self.condition.clone());
        let left = inner.limit.take().unwrap_or(u64::MAX);
        let asked = inner.columns.as_mut().and_then(|columns| filter::append_columns(columns, &condition));
        if file.is_some() {
            // Rows that are left out below would not be counted.
            inner.filter = None;
        }
        let scan = scan(&inner)?;
        let rows = RowFilter::new(&condition, scan.schema(), asked)?;
        let schema = Arc::clone(rows.schema().unwrap_or_else(|| scan.schema()));
        let read = match file {
            Some(file) => Read::Partition(Numbered::new(scan, file)),
            None => Read::Runs(scan),
        };
        Ok(Box::new(FilteredScan { read, rows, schema, left, has_failed: false }))
    }
}

impl Dataset for Filtered {
    fn schema(&self) -> &SchemaRef {
        self.dataset.schema()
    }

    fn partitions(&self, target_bytes: u64) -> Result<Vec<Partition>> {
        self.dataset.partitions(target_bytes)
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let inner = self.inner(request);
        if self.dataset.applies_filter(&inner) {
            return self.dataset.scan(partition, &inner);
        }
        self.looked_at(inner, Some(partition), |inner| self.dataset.scan(partition, inner))
    }

    fn applies_filter(&self, _request: &ScanRequest) -> bool {
        true
    }

    fn scan_all(&self, partitions: &[Partition], request: &ScanRequest) -> Result<Option<Box<dyn Scan>>> {
        let inner = self.inner(request);
        match self.dataset.applies_filter(&inner) {
            true => self.dataset.scan_all(partitions, &inner),
            false => Ok(None),
        }
    }

    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        self.dataset.scan_schema(request)
    }

    fn losses(&self) -> Vec<Loss> {
        self.dataset.losses()
    }

    fn notes(&self) -> Vec<String> {
        self.dataset.notes()
    }

    fn check_complete(&self) -> Result<()> {
        self.dataset.check_complete()
    }

    fn take(&self, runs: &[RecordRun], request: &ScanRequest) -> Result<Box<dyn Scan>> {
        self.looked_at(self.inner(request), None, |inner| self.dataset.take(runs, inner))
    }

    fn take_in_file(
        &self,
        file: &Partition,
        runs: &[RecordRun],
        request: &ScanRequest,
    ) -> Result<Box<dyn Scan>> {
        self.looked_at(self.inner(request), None, |inner| self.dataset.take_in_file(file, runs, inner))
    }

    /// Returns the statistics of all rows, as bounds.
    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        let mut statistics = self.dataset.statistics(partition)?;
        statistics.rows = bound(statistics.rows);
        for (_, column) in &mut statistics.columns {
            column.nulls = bound(column.nulls);
            column.min = bound(std::mem::take(&mut column.min));
            column.max = bound(std::mem::take(&mut column.max));
        }
        Ok(statistics)
    }

    fn count_rows(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        let mut scan = self.scan(partition, &request.counting())?;
        let mut rows = 0u64;
        while let Some(batch) = scan.next_batch()? {
            rows = rows.saturating_add(batch.num_rows() as u64);
        }
        Ok(rows)
    }

    fn leaves_out(&self) -> bool {
        true
    }

    fn count_records(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        self.dataset.count_records(partition, request)
    }

    fn entries(&self, partition: &Partition, records: u64) -> Result<Entries> {
        self.dataset.entries(partition, records)
    }
}

/// Returns the bound of a statistic for fewer rows.
pub(super) fn bound<T>(known: Estimate<T>) -> Estimate<T> {
    match known {
        Estimate::Exact(value) | Estimate::Bound(value) => Estimate::Bound(value),
        Estimate::Unknown => Estimate::Unknown,
    }
}

/// Source of the rows to filter.
enum Read {
    /// All rows of a partition.
    Partition(Numbered),
    /// Runs of records, of which other rows may have been left out below.
    Runs(Box<dyn Scan>),
}

impl Read {
    fn scan(&self) -> &dyn Scan {
        match self {
            Self::Partition(numbered) => numbered.scan(),
            Self::Runs(scan) => &**scan,
        }
    }
}

/// The rows of a scan that satisfy a condition.
struct FilteredScan {
    read: Read,
    rows: RowFilter,
    schema: SchemaRef,
    /// Number of rows until the limit.
    left: u64,
    has_failed: bool,
}

impl Scan for FilteredScan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        while self.left > 0 && !self.has_failed {
            let next = match &mut self.read {
                Read::Partition(numbered) => numbered.next_batch(),
                Read::Runs(scan) => scan.next_batch(),
            };
            let Some(batch) = next? else { return Ok(None) };
            let kept = self.rows.apply(batch);
            self.has_failed = kept.is_err();
            let kept = kept?;
            let rows = kept.num_rows() as u64;
            if rows == 0 {
                continue;
            }
            let most = rows.min(self.left);
            self.left -= most;
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            return Ok(Some(if most < kept.num_rows() { kept.slice(0, most) } else { kept }));
        }
        Ok(None)
    }

    fn try_split(&mut self, fraction: f64) -> Result<Option<Partition>> {
        match &mut self.read {
            Read::Partition(numbered) => numbered.try_split(fraction),
            Read::Runs(scan) => scan.try_split(fraction),
        }
    }

    fn remaining(&self) -> Option<Partition> {
        self.read.scan().remaining()
    }

    fn seek(&mut self, record: u64) -> Result<Seek> {
        match &mut self.read {
            Read::Partition(numbered) => numbered.seek(record),
            Read::Runs(scan) => scan.seek(record),
        }
    }

    fn seek_to_byte(&mut self, record: u64, byte: u64) -> Result<Seek> {
        match &mut self.read {
            Read::Partition(numbered) => numbered.seek_to_byte(record, byte),
            Read::Runs(scan) => scan.seek_to_byte(record, byte),
        }
    }

    fn counts(&self) -> ScanCounts {
        self.read.scan().counts()
    }
}
