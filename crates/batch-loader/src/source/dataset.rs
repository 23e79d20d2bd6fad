//! The files of data sets as parts.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use arrow_schema::SchemaRef;
use tfxio_core::{
    ColumnPath, Dataset, Entries, ErrorKind, Estimate, OnError, Partition, RecordRun, Scan, ScanCounts,
    ScanRequest, Seek, Threading,
};

use super::explain::{Explain, no_count, no_order};
use super::rows::{PartRows, Pushed};
use super::{Filter, GROUP_BYTES, IndexFor, PartRecords, PartRun, RecordPosition, RecordSet};
use crate::error::Locate as _;
use crate::{Error, Kind, Result};

/// Rows and bytes of records that are made tensors of at once, and are shared by the examples in them.
const CHUNK_ROWS: usize = 512;
const CHUNK_BYTES: u64 = 96 << 10;

/// The files of data sets, one data set after the other. Records are found by their numbers, and by their offsets where these
/// are known.
#[derive(Debug)]
pub(crate) struct Parts {
    names: Vec<Arc<str>>,
    parts: Vec<Part>,
}

/// A file.
#[derive(Debug)]
pub(crate) struct Part {
    source: Arc<DatasetSource>,
    partition: Partition,
    /// Whether it is the first of its data set.
    is_first: bool,
    /// Number of its records, if it is compressed and was found to be small.
    small: OnceLock<u64>,
    /// Number of its records, if that is known without reading them.
    rows: OnceLock<Option<u64>>,
}

/// The data set of files, and how it is read.
#[derive(Debug)]
struct DatasetSource {
    dataset: Arc<dyn Dataset>,
    request: ScanRequest,
    /// Filter of the records that are read.
    filter: Option<Filter>,
    explain: Explain,
    /// Bytes after decompression of the files that are read from their starts to find a record.
    small: AtomicU64,
}

/// The columns of a data set.
#[derive(Debug, Default)]
pub(crate) struct DatasetColumns {
    /// The columns that are read.
    pub(crate) read: Vec<ColumnPath>,
    /// All columns of the data set, if they are known.
    pub(crate) all: Option<SchemaRef>,
}

impl Parts {
    /// Returns the files of a data set, with these columns and the columns of the filter.
    ///
    /// # Errors
    /// When the filter does not fit the data set, when the data set cannot list its partitions, or cannot read a file
    /// as one partition.
    pub(crate) fn new(
        dataset: Arc<dyn Dataset>,
        mut columns: Vec<ColumnPath>,
        filter: Option<Filter>,
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
        if let Some(filter) = &filter {
            filter.check(dataset.schema())?;
            filter.append_columns(&mut columns);
        }
        let filter = filter.or_else(|| dataset.leaves_out().then(Filter::of_dataset));
        let request = request.columns(columns).batch_rows(CHUNK_ROWS).batch_bytes(CHUNK_BYTES);
        let source =
            Arc::new(DatasetSource { dataset, request, filter, explain, small: AtomicU64::default() });
        let part = |(at, partition)| {
            let source = Arc::clone(&source);
            Part { source, partition, is_first: at == 0, small: OnceLock::new(), rows: OnceLock::new() }
        };
        Ok(Self { names, parts: partitions.into_iter().enumerate().map(part).collect() })
    }

    /// Returns the columns of the data set of the first file.
    pub(crate) fn columns(&self) -> DatasetColumns {
        let Some(Part { source, .. }) = self.parts.first() else { return DatasetColumns::default() };
        let read = source.request.columns.iter().flatten().map(|column| column.path.clone());
        // A manifest need not describe every feature.
        let all = (!source.explain.is_manifest()).then(|| Arc::clone(source.dataset.schema()));
        DatasetColumns { read: read.collect(), all }
    }

    /// Appends the files of another data set.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.names.append(&mut other.names);
        self.parts.append(&mut other.parts);
    }

    /// Returns the names of the files, for messages and to tell a data set from another.
    pub(crate) fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// Returns a file.
    ///
    /// # Errors
    /// The file does not exist.
    pub(crate) fn part(&self, part: usize) -> Result<&Part> {
        self.parts.get(part).ok_or_else(|| Error::new(Kind::Source, "the data set has no such file"))
    }
}

impl DatasetSource {
    /// Returns the request of a scan on which these threads may work.
    fn request(&self, threading: &Threading) -> ScanRequest {
        self.request.clone().threads(threading.threads).spawn(Arc::clone(&threading.spawn))
    }

    fn skips(&self) -> bool {
        self.request.on_error.skip().is_some()
    }
}

impl Part {
    fn rows(&self, scan: Box<dyn Scan>, at: u64, runs: Vec<PartRun>) -> PartRows {
        let file = self.source.skips().then(|| Arc::clone(&self.partition.file));
        PartRows::new(scan, at, runs, file, self.source.explain.clone())
    }

