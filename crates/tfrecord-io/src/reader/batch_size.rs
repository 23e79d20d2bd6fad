//! Sizes of batches of records.

/// Size at which a batch of records is full, for [`Reader::read_batch`](crate::Reader::read_batch): a number of records, a number of bytes
/// of frames (a record and its 16 bytes), or whichever comes first.
///
/// ```
/// use tfrecord_io::BatchSize;
///
/// let size = BatchSize::records(1024).and_bytes(1 << 20);
/// assert_eq!(size, BatchSize::bytes(1 << 20).and_records(1024));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchSize {
    pub(crate) records: usize,
    pub(crate) bytes: usize,
}

impl BatchSize {
    /// Returns a size of at most this many records.
    #[must_use]
    pub const fn records(records: usize) -> Self {
        Self { records, bytes: usize::MAX }
    }

    /// Returns a size of at most this many bytes of frames, but one record at least.
    #[must_use]
    pub const fn bytes(bytes: usize) -> Self {
        Self { records: usize::MAX, bytes }
    }

    /// Returns the same with at most this many records.
    #[must_use]
    pub const fn and_records(mut self, records: usize) -> Self {
        self.records = records;
        self
    }

    /// Returns the same with at most this many bytes of frames, but one record at least.
    #[must_use]
    pub const fn and_bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }
}
