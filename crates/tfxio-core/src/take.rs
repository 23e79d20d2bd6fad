//! Reading chosen records of any data set.

use std::collections::VecDeque;
use std::fmt;

use arrow_schema::SchemaRef;
use tfxio_base::{Error, ErrorKind, Position, Result, Skip};

use crate::{Batch, Dataset, Partition, RecordRun, Scan, ScanCounts, ScanRequest, Seek};

/// Counts the rows of a partition as [`Dataset::count_rows`] does by default: by its statistics, or by a scan without columns.
///
/// # Errors
/// As [`Dataset::count_rows`].
pub fn count_by_scanning<D: Dataset + ?Sized>(
    dataset: &D,
    partition: &Partition,
    request: &ScanRequest,
) -> Result<u64> {
    if let Some(rows) = dataset.statistics(partition)?.rows.exact() {
        return Ok(rows);
    }
    let mut scan = dataset.scan(partition, &request.counting())?;
    let mut rows = 0u64;
    while let Some(batch) = scan.next_batch()? {
        rows = rows.saturating_add(batch.num_rows() as u64);
    }
    Ok(rows)
}

/// Reads runs of records as [`Dataset::take`] does by default: scans the partitions of the files and seeks. For a format
/// that has a better way for some of its files only.
///
/// # Errors
/// As [`Dataset::take`].
pub fn take_by_seeking<D: Dataset + ?Sized>(
    dataset: &D,
    runs: &[RecordRun],
    request: &ScanRequest,
) -> Result<Box<dyn Scan>> {
    let partitions = dataset.partitions(u64::MAX)?;
    let find = |run: &RecordRun| whole_file(&partitions, run);
    Ok(Box::new(Take::new(dataset, find, partitions.first(), runs, request)?))
}

/// Reads runs of records of one file, of which `file` is the partition: scans it and seeks. For [`Dataset::take_in_file`].
///
/// # Errors
/// As [`Dataset::take_in_file`], and when a run is one of another file.
pub fn take_in_file_by_seeking<D: Dataset + ?Sized>(
    dataset: &D,
    file: &Partition,
    runs: &[RecordRun],
    request: &ScanRequest,
) -> Result<Box<dyn Scan>> {
    let find = |run: &RecordRun| whole_file(std::slice::from_ref(file), run);
    Ok(Box::new(Take::new(dataset, find, Some(file), runs, request)?))
}

/// Reads runs of records by seeking in a scan of each file, or by reading and dropping what precedes them.
struct Take {
    schema: SchemaRef,
    parts: VecDeque<Part>,
    rows: usize,
    left: u64,
    /// Counts of the scans of finished parts.
    counts: ScanCounts,
    failed: bool,
}

/// The runs of one file that follow each other in the request.
struct Part {
    scan: Box<dyn Scan>,
    runs: VecDeque<RecordRun>,
    /// Number of the record that the scan gives next.
    at: u64,
    /// Rows that the scan has given and that are not used.
    rest: Option<Batch>,
    /// Whether the scan is where the first run begins.
    entered: bool,
    /// Whether the scan was set to a record and has read nothing since.
    sought: bool,
    /// Budget and report of skipped damage, if damage is skipped.
    skip: Option<Skip>,
    /// Number of ranges that were skipped before this file.
    skipped_before: Option<u64>,
}

impl Take {
    /// Opens a scan for each file, which `find` finds; a run that begins before the end of the one before begins a new scan.
    fn new<'a, D: Dataset + ?Sized>(
        dataset: &D,
        find: impl Fn(&RecordRun) -> Result<&'a Partition>,
        first: Option<&Partition>,
        runs: &[RecordRun],
        request: &ScanRequest,
    ) -> Result<Self> {
        let mut parts: VecDeque<Part> = VecDeque::new();
        let whole = ScanRequest { limit: None, filter: None, ..request.clone() };
        for run in runs.iter().filter(|run| run.records > 0) {
            if let Some(part) = parts.back_mut()
                && let Some(last) = part.runs.back()
                && last.file == run.file
                && last.first.saturating_add(last.records) <= run.first
            {
                part.runs.push_back(run.clone());
                continue;
            }
            let scan = dataset.scan(find(run)?, &whole)?;
            parts.push_back(Part {
                scan,
                runs: VecDeque::from([run.clone()]),
                at: 0,
                rest: None,
                entered: false,
                sought: false,
                skip: request.on_error.skip().cloned(),
                skipped_before: None,
            });
        }
        let schema = match (parts.front(), first) {
            (Some(part), _) => part.scan.schema().clone(),
            (None, Some(first)) => dataset.scan(first, &whole)?.schema().clone(),
            (None, None) => dataset.schema().clone(),
        };
        // Rows that the filter leaves are counted above.
        let left = request.limit.filter(|_| request.filter.is_none()).unwrap_or(u64::MAX);
        Ok(Self {
            schema,
            parts,
            rows: request.batch_rows.max(1),
            left,
            counts: ScanCounts::default(),
            failed: false,
        })
    }

    /// Returns the next rows of one run, at most as many as fit in a batch.
    fn next(&mut self) -> Result<Option<Batch>> {
        let most = self.rows.min(usize::try_from(self.left).unwrap_or(usize::MAX));
        while most > 0
            && let Some(part) = self.parts.front_mut()
        {
            if let Some(batch) = part.next(most)? {
                self.left = self.left.saturating_sub(batch.num_rows() as u64);
                return Ok(Some(batch));
            }
            self.counts = self.counts();
            self.parts.pop_front();
        }
        Ok(None)
    }
}

