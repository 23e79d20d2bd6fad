//! Scans of files with footers.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;
use tfxio_core::{Batch, Error, ErrorKind, Origins, Partition, Projection, Result, Scan, ScanRequest, Seek};
use tfxio_scan::executor;

use super::Failure;
use super::counted::no_columns;
use super::dataset::Inner;
use super::decode::{Asked, DecodedRows, Groups, RowRun};
use super::known_file::KnownFile;
use super::limits::{self, Room};
use super::threads::DecodeEngine;

/// A scan of a partition: groups of rows, one after the other, which several threads may decode.
///
/// Rows that cannot satisfy the filter are passed over. That is known only of files whose footer contains the number of rows of each group;
/// there rows are numbered by group, elsewhere one after the other.
pub(super) struct ColumnarScan {
    data: Arc<Inner>,
    file: Arc<KnownFile>,
    projection: Arc<Projection>,
    request: Arc<ScanRequest>,
    /// First group of the partition, and the number of its rows that are not of the partition.
    begin: (usize, u64),
    /// Groups that were not taken to be decoded.
    groups: Groups,
    /// Nothing before the first batch.
    engine: Option<DecodeEngine>,
    /// Rows that the request still allows.
    left: u64,
    /// Rows that were decoded and not returned.
    read: VecDeque<DecodedRows>,
    /// Group of the row after the last that was returned, and its number there.
    after: (usize, u64),
    /// Number of that row; in the partition, where its number in the file is not known.
    row: u64,
    is_numbered: bool,
    /// Whether it may go on to read a few rows only.
    was_sought: bool,
}

impl ColumnarScan {
    pub(super) fn new(
        data: Arc<Inner>,
        file: Arc<KnownFile>,
        projection: Projection,
        partition: &Partition,
        request: &ScanRequest,
    ) -> Result<Self> {
        executor::check_columns(projection.schema().fields().len(), &request.limits)?;
        let groups = file.groups(partition);
        let end = match partition.records {
            // A pipe begins with its first row.
            Some(records) if file.footer.is_sequential() => Some(partition.skip.saturating_add(records)),
            Some(records) => {
                let first = file.first_rows(&data, &request.cancel)?.get(groups.start).copied();
                Some(first.unwrap_or_default().saturating_add(partition.skip).saturating_add(records))
            }
            None => None,
        };
        let known = file.known_first_rows().and_then(|rows| rows.get(groups.start)).copied();
        let first = known.or(partition.first_record).or((groups.start == 0).then_some(0));
        let begin = (groups.start, partition.skip);
        Ok(Self {
            data,
            file,
            projection: Arc::new(projection),
            request: Arc::new(request.clone()),
            begin,
            groups: Groups::new(groups, partition.skip, end),
            engine: None,
            left: executor::most_rows(request),
            read: VecDeque::new(),
            after: begin,
            row: first.unwrap_or_default().saturating_add(partition.skip),
            is_numbered: first.is_some(),
            was_sought: false,
        })
    }

    /// Returns the most rows that the next batch may have.
    fn wanted(&self) -> usize {
        self.request.batch_rows.max(1).min(usize::try_from(self.left).unwrap_or(usize::MAX))
    }

    /// Decodes more rows. Returns how many; 0 after the last.
    fn read_rows(&mut self) -> Result<usize> {
        let engine = match &mut self.engine {
            Some(engine) => engine,
            None => {
                let asked = Asked {
                    data: Arc::clone(&self.data),
                    file: Arc::clone(&self.file),
                    projection: Arc::clone(&self.projection),
                    request: Arc::clone(&self.request),
                    batch_rows: self.wanted(),
                    end: self.file.start(self.groups.lock().left.end),
                    is_whole: !self.was_sought && self.left == u64::MAX,
                };
                // What is one batch at most is not shared.
                let is_small = self.left <= self.request.batch_rows as u64;
                self.engine.insert(DecodeEngine::new(asked, self.groups.clone(), is_small)?)
            }
        };
        let Some(rows) = engine.next()? else { return Ok(0) };
        let count = rows.batch.num_rows();
        self.read.push_back(rows);
        Ok(count)
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        self.request.cancel.check()?;
        let wanted = self.wanted();
        let mut rows = self.read.iter().map(|rows| rows.batch.num_rows()).sum::<usize>();
        let most = self.request.limits.batch_bytes;
        let mut room = Room::new(most);
        while rows < wanted && room.is_left(&mut self.read) {
            match self.read_rows()? {
                0 => break,
                count => rows = rows.saturating_add(count),
            }
        }
        let wanted = limits::fitting(&self.read, wanted.min(rows), most)
            .map_err(|error| error.in_file(Arc::clone(&self.file.name)))?;
        let (mut batches, mut origins) = (Vec::new(), Origins::default());
        let mut missing = wanted;
        while missing > 0
            && let Some(mut rows) = self.read.pop_front()
        {
            if let Some(rest) = rows.split_off(missing) {
                self.read.push_front(rest);
            }
            let DecodedRows { batch, runs, .. } = rows;
            missing -= batch.num_rows();
            batches.push(batch);
            for RowRun { group, rows } in runs {
                let number = self.number(group, rows.start);
                let count = rows.end - rows.start;
                origins.push_run(
                    Arc::clone(&self.file.name),
                    number,
                    &[],
                    usize::try_from(count).unwrap_or(usize::MAX),
                );
                self.row = number.saturating_add(count);
                self.after = (group, rows.end);
            }
        }
        let batch = match batches.as_slice() {
            [] => return Ok(None),
            [only] => only.clone(),
            [first, ..] if first.num_columns() == 0 => no_columns(self.projection.schema(), wanted)?,
            several => {
                let schema = self.projection.schema();
                let concat = || concat_batches(schema, several).map_err(Failure::from);
                self.data.format.guarded(&self.file.name, concat)?
            }
        };
        limits::check_items(&batch, &self.request.limits)
            .map_err(|error| error.in_file(Arc::clone(&self.file.name)))?;
        self.left = self.left.saturating_sub(batch.num_rows() as u64);
        Ok(Some(Batch::new(batch, origins)))
    }

