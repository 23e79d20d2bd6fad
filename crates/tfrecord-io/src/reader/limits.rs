//! What a reader takes from its input before it gives up.

use crate::compression::members::Member;

/// Limits on what an input may claim or become. Memory is never taken because a file says so; these limits bound what
/// it may *really* make a reader hold or do.
///
/// ```
/// use tfrecord_io::Limits;
/// let limits = Limits::default().with_max_record_bytes(1 << 20);
/// assert_eq!(limits.max_record_bytes, 1 << 20);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest payload in bytes. Default: 1 GiB, which is more than a tf.Example can be used with in protobuf's
    /// own parsers, if not by much (they stop at 2 GiB).
    pub max_record_bytes: u64,
    /// The most bytes that one compressed byte may become, on average over the whole stream. Default: 1,100, which
    /// is just above what deflate can reach (1,032), so that it bites only when set lower.
    pub max_ratio: u32,
    /// The most bytes that a compressed input may become in all. Default: no limit, because a stream is read in
    /// constant memory whatever its size.
    pub max_uncompressed_bytes: u64,
}

impl Limits {
    /// The default of [`Limits::max_record_bytes`]: 1 GiB.
    pub const DEFAULT_MAX_RECORD_BYTES: u64 = 1 << 30;

    /// Sets [`Limits::max_record_bytes`].
    pub fn with_max_record_bytes(mut self, bytes: u64) -> Self {
        self.max_record_bytes = bytes;
        self
    }

    /// Sets [`Limits::max_ratio`].
    pub fn with_max_ratio(mut self, ratio: u32) -> Self {
        self.max_ratio = ratio;
        self
    }

    /// Sets [`Limits::max_uncompressed_bytes`].
    pub fn with_max_uncompressed_bytes(mut self, bytes: u64) -> Self {
        self.max_uncompressed_bytes = bytes;
        self
    }

    /// Whether a gzip file of these members stays within the limits of decompression, if each becomes what its header
    /// says; [`members::inflate`](crate::compression::members::inflate) compares that.
    pub fn allow_members(&self, members: &[Member]) -> bool {
        let bytes = members.last().map_or(0, |last| last.offset.saturating_add(last.uncompressed_len));
        let ratio = u64::from(self.max_ratio);
        bytes <= self.max_uncompressed_bytes
            && members.iter().all(|member| member.uncompressed_len <= member.stored_len.saturating_mul(ratio))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_record_bytes: Self::DEFAULT_MAX_RECORD_BYTES,
            max_ratio: 1100,
            max_uncompressed_bytes: u64::MAX,
        }
    }
}
