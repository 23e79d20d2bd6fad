//! A range of the rows of a data set.

mod plan;
mod scan;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use arrow_schema::SchemaRef;
use tfxio_core::{
    Dataset, Entries, Error, ErrorKind, Estimate, Loss, Partition, PartitionStatistics, RecordRun, Result,
    Scan, ScanRequest,
};

use self::plan::{Part, Records, plan};
use self::scan::RangedScan;
use super::filtered::bound;
use super::layered;

/// Name under which a partition stores the numbers of its records in the range, or [`ALL`].
const RECORDS: &str = "records";
/// Value for a partition that is in the range entirely: it covers a value of data sets below under the same name.
const ALL: &str = "all";
/// Marks numbers of which the last ones may not be there.
const UNCOUNTED: char = '?';

/// Rows of a data set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Rows with these numbers, counted through all files.
    Rows(Range<u64>),
    /// One of `count` parts of equal size.
    Shard { index: u64, count: u64 },
}

/// A range of the rows of a data set. Records keep their numbers in the files.
///
/// The files are counted as far as that takes when they are first planned.
#[derive(Debug)]
pub struct Ranged {
    dataset: Arc<dyn Dataset>,
    wanted: Wanted,
    parts: OnceLock<Vec<Part>>,
}

impl Ranged {
    pub fn new(dataset: Arc<dyn Dataset>, wanted: Wanted) -> Self {
        Self { dataset, wanted, parts: OnceLock::new() }
    }

    /// Returns the files that have rows of the range.
    fn parts(&self) -> Result<&[Part]> {
        if let Some(parts) = self.parts.get() {
            return Ok(parts);
        }
        let parts = plan(&*self.dataset, &self.wanted)?;
        Ok(self.parts.get_or_init(|| parts))
    }

    /// Refuses runs of records that are not within the range.
    fn check_runs(&self, runs: &[RecordRun]) -> Result<()> {
        let parts = self.parts()?;
        for run in runs.iter().filter(|run| run.records > 0) {
            let end = run.first.saturating_add(run.records);
            let holds = |part: &Part| {
                part.partition.file == run.file
                    && part
                        .records
                        .as_ref()
                        .is_none_or(|of| of.numbers.start <= run.first && end <= of.numbers.end)
            };
            if !parts.iter().any(holds) {
                let what = format!("the range of rows has no records {} to {end}", run.first);
                return Err(Error::new(ErrorKind::InvalidArgument, what).in_file(Arc::clone(&run.file)));
            }
        }
        Ok(())
    }

    /// Counts the rows of some records of a file.
    fn count(
        &self,
        file: &Partition,
        Records { numbers, is_counted }: &Records,
        request: &ScanRequest,
    ) -> Result<u64> {
        if *is_counted && !self.dataset.leaves_out() {
            return Ok(numbers.end.saturating_sub(numbers.start));
        }
        let scan = self.dataset.scan(file, &request.counting())?;
        let mut scan = RangedScan::new(scan, file, numbers.clone(), u64::MAX)?;
        let mut rows = 0u64;
        while let Some(batch) = scan.next_batch()? {
            rows = rows.saturating_add(batch.num_rows() as u64);
        }
        Ok(rows)
    }
}

/// Returns the partition of the data set below, and which of its records are in the range, unless all are.
fn below(partition: &Partition) -> Result<(Partition, Option<Records>)> {
    let (partition, records) = layered::pop(partition, RECORDS);
    let Some(records) = records.filter(|records| records != ALL) else { return Ok((partition, None)) };
    let text = records.trim_end_matches(UNCOUNTED);
    let range = text.split_once("..").and_then(|(first, end)| Some(first.parse().ok()?..end.parse().ok()?));
    let Some(range) = range else {
        let what = format!("the partition says {RECORDS}={records:?}, which is not a range");
        let error = Error::new(ErrorKind::InvalidArgument, what).help("take the partition as it was planned");
        return Err(error.in_file(Arc::clone(&partition.file)));
    };
    let is_counted = text.len() == records.len();
    Ok((partition, Some(Records { numbers: range, is_counted })))
}

impl Dataset for Ranged {
    fn schema(&self) -> &SchemaRef {
        self.dataset.schema()
    }

