//! Groups of rows that several threads encode, and that are appended to a file in order.
//!
//! Where a group ends depends on the rows alone, so a file is the same for any number of threads, and the same as where batches
//! are written one by one. Parts of a group are encoded by themselves, so that a file of one group has work for several threads,
//! and as soon as their rows come, so that few rows wait, and little is left to do after the last.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::RecordBatch;
use tfxio_core::{Batch, Cancel, Error, Fed, Result, Work};

use super::lane::{Begin, Lane};
use super::sink::BatchWriter;

/// Bytes of rows that are handed on together: of many columns, each then has enough values for its dictionary to be fetched once.
const SEGMENT: usize = 32 << 20;
/// Segments of a group that each thread but one may be ahead.
const AHEAD: usize = 8;

type Cut = Box<dyn FnMut(&mut RecordBatch) -> Option<(RecordBatch, bool)> + Send>;

/// How groups of rows are encoded apart from the file.
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "of Parquet only"))]
pub(crate) struct Apart<W: BatchWriter> {
    /// Takes the first rows of a batch, those of the current group, and says whether it ends with them; nothing of a batch without
    /// rows.
    pub(crate) cut: Cut,
    /// Begins a part of a group.
    pub(crate) begin: Begin<W>,
    /// Number of parts that a group has.
    pub(crate) parts: usize,
}

impl<W: BatchWriter> Apart<W> {
    /// Returns the number of jobs that are begun at once by this number of threads.
    pub(super) fn ahead(&self, threads: usize) -> usize {
        let each = self.parts.max(1).saturating_mul(AHEAD);
        each.saturating_mul(threads.saturating_sub(1).max(1))
    }
}

/// The groups of batches, part by part.
pub(super) struct Groups<W: BatchWriter> {
    fed: Fed<Batch>,
    apart: Apart<W>,
    /// Rows that no group has taken.
    left: Option<RecordBatch>,
    /// Rows of the group that were not handed on.
    segment: Vec<RecordBatch>,
    /// The group that more rows may follow of.
    open: Option<Group<W>>,
    jobs: VecDeque<Job<W>>,
}

/// A group of rows.
pub(super) struct Group<W: BatchWriter> {
    pub(super) parts: Vec<Arc<Lane<W>>>,
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
    part: Arc<Lane<W>>,
    /// The group, where the jobs of it end with this one.
    ends: Option<Group<W>>,
}

impl<W: BatchWriter> Groups<W> {
    pub(super) fn new(fed: Fed<Batch>, apart: Apart<W>) -> Self {
        Self { fed, apart, left: None, segment: Vec::new(), open: None, jobs: VecDeque::new() }
    }

    fn next(&mut self) -> Result<Option<Job<W>>> {
        while self.jobs.is_empty() {
            let taken = self.left.as_mut().and_then(|batch| (self.apart.cut)(batch));
            match taken {
                Some((rows, ends)) => self.add(rows, ends),
                None => match self.fed.next().transpose()? {
                    Some(batch) => self.left = Some(batch.columns().clone()),
                    None if self.open.is_none() => return Ok(None),
                    None => self.hand_on(true),
                },
            }
        }
        Ok(self.jobs.pop_front())
    }

    /// Adds rows to the group, which ends with them or not.
    fn add(&mut self, rows: RecordBatch, ends: bool) {
        let Apart { begin, parts, .. } = &self.apart;
        let open = self.open.get_or_insert_with(|| {
            let parts = (0..(*parts).max(1)).map(|part| Arc::new(Lane::new(begin, part)));
            Group { parts: parts.collect(), rows: 0 }
        });
        open.rows = open.rows.saturating_add(rows.num_rows() as u64);
        self.segment.push(rows);
        let bytes = self.segment.iter().map(RecordBatch::get_array_memory_size);
        if ends || bytes.fold(0, usize::saturating_add) >= SEGMENT {
            self.hand_on(ends);
        }
    }

    /// Hands on the rows that were gathered.
    fn hand_on(&mut self, ends: bool) {
        let Some(open) = &self.open else { return };
        for part in &open.parts {
            part.add(&self.segment, ends);
            self.jobs.push_back(Job { part: Arc::clone(part), ends: None });
        }
        self.segment.clear();
        if let Some(last) = self.jobs.back_mut().filter(|_| ends) {
            last.ends = self.open.take();
        }
    }
}

/// Works on one part at a time.
pub(super) struct Encoding<W: BatchWriter> {
    job: Option<Job<W>>,
    cancel: Cancel,
}

impl<W: BatchWriter> Encoding<W> {
    pub(super) fn new(cancel: &Cancel) -> Self {
        Self { job: None, cancel: cancel.clone() }
    }
}

impl<W: BatchWriter> Work for Encoding<W> {
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
