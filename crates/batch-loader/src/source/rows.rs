//! The rows of a scan, and which records they are.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::RecordBatch;
use tfxio_core::{Batch, Scan, ScanCounts};

use super::explain::Explain;
use super::{PartRun, Raw, RecordPosition};
use crate::{Error, Kind, Result};

/// Rows of a scan that are records of some runs.
pub(crate) struct PartRows {
    scan: Box<dyn Scan>,
    /// Number of the next record, where batches have no record numbers.
    at: u64,
    /// Runs that are still wanted, in ascending order.
    runs: VecDeque<PartRun>,
    /// Counts of the reads that are not part of a chunk yet.
    counts: ScanCounts,
    /// Counts of the scan that were already added.
    counted: ScanCounts,
    /// Rows of a batch of which the first were given.
    rest: Option<Numbered>,
    /// The file, where damaged records are left out.
    skips: Option<Arc<str>>,
    /// Whether the scan gives the records of the runs and no others.
    taken: bool,
    /// Records that the scan leaves out, where it was given the filter.
    pushed: Option<Pushed>,
    explain: Explain,
}

/// Opens a scan again, without the filter. Returns the number of its first record, too, which counts where batches have
/// no record numbers.
pub(super) type Unfiltered = Box<dyn FnOnce() -> Result<(Box<dyn Scan>, u64)> + Send>;

/// A filter that the scan was given: records that it leaves out show as gaps between the numbers of the others.
pub(super) struct Pushed {
    /// Records of the file.
    pub(super) records: u64,
    /// The number after the last record that was read or left out.
    pub(super) next: u64,
    /// Whether the scan returns exactly the records that satisfy the filter.
    pub(super) is_applied: bool,
    /// Replacement for a scan whose batches have no record numbers; `None` after the first batch.
    pub(super) unfiltered: Option<Unfiltered>,
}

impl Pushed {
    /// Returns the number of records between the last one seen and `next`.
    fn pass(&mut self, next: u64) -> u64 {
        let passed = next.saturating_sub(self.next);
        self.next = self.next.max(next);
        passed
    }
}

/// Rows, and the record of each.
struct Numbered {
    batch: RecordBatch,
    records: Vec<u64>,
    bytes: Vec<u64>,
    /// The byte after the last record, or 0.
    end: u64,
}

impl PartRows {
    /// Returns the rows of a scan. Its first record has the number `at`, where batches have no record numbers.
    pub(super) fn new(
        scan: Box<dyn Scan>,
        at: u64,
        runs: Vec<PartRun>,
        skips: Option<Arc<str>>,
        explain: Explain,
    ) -> Self {
        let (counts, counted) = (ScanCounts::default(), ScanCounts::default());
        let (taken, pushed) = (false, None);
        Self { scan, at, runs: runs.into(), counts, counted, rest: None, skips, taken, pushed, explain }
    }

    /// Takes the numbers of the rows from the runs where batches have no record numbers: the scan gives the records of
    /// the runs and no others.
    pub(super) fn taken(mut self) -> Self {
        self.taken = true;
        self
    }

    /// Counts what the scan leaves out, which was given the filter.
    pub(super) fn pushed(mut self, pushed: Option<Pushed>) -> Self {
        self.pushed = pushed;
        self
    }

