//! Where records come from: the parts (files) of a data set, read from any record on.

mod dataset;
mod kept;
mod opener;
mod tfrecord;

use std::sync::Arc;

use arrow_array::RecordBatch;
use tfrecord_io::RecordBuffer;

pub(crate) use self::dataset::DatasetParts;
pub(crate) use self::kept::KeptIndexes;
pub use self::opener::{Input, LocalFiles, Opener};
pub(crate) use self::tfrecord::{FRAME, TfRecordParts};
use crate::Result;

/// Where a record begins in its part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// Its number.
    pub(crate) record: u64,
    /// The byte after decompression; 0 where parts have no bytes.
    pub(crate) byte: u64,
}

/// Records that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) from: Place,
    pub(crate) count: u64,
}

/// Records as they were read, to be parsed.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) records: RawRecords,
    /// The number of the first record; the others follow.
    pub(crate) first: u64,
    /// Where the next record begins.
    pub(crate) next: Place,
    /// What it took to read them, records that were passed over included.
    pub(crate) cost: Cost,
}

/// What was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Records that were framed, or rows that a source gave.
    pub(crate) records: u64,
    /// Their bytes, frames included; 0 where the source has none.
    pub(crate) bytes: u64,
    /// How many of the bytes came out of decompression.
    pub(crate) inflated: u64,
    /// Damaged places that were left out.
    pub(crate) damaged: u64,
}

#[derive(Debug)]
pub(crate) enum RawRecords {
    /// Framed records. Their own numbers may count from elsewhere.
    Frames(RecordBuffer),
    /// Records that are columns already, and the number of each.
    Batch(RecordBatch, Vec<u64>),
    /// Records that do not follow each other, each with its place.
    Apart(Vec<(Place, Vec<u8>)>),
}

/// Reads one part, piece by piece.
pub(crate) trait PartReader: Send {
    /// The next records, in `spare` if they are framed; `None` at the end.
    fn read(&mut self, spare: RecordBuffer) -> Result<Option<Raw>>;

    /// Whether it is known to be at its end, so that it can be closed at once: thousands of parts of which a few
    /// records are wanted are not to be open together.
    fn is_done(&self) -> bool {
        false
    }
}

/// The parts of a data set.
pub(crate) trait Parts: Send + Sync {
    /// Their names, for messages and to tell a data set from another.
    fn names(&self) -> &[Arc<str>];

    /// The size of a part in bytes, if that is known.
    fn size(&self, part: usize) -> Result<Option<u64>>;

    /// A reader of all records from a place on.
    fn open(&self, part: usize, from: Place) -> Result<Box<dyn PartReader>>;

    /// A reader of some records: runs in ascending order, none of which touch.
    fn fetch(&self, part: usize, runs: Vec<Run>) -> Result<Box<dyn PartReader>>;

    /// What the records of a part are and where, without reading them; an error says why that cannot be.
    fn index(&self, part: usize, purpose: IndexFor) -> Result<PartRecords>;
}

/// How many records a part has, and where they are, if that is known.
#[derive(Clone, Debug)]
pub(crate) enum PartRecords {
    /// Their number. They are found by it.
    Counted(u64),
    /// Where each of them is.
    Indexed(Arc<tfrecord_io::Index>),
}

impl PartRecords {
    /// Returns the number of records.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Counted(records) => *records,
            Self::Indexed(index) => index.len(),
        }
    }

    /// Returns the offset of a record, or 0 where records are found by their numbers; `None` if there is no such record.
    pub(crate) fn offset(&self, record: u64) -> Option<u64> {
        match self {
            Self::Counted(records) => (record < *records).then_some(0),
            Self::Indexed(index) => index.offset(record),
        }
    }

    /// Returns the offset just past a record, or 0.
    pub(crate) fn end(&self, record: u64) -> u64 {
        match self {
            Self::Counted(_) => 0,
            Self::Indexed(index) => index.frame(record).map_or(0, |frame| frame.end),
        }
    }
}

/// What an index of a part is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexFor {
    /// Reading records in any order.
    AnyOrder,
    /// Knowing how many there are.
    Count,
}