    /// A file of which only some rows are in the range is one partition.
    fn partitions(&self, target_bytes: u64) -> Result<Vec<Partition>> {
        let parts = self.parts()?;
        let whole = |part: &Part| part.records.is_none();
        let fine = match target_bytes < u64::MAX && parts.iter().any(whole) {
            true => self.dataset.partitions(target_bytes)?,
            false => Vec::new(),
        };
        let mut planned = Vec::with_capacity(parts.len());
        let mut fine = fine.into_iter().peekable();
        for (at, part) in parts.iter().enumerate() {
            let is_of_file = |other: &Part| other.partition.file == part.partition.file;
            // Of a file that is several partitions it is not known which of the smaller ones each is.
            let is_only =
                parts.iter().skip(at.saturating_sub(1)).take(3).filter(|other| is_of_file(other)).count()
                    == 1;
            match &part.records {
                None if target_bytes < u64::MAX && is_only => {
                    while fine.next_if(|other| other.file != part.partition.file).is_some() {}
                    while let Some(other) = fine.next_if(|other| other.file == part.partition.file) {
                        planned.push(layered::push(other, RECORDS, ALL));
                    }
                }
                None => planned.push(layered::push(part.partition.clone(), RECORDS, ALL)),
                Some(Records { numbers, is_counted }) => {
                    let mark = if *is_counted { String::new() } else { UNCOUNTED.to_string() };
                    let records = format!("{}..{}{mark}", numbers.start, numbers.end);
                    planned.push(layered::push(part.partition.clone(), RECORDS, &records));
                }
            }
        }
        Ok(planned)
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let (partition, records) = below(partition)?;
        let Some(records) = records else {
            return Ok(layered::scan(self.dataset.scan(&partition, request)?, RECORDS, ALL));
        };
        let left = request.limit.filter(|_| request.filter.is_none()).unwrap_or(u64::MAX);
        // Rows that are left out below would not be counted.
        let inner = request.all_rows();
        Ok(Box::new(RangedScan::new(
            self.dataset.scan(&partition, &inner)?,
            &partition,
            records.numbers,
            left,
        )?))
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
        self.check_runs(runs)?;
        self.dataset.take(runs, request)
    }

    fn take_in_file(
        &self,
        file: &Partition,
        runs: &[RecordRun],
        request: &ScanRequest,
    ) -> Result<Box<dyn Scan>> {
        self.check_runs(runs)?;
        self.dataset.take_in_file(&below(file)?.0, runs, request)
    }

    /// Bounds, where only some rows of the file are in the range.
    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        let (partition, records) = below(partition)?;
        let mut statistics = self.dataset.statistics(&partition)?;
        let Some(records) = records else { return Ok(statistics) };
        let rows = records.numbers.end.saturating_sub(records.numbers.start);
        statistics.rows =
            if records.numbers.end == u64::MAX { bound(statistics.rows) } else { Estimate::Bound(rows) };
        statistics.bytes = bound(statistics.bytes);
        for (_, column) in &mut statistics.columns {
            column.nulls = bound(column.nulls);
            column.min = bound(std::mem::take(&mut column.min));
            column.max = bound(std::mem::take(&mut column.max));
        }
        Ok(statistics)
    }

    fn count_rows(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        let (partition, records) = below(partition)?;
        match records {
            Some(records) => self.count(&partition, &records, request),
            None => self.dataset.count_rows(&partition, request),
        }
    }

    fn leaves_out(&self) -> bool {
        let is_cut = |parts: &[Part]| parts.iter().any(|part| part.records.is_some());
        self.dataset.leaves_out() || self.parts().map_or(true, is_cut)
    }

    fn count_records(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        let (partition, records) = below(partition)?;
        match records {
            Some(Records { numbers, is_counted: true }) => Ok(numbers.end),
            Some(Records { numbers, .. }) => {
                Ok(self.dataset.count_records(&partition, request)?.min(numbers.end))
            }
            None => self.dataset.count_records(&partition, request),
        }
    }

    fn entries(&self, partition: &Partition, records: u64) -> Result<Entries> {
        self.dataset.entries(&below(partition)?.0, records)
    }
}