    /// Returns the number in the file of a row of a group; the next number where the first rows of groups are not known.
    fn number(&self, group: usize, row: u64) -> u64 {
        let first = self.file.known_first_rows().filter(|_| self.is_numbered);
        first.and_then(|rows| rows.get(group)).map_or(self.row, |first| first.saturating_add(row))
    }

    /// Goes on at a row of a group.
    fn move_to(&mut self, group: usize, skip: u64) {
        let (end_group, end) = {
            let groups = self.groups.lock();
            (groups.left.end, groups.end)
        };
        self.engine = None;
        self.was_sought = true;
        self.groups = Groups::new(group..end_group, skip, end);
        self.after = (group, skip);
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
            let end = self.groups.lock().left.end;
            self.move_to(end, 0);
            self.left = 0;
        }
        next
    }

    /// Gives away whole groups that were not taken.
    fn try_split(&mut self, fraction: f64) -> Result<Option<Partition>> {
        let mut groups = self.groups.lock();
        let count = groups.left.len();
        // What was taken stays.
        let least = usize::from(groups.is_untouched);
        let kept = ((count as f64 * fraction.clamp(0.0, 1.0)).round() as usize).max(least);
        if kept >= count {
            return Ok(None);
        }
        let cut = groups.left.start + kept;
        let mut tail = self.file.partition(cut, self.file.start(cut), self.file.start(groups.left.end));
        if groups.end.is_some() || groups.skip > 0 {
            let rows = self.file.first_rows(&self.data, &self.request.cancel)?;
            let row = |group: usize| rows.get(group).copied().unwrap_or(u64::MAX);
            // What is passed over may reach into the tail.
            let begin = row(groups.left.start).saturating_add(groups.skip).max(row(cut));
            tail = tail.skip(begin.saturating_sub(row(cut)));
            if let Some(end) = groups.end {
                if begin >= end {
                    return Ok(None);
                }
                tail = tail.records(end - begin);
                groups.end = Some(begin);
            }
        }
        groups.left.end = cut;
        Ok(Some(tail))
    }

    fn remaining(&self) -> Option<Partition> {
        let next = self.read.front().and_then(|rows| rows.runs.front());
        let (group, skip) = next.map_or(self.after, |run| (run.group, run.rows.start));
        let groups = self.groups.lock();
        let end = self.file.start(groups.left.end);
        let start = if group < groups.left.end { self.file.start(group) } else { end };
        let mut partition = self.file.partition(group, start, end).skip(skip);
        let number = self.number(group, skip);
        partition.records = groups.end.map(|end| end.saturating_sub(number));
        partition.first_record = number.checked_sub(skip).filter(|_| self.is_numbered);
        Some(partition)
    }

    fn seek(&mut self, record: u64) -> Result<Seek> {
        if self.file.footer.is_sequential() {
            return Ok(Seek::NotOffered);
        }
        let rows = self.file.first_rows(&self.data, &self.request.cancel)?;
        let row = |group: usize| rows.get(group).copied().unwrap_or(u64::MAX);
        let begin = row(self.begin.0).saturating_add(self.begin.1);
        let end = {
            let groups = self.groups.lock();
            groups.end.unwrap_or(u64::MAX).min(row(groups.left.end))
        };
        if !(begin..end).contains(&record) {
            let what = format!("there is no record {record} in the partition, which has {begin} to {end}");
            return Err(Error::new(ErrorKind::InvalidArgument, what).in_file(Arc::clone(&self.file.name)));
        }
        // Groups may be empty: the last that begins there has the row.
        let group = rows.partition_point(|first| *first <= record).saturating_sub(1);
        let skip = record.saturating_sub(row(group));
        self.move_to(group, skip);
        (self.row, self.is_numbered) = (record, true);
        Ok(Seek::Exact)
    }
}
