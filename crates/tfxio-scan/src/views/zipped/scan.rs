//! A scan of the rows of two data sets beside each other.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use tfxio_core::{Batch, Dataset, Error, ErrorKind, Projection, Result, Scan, ScanCounts, ScanRequest, Seek};

use crate::read::{Batches, Counted, runs_of};

/// Requests of both data sets, and the projection of their joined columns.
pub(super) struct Together {
    pub(super) first: ScanRequest,
    /// Nothing where no column of the second is asked for.
    pub(super) second: Option<ScanRequest>,
    /// The columns of both that are read.
    pub(super) read: SchemaRef,
    pub(super) projection: Projection,
}

impl Together {
    /// Returns the columns of the request of rows of both.
    fn batch(&self, first: Batch, second: Option<&RecordBatch>) -> Result<Batch> {
        let (columns, origins) = first.into_parts();
        let rows = RecordBatchOptions::new().with_row_count(Some(columns.num_rows()));
        let all = columns.columns().iter().chain(second.into_iter().flat_map(RecordBatch::columns));
        let all = all.cloned().collect::<Vec<ArrayRef>>();
        let read = RecordBatch::try_new_with_options(Arc::clone(&self.read), all, &rows)?;
        Ok(Batch::new(self.projection.pick(&read)?, origins))
    }
}

/// The rows of the second data set.
pub(super) struct Second {
    dataset: Arc<dyn Dataset>,
    request: ScanRequest,
    rows: ZippedRows,
    /// Rows that were read and not returned.
    rest: Option<RecordBatch>,
}

enum ZippedRows {
    /// All from a number on.
    After {
        scan: Box<dyn Scan>,
        /// Number of the first row of the partition.
        row: u64,
        /// Number of the first record of the partition, where rows are counted by those.
        first_record: Option<u64>,
        /// Whether as many rows have to follow as the first data set has.
        is_last: bool,
    },
    /// Rows with some numbers, in one scan or in one for each run.
    Taken { scan: Option<Box<dyn Scan>>, runs: VecDeque<(u64, u64)> },
}

impl Second {
    /// Reads all rows from a number on.
    pub(super) fn after(
        row: u64,
        is_last: bool,
        first_record: Option<u64>,
        dataset: &Arc<dyn Dataset>,
        request: &ScanRequest,
    ) -> Result<Self> {
        let scan = Box::new(Batches::from_row(Arc::clone(dataset), row, request.clone())?);
        let rows = ZippedRows::After { scan, row, first_record, is_last };
        Ok(Self { dataset: Arc::clone(dataset), request: request.clone(), rows, rest: None })
    }

    /// Reads runs of rows: by their numbers in the files where these are counted, else up to each.
    pub(super) fn taken(
        runs: Vec<(u64, u64)>,
        dataset: &Arc<dyn Dataset>,
        counted: Option<&[Counted]>,
        request: &ScanRequest,
    ) -> Result<Self> {
        let rows = match counted {
            Some(files) => {
                let scan = Some(dataset.take(&runs_of(files, &runs), request)?);
                ZippedRows::Taken { scan, runs: VecDeque::new() }
            }
            None => ZippedRows::Taken { scan: None, runs: runs.into() },
        };
        Ok(Self { dataset: Arc::clone(dataset), request: request.clone(), rows, rest: None })
    }

    /// Returns the next rows, at most `most` and at least one; nothing at the end.
    fn next(&mut self, most: usize) -> Result<Option<RecordBatch>> {
        while self.rest.as_ref().is_none_or(|rest| rest.num_rows() == 0) {
            let batch = match &mut self.rows {
                ZippedRows::After { scan, .. } => scan.next_batch()?,
                ZippedRows::Taken { scan, runs } => {
                    match scan.as_mut().map(|scan| scan.next_batch()).transpose()?.flatten() {
                        Some(batch) => Some(batch),
                        None => {
                            let Some((first, rows)) = runs.pop_front() else { return Ok(None) };
                            let request = self.request.clone().limit(rows);
                            *scan =
                                Some(Box::new(Batches::from_row(Arc::clone(&self.dataset), first, request)?));
                            continue;
                        }
                    }
                }
            };
            let Some(batch) = batch else { return Ok(None) };
            self.rest = Some(batch.into_columns());
        }
        let Some(rest) = self.rest.take() else { return Ok(None) };
        let rows = rest.num_rows().min(most);
        if rows < rest.num_rows() {
            self.rest = Some(rest.slice(rows, rest.num_rows() - rows));
        }
        Ok(Some(rest.slice(0, rows)))
    }

