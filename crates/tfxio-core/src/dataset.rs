//! Data sets and scans: what everything that reads is written against.

use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_base::{Error, ErrorKind, Result};

use crate::entries::entries_by_seeking;
use crate::take::{count_by_scanning, take_by_seeking};
use crate::{Batch, DatasetSpec, Entries, Loss, Partition, PartitionStatistics, RecordRun, ScanRequest};

/// A data set: opened once, immutable, used as `Arc<dyn Dataset>`.
///
/// Three methods make one: its schema, its partitions, and a scan of a partition. This is TFXIO of TensorFlow RFC 162
/// (Standardized TFX Inputs): `partitions` and `scan` are all that a distributed engine needs.
pub trait Dataset: fmt::Debug + Send + Sync {
    /// Returns the schema of the batches that a request without columns gets. It is fixed when the data set is opened;
    /// asking costs nothing.
    fn schema(&self) -> &SchemaRef;

    /// Returns partitions of about `target_bytes` that hold every record exactly once, in order.
    ///
    /// # Errors
    /// When a file cannot be opened, or its framing is damaged where it must be cut.
    fn partitions(&self, target_bytes: u64) -> Result<Vec<Partition>>;

    /// Starts a scan of one partition. Starts no thread.
    ///
    /// # Errors
    /// When the partition cannot be opened or a column does not exist. Errors in the data come from the scan.
    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>>;

    /// Returns whether scans of a request return exactly the rows that satisfy its [filter](ScanRequest::filter), and end at its
    /// limit, so that what reads above them evaluates nothing again. Default: no.
    fn applies_filter(&self, request: &ScanRequest) -> bool {
        let _ = request;
        false
    }

    /// Starts one scan of several partitions, whose batches may hold rows of more than one, so that threads need not stop
    /// at the end of each. Default: not offered; then each is scanned by itself.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    fn scan_all(&self, partitions: &[Partition], request: &ScanRequest) -> Result<Option<Box<dyn Scan>>> {
        let _ = (partitions, request);
        Ok(None)
    }

    /// Returns the schema of the batches of a request, without opening a partition where the format can tell: what reads
    /// a pipe may then still be the first to do so. Default: starts a scan of the first partition.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        match self.partitions(u64::MAX)?.first() {
            Some(partition) => Ok(Arc::clone(self.scan(partition, request)?.schema())),
            None => Ok(Arc::clone(self.schema())),
        }
    }

    /// Returns the information loss detected when the data set was opened: names of columns, each with what is lost, such
    /// as leading zeros of the numbers of a text file. A conversion reports it, or refuses it. Default: nothing.
    fn losses(&self) -> Vec<Loss> {
        Vec::new()
    }

    /// Returns what a user may not expect of what was opened, in sentences without full stops, such as that other characters than those
    /// that were looked for separate the cells of a text file. Default: nothing.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Refuses a data set of which files are missing, such as a shard of a set whose others are there. A reader of what there is need
    /// not ask; what trains on all of it, such as a loader, does. Default: nothing is missing.
    ///
    /// # Errors
    /// `NotFound` with the missing files.
    fn check_complete(&self) -> Result<()> {
        Ok(())
    }

    /// Reads chosen records, in the order of the runs; their numbers count from the beginning of each file. Carries global
    /// shuffle and samples. Default: scans the partitions of the files and [seeks](Scan::seek).
    ///
    /// # Errors
    /// As [`scan`](Self::scan), and when a file or a record does not exist.
    fn take(&self, runs: &[RecordRun], request: &ScanRequest) -> Result<Box<dyn Scan>> {
        take_by_seeking(self, runs, request)
    }

    /// Reads chosen records of one file, as [`take`](Self::take) does of all. `file` is a partition that is a whole file, so that the
    /// data set need not look for it: what reads one file after the other, such as a loader, then costs no more where there are many.
    /// Default: [`take`](Self::take). A data set that has no `take` of its own does best by
    /// [`take_in_file_by_seeking`](crate::take_in_file_by_seeking).
    ///
    /// # Errors
    /// As [`take`](Self::take).
    fn take_in_file(
        &self,
        file: &Partition,
        runs: &[RecordRun],
        request: &ScanRequest,
    ) -> Result<Box<dyn Scan>> {
        let _ = file;
        self.take(runs, request)
    }

    /// Returns what is known of a partition without reading its data. Default: nothing.
    ///
    /// # Errors
    /// When an index or a footer that should contain it is damaged.
    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        let _ = partition;
        Ok(PartitionStatistics::default())
    }

    /// Returns the number of rows of a partition: from its [`statistics`](Self::statistics) if they contain it, else by
    /// reading as little as that takes. Default: scans it without columns. A format that finds the offsets of records on
    /// the way keeps them for [`take`](Self::take).
    ///
    /// # Errors
    /// When the partition cannot be read to its end.
    fn count_rows(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        count_by_scanning(self, partition, request)
    }

    /// Returns whether records of files are left out, such as records that do not satisfy a condition. The others keep
    /// their numbers in the file, below [`count_records`](Self::count_records), and batches have the
    /// [origins](Batch::origins) of all rows. Default: no.
    fn leaves_out(&self) -> bool {
        false
    }

    /// Returns the number of records of a partition that is a whole file, [left out](Self::leaves_out) records included:
    /// the numbers of all rows are below it. Default: [`count_rows`](Self::count_rows).
    ///
    /// # Errors
    /// As [`count_rows`](Self::count_rows).
    fn count_records(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        self.count_rows(partition, request)
    }

    /// Returns where a whole file of `records` records can be entered without reading what precedes. A loader that shuffles by
    /// blocks cuts files there. Default: [seeks](Scan::seek) to the last record.
    ///
    /// # Errors
    /// When the file cannot be opened, or its index or footer is damaged.
    fn entries(&self, partition: &Partition, records: u64) -> Result<Entries> {
        entries_by_seeking(self, partition, records)
    }

    /// Returns a description from which another process opens the same data set without looking at the data again. The
    /// opener attaches it; a data set that was built in another way has none. A format that infers more than the schema
    /// when it opens files, such as the format of their records, implements this to put it into the options.
    ///
    /// # Errors
    /// `Unsupported` where there is none.
    fn spec(&self) -> Result<DatasetSpec> {
        let what = "the data set has no description to open it by in another process";
        Err(Error::new(ErrorKind::Unsupported, what).help("open it with OpenOptions"))
    }

    /// Returns the description within this process, also for a data set that no other process could open, such as one of
    /// standard input. Default: [`spec`](Self::spec).
    ///
    /// # Errors
    /// As [`spec`](Self::spec).
    fn local_spec(&self) -> Result<DatasetSpec> {
        self.spec()
    }
}

