//! Groups of rows, decoded one after the other.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::RecordBatch;
use tfxio_core::{Count, Error, ErrorKind, Projection, Result, ScanRequest, Work};

use super::GroupReader;
use super::counted::Counted;
use super::dataset::Inner;
use super::known_file::KnownFile;

/// Rows that were decoded together.
pub(super) struct DecodedRows {
    pub(super) batch: RecordBatch,
    /// Bytes that the batch takes, at most.
    pub(super) bytes: u64,
    /// Groups and numbers of the rows.
    pub(super) runs: VecDeque<RowRun>,
}

/// Rows of a group, one after the other, by their numbers there.
pub(super) struct RowRun {
    pub(super) group: usize,
    pub(super) rows: Range<u64>,
}

impl DecodedRows {
    /// Keeps the first rows, at most this many, and returns the others, if there are any.
    pub(super) fn split_off(&mut self, most: usize) -> Option<Self> {
        let rest = self.batch.num_rows().checked_sub(most).filter(|rest| *rest > 0)?;
        let batch = self.batch.slice(most, rest);
        self.batch = self.batch.slice(0, most);
        let (mut runs, mut kept) = (VecDeque::new(), most as u64);
        for RowRun { group, rows } in std::mem::take(&mut self.runs) {
            let cut = rows.end.min(rows.start.saturating_add(kept));
            kept -= cut - rows.start;
            for (to, rows) in [(&mut self.runs, rows.start..cut), (&mut runs, cut..rows.end)] {
                if !rows.is_empty() {
                    to.push_back(RowRun { group, rows });
                }
            }
        }
        Some(Self { batch, bytes: self.bytes, runs })
    }
}

/// Groups that were not taken, of which a scan may give some away.
#[derive(Clone)]
pub(super) struct Groups(Arc<Mutex<Left>>);

pub(super) struct Left {
    pub(super) left: Range<usize>,
    /// Rows of the next group that are passed over.
    pub(super) skip: u64,
    /// Number in the file of the row after the last of the partition, if the partition has a number of rows.
    pub(super) end: Option<u64>,
    /// Whether none was taken.
    pub(super) is_untouched: bool,
}

