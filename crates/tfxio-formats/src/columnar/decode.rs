//! Groups of rows, decoded by the caller or by several threads.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::RecordBatch;
use tfxio_core::{Count, Error, ErrorKind, Ordered, Projection, Result, ScanRequest, Work};

use super::GroupReader;
use super::counted::Counted;
use super::dataset::Inner;
use super::known_file::KnownFile;

/// Rows that were decoded together.
pub(super) struct Rows {
    pub(super) batch: RecordBatch,
    /// Which rows they are.
    pub(super) runs: VecDeque<Run>,
}

/// Rows of a group, one after the other, by their numbers there.
pub(super) struct Run {
    pub(super) group: usize,
    pub(super) rows: Range<u64>,
}

impl Rows {
    /// Keeps the first rows, at most this many, and returns the others, if there are any.
    pub(super) fn split_off(&mut self, most: usize) -> Option<Self> {
        let rest = self.batch.num_rows().checked_sub(most).filter(|rest| *rest > 0)?;
        let batch = self.batch.slice(most, rest);
        self.batch = self.batch.slice(0, most);
        let (mut runs, mut kept) = (VecDeque::new(), most as u64);
        for Run { group, rows } in std::mem::take(&mut self.runs) {
            let cut = rows.end.min(rows.start.saturating_add(kept));
            kept -= cut - rows.start;
            for (to, rows) in [(&mut self.runs, rows.start..cut), (&mut runs, cut..rows.end)] {
                if !rows.is_empty() {
                    to.push_back(Run { group, rows });
                }
            }
        }
        Some(Self { batch, runs })
    }
}

/// What decodes groups: the caller alone, or several threads.
pub(super) enum Engine {
    Alone(Box<Decode>, Groups),
    Threads(Ordered<Decode>),
}

impl Engine {
    /// Returns what decodes groups: all of them where `is_whole`, or some of them and a few of their rows.
    pub(super) fn new(mut decode: Decode, groups: Groups, is_small: bool, is_whole: bool) -> Result<Self> {
        let request = Arc::clone(&decode.request);
        let is_shared = request.threads > 1 && !is_small && groups.lock().left.len() > 1;
        if !is_shared || decode.file.footer.is_sequential() {
            (decode.is_whole, decode.ahead) = (is_whole, Some(groups.lock().left.clone()));
            return Ok(Self::Alone(Box::new(decode), groups));
        }
        let Decode { data, file, projection, request: asked, batch_rows, end, .. } = decode;
        let make = move || {
            let (data, file) = (Arc::clone(&data), Arc::clone(&file));
            let (projection, asked) = (Arc::clone(&projection), Arc::clone(&asked));
            Ok(Decode { is_whole, ..Decode::new(data, file, projection, asked, batch_rows, end) })
        };
        Ok(Self::Threads(Ordered::new(groups, &request.threading(), make)?))
    }

    /// Returns the next rows; nothing after the last.
    pub(super) fn next(&mut self) -> Result<Option<Rows>> {
        match self {
            Self::Threads(ordered) => ordered.next().transpose(),
            Self::Alone(decode, groups) => loop {
                decode.enter_taken()?;
                decode.look_ahead(groups)?;
                if let Some(rows) = decode.next()? {
                    return Ok(Some(rows));
                }
                if !decode.read(groups)? {
                    return Ok(None);
                }
            },
        }
    }
}

/// Groups that were not taken, of which a scan may give some away.
#[derive(Clone)]
pub(super) struct Groups(Arc<Mutex<Left>>);

pub(super) struct Left {
    pub(super) left: Range<usize>,
    /// Rows of the next group that are passed over.
    pub(super) skip: u64,
    /// Number in the file of the row after the last of the partition, where the partition says how many it has.
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

/// Decodes groups.
pub(super) struct Decode {
    pub(super) data: Arc<Inner>,
    pub(super) file: Arc<KnownFile>,
    pub(super) projection: Arc<Projection>,
    pub(super) request: Arc<ScanRequest>,
    /// Rows of a batch of the reader.
    pub(super) batch_rows: usize,
    /// Offset up to which the partition is read.
    pub(super) end: u64,
    reader: Option<Box<dyn GroupReader>>,
    /// Whether all rows are read of each group.
    is_whole: bool,
    /// Groups that are read by nobody else.
    ahead: Option<Range<usize>>,
    /// Group to enter, and the rows of it that are wanted.
    taken: Option<(usize, Range<u64>)>,
    /// Groups that were entered, and the rows of them that were not read.
    current: VecDeque<Run>,
}

impl Decode {
    pub(super) fn new(
        data: Arc<Inner>,
        file: Arc<KnownFile>,
        projection: Arc<Projection>,
        request: Arc<ScanRequest>,
        batch_rows: usize,
        end: u64,
    ) -> Self {
        Self {
            data,
            file,
            projection,
            request,
            batch_rows,
            end,
            reader: None,
            is_whole: false,
            ahead: None,
            taken: None,
            current: VecDeque::new(),
        }
    }