/// A scan of a partition: a unit of work that an engine schedules.
pub trait Scan: Send {
    /// Returns the schema of every batch.
    fn schema(&self) -> &SchemaRef;

    /// Returns the next batch, or `None` after the last. A scan that has failed stays at its end.
    ///
    /// # Errors
    /// Whatever the data or the input meet, with the position.
    fn next_batch(&mut self) -> Result<Option<Batch>>;

    /// Keeps about this fraction of the remaining partition and returns the rest, which nobody has read: every record
    /// stays in exactly one of the two. `None` (the default) where the rest cannot be entered without reading what
    /// precedes it, as in a plain gzip stream, or where too little remains.
    ///
    /// # Errors
    /// When the offset of the cut cannot be found.
    fn try_split(&mut self, fraction: f64) -> Result<Option<Partition>> {
        let _ = fraction;
        Ok(None)
    }

    /// Returns the partition of what was not returned yet, from which a scan resumes; `None` (the default) where that is
    /// not offered.
    fn remaining(&self) -> Option<Partition> {
        None
    }

    /// Moves to a record of the partition by its number in the file, so that the next batch begins with it. Says what
    /// that costs; with [`Seek::NotOffered`] (the default) nothing has changed.
    ///
    /// # Errors
    /// When the record is not in the partition or what precedes it cannot be read.
    fn seek(&mut self, record: u64) -> Result<Seek> {
        let _ = record;
        Ok(Seek::NotOffered)
    }

    /// Moves to a record whose offset in the uncompressed file is known from [`RowOrigin::byte`](crate::RowOrigin::byte): a
    /// format that can enter there needs no index. Default: [`seek`](Self::seek).
    ///
    /// # Errors
    /// As [`seek`](Self::seek). The check that a record begins at the offset may be left to the next batch.
    fn seek_to_byte(&mut self, record: u64, byte: u64) -> Result<Seek> {
        let _ = byte;
        self.seek(record)
    }

    /// Returns what was read for the batches that were returned, records that were passed over included. Default: nothing is
    /// known.
    fn counts(&self) -> ScanCounts {
        ScanCounts::default()
    }
}

/// Counts of records and bytes that a scan has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScanCounts {
    /// Number of records, passed-over records included.
    pub records: u64,
    /// Number of bytes of these records in the uncompressed file, their frames included.
    pub bytes: u64,
    /// Number of these bytes that were decompressed.
    pub decompressed: u64,
}

impl ScanCounts {
    /// Sets the number of records.
    #[must_use]
    pub fn records(mut self, records: u64) -> Self {
        self.records = records;
        self
    }

    /// Sets the number of bytes.
    #[must_use]
    pub fn bytes(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets the number of decompressed bytes.
    #[must_use]
    pub fn decompressed(mut self, bytes: u64) -> Self {
        self.decompressed = bytes;
        self
    }

    /// Returns the sums of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            records: self.records.saturating_add(other.records),
            bytes: self.bytes.saturating_add(other.bytes),
            decompressed: self.decompressed.saturating_add(other.decompressed),
        }
    }

    /// Returns what came after `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            records: self.records.saturating_sub(earlier.records),
            bytes: self.bytes.saturating_sub(earlier.bytes),
            decompressed: self.decompressed.saturating_sub(earlier.decompressed),
        }
    }
}

/// Cost of a seek.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Seek {
    /// The record was entered directly.
    Exact,
    /// This many records before it were read and dropped.
    Read(u64),
    /// The scan cannot seek; it is where it was.
    NotOffered,
}
