//! The files of any data set as parts.

use std::sync::Arc;

use tfrecord_io::RecordBuffer;
use tfxio_core::{Batch, ColumnPath, Dataset, OnError, Partition, RecordRun, Scan, ScanRequest, Seek};

use super::{Cost, IndexFor, PartReader, PartRecords, Parts, Place, Raw, RawRecords, Run};
use crate::error::Locate as _;
use crate::{Error, Kind, Result};

/// Rows that are parsed at once and shared by the examples in them.
const PIECE_ROWS: usize = 512;
/// Rows that are counted at once.
const COUNTED_ROWS: usize = 1 << 16;

/// The files of a data set. Records are found by their numbers: by [`Scan::seek`] and [`Dataset::take`].
#[derive(Debug)]
pub(crate) struct DatasetParts {
    dataset: Arc<dyn Dataset>,
    names: Vec<Arc<str>>,
    partitions: Vec<Partition>,
    request: ScanRequest,
}

impl DatasetParts {
    /// Returns the files of a data set, of which these columns are read.
    ///
    /// # Errors
    /// When the data set cannot say its partitions, or has a file that it cannot read as one.
    pub(crate) fn new(
        dataset: Arc<dyn Dataset>,
        columns: Vec<ColumnPath>,
        request: ScanRequest,
    ) -> Result<Self> {
        let partitions = dataset.partitions(u64::MAX).map_err(failed)?;
        let names = partitions.iter().map(|partition| Arc::clone(&partition.file)).collect::<Vec<_>>();
        if let Some(twice) =
            names.windows(2).find_map(|pair| pair.first().filter(|first| pair.last() == Some(first)))
        {
            let what =
                "the file is cut into several partitions, of which records are not found by their numbers";
            return Err(Error::new(Kind::Source, what).in_file(Arc::clone(twice)));
        }
        let request = request.columns(columns).batch_rows(PIECE_ROWS);
        Ok(Self { dataset, names, partitions, request })
    }

    fn partition(&self, part: usize) -> Result<&Partition> {
        self.partitions.get(part).ok_or_else(|| Error::new(Kind::Source, "the data set has no such file"))
    }
}

/// Returns an error of a data set as one of the loader.
fn failed(error: Error) -> Error {
    let kind = match error.kind() {
        tfxio_core::ErrorKind::LimitExceeded => Kind::LimitExceeded,
        tfxio_core::ErrorKind::Malformed => Kind::Corrupt,
        tfxio_core::ErrorKind::NotFound => Kind::NotFound,
        kind if kind.is_io() => Kind::Io,
        _ => Kind::Source,
    };
    let position = error.position().clone();
    let mut ours = Error::new(kind, error.what()).because(error);
    if let Some(file) = position.file {
        ours = ours.in_file(file);
    }
    match position.record {
        Some(record) => ours.in_record(record, position.byte),
        None => ours,
    }
}

impl Parts for DatasetParts {
    fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    fn size(&self, part: usize) -> Result<Option<u64>> {
        let statistics = self.dataset.statistics(self.partition(part)?).map_err(failed)?;
        Ok(statistics.bytes.exact())
    }

    fn open(&self, part: usize, from: Place) -> Result<Box<dyn PartReader>> {
        let mut scan = self.dataset.scan(self.partition(part)?, &self.request).map_err(failed)?;
        let mut at = 0;
        if from.record > 0 && scan.seek(from.record).map_err(failed)? != Seek::NotOffered {
            at = from.record;
        }
        Ok(Box::new(Rows { scan, at, from: from.record, passed: 0 }))
    }

    fn fetch(&self, part: usize, runs: Vec<Run>) -> Result<Box<dyn PartReader>> {
        let file = &self.partition(part)?.file;
        let runs = runs.iter().map(|run| RecordRun::new(Arc::clone(file), run.from.record, run.count));
        let scan = self.dataset.take(&runs.collect::<Vec<_>>(), &self.request).map_err(failed)?;
        Ok(Box::new(Rows { scan, at: 0, from: 0, passed: 0 }))
    }

    fn index(&self, part: usize, _: IndexFor) -> Result<PartRecords> {
        let partition = self.partition(part)?;
        let statistics = self.dataset.statistics(partition).map_err(failed)?;
        if let Some(rows) = statistics.rows.exact() {
            return Ok(PartRecords::Counted(rows));
        }
        let request = self.request.clone().columns([""; 0]).batch_rows(COUNTED_ROWS).on_error(OnError::Fail);
        let mut scan = self.dataset.scan(partition, &request).map_err(failed)?;
        let mut rows = 0u64;
        while let Some(batch) = scan.next_batch().map_err(failed)? {
            rows = rows.saturating_add(batch.num_rows() as u64);
        }
        Ok(PartRecords::Counted(rows))
    }
}

/// The rows of a scan.
struct Rows {
    scan: Box<dyn Scan>,
    /// Number of the next record, where batches do not say it.
    at: u64,
    /// Number of the first record that is wanted.
    from: u64,
    /// Rows that were dropped since the last piece.
    passed: u64,
}

impl PartReader for Rows {
    fn read(&mut self, _: RecordBuffer) -> Result<Option<Raw>> {
        loop {
            let Some(batch) = self.scan.next_batch().map_err(failed)? else { return Ok(None) };
            let rows = batch.num_rows();
            let numbers = numbers(&batch, self.at);
            self.at = numbers.last().map_or(self.at, |last| last.saturating_add(1));
            let skip = numbers.partition_point(|&number| number < self.from);
            self.passed = self.passed.saturating_add(skip as u64);
            let Some(&number) = numbers.get(skip) else { continue };
            let batch = if skip > 0 { batch.slice(skip, rows - skip) } else { batch };
            let records = numbers.get(skip..).unwrap_or_default().to_vec();
            let cost = Cost {
                records: std::mem::take(&mut self.passed).saturating_add(records.len() as u64),
                ..Cost::default()
            };
            let next = Place { record: self.at, byte: 0 };
            let records = RawRecords::Batch(batch.into_columns(), records);
            return Ok(Some(Raw { records, first: number, next, cost }));
        }
    }
}

/// Returns the number of the record of each row: as the batch says, or counted from `at`.
fn numbers(batch: &Batch, at: u64) -> Vec<u64> {
    let mut numbers = (at..at.saturating_add(batch.num_rows() as u64)).collect::<Vec<_>>();
    for (row, origin, rows) in batch.origins().runs() {
        for (number, record) in numbers.iter_mut().skip(row).take(rows).zip(origin.record..) {
            *number = record;
        }
    }
    numbers
}
