//! Readers of records.
//!
//! Three ways to read, from the easiest to the fastest:
//!
//! | way | copies a record | allocates |
//! | --- | --- | --- |
//! | [`Reader::into_records`], an iterator of owned records | once | once a record |
//! | [`Reader::next_record`], lends one record at a time | never | never (buffers are reused) |
//! | [`Reader::read_batch`], fills a [`RecordBuffer`] with many | never, but for a part of a frame at its end | never |
//!
//! A file in memory is read by [`SliceReader`], which hands out parts of that memory.
//!
//! Memory: the buffer ([`ReaderBuilder::buffer_bytes`]), one record or one batch, and for compressed input one more
//! buffer and a window of 32 KiB; whatever the size of the file.

mod ahead;
mod batch_size;
mod buffer;
mod builder;
mod decoder;
mod inflow;
mod memory;
pub(crate) mod push;
mod records;
mod slice;

pub use batch_size::BatchSize;
pub use buffer::{RecordBuffer, Records};
pub use builder::ReaderBuilder;
#[cfg(feature = "async")]
pub(crate) use builder::check_range;
pub(crate) use builder::open_file;
pub use decoder::FileDecoder;
pub(crate) use inflow::read_once;
pub use records::{OwnedRecords, Reader};
pub use slice::{SliceReader, SliceRecords};

/// One record, lent by a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Offset of the record's header in the uncompressed stream, in bytes, starting at 0.
    pub offset: u64,
    /// Number of the record, starting at 0 with the first one that this reader delivers.
    pub index: u64,
    /// The payload.
    pub data: &'a [u8],
}

/// A record with its own copy of the payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedRecord {
    /// Offset of the record's header in the uncompressed stream, in bytes, starting at 0.
    pub offset: u64,
    /// Number of the record, starting at 0.
    pub index: u64,
    /// The payload.
    pub data: Vec<u8>,
}

impl From<Record<'_>> for OwnedRecord {
    fn from(record: Record<'_>) -> Self {
        Self { offset: record.offset, index: record.index, data: record.data.to_vec() }
    }
}
