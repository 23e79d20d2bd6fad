//! The files of any data set as parts.

use std::sync::Arc;

use tfxio_core::{
    ColumnPath, Dataset, Known, OnError, Partition, RecordRun, Scan, ScanRequest, Seek, Threading,
};

use super::explain::{Explain, no_count, no_order};
use super::rows::Rows;
use super::{IndexFor, PartReader, PartRecords, Parts, Place, Run};
use crate::error::Locate as _;
use crate::{Error, Kind, Result};

/// Rows and bytes of records that are made tensors of at once, and are shared by the examples in them.
const PIECE_ROWS: usize = 512;
const PIECE_BYTES: u64 = 96 << 10;

/// The files of a data set. Records are found by their numbers, and by their offsets where these are known.
#[derive(Debug)]
pub(crate) struct DatasetParts {
    dataset: Arc<dyn Dataset>,
    names: Vec<Arc<str>>,
    partitions: Vec<Partition>,
    request: ScanRequest,
    explain: Explain,
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
        explain: Explain,
    ) -> Result<Self> {
        let partitions = dataset.partitions(u64::MAX).map_err(|error| explain.error(error))?;
        let names = partitions.iter().map(|partition| Arc::clone(&partition.file)).collect::<Vec<_>>();
        let twice = partitions.windows(2).find_map(|pair| match pair {
            [first, second] if first.file == second.file && !second.is_whole() => Some(&first.file),
            _ => None,
        });
        if let Some(twice) = twice {
            let what =
                "the file is cut into several partitions, of which records are not found by their numbers";
            return Err(Error::new(Kind::Source, what).in_file(Arc::clone(twice)));
        }
        let request = request.columns(columns).batch_rows(PIECE_ROWS).batch_bytes(PIECE_BYTES);
        Ok(Self { dataset, names, partitions, request, explain })
    }

    /// Returns the request of a scan on which these threads may work.
    fn request(&self, threading: &Threading) -> ScanRequest {
        self.request.clone().threads(threading.threads).spawn(Arc::clone(&threading.spawn))
    }

    fn partition(&self, part: usize) -> Result<&Partition> {
        self.partitions.get(part).ok_or_else(|| Error::new(Kind::Source, "the data set has no such file"))
    }

    fn rows(&self, part: usize, scan: Box<dyn Scan>, at: u64, runs: Vec<Run>) -> Rows {
        let file = self.names.get(part).filter(|_| self.skips()).map(Arc::clone);
        Rows::new(scan, at, runs, file, self.explain.clone())
    }

    fn skips(&self) -> bool {
        self.request.on_error.skip().is_some()
    }

    /// Refuses to read the records of a file in any order, or says what that costs, where all that precedes a record must
    /// be read to find it.
    fn check_order(&self, partition: &Partition, rows: u64) -> Result<()> {
        let last = rows.saturating_sub(1);
        let request = self.request.clone().columns([""; 0]).threads(1);
        let seek = self.dataset.scan(partition, &request)?.seek(last)?;
        let reads_all = match seek {
            Seek::Exact => false,
            Seek::Read(records) => records >= last,
            _ => true,
        };
        if !reads_all || last == 0 {
            return Ok(());
        }
        if self.explain.is_compressed() {
            return Err(no_order(&partition.file));
        }
        let file = &*partition.file;
        tracing::warn!(file, "to find a record, all that precede it are read: a global shuffle will be slow");
        Ok(())
    }
}

impl Parts for DatasetParts {
    fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    fn size(&self, part: usize) -> Result<Option<u64>> {
        let statistics = self.dataset.statistics(self.partition(part)?);
        Ok(statistics.map_err(|error| self.explain.error(error))?.bytes.exact())
    }

    fn open(&self, part: usize, from: Place, threading: &Threading) -> Result<Box<dyn PartReader>> {
        let open = || {
            let mut scan = self.dataset.scan(self.partition(part)?, &self.request(threading))?;
            let seek = match from {
                Place { record: 0, .. } => Seek::NotOffered,
                Place { record, byte: 0 } => scan.seek(record)?,
                Place { record, byte } => scan.seek_to_byte(record, byte)?,
            };
            let at = if seek == Seek::NotOffered { 0 } else { from.record };
            Ok((scan, at))
        };
        let (scan, at) = open().map_err(|error| self.explain.error(error))?;
        let all = Run { from, count: u64::MAX };
        Ok(Box::new(self.rows(part, scan, at, vec![all])))
    }

    fn fetch(&self, part: usize, runs: Vec<Run>, threading: &Threading) -> Result<Box<dyn PartReader>> {
        let partition = self.partition(part)?;
        if self.skips() {
            // The numbers of records after damage are known by reading it.
            let scan = self.dataset.scan(partition, &self.request(threading));
            let scan = scan.map_err(|error| self.explain.error(error))?;
            return Ok(Box::new(self.rows(part, scan, 0, runs)));
        }
        let taken = runs.iter().map(|run| {
            let taken = RecordRun::new(Arc::clone(&partition.file), run.from.record, run.count);
            if run.from.byte > 0 || run.from.record == 0 { taken.byte(run.from.byte) } else { taken }
        });
        let scan = self.dataset.take(&taken.collect::<Vec<_>>(), &self.request(threading));
        let scan = scan.map_err(|error| self.explain.error(error))?;
        let at = runs.first().map_or(0, |run| run.from.record);
        Ok(Box::new(self.rows(part, scan, at, runs)))
    }

    fn index(&self, part: usize, purpose: IndexFor) -> Result<PartRecords> {
        let partition = self.partition(part)?;
        let count = || {
            let statistics = self.dataset.statistics(partition)?;
            let records = match statistics.rows {
                Known::Exact(records) => records,
                _ if self.explain.is_compressed() => {
                    return Err(match purpose {
                        IndexFor::AnyOrder => no_order(&partition.file),
                        IndexFor::Count => no_count(&partition.file),
                    });
                }
                _ => {
                    let request = self.request.clone().on_error(OnError::Fail).threads(1);
                    self.dataset.count_rows(partition, &request)?
                }
            };
            // One file tells how those are entered that are not compressed.
            if purpose == IndexFor::AnyOrder && (part == 0 || self.explain.is_compressed()) {
                self.check_order(partition, records)?;
            }
            Ok(PartRecords { records, bytes: statistics.bytes.exact().unwrap_or(0) })
        };
        count().map_err(|error| self.explain.error(error).without_skip())
    }
}