    /// Refuses further rows after the end of the first data set.
    fn check_end(&mut self) -> Result<()> {
        if matches!(self.rows, ZippedRows::After { is_last: true, .. }) && self.next(1)?.is_some() {
            return Err(unequal("the second data set has more rows than the first"));
        }
        Ok(())
    }

    /// Moves to the row that is a record of the first data set; returns whether that is known.
    fn seek(&mut self, record: u64) -> Result<bool> {
        let ZippedRows::After { scan, row, first_record: Some(first), .. } = &mut self.rows else {
            return Ok(false);
        };
        let Some(after) = record.checked_sub(*first) else { return Ok(false) };
        let row = row.saturating_add(after);
        *scan = Box::new(Batches::from_row(Arc::clone(&self.dataset), row, self.request.clone())?);
        self.rest = None;
        Ok(true)
    }

    fn can_seek(&self) -> bool {
        matches!(self.rows, ZippedRows::After { first_record: Some(_), .. })
    }
}

/// Returns the error of data sets that have not equally many rows.
#[cold]
pub(super) fn unequal(what: &str) -> Error {
    let error = Error::new(ErrorKind::SchemaMismatch, what);
    error.help("take equally many rows of both before they are put together")
}

/// The rows of two data sets beside each other.
pub(super) struct ZippedScan {
    first: Box<dyn Scan>,
    second: Option<Second>,
    together: Together,
    schema: SchemaRef,
    /// Rows of the first that were read and not returned.
    rest: Option<Batch>,
    /// Number of rows until the limit.
    left: u64,
    is_at_end: bool,
}

impl ZippedScan {
    pub(super) fn new(first: Box<dyn Scan>, second: Option<Second>, together: Together, left: u64) -> Self {
        let schema = Arc::clone(together.projection.schema());
        Self { first, second, together, schema, rest: None, left, is_at_end: false }
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        let batch = loop {
            let batch = match self.rest.take() {
                Some(rest) => Some(rest),
                None => self.first.next_batch()?,
            };
            match batch {
                Some(batch) if batch.num_rows() == 0 => {}
                batch => break batch,
            }
        };
        let Some(batch) = batch else {
            self.is_at_end = true;
            if let Some(second) = &mut self.second {
                second.check_end()?;
            }
            return Ok(None);
        };
        let most = batch.num_rows().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let second =
            match &mut self.second {
                None => None,
                Some(second) => Some(second.next(most)?.ok_or_else(|| {
                    batch.locate(unequal("the second data set has fewer rows than the first"))
                })?),
            };
        let rows = second.as_ref().map_or(most, RecordBatch::num_rows);
        let first = batch.slice(0, rows);
        if rows < batch.num_rows() {
            self.rest = Some(batch.slice(rows, usize::MAX));
        }
        self.left = self.left.saturating_sub(rows as u64);
        self.together.batch(first, second.as_ref()).map(Some)
    }
}

impl Scan for ZippedScan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        if self.left == 0 || self.is_at_end {
            return Ok(None);
        }
        let batch = self.next();
        self.is_at_end |= batch.is_err();
        batch
    }

    fn seek(&mut self, record: u64) -> Result<Seek> {
        if self.second.as_ref().is_some_and(|second| !second.can_seek()) {
            return Ok(Seek::NotOffered);
        }
        let seek = self.first.seek(record)?;
        if seek == Seek::NotOffered {
            return Ok(seek);
        }
        (self.rest, self.is_at_end) = (None, false);
        if let Some(second) = &mut self.second
            && !second.seek(record)?
        {
            let what = format!("there is no record {record} in the partition");
            return Err(Error::new(ErrorKind::InvalidArgument, what));
        }
        Ok(seek)
    }

    fn counts(&self) -> ScanCounts {
        self.first.counts()
    }
}
