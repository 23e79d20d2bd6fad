//! What a loader counts while it works.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use tfxio_core::Skip;

/// Counts of a loader since it was built or restored. See [`BatchLoader::stats`](crate::BatchLoader::stats).
///
/// What was read and parsed includes what is prefetched and buffered, not only what came out in batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Records that were framed: their length and checksums looked at.
    pub records_framed: u64,
    /// The bytes of these records and their frames, after decompression.
    pub bytes_framed: u64,
    /// How many of these bytes came out of decompression.
    pub bytes_inflated: u64,
    /// Records that were parsed into columns.
    pub records_parsed: u64,
    /// Records that did not satisfy the `filter`: each time that they were read for examples, or once for a global order.
    pub records_filtered: u64,
    /// Damaged ranges that were skipped (`on_error: "skip"`), each counted once, however often it is read. See
    /// [`BatchLoader::skip_report`](crate::BatchLoader::skip_report).
    pub ranges_skipped: u64,
    /// Records in these ranges, as far as they are known.
    pub records_skipped: u64,
    /// Bytes in these ranges.
    pub bytes_skipped: u64,
    /// Windows that were cut.
    pub windows: u64,
    /// Steps (records, for discrete sequences) at the end of files that filled no window.
    pub leftover: u64,
    /// Examples that were shortened, by `truncate` or for a budget: records when they are parsed, windows when they are planned.
    pub examples_truncated: u64,
    /// Examples that were left out, as they are longer than a batch or a row may be, or have no token to pack.
    pub examples_dropped: u64,
    /// Examples in the batches that came out.
    pub examples: u64,
    /// Batches that came out.
    pub batches: u64,
    /// The epoch of the batch that came out last, as [`Batch::epoch`](crate::Batch::epoch) has it; 0 before the first.
    pub epoch: u64,
    /// How long the consumer waited for batches.
    pub waiting_for_input: Duration,
    /// How long the consumer did something else while a batch was ready.
    pub waiting_for_consumer: Duration,
    /// Examples in the shuffle buffer now.
    pub buffered: u64,
}

/// The counters that [`Stats`] is a snapshot of, shared by the threads.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) records_framed: AtomicU64,
    pub(crate) bytes_framed: AtomicU64,
    pub(crate) bytes_inflated: AtomicU64,
    pub(crate) records_parsed: AtomicU64,
    pub(crate) records_filtered: AtomicU64,
    /// What was skipped, and how much may be.
    pub(crate) skip: Skip,
    pub(crate) windows: AtomicU64,
    pub(crate) leftover: AtomicU64,
    pub(crate) examples_truncated: AtomicU64,
    pub(crate) examples_dropped: AtomicU64,
    pub(crate) examples: AtomicU64,
    pub(crate) batches: AtomicU64,
    pub(crate) epoch: AtomicU64,
    pub(crate) input_nanos: AtomicU64,
    pub(crate) consumer_nanos: AtomicU64,
    pub(crate) buffered: AtomicU64,
}

/// Adds to a counter.
pub(crate) fn count(counter: &AtomicU64, more: u64) {
    if more > 0 {
        counter.fetch_add(more, Relaxed);
    }
}

impl Counters {
    pub(crate) fn snapshot(&self) -> Stats {
        let skipped = self.skip.report();
        Stats {
            records_framed: self.records_framed.load(Relaxed),
            bytes_framed: self.bytes_framed.load(Relaxed),
            bytes_inflated: self.bytes_inflated.load(Relaxed),
            records_parsed: self.records_parsed.load(Relaxed),
            records_filtered: self.records_filtered.load(Relaxed),
            ranges_skipped: skipped.ranges,
            records_skipped: skipped.records,
            bytes_skipped: skipped.bytes,
            windows: self.windows.load(Relaxed),
            leftover: self.leftover.load(Relaxed),
            examples_truncated: self.examples_truncated.load(Relaxed),
            examples_dropped: self.examples_dropped.load(Relaxed),
            examples: self.examples.load(Relaxed),
            batches: self.batches.load(Relaxed),
            epoch: self.epoch.load(Relaxed),
            waiting_for_input: Duration::from_nanos(self.input_nanos.load(Relaxed)),
            waiting_for_consumer: Duration::from_nanos(self.consumer_nanos.load(Relaxed)),
            buffered: self.buffered.load(Relaxed),
        }
    }
}