    fn open(&self, group: usize) -> Result<Box<dyn GroupReader>> {
        let Self { data, file, request, batch_rows, .. } = self;
        if self.projection.read().is_empty() && !file.footer.is_sequential() {
            // Rows without columns are only counted.
            let first_rows = file.first_rows(data, &request.cancel)?.to_vec();
            return Ok(Box::new(Counted { first_rows, left: 0, batch_rows: *batch_rows }));
        }
        let input = data.input(&file.name, file.start(group), self.end, &request.cancel)?;
        let footer = Arc::clone(&file.footer);
        let open = || footer.reader(input, &self.projection, request, (*batch_rows).max(1));
        data.format.guarded(&file.name, open)
    }

    /// Returns the error of a group that has other rows than the footer says.
    #[cold]
    fn other_rows(&self, group: usize, rows: &str) -> Error {
        let what = format!("{} {group} of the file has {rows} than the footer says", self.data.format.group);
        Error::new(ErrorKind::Malformed, what).in_file(Arc::clone(&self.file.name))
    }

    /// Enters the group that was taken, if there is one.
    fn enter_taken(&mut self) -> Result<()> {
        let Some((group, rows)) = self.taken.take_if(|_| self.current.is_empty()) else { return Ok(()) };
        if self.reader.is_none() {
            let mut reader = self.open(group)?;
            if self.is_whole {
                reader.read_whole(self.ahead.clone());
            }
            self.reader = Some(reader);
        }
        let Some(reader) = &mut self.reader else { return Ok(()) };
        let rows = self.data.format.guarded(&self.file.name, || reader.enter(group, rows))?;
        self.current.extend(rows.into_iter().map(|rows| Run { group, rows }));
        Ok(())
    }

    /// Enters the groups that the next batch may have rows of.
    fn look_ahead(&mut self, groups: &mut Groups) -> Result<()> {
        while let Some(reader) = self.reader.as_ref().filter(|_| !self.current.is_empty()) {
            let left = self.current.iter().map(|run| run.rows.end - run.rows.start);
            if left.fold(0, u64::saturating_add) >= reader.reach() as u64 {
                break;
            }
            let taken = if self.read(groups)? { self.taken.clone() } else { None };
            let Some(reader) = &mut self.reader else { break };
            // Only the rows of whole groups follow.
            let group = taken.as_ref().filter(|(group, rows)| self.file.is_whole(*group, rows));
            let follow = || reader.follow(group.map(|(group, _)| *group));
            if self.data.format.guarded(&self.file.name, follow)? {
                self.current.extend(taken.map(|(group, rows)| Run { group, rows }));
                self.taken = None;
            }
        }
        Ok(())
    }
}

impl Work for Decode {
    type Source = Groups;
    type Output = Rows;
    type Error = Error;

    /// Takes the next group that may have rows.
    fn read(&mut self, groups: &mut Groups) -> Result<bool> {
        if self.taken.is_some() {
            return Ok(true);
        }
        let mut groups = groups.lock();
        let known = match (groups.skip, groups.end) {
            (0, None) => self.file.known_first_rows(),
            _ if self.file.footer.is_sequential() => None,
            _ => Some(self.file.first_rows(&self.data, &self.request.cancel)?),
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
            let footer = &self.file.footer;
            if let Some(filter) = &self.request.filter
                && !self.data.format.guarded(&self.file.name, || Ok(footer.may_hold(group, filter)))?
            {
                continue;
            }
            self.taken = Some((group, rows));
            return Ok(true);
        }
        Ok(false)
    }

    /// Returns the next rows of the groups that were entered.
    fn next(&mut self) -> Result<Option<Rows>> {
        self.request.cancel.check()?;
        self.enter_taken()?;
        if self.current.is_empty() {
            return Ok(None);
        }
        let Some(reader) = &mut self.reader else { return Ok(None) };
        loop {
            // Panics where the file is damaged.
            let Some(batch) = self.data.format.guarded(&self.file.name, || reader.next())? else {
                let left = std::mem::take(&mut self.current);
                // A pipe may end before the rows that were asked for.
                let is_missing = |run: &&Run| !run.rows.is_empty() && run.rows.end < u64::MAX;
                let missing = left.iter().find(is_missing).filter(|_| !self.file.footer.is_sequential());
                return missing.map_or(Ok(None), |Run { group, rows }| {
                    let missing = Count::of(rows.end - rows.start, "row");
                    Err(self.other_rows(*group, &format!("{missing} fewer")))
                });
            };
            if batch.num_rows() == 0 {
                continue;
            }
            let batch = self.projection.pick(&batch)?;
            let (mut left, mut runs, mut last) = (batch.num_rows() as u64, VecDeque::new(), 0);
            while left > 0
                && let Some(Run { group, rows }) = self.current.front_mut()
            {
                let taken = rows.start..rows.end.min(rows.start.saturating_add(left));
                (last, rows.start) = (*group, taken.end);
                left -= taken.end - taken.start;
                let is_empty = rows.is_empty();
                if !taken.is_empty() {
                    runs.push_back(Run { group: last, rows: taken });
                }
                // Whether more rows come of the last is not known.
                if is_empty && (left > 0 || self.current.len() > 1) {
                    self.current.pop_front();
                }
            }
            if left > 0 {
                return Err(self.other_rows(last, "more rows"));
            }
            return Ok(Some(Rows { batch, runs }));
        }
    }

    fn weight(rows: &Rows) -> u64 {
        rows.batch.get_array_memory_size() as u64
    }
}
