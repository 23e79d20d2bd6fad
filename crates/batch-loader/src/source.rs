//! Source of records: the files of a data set, read from any record on.

mod dataset;
mod described;
mod explain;
mod filter;
mod record_set;
mod rows;

use arrow_array::RecordBatch;
use tfxio_core::ScanCounts;

pub(crate) use self::dataset::{DatasetColumns, Part, Parts};
pub(crate) use self::described::{Described, open, size};
pub(crate) use self::explain::Explain;
pub(crate) use self::filter::Filter;
pub(crate) use self::record_set::RecordSet;
pub(crate) use self::rows::PartRows;

/// Bytes of records at which a group that is read together is full: for each reading thread, and the least. Two groups are
/// held, one that is handed out and one that is read.
pub(crate) const GROUP_BYTES: (u64, u64) = (2 << 20, 4 << 20);

/// Position of a record in its part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RecordPosition {
    /// Its number.
    pub(crate) record: u64,
    /// The byte after decompression; 0 where parts have no bytes.
    pub(crate) byte: u64,
}

/// Records that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartRun {
    pub(crate) from: RecordPosition,
    pub(crate) count: u64,
}

/// Records as they were read, to be made tensors of.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) batch: RecordBatch,
    /// The number of each record.
    pub(crate) records: Vec<u64>,
    /// The byte at which each record begins; empty where that is not known of all.
    pub(crate) bytes: Vec<u64>,
    /// Position of the next record.
    pub(crate) next: RecordPosition,
    /// Number of records before the next one that the scan itself left out by the filter.
    pub(crate) passed: u64,
    /// Whether the scan returned exactly the records that satisfy the filter.
    pub(crate) is_filtered: bool,
    /// Cost of reading them, including the records that were passed over.
    pub(crate) cost: ScanCounts,
}

impl Raw {
    /// Returns the first records, of a batch that goes no further.
    pub(crate) fn first(mut self, rows: usize) -> Self {
        self.batch = self.batch.slice(0, rows.min(self.batch.num_rows()));
        self.records.truncate(rows);
        self.bytes.truncate(rows);
        self
    }
}

/// Number of records and bytes of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PartRecords {
    /// Their number.
    pub(crate) records: u64,
    /// The bytes of the part as it is stored, or 0.
    pub(crate) bytes: u64,
}

impl PartRecords {
    /// Returns about how many bytes are read for some of the records; 0 where that is not known.
    pub(crate) fn bytes_of(&self, records: u64) -> u64 {
        records.saturating_mul(self.bytes.checked_div(self.records).unwrap_or(0))
    }
}

/// Purpose of the number of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexFor {
    /// Reading records in any order.
    AnyOrder,
    /// Reading blocks of records in any order.
    Blocks,
    /// Knowing how many there are.
    Count,
}