impl Groups {
    pub(super) fn new(left: Range<usize>, skip: u64, end: Option<u64>) -> Self {
        Self(Arc::new(Mutex::new(Left { left, skip, end, is_untouched: true })))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Left> {
        // Each change is one assignment, so that a thread that has panicked leaves nothing wrong.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// File to decode, and the request for it.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) data: Arc<Inner>,
    pub(super) file: Arc<KnownFile>,
    pub(super) projection: Arc<Projection>,
    pub(super) request: Arc<ScanRequest>,
    /// Rows of a batch of the reader.
    pub(super) batch_rows: usize,
    /// Offset up to which the partition is read.
    pub(super) end: u64,
    /// Whether all rows are read of each group.
    pub(super) is_whole: bool,
}

/// Decodes groups.
pub(super) struct Decode {
    asked: Asked,
    reader: Option<Box<dyn GroupReader>>,
    /// Groups that are read by nobody else.
    ahead: Option<Range<usize>>,
    /// Group to enter, and the rows of it that are wanted.
    taken: Option<(usize, Range<u64>)>,
    /// Groups that were entered, and the rows of them that were not read.
    current: VecDeque<RowRun>,
}

impl Decode {
    pub(super) fn new(asked: Asked) -> Self {
        Self { asked, reader: None, ahead: None, taken: None, current: VecDeque::new() }
    }

    /// Returns what decodes groups that nobody else reads.
    pub(super) fn alone(asked: Asked, groups: Range<usize>) -> Self {
        Self { ahead: Some(groups), ..Self::new(asked) }
    }

    /// Returns whether no group is entered, or about to be.
    pub(super) fn is_between(&self) -> bool {
        self.current.is_empty() && self.taken.is_none()
    }

    /// Takes a group, and the rows of it that are wanted.
    pub(super) fn take(&mut self, group: (usize, Range<u64>)) {
        self.taken = Some(group);
    }

    /// Returns the group that was taken and is not entered, and the rows of it.
    pub(super) fn taken(&self) -> Option<&(usize, Range<u64>)> {
        self.taken.as_ref()
    }

    fn open(&self, group: usize) -> Result<Box<dyn GroupReader>> {
        let Asked { data, file, projection, request, batch_rows, end, .. } = &self.asked;
        if projection.read().is_empty() && !file.footer.is_sequential() {
            // Rows without columns are only counted.
            let first_rows = file.first_rows(data, &request.cancel)?.to_vec();
            return Ok(Box::new(Counted { first_rows, left: 0, batch_rows: *batch_rows }));
        }
        let input = data.input(&file.name, file.start(group), *end, &request.cancel)?;
        let footer = Arc::clone(&file.footer);
        let open = || footer.reader(input, projection, request, (*batch_rows).max(1));
        data.format.guarded(&file.name, open)
    }

    /// Returns the error of a group whose rows differ from the footer.
    #[cold]
    fn other_rows(&self, group: usize, rows: &str) -> Error {
        let what =
            format!("{} {group} of the file has {rows} than the footer says", self.asked.data.format.group);
        Error::new(ErrorKind::Malformed, what).in_file(Arc::clone(&self.asked.file.name))
    }

    /// Enters the group that was taken, if there is one.
    pub(super) fn enter_taken(&mut self) -> Result<()> {
        let Some((group, rows)) = self.taken.take_if(|_| self.current.is_empty()) else { return Ok(()) };
        if self.reader.is_none() {
            let mut reader = self.open(group)?;
            if self.asked.is_whole {
                reader.read_whole(self.ahead.clone());
            }
            self.reader = Some(reader);
        }
        let Some(reader) = &mut self.reader else { return Ok(()) };
        let rows = self.asked.data.format.guarded(&self.asked.file.name, || reader.enter(group, rows))?;
        self.current.extend(rows.into_iter().map(|rows| RowRun { group, rows }));
        Ok(())
    }

    /// Enters the groups that the next batch may have rows of.
    pub(super) fn look_ahead(&mut self, groups: &mut Groups) -> Result<()> {
        while let Some(reader) = self.reader.as_ref().filter(|_| !self.current.is_empty()) {
            let left = self.current.iter().map(|run| run.rows.end - run.rows.start);
            if left.fold(0, u64::saturating_add) >= reader.reach() as u64 {
                break;
            }
            let taken = if self.read(groups)? { self.taken.clone() } else { None };
            let Some(reader) = &mut self.reader else { break };
            // Only the rows of whole groups follow.
            let group = taken.as_ref().filter(|(group, rows)| self.asked.file.is_whole(*group, rows));
            let follow = || reader.follow(group.map(|(group, _)| *group));
            if self.asked.data.format.guarded(&self.asked.file.name, follow)? {
                self.current.extend(taken.map(|(group, rows)| RowRun { group, rows }));
                self.taken = None;
            }
        }
        Ok(())
    }
}

impl Work for Decode {
    type Source = Groups;
    type Output = DecodedRows;
    type Error = Error;

    /// Takes the next group that may have rows.
    fn read(&mut self, groups: &mut Groups) -> Result<bool> {
        if self.taken.is_some() {
            return Ok(true);
        }
        let mut groups = groups.lock();
        let known = match (groups.skip, groups.end) {
            (0, None) => self.asked.file.known_first_rows(),
            _ if self.asked.file.footer.is_sequential() => None,
            _ => Some(self.asked.file.first_rows(&self.asked.data, &self.asked.request.cancel)?),
        };
        while let Some(group) = groups.left.next() {
            groups.is_untouched = false;
            let first = known.and_then(|rows| rows.get(group)).copied();
            let rows = known.and_then(|rows| rows.get(group + 1)).zip(first).map(|(end, first)| end - first);
            if let Some(rows) = rows.filter(|rows| *rows <= groups.skip) {
                groups.skip -= rows;
                continue;
            }
            let end = groups.end.map(|end| end.saturating_sub(first.unwrap_or_default()));
            let rows =
                std::mem::take(&mut groups.skip)..rows.unwrap_or(u64::MAX).min(end.unwrap_or(u64::MAX));
            if rows.is_empty() {
                groups.left.start = groups.left.end;
                return Ok(false);
            }
            let footer = &self.asked.file.footer;
            if let Some(filter) = &self.asked.request.filter
                && !self
                    .asked
                    .data
                    .format
                    .guarded(&self.asked.file.name, || Ok(footer.may_hold(group, filter)))?
            {
                continue;
            }
            self.taken = Some((group, rows));
            return Ok(true);
        }
        Ok(false)
    }

    /// Returns the next rows of the groups that were entered.
    fn next(&mut self) -> Result<Option<DecodedRows>> {
        self.asked.request.cancel.check()?;
        self.enter_taken()?;
        if self.current.is_empty() {
            return Ok(None);
        }
        let Some(reader) = &mut self.reader else { return Ok(None) };
        loop {
            // Panics where the file is damaged.
            let Some(batch) = self.asked.data.format.guarded(&self.asked.file.name, || reader.next())? else {
                let left = std::mem::take(&mut self.current);
                // A pipe may end before the rows that were asked for.
                let is_missing = |run: &&RowRun| !run.rows.is_empty() && run.rows.end < u64::MAX;
                let missing =
                    left.iter().find(is_missing).filter(|_| !self.asked.file.footer.is_sequential());
                return missing.map_or(Ok(None), |RowRun { group, rows }| {
                    let missing = Count::of(rows.end - rows.start, "row");
                    Err(self.other_rows(*group, &format!("{missing} fewer")))
                });
            };
            if batch.num_rows() == 0 {
                continue;
            }
            let batch = self.asked.projection.pick(&batch)?;
            let (mut left, mut runs, mut last) = (batch.num_rows() as u64, VecDeque::new(), 0);
            while left > 0
                && let Some(RowRun { group, rows }) = self.current.front_mut()
            {
                let taken = rows.start..rows.end.min(rows.start.saturating_add(left));
                (last, rows.start) = (*group, taken.end);
                left -= taken.end - taken.start;
                let is_empty = rows.is_empty();
                if !taken.is_empty() {
                    runs.push_back(RowRun { group: last, rows: taken });
                }
                // Whether more rows come of the last is not known.
                if is_empty && (left > 0 || self.current.len() > 1) {
                    self.current.pop_front();
                }
            }
            if left > 0 {
                return Err(self.other_rows(last, "more rows"));
            }
            let bytes = batch.get_array_memory_size() as u64;
            return Ok(Some(DecodedRows { batch, bytes, runs }));
        }
    }

    fn weight(rows: &DecodedRows) -> u64 {
        rows.bytes
    }
}
