//! Readers of records.

mod limits;
mod slice;

pub use limits::Limits;
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
