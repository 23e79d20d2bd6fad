//! Groups of rows that several threads encode, and that are appended to a file in order.
//!
//! Where a group ends depends on the rows alone, so a file is the same for any number of threads, and the same as where batches
//! are written one by one. Parts of a group are encoded by themselves, so that a file of one group has work for several threads.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::RecordBatch;
use tfxio_core::{Batch, Error, Fed, Result, Work};

use super::guard::guarded;
use super::sink::BatchWriter;

/// What appends a part of a group that was encoded.
pub(crate) type Append<W> = Box<dyn FnOnce(&mut W) -> Result<(), <W as BatchWriter>::Error> + Send>;

type Cut = Box<dyn FnMut(&mut RecordBatch) -> Option<(RecordBatch, bool)> + Send>;

type Encode<W> =
    Arc<dyn Fn(&[RecordBatch], usize) -> Result<Append<W>, <W as BatchWriter>::Error> + Send + Sync>;

/// How groups of rows are encoded apart from the file.
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "of Parquet only"))]
pub(crate) struct Apart<W: BatchWriter> {
    /// Takes the first rows of a batch, those of the current group, and says whether it ends with them; nothing of a batch without
    /// rows.
    pub(crate) cut: Cut,
    /// Encodes a part of the rows of a group.
    pub(crate) encode: Encode<W>,
    /// Number of parts that a group has.
    pub(crate) parts: usize,
}

/// The groups of batches, part by part.
pub(super) struct Groups {
    fed: Fed<Batch>,
    cut: Cut,
    parts: usize,
    /// Rows that no group has taken.
    left: Option<RecordBatch>,
    jobs: VecDeque<Job>,
}

/// A part of a group.
struct Job {
    batches: Arc<[RecordBatch]>,
    part: usize,
    /// Number of rows that are encoded with it.
    rows: u64,
}

impl Groups {
    pub(super) fn new(fed: Fed<Batch>, cut: Cut, parts: usize) -> Self {
        Self { fed, cut, parts: parts.max(1), left: None, jobs: VecDeque::new() }
    }

    fn next(&mut self) -> Result<Option<Job>> {
        if self.jobs.is_empty() {
            let batches = self.gather()?;
            let rows = batches.iter().map(|batch| batch.num_rows() as u64).sum();
            let parts = if batches.is_empty() { 0 } else { self.parts };
            self.jobs.extend((0..parts).map(|part| {
                let rows = if part + 1 == parts { rows } else { 0 };
                Job { batches: Arc::clone(&batches), part, rows }
            }));
        }
        Ok(self.jobs.pop_front())
    }

    /// Returns the rows of the next group; none at the end.
    fn gather(&mut self) -> Result<Arc<[RecordBatch]>> {
        let mut gathered = Vec::new();
        loop {
            let taken = self.left.as_mut().and_then(|batch| (self.cut)(batch));
            match taken {
                Some((rows, ends)) => {
                    gathered.push(rows);
                    if ends {
                        break;
                    }
                }
                None => match self.fed.next().transpose()? {
                    Some(batch) => self.left = Some(batch.columns().clone()),
                    None => break,
                },
            }
        }
        Ok(gathered.into())
    }
}

/// Encodes one part at a time.
pub(super) struct Encoding<W: BatchWriter> {
    encode: Encode<W>,
    job: Option<Job>,
}

impl<W: BatchWriter> Encoding<W> {
    pub(super) fn new(encode: &Encode<W>) -> Self {
        Self { encode: Arc::clone(encode), job: None }
    }
}

/// A part that was encoded, or the text of a panic.
pub(super) struct Encoded<W: BatchWriter> {
    pub(super) append: Result<Result<Append<W>, W::Error>, String>,
    pub(super) rows: u64,
}

impl<W: BatchWriter> Work for Encoding<W> {
    type Source = Groups;
    type Output = Encoded<W>;
    type Error = Error;

    fn read(&mut self, groups: &mut Groups) -> Result<bool> {
        self.job = groups.next()?;
        Ok(self.job.is_some())
    }

    fn next(&mut self) -> Result<Option<Encoded<W>>> {
        let Some(Job { batches, part, rows }) = self.job.take() else { return Ok(None) };
        let append = guarded(|| (self.encode)(&batches, part));
        Ok(Some(Encoded { append, rows }))
    }

    fn is_done(&self) -> bool {
        self.job.is_none()
    }
}
