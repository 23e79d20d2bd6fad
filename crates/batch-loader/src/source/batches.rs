//! Sources of record batches as parts: Avro, Parquet, or anything else that yields Arrow.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use tfrecord_io::RecordBuffer;
use tfxio_core::BatchSource;

use super::{Cost, IndexFor, PartReader, Parts, Place, Raw, RawRecords, Run};
use crate::{Error, ErrorKind, Result};

/// Rows parsed at once and shared by the examples in them.
const PIECE_ROWS: u64 = 512;

type Open = Box<dyn Fn() -> Result<Box<dyn BatchSource>, tfxio_core::Error> + Send + Sync>;

/// Parts of a data set that are not TFRecord files: each is a [`BatchSource`] that can be opened again and again.
///
/// The columns are named as the features of the manifest. A column of numbers or strings is a tensor without
/// dimensions, a list column a feature with a shape or, where the feature is `var_len`, a sequence.
///
/// A part has no places to seek to: what lies before a saved place is read again, and passed over.
#[derive(Default)]
pub struct BatchParts {
    names: Vec<Arc<str>>,
    open: Vec<Open>,
}

impl fmt::Debug for BatchParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchParts").field("names", &self.names).finish_non_exhaustive()
    }
}

impl BatchParts {
    /// No parts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a part more, which `open` opens at its start. The name is for messages, and tells parts apart.
    #[must_use]
    pub fn with_part<F>(mut self, name: impl Into<Arc<str>>, open: F) -> Self
    where
        F: Fn() -> Result<Box<dyn BatchSource>, tfxio_core::Error> + Send + Sync + 'static,
    {
        self.names.push(name.into());
        self.open.push(Box::new(open));
        self
    }

    fn reader(&self, part: usize, runs: Vec<Run>) -> Result<Box<dyn PartReader>> {
        let name = self.names.get(part).cloned().unwrap_or_default();
        let Some(open) = self.open.get(part) else {
            return Err(Error::new(ErrorKind::Source, "there is no such part"));
        };
        let source = open().map_err(|error| failed(error, 0, &name))?;
        Ok(Box::new(Rows { source, rest: None, at: 0, passed: 0, runs: runs.into(), name }))
    }
}

fn failed(error: tfxio_core::Error, base: u64, name: &Arc<str>) -> Error {
    let record = error.position().record.unwrap_or(base);
    Error::new(ErrorKind::Source, "the source of batches failed")
        .in_file(name.clone())
        .in_record(record, error.position().byte)
        .because(error)
}

impl Parts for BatchParts {
    fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    fn size(&self, _: usize) -> Result<Option<u64>> {
        Ok(None)
    }

    fn open(&self, part: usize, from: Place) -> Result<Box<dyn PartReader>> {
        self.reader(part, vec![Run { from, count: u64::MAX }])
    }

    fn fetch(&self, part: usize, runs: Vec<Run>) -> Result<Box<dyn PartReader>> {
        self.reader(part, runs)
    }

    fn index(&self, _: usize, purpose: IndexFor) -> Result<tfrecord_io::Index> {
        let (what, hint) = match purpose {
            IndexFor::AnyOrder => (
                "a global shuffle reads records in any order, which a source of batches does not allow",
                "shuffle through a buffer",
            ),
            IndexFor::Count => (
                "how many rows a source of batches has shows only when all of them are read",
                "load files of records, where their number is needed before",
            ),
        };
        Err(Error::new(ErrorKind::InvalidValue, what).with_hint(hint))
    }
}

/// The rows of a source that lie in runs.
struct Rows {
    source: Box<dyn BatchSource>,
    /// What is left of the batch read last.
    rest: Option<arrow_array::RecordBatch>,
    /// The number of the next row.
    at: u64,
    /// Rows passed over since the last piece.
    passed: u64,
    runs: VecDeque<Run>,
    name: Arc<str>,
}

impl PartReader for Rows {
    fn read(&mut self, _: RecordBuffer) -> Result<Option<Raw>> {
        loop {
            let Some(run) = self.runs.front_mut() else { return Ok(None) };
            let batch = match self.rest.take() {
                Some(batch) => batch,
                None => match self.source.next_batch().map_err(|error| failed(error, self.at, &self.name))? {
                    Some(batch) => batch,
                    None => {
                        self.runs.clear();
                        return Ok(None);
                    }
                },
            };
            let rows = batch.num_rows() as u64;
            if rows == 0 {
                continue;
            }
            let before = run.from.record.saturating_sub(self.at).min(rows);
            let take = if before > 0 { 0 } else { run.count.min(rows).min(PIECE_ROWS) };
            let (skip, used) = (before, before + take);
            if used < rows {
                let at = usize::try_from(used).unwrap_or(usize::MAX);
                self.rest = Some(batch.slice(at, batch.num_rows() - at));
            }
            let first = self.at + skip;
            self.at += used;
            self.passed += skip;
            if take == 0 {
                continue;
            }
            run.count -= take;
            run.from.record = self.at;
            if run.count == 0 {
                self.runs.pop_front();
            }
            let batch = batch.slice(0, usize::try_from(take).unwrap_or(usize::MAX));
            let next = Place { record: self.at, byte: 0 };
            let cost = Cost { records: std::mem::take(&mut self.passed) + take, ..Cost::default() };
            return Ok(Some(Raw { records: RawRecords::Batch(batch), first, next, cost }));
        }
    }

    fn is_done(&self) -> bool {
        self.runs.is_empty()
    }
}