/// Finds the partition that is a whole file.
fn whole_file<'a>(partitions: &'a [Partition], run: &RecordRun) -> Result<&'a Partition> {
    let mut of_file = partitions.iter().filter(|partition| partition.file == run.file);
    match (of_file.next(), of_file.next()) {
        (Some(partition), None) => Ok(partition),
        (None, _) => {
            let what = format!("the data set has no file {:?}", run.file);
            Err(Error::new(ErrorKind::InvalidArgument, what))
        }
        (Some(_), Some(_)) => {
            let what = "records of a file that is cut into several partitions cannot be taken by number";
            Err(Error::new(ErrorKind::Unsupported, what).in_file(run.file.clone()))
        }
    }
}

impl Part {
    /// Returns the next rows of the runs, at most `most`.
    fn next(&mut self, most: usize) -> Result<Option<Batch>> {
        loop {
            let Some(run) = self.runs.front_mut() else { return Ok(None) };
            let by_origin = self.skip.is_some();
            let skipped = || self.skip.as_ref().map_or(0, |skip| skip.report().ranges);
            let skipped_before = *self.skipped_before.get_or_insert_with(skipped);
            if !self.entered {
                self.entered = true;
                let read = self.rest.as_ref().map_or(self.at, |rest| end(rest, self.at, by_origin));
                if run.first > read && self.scan.seek(run.first)? != Seek::NotOffered {
                    (self.at, self.rest, self.sought) = (run.first, None, true);
                }
            }
            let next = match self.rest.take() {
                Some(rest) => Some(rest),
                None => self.scan.next_batch()?,
            };
            let Some(batch) = next else {
                // What is missing may be what was skipped.
                if skipped() > skipped_before {
                    return Ok(None);
                }
                // Who has sought has not counted.
                let fewer = if self.sought { "fewer".to_owned() } else { self.at.to_string() };
                let what = format!("there is no record {}: the file has {fewer}", run.first);
                let help = "take the numbers from the files as they are now";
                let error = Error::new(ErrorKind::InvalidArgument, what).help(help);
                return Err(error.at(Position::new().file(run.file.clone())));
            };
            self.sought = false;
            let rows = batch.num_rows();
            let wanted_end = run.first.saturating_add(run.records);
            let first = rows_before(&batch, self.at, run.first, by_origin);
            let last = rows_before(&batch, self.at, wanted_end, by_origin);
            let used = last.min(first.saturating_add(most));
            self.at = end(&batch.slice(0, used), self.at, by_origin);
            self.rest = (used < rows).then(|| batch.slice(used, rows - used));
            run.first = run.first.max(self.at).min(wanted_end);
            run.records = wanted_end - run.first;
            if run.records == 0 || (used == last && used < rows) {
                self.runs.pop_front();
                self.entered = false;
            }
            if used > first {
                return Ok(Some(batch.slice(first, used - first)));
            }
        }
    }
}

/// Returns the number of rows before a record. The first row is record `at`; `by_origin` takes the records from the origins
/// instead, since some were skipped.
fn rows_before(batch: &Batch, at: u64, record: u64, by_origin: bool) -> usize {
    let rows = batch.num_rows();
    if by_origin {
        return (0..rows).take_while(|row| number(batch, at, *row) < record).count();
    }
    usize::try_from(record.saturating_sub(at)).unwrap_or(usize::MAX).min(rows)
}

/// Returns the number of the record after the last row, or `at` if the batch is empty.
fn end(batch: &Batch, at: u64, by_origin: bool) -> u64 {
    match batch.num_rows().checked_sub(1) {
        Some(last) if by_origin => number(batch, at, last).saturating_add(1),
        _ => at.saturating_add(batch.num_rows() as u64),
    }
}

fn number(batch: &Batch, at: u64, row: usize) -> u64 {
    batch.origins().get(row).map_or(at.saturating_add(row as u64), |origin| origin.record)
}

impl Scan for Take {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        if self.failed {
            return Ok(None);
        }
        let batch = self.next();
        self.failed = batch.is_err();
        batch
    }

    fn counts(&self) -> ScanCounts {
        let open = self.parts.front().map(|part| part.scan.counts()).unwrap_or_default();
        self.counts.plus(open)
    }
}

impl fmt::Debug for Take {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Take")
            .field("parts", &self.parts.len())
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}
