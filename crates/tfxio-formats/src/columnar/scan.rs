//! Scans of files with footers.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;
use tfxio_core::{Batch, Error, ErrorKind, Origins, Partition, Projection, Result, Scan, ScanRequest, Seek};

use super::counted::{Counted, no_columns};
use super::dataset::Inner;
use super::known_file::KnownFile;
use super::{Failure, GroupReader};

/// A scan of a partition: groups of rows, one after the other.
pub(super) struct ColumnarScan {
    data: Arc<Inner>,
    file: Arc<KnownFile>,
    projection: Projection,
    request: ScanRequest,
    /// First group of the partition, and the number of its rows that are not of the partition.
    begin: (usize, u64),
    /// Groups that were not entered.
    groups: Range<usize>,
    /// Rows of the next group that are passed over.
    skip: u64,
    /// Rows that the request still allows.
    left: u64,
    /// Rows of the partition that were not returned, where it says how many it has.
    records: Option<u64>,
    reader: Option<Box<dyn GroupReader>>,
    /// Group that is being read, and the number of its rows that were read.
    current: Option<(usize, u64)>,
    /// Rows that were read and not returned.
    read: VecDeque<Rows>,
    /// Number of the next row; in the partition, where its number in the file is not known.
    row: u64,
    is_numbered: bool,
}

/// Rows of a group.
struct Rows {
    batch: RecordBatch,
    group: usize,
    /// Number of the first of them in the group.
    first: u64,
}

impl ColumnarScan {
    pub(super) fn new(
        data: Arc<Inner>,
        file: Arc<KnownFile>,
        projection: Projection,
        partition: &Partition,
        request: &ScanRequest,
    ) -> Self {
        let groups = file.groups(partition);
        // Rows that the filter leaves are counted above.
        let limit = request.limit.filter(|_| request.filter.is_none()).unwrap_or(u64::MAX);
        let known = file.known_first_rows().and_then(|rows| rows.get(groups.start)).copied();
        let first = known.or(partition.first_record).or((groups.start == 0).then_some(0));
        Self {
            data,
            file,
            projection,
            begin: (groups.start, partition.skip),
            groups,
            skip: partition.skip,
            left: limit,
            records: partition.records,
            reader: None,
            current: None,
            read: VecDeque::new(),
            row: first.unwrap_or_default().saturating_add(partition.skip),
            is_numbered: first.is_some(),
            request: request.clone(),
        }
    }

    /// Returns the most rows that the next batch may have.
    fn wanted(&self) -> usize {
        let left = self.left.min(self.records.unwrap_or(u64::MAX));
        self.request.batch_rows.max(1).min(usize::try_from(left).unwrap_or(usize::MAX))
    }

    /// Returns rows of one group, not more than a batch has; `None` after the last group.
    fn next_rows(&mut self) -> Result<Option<Rows>> {
        loop {
            let Some((group, first)) = self.current else {
                if !self.enter()? {
                    return Ok(None);
                }
                continue;
            };
            let Some(reader) = &mut self.reader else { return Ok(None) };
            // Panics where the file is damaged.
            let Some(batch) = self.data.format.guarded(&self.file.name, || reader.next())? else {
                self.current = None;
                continue;
            };
            self.current = Some((group, first.saturating_add(batch.num_rows() as u64)));
            if batch.num_rows() > 0 {
                return Ok(Some(Rows { batch: self.projection.pick(&batch)?, group, first }));
            }
        }
    }

    /// Enters the next group that has rows to read. Returns whether there is one.
    fn enter(&mut self) -> Result<bool> {
        let known = match self.skip {
            0 => self.file.known_first_rows(),
            _ => Some(self.file.first_rows(&self.data, &self.request.cancel)?),
        };
        while let Some(group) = self.groups.next() {
            let rows = known.and_then(|rows| Some(rows.get(group + 1)?.saturating_sub(*rows.get(group)?)));
            if let Some(rows) = rows.filter(|rows| *rows <= self.skip) {
                self.skip -= rows;
                continue;
            }
            let skip = std::mem::take(&mut self.skip);
            if self.reader.is_none() {
                self.reader = Some(self.open(group)?);
            }
            let Some(reader) = &mut self.reader else { return Ok(false) };
            self.data.format.guarded(&self.file.name, || reader.enter(group, skip))?;
            self.current = Some((group, skip));
            return Ok(true);
        }
        Ok(false)
    }