    /// Checks whether the records of a file can be read in any order. Where all records before one must be read to find
    /// it, this is refused if the file is compressed and not small; otherwise a warning is logged.
    fn check_order(&self, rows: u64) -> Result<()> {
        let (DatasetSource { dataset, request, explain, .. }, partition) = (&*self.source, &self.partition);
        let last = rows.saturating_sub(1);
        let request = request.clone().columns([""; 0]).threads(1);
        let seek = dataset.scan(partition, &request)?.seek(last)?;
        let reads_all = match seek {
            Seek::Exact => false,
            Seek::Read(records) => records >= last,
            _ => true,
        };
        if !reads_all || last == 0 {
            return Ok(());
        }
        if explain.is_compressed() {
            return self.count_small().map(drop);
        }
        let file = &*partition.file;
        tracing::warn!(file, "to find a record, all that precede it are read: a global shuffle will be slow");
        Ok(())
    }

    /// Returns the number of records of a compressed file in which all records before one must be read to find it. This
    /// is refused unless all such files together have, after decompression, at most the bytes of a group of records
    /// that a global shuffle reads at once.
    fn count_small(&self) -> Result<u64> {
        if let Some(records) = self.small.get() {
            return Ok(*records);
        }
        let DatasetSource { dataset, request, small, .. } = &*self.source;
        let mut scan = dataset.scan(&self.partition, &request.clone().columns([""; 0]).threads(1))?;
        let mut read = ScanCounts::default();
        while scan.next_batch()?.is_some() {
            let bytes = scan.counts().since(read).bytes;
            read = scan.counts();
            if small.fetch_add(bytes, Relaxed).saturating_add(bytes) > GROUP_BYTES.1 {
                return Err(no_order(&self.partition.file));
            }
        }
        Ok(*self.small.get_or_init(|| read.records))
    }

    /// Counts the records of a file by reading as little of it as that takes: all of a compressed one.
    fn count(&self) -> Result<u64> {
        let DatasetSource { dataset, request, .. } = &*self.source;
        dataset.count_records(&self.partition, &request.clone().on_error(OnError::Fail).threads(1))
    }

    /// Returns where the file of `records` records can be entered.
    pub(crate) fn entries(&self, records: u64) -> Result<Entries> {
        let DatasetSource { dataset, explain, .. } = &*self.source;
        let entries = dataset.entries(&self.partition, records);
        entries.map_err(|error| explain.error(error).without_skip())
    }

    /// Returns which records are read; `None` for all.
    pub(crate) fn filter(&self) -> Option<&Filter> {
        self.source.filter.as_ref()
    }

    /// Returns the records that the filter keeps, and the number that it leaves out, by reading its columns; `None`
    /// without a filter.
    pub(crate) fn kept(&self) -> Result<Option<(RecordSet, u64)>> {
        let DatasetSource { request, filter, explain, .. } = &*self.source;
        let Some(filter) = filter else { return Ok(None) };
        let mut columns = Vec::new();
        filter.append_columns(&mut columns);
        let request = request.clone().columns(columns).on_error(OnError::Fail).threads(1);
        let count = || {
            let mut rows = self.scan(RecordPosition::default(), &request)?;
            let (mut kept, mut left_out) = (RecordSet::default(), 0u64);
            while let Some(raw) = rows.read()? {
                let (raw, others) = filter.rows(raw)?;
                raw.records.iter().for_each(|&record| kept.push(record));
                left_out = left_out.saturating_add(others);
            }
            Ok(Some((kept, left_out)))
        };
        count().map_err(|error| explain.error(error).without_skip())
    }

    /// Returns the number of records, if that is known without reading them.
    fn known_rows(&self) -> Result<Option<u64>> {
        if let Some(rows) = self.rows.get() {
            return Ok(*rows);
        }
        let dataset = &self.source.dataset;
        // Rows are fewer than records where the data set leaves out some itself.
        let rows = match dataset.leaves_out() {
            true => None,
            false => dataset.statistics(&self.partition)?.rows.exact(),
        };
        Ok(*self.rows.get_or_init(|| rows))
    }

