//! Limits on what a reader accepts from input.

/// Upper bounds on what input may claim, cumulative over a record or a batch, so that many small
/// claims cannot add up.
///
/// The defaults are far above what training data contain and far below what hurts a machine.
/// Raise them for data that need it:
///
/// ```
/// use tfxio_base::Limits;
/// let limits = Limits::default().batch_bytes(16 << 30);
/// assert_eq!(limits.nesting, 100);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Limits {
    /// Bytes in one record. Default 2 GiB − 1, protobuf's own bound on a message.
    pub record_bytes: u64,
    /// Bytes of output for each byte of compressed input, over a whole stream. Default 2,048
    /// (deflate cannot exceed 1,032).
    pub decompression_ratio: u64,
    /// Bytes after decompression, over a whole file. Default unlimited (`u64::MAX`): files larger
    /// than memory are read in constant memory.
    pub decompressed_bytes: u64,
    /// Levels of nested messages and groups. Default 100, as in protobuf.
    pub nesting: u32,
    /// Columns of one batch. Default 100,000.
    pub columns: usize,
    /// Values (list items) in one row, over all columns. Default 2^31 − 1.
    pub list_items: u64,
    /// Items of Avro arrays that have no bytes (nulls, records without fields, fixed types of size 0), over all rows of
    /// one batch: a few bytes can claim any number of them. Default 67,108,864.
    pub empty_items: u64,
    /// Rows of one file that have no bytes, such as records of Avro without fields and rows of Arrow and Parquet files without
    /// columns: a few bytes can claim any number of them. Default 67,108,864.
    pub empty_rows: u64,
    /// Blocks of Avro files whose offsets are kept in memory (16 bytes each) to find records by number, over all files of a
    /// data set. Of a file with more than its share, every second is kept, every fourth and so on, and those between are read
    /// again. Default 4,194,304.
    pub block_offsets: usize,
    /// Bytes of one batch, over all columns. Default 8 GiB.
    pub batch_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            record_bytes: i32::MAX as u64,
            decompression_ratio: 2048,
            decompressed_bytes: u64::MAX,
            nesting: 100,
            columns: 100_000,
            list_items: i32::MAX as u64,
            empty_items: 1 << 26,
            empty_rows: 1 << 26,
            block_offsets: 1 << 22,
            batch_bytes: 8 << 30,
        }
    }
}

/// Defines a setter for each bound.
macro_rules! setters {
    ($($name:ident: $kind:ty),+) => {
        impl Limits {
            $(
                #[doc = concat!("Sets [`Limits::", stringify!($name), "`].")]
                #[must_use]
                pub fn $name(mut self, $name: $kind) -> Self {
                    self.$name = $name;
                    self
                }
            )+
        }
    };
}

setters!(
    record_bytes: u64,
    decompression_ratio: u64,
    decompressed_bytes: u64,
    nesting: u32,
    columns: usize,
    list_items: u64,
    empty_items: u64,
    empty_rows: u64,
    block_offsets: usize,
    batch_bytes: u64
);