    fn open(&self, group: usize) -> Result<Box<dyn GroupReader>> {
        let Self { data, file, request, .. } = self;
        if self.projection.read().is_empty() {
            // Rows without columns are only counted.
            let first_rows = file.first_rows(data, &request.cancel)?.to_vec();
            return Ok(Box::new(Counted { first_rows, left: 0, batch_rows: self.wanted() }));
        }
        let input =
            data.input(&file.name, file.start(group), file.start(self.groups.end), &request.cancel)?;
        let columns = self.projection.read().to_vec();
        let footer = Arc::clone(&file.footer);
        let open = || footer.reader(input, columns, self.wanted().max(1), &request.limits);
        data.format.guarded(&file.name, open)
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        self.request.cancel.check()?;
        let wanted = self.wanted();
        let mut rows = self.read.iter().map(|rows| rows.batch.num_rows()).sum::<usize>();
        while rows < wanted {
            let Some(next) = self.next_rows()? else { break };
            rows = rows.saturating_add(next.batch.num_rows());
            self.read.push_back(next);
        }
        let mut batches = Vec::new();
        let mut missing = wanted.min(rows);
        while missing > 0
            && let Some(mut rows) = self.read.pop_front()
        {
            let count = rows.batch.num_rows().min(missing);
            missing -= count;
            batches.push(rows.batch.slice(0, count));
            if count < rows.batch.num_rows() {
                rows.batch = rows.batch.slice(count, rows.batch.num_rows() - count);
                rows.first = rows.first.saturating_add(count as u64);
                self.read.push_front(rows);
            }
        }
        let batch = match batches.as_slice() {
            [] => return Ok(None),
            [only] => only.clone(),
            [first, ..] if first.num_columns() == 0 => {
                no_columns(self.projection.schema(), wanted.min(rows))?
            }
            several => {
                let schema = self.projection.schema();
                let concat = || concat_batches(schema, several).map_err(Failure::from);
                self.data.format.guarded(&self.file.name, concat)?
            }
        };
        let count = batch.num_rows() as u64;
        let mut origins = Origins::default();
        origins.push_run(Arc::clone(&self.file.name), self.row, &[], batch.num_rows());
        self.row = self.row.saturating_add(count);
        self.left = self.left.saturating_sub(count);
        self.records = self.records.map(|records| records.saturating_sub(count));
        Ok(Some(Batch::new(batch, origins)))
    }

    /// Returns the group of the next row, and the number of the row in it.
    fn at(&self) -> (usize, u64) {
        let read = self.read.front().map(|rows| (rows.group, rows.first));
        read.or(self.current).unwrap_or((self.groups.start, self.skip))
    }

    /// Returns the number of the next row in the file.
    fn number(&self, first_rows: &[u64]) -> u64 {
        let (group, first) = self.at();
        first_rows.get(group).copied().unwrap_or_default().saturating_add(first)
    }

    /// Ends the scan.
    fn end(&mut self) {
        self.groups.start = self.groups.end;
        (self.reader, self.current, self.skip, self.left) = (None, None, 0, 0);
        self.read.clear();
    }
}

impl Scan for ColumnarScan {
    fn schema(&self) -> &SchemaRef {
        self.projection.schema()
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let next = self.next();
        if next.is_err() {
            self.end();
        }
        next
    }

    /// Gives away whole groups that were not entered.
    fn try_split(&mut self, fraction: f64) -> Result<Option<Partition>> {
        let groups = self.groups.len();
        // What was entered stays.
        let least = usize::from(self.current.is_none() && self.read.is_empty());
        let kept = ((groups as f64 * fraction.clamp(0.0, 1.0)).round() as usize).max(least);
        if kept >= groups {
            return Ok(None);
        }
        let cut = self.groups.start + kept;
        let mut tail = self.file.partition(cut, self.file.start(cut), self.file.start(self.groups.end));
        if let Some(records) = self.records {
            let Some(rows) = self.file.known_first_rows() else { return Ok(None) };
            let (group, first) = self.at();
            let row = |group: usize| rows.get(group).copied().unwrap_or_default();
            let kept = row(cut).saturating_sub(row(group).saturating_add(first));
            if kept >= records {
                return Ok(None);
            }
            tail = tail.records(records - kept);
            self.records = Some(kept);
        }
        self.groups.end = cut;
        Ok(Some(tail))
    }

    fn remaining(&self) -> Option<Partition> {
        let (group, skip) = self.at();
        let end = self.file.start(self.groups.end);
        let start =
            if group < self.groups.end || self.current.is_some() { self.file.start(group) } else { end };
        let mut partition = self.file.partition(group, start, end).skip(skip);
        partition.records = self.records;
        partition.first_record = self.row.checked_sub(skip).filter(|_| self.is_numbered);
        Some(partition)
    }

    fn seek(&mut self, record: u64) -> Result<Seek> {
        let rows = self.file.first_rows(&self.data, &self.request.cancel)?;
        let row = |group: usize| rows.get(group).copied().unwrap_or(u64::MAX);
        let begin = row(self.begin.0).saturating_add(self.begin.1);
        let returned = self.number(rows).saturating_sub(begin);
        let records = self.records.map(|records| records.saturating_add(returned));
        let end = begin.saturating_add(records.unwrap_or(u64::MAX)).min(row(self.groups.end));
        if !(begin..end).contains(&record) {
            let what = format!("there is no record {record} in the partition, which has {begin} to {end}");
            return Err(Error::new(ErrorKind::InvalidArgument, what).in_file(Arc::clone(&self.file.name)));
        }
        // Groups may be empty: the last that begins there has the row.
        let group = rows.partition_point(|first| *first <= record).saturating_sub(1);
        let skip = record.saturating_sub(row(group));
        self.records = records.map(|records| records.saturating_sub(record.saturating_sub(begin)));
        (self.groups.start, self.skip, self.current) = (group, skip, None);
        (self.row, self.is_numbered) = (record, true);
        self.read.clear();
        Ok(Seek::Exact)
    }
}