    /// Returns a reader of all records from a position on.
    ///
    /// The scan is given the filter, by which formats skip what their statistics exclude, where records that it leaves out are told
    /// from damaged ones and can be counted: positions are numbers in the file, with and without a filter.
    fn scan(&self, from: RecordPosition, request: &ScanRequest) -> Result<PartRows> {
        let filter = self.source.filter.as_ref().filter(|_| request.on_error.skip().is_none());
        let filter = filter.and_then(Filter::predicate);
        let known = filter.map(|_| self.known_rows()).transpose()?.flatten();
        let all = vec![PartRun { from, count: u64::MAX }];
        let (dataset, partition) = (&self.source.dataset, &self.partition);
        let (Some(filter), Some(records)) = (filter, known) else {
            let (scan, at) = enter(&**dataset, partition, request, from)?;
            return Ok(self.rows(scan, at, all));
        };
        let filtered = request.clone().filter(filter.clone());
        let (scan, at) = enter(&**dataset, partition, &filtered, from)?;
        let is_applied = dataset.applies_filter(&filtered);
        let (dataset, partition, request) = (Arc::clone(dataset), partition.clone(), request.clone());
        let unfiltered = Box::new(move || enter(&*dataset, &partition, &request, from));
        let pushed = Pushed { records, next: from.record, is_applied, unfiltered: Some(unfiltered) };
        Ok(self.rows(scan, at, all).pushed(Some(pushed)))
    }

    /// Returns the size of the file in bytes, if that is known.
    pub(crate) fn size(&self) -> Result<Option<u64>> {
        let DatasetSource { dataset, explain, .. } = &*self.source;
        let statistics = dataset.statistics(&self.partition);
        Ok(statistics.map_err(|error| explain.error(error))?.bytes.exact())
    }

    /// Returns a reader of all records from a position on, on which these threads may work.
    pub(crate) fn open(&self, from: RecordPosition, threading: &Threading) -> Result<PartRows> {
        tracing::debug!(file = &*self.partition.file, record = from.record, "opening");
        let rows = self.scan(from, &self.source.request(threading));
        rows.map_err(|error| self.source.explain.error(error))
    }

    /// Returns a reader of some records, on which these threads may work: runs in ascending order, none of which touch.
    pub(crate) fn fetch(&self, runs: Vec<PartRun>, threading: &Threading) -> Result<PartRows> {
        let (DatasetSource { dataset, explain, .. }, partition) = (&*self.source, &self.partition);
        let request = self.source.request(threading);
        if self.source.skips() {
            // The numbers of records after damage are known by reading it.
            let scan = dataset.scan(partition, &request).map_err(|error| explain.error(error))?;
            return Ok(self.rows(scan, 0, runs));
        }
        let taken = runs.iter().map(|run| {
            let taken = RecordRun::new(Arc::clone(&partition.file), run.from.record, run.count);
            if run.from.byte > 0 || run.from.record == 0 { taken.byte(run.from.byte) } else { taken }
        });
        let scan = dataset.take_in_file(partition, &taken.collect::<Vec<_>>(), &request);
        let scan = scan.map_err(|error| explain.error(error))?;
        let at = runs.first().map_or(0, |run| run.from.record);
        Ok(self.rows(scan, at, runs).taken())
    }

    /// Returns the number of records of the file, determined without decoding them.
    ///
    /// # Errors
    /// When the number cannot be determined.
    pub(crate) fn index(&self, purpose: IndexFor) -> Result<PartRecords> {
        let (DatasetSource { dataset, explain, .. }, partition) = (&*self.source, &self.partition);
        let count = || {
            let statistics = dataset.statistics(partition)?;
            let records = match statistics.rows {
                Estimate::Exact(records) if !dataset.leaves_out() => records,
                _ if purpose == IndexFor::Blocks => self.count()?,
                _ if explain.is_compressed() => match purpose {
                    IndexFor::AnyOrder => self.count_small()?,
                    _ => return Err(no_count(&partition.file)),
                },
                _ => self.count()?,
            };
            // One file tells how those are entered that are not compressed.
            if purpose == IndexFor::AnyOrder && (self.is_first || explain.is_compressed()) {
                self.check_order(records)?;
            }
            Ok(PartRecords { records, bytes: statistics.bytes.exact().unwrap_or(0) })
        };
        count().map_err(|error| explain.error(error).without_skip())
    }
}

/// Returns a scan from a record on, and the number of the first record that it gives, which counts where batches have
/// no record numbers.
fn enter(
    dataset: &dyn Dataset,
    partition: &Partition,
    request: &ScanRequest,
    from: RecordPosition,
) -> Result<(Box<dyn Scan>, u64)> {
    let mut scan = dataset.scan(partition, request)?;
    if from.record == 0 {
        return Ok((scan, 0));
    }
    let entered = match from.byte {
        0 => None,
        byte => match scan.seek_to_byte(from.record, byte) {
            // The position may be the end of the file, where no record is.
            Err(error) if error.kind() == ErrorKind::InvalidArgument => {
                scan = dataset.scan(partition, request)?;
                None
            }
            seek => Some((seek?, from.record)),
        },
    };
    let (seek, at) = match entered {
        Some(entered) => entered,
        // The record before is there in any case.
        None => (scan.seek(from.record - 1)?, from.record - 1),
    };
    Ok((scan, if seek == Seek::NotOffered { 0 } else { at }))
}