    /// Returns the next batch of the scan. A scan that was given the filter and has no record numbers is opened again
    /// without the filter.
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let batch = self.scan.next_batch()?;
        let (Some(pushed), Some(first)) = (&mut self.pushed, &batch) else { return Ok(batch) };
        let unfiltered = pushed.unfiltered.take();
        if first.origins().runs().map(|(_, _, rows)| rows).sum::<usize>() == first.num_rows() {
            return Ok(batch);
        }
        let Some(unfiltered) = unfiltered else {
            let what = "the scan was given a filter, and does not say the numbers of all records that it did not leave out";
            return Err(Error::new(Kind::Source, what)
                .help("a format gives all rows of a scan their origins, or leaves out none"));
        };
        (self.scan, self.at) = unfiltered()?;
        (self.pushed, self.counted) = (None, ScanCounts::default());
        self.scan.next_batch()
    }

    /// Returns what the scan left out at the end of the file, as a batch without rows.
    fn passed_at_end(&mut self) -> Option<Raw> {
        let pushed = self.pushed.take()?;
        let passed = pushed.records.checked_sub(pushed.next).filter(|passed| *passed > 0)?;
        Some(Raw {
            batch: RecordBatch::new_empty(Arc::clone(self.scan.schema())),
            records: Vec::new(),
            bytes: Vec::new(),
            next: RecordPosition { record: pushed.records, byte: 0 },
            passed,
            is_filtered: pushed.is_applied,
            cost: std::mem::take(&mut self.counts),
        })
    }

    /// Returns the numbers of the next rows as they are counted.
    fn count_on(&self, rows: usize) -> Vec<u64> {
        let mut records = Vec::with_capacity(rows);
        if self.taken {
            let left = self
                .runs
                .iter()
                .flat_map(|run| run.from.record.max(self.at)..run.from.record.saturating_add(run.count));
            records.extend(left.take(rows));
        }
        let at = records.last().map_or(self.at, |last| last.saturating_add(1));
        records.extend((at..u64::MAX).take(rows - records.len()));
        records
    }

    /// Returns the next rows of the scan.
    fn next(&mut self) -> Result<Option<Numbered>> {
        if let Some(rest) = self.rest.take() {
            return Ok(Some(rest));
        }
        let next = self.next_batch().map_err(|error| self.explain.error(error))?;
        let Some(batch) = next else { return Ok(None) };
        let counts = self.scan.counts();
        let mut read = counts.since(self.counted);
        if counts == ScanCounts::default() {
            read = read.records(batch.num_rows() as u64);
        }
        self.counts = self.counts.plus(read);
        self.counted = counts;
        let mut numbered = Numbered::new(self.count_on(batch.num_rows()), batch);
        if let Some(first) = numbered.bytes.first()
            && read.records == numbered.records.len() as u64
        {
            numbered.end = first.saturating_add(read.bytes);
        }
        let at = numbered.records.last().map_or(self.at, |last| last.saturating_add(1));
        let left_out = at.saturating_sub(self.at).saturating_sub(numbered.records.len() as u64);
        if left_out > 0
            && let Some(file) = self.skips.as_deref()
        {
            tracing::warn!(file, records = left_out, "left out records that are damaged");
        }
        self.at = at;
        Ok(Some(numbered))
    }

    /// Returns the next records; `None` at the end.
    pub(crate) fn read(&mut self) -> Result<Option<Raw>> {
        loop {
            if self.runs.is_empty() {
                return Ok(None);
            }
            let Some(Numbered { batch, mut records, mut bytes, end: after }) = self.next()? else {
                self.runs.clear();
                return Ok(self.passed_at_end());
            };
            let Some(first) = records.first().copied() else { continue };
            // Runs that lie before the rows had records that were left out.
            while let Some(run) = self.runs.front()
                && run.from.record.saturating_add(run.count) <= first
            {
                self.runs.pop_front();
            }
            let skip = self
                .runs
                .front()
                .map_or(0, |run| records.partition_point(|&record| record < run.from.record));
            let mut end = skip;
            while let Some(run) = self.runs.front_mut() {
                let after = run.from.record.saturating_add(run.count);
                let from = records.partition_point(|&record| record < run.from.record);
                if from > end {
                    break;
                }
                end = records.partition_point(|&record| record < after);
                if end == records.len() && records.last().is_some_and(|last| last.saturating_add(1) < after) {
                    break;
                }
                self.runs.pop_front();
            }
            let rows = batch.num_rows();
            if end < rows && !self.runs.is_empty() {
                let tail = |numbers: &[u64]| numbers.get(end..).unwrap_or_default().to_vec();
                let (records, bytes) = (tail(&records), tail(&bytes));
                self.rest =
                    Some(Numbered { batch: batch.slice(end, rows - end), records, bytes, end: after });
            }
            if end <= skip {
                continue;
            }
            let batch = if end - skip < rows { batch.slice(skip, end - skip) } else { batch };
            let byte = if end < rows { bytes.get(end).copied().unwrap_or(0) } else { after };
            for numbers in [&mut records, &mut bytes] {
                numbers.truncate(end);
                numbers.drain(..skip.min(numbers.len()));
            }
            let record = records.last().map_or(self.at, |last| last.saturating_add(1));
            let next = RecordPosition { record, byte };
            let passed = self.pushed.as_mut().map_or(0, |pushed| pushed.pass(record));
            let passed = passed.saturating_sub(records.len() as u64);
            let is_filtered = self.pushed.as_ref().is_some_and(|pushed| pushed.is_applied);
            let cost = std::mem::take(&mut self.counts);
            return Ok(Some(Raw { batch, records, bytes, next, passed, is_filtered, cost }));
        }
    }

    /// Returns whether it is known to be at its end, so that it can be closed at once: thousands of parts of which a few
    /// records are wanted are not to be open together.
    pub(crate) fn is_done(&self) -> bool {
        self.runs.is_empty()
    }
}

impl Numbered {
    /// Returns the rows of a batch with the record of each: by the batch's origins, or else as they were counted.
    fn new(mut records: Vec<u64>, batch: Batch) -> Self {
        let rows = batch.num_rows();
        let mut bytes = Vec::with_capacity(rows);
        let origins = batch.origins();
        for ((row, origin, count), offsets) in origins.runs().zip(origins.run_bytes()) {
            for (number, record) in records.iter_mut().skip(row).take(count).zip(origin.record..) {
                *number = record;
            }
            bytes.extend_from_slice(offsets);
        }
        if bytes.len() != rows {
            bytes.clear();
        }
        Self { batch: batch.into_columns(), records, bytes, end: 0 }
    }
}
