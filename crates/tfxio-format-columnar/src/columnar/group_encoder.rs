//! Groups of rows that several threads encode, and that are appended to a file in order.
//!
//! The end of a group depends on the rows alone, so a file is the same for any number of threads, and the same as where batches are written
//! one by one. Parts of a group are encoded by themselves, so that a file of one group has work for several threads, and as soon as their
//! rows come, so that few rows wait, and little is left to do after the last.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use tfxio_core::{Batch, Cancel, Error, Fed, Result, Work};

use super::dealer::Dealer;
use super::group_part::{BeginPart, GroupPart};
use super::sink::BatchWriter;

/// Bytes of rows of all files that are handed on together: with many columns, each then has enough values for its dictionary to be fetched
/// once.
const SEGMENT: usize = 32 << 20;
/// Segments of each file that may be ahead for each thread: about a group, so that each has work also where one column of it is
/// nearly all.
const AHEAD: usize = 2;
/// Maximum number of parts of which that many segments may be ahead: parts of a file of a large set are not small any more.
const MOST_PARTS: usize = 16;

type CutColumns = Box<dyn Fn(&RecordBatch) -> Vec<Range<usize>> + Send>;
type Cut = Box<dyn FnMut(&mut RecordBatch) -> Option<(RecordBatch, bool)> + Send>;

/// Encoding of groups of rows apart from the file.
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "of Parquet only"))]
pub(crate) struct GroupEncoder<W: BatchWriter> {
    /// Takes the first rows of a batch, up to the end of the current group, and returns them with whether the group ends; nothing of a
    /// batch without rows.
    pub(crate) cut: Cut,
    /// Begins a part of a group.
    pub(crate) begin: BeginPart<W>,
    /// Returns the columns of the parts of a group that begins with these rows.
    pub(crate) cut_columns: CutColumns,
    /// Maximum number of parts of a group.
    pub(crate) parts: usize,
}

/// The groups of batches, part by part.
pub(super) struct Groups<W: BatchWriter> {
    fed: Fed<Batch>,
    /// Deals the rows out, where there are several files. The sink has it as well, and goes on after these batches.
    dealer: Option<Arc<Mutex<Dealer>>>,
    files: Vec<OpenFile<W>>,
    /// Rows that no group has taken, each with the index of its file.
    dealt: VecDeque<(usize, RecordBatch)>,
    has_all: bool,
    jobs: VecDeque<Job<W>>,
}

/// A file whose groups are encoded.
struct OpenFile<W: BatchWriter> {
    index: usize,
    encoder: GroupEncoder<W>,
    /// Bytes of rows that are handed on together.
    most: usize,
    /// Rows of the group that were not handed on.
    segment: Vec<RecordBatch>,
    /// The group that more rows may follow of.
    open: Option<Group<W>>,
}

/// A group of rows.
pub(super) struct Group<W: BatchWriter> {
    /// Index of its file.
    pub(super) file: usize,
    pub(super) parts: Vec<Arc<GroupPart<W>>>,
    pub(super) rows: u64,
}

impl<W: BatchWriter> Group<W> {
    /// Returns whether all of its parts are encoded.
    pub(super) fn is_encoded(&self) -> bool {
        self.parts.iter().all(|part| part.is_encoded())
    }
}

/// Work on a part of a group.
struct Job<W: BatchWriter> {
    part: Arc<GroupPart<W>>,
    /// The group, where the jobs of it end with this one.
    ends: Option<Group<W>>,
}

impl<W: BatchWriter> Groups<W> {
    /// Encodes the batches of one file, or of several, which these deal the rows out to.
    pub(super) fn new(
        fed: Fed<Batch>,
        files: Vec<GroupEncoder<W>>,
        dealer: Option<Arc<Mutex<Dealer>>>,
    ) -> Self {
        let most = SEGMENT / files.len().max(1);
        let files = files.into_iter().enumerate().map(|(index, encoder)| OpenFile {
            index,
            encoder,
            most,
            segment: Vec::new(),
            open: None,
        });
        let files = files.collect();
        Self { fed, dealer, files, dealt: VecDeque::new(), has_all: false, jobs: VecDeque::new() }
    }

    /// Returns the number of jobs that are begun at once by this number of threads.
    pub(super) fn ahead(files: &[GroupEncoder<W>], threads: usize) -> usize {
        let parts = files.iter().map(|encoder| encoder.parts.max(1)).fold(0, usize::saturating_add);
        parts.min(MOST_PARTS).saturating_mul(AHEAD).saturating_mul(threads)
    }

    fn next(&mut self) -> Result<Option<Job<W>>> {
        while self.jobs.is_empty() {
            if let Some((index, rows)) = self.dealt.front_mut() {
                let taken = match self.files.get_mut(*index) {
                    Some(file) => file.take(rows, &mut self.jobs)?,
                    None => false,
                };
                if !taken {
                    self.dealt.pop_front();
                }
            } else if self.has_all {
                for file in &mut self.files {
                    file.hand_on(true, &mut self.jobs)?;
                }
                return Ok(self.jobs.pop_front());
            } else {
                self.deal()?;
            }
        }
        Ok(self.jobs.pop_front())
    }

    /// Deals out the rows of the next batch, or the remaining rows after the last.
    fn deal(&mut self) -> Result<()> {
        let batch = self.fed.next().transpose()?;
        self.has_all = batch.is_none();
        let mut dealer =
            self.dealer.as_ref().map(|dealer| dealer.lock().unwrap_or_else(PoisonError::into_inner));
        match (batch, &mut dealer) {
            (Some(batch), Some(dealer)) => self.dealt.extend(dealer.deal(batch.columns())?),
            (Some(batch), None) => self.dealt.push_back((0, batch.columns().clone())),
            (None, Some(dealer)) => self.dealt.extend(dealer.rest()),
            (None, None) => {}
        }
        Ok(())
    }
}

impl<W: BatchWriter> OpenFile<W> {
    /// Takes the first of these rows, up to the end of their group. Returns whether there were any.
    fn take(&mut self, rows: &mut RecordBatch, jobs: &mut VecDeque<Job<W>>) -> Result<bool> {
        let Some((rows, ends)) = (self.encoder.cut)(rows) else { return Ok(false) };
        let GroupEncoder { begin, cut_columns, .. } = &self.encoder;
        let open = self.open.get_or_insert_with(|| {
            let parts =
                cut_columns(&rows).into_iter().map(|columns| Arc::new(GroupPart::new(begin, columns)));
            Group { file: self.index, parts: parts.collect(), rows: 0 }
        });
        open.rows = open.rows.saturating_add(rows.num_rows() as u64);
        self.segment.push(rows);
        let bytes = self.segment.iter().map(RecordBatch::get_array_memory_size);
        if ends || bytes.fold(0, usize::saturating_add) >= self.most {
            self.hand_on(ends, jobs)?;
        }
        Ok(true)
    }

    /// Hands on the rows that were gathered, if a group is open.
    fn hand_on(&mut self, ends: bool, jobs: &mut VecDeque<Job<W>>) -> Result<()> {
        let Some(open) = &self.open else { return Ok(()) };
        for part in &open.parts {
            part.add(&self.segment, ends)?;
            jobs.push_back(Job { part: Arc::clone(part), ends: None });
        }
        self.segment.clear();
        if let Some(last) = jobs.back_mut().filter(|_| ends) {
            last.ends = self.open.take();
        }
        Ok(())
    }
}

/// Works on one part at a time.
pub(super) struct EncodePart<W: BatchWriter> {
    job: Option<Job<W>>,
    cancel: Cancel,
}

impl<W: BatchWriter> EncodePart<W> {
    pub(super) fn new(cancel: &Cancel) -> Self {
        Self { job: None, cancel: cancel.clone() }
    }
}

impl<W: BatchWriter> Work for EncodePart<W> {
    type Source = Groups<W>;
    /// A group of which threads encode what is left.
    type Output = Group<W>;
    type Error = Error;

    fn read(&mut self, groups: &mut Groups<W>) -> Result<bool> {
        self.job = groups.next()?;
        Ok(self.job.is_some())
    }

    fn next(&mut self) -> Result<Option<Group<W>>> {
        let Some(Job { part, ends }) = self.job.take() else { return Ok(None) };
        part.work(&self.cancel);
        Ok(ends)
    }

    fn is_done(&self) -> bool {
        self.job.is_none()
    }
}
