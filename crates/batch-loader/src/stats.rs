//! Counters of a loader.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use tfxio_core::{InflateClock, Skip};

/// Counts of a loader since it was built or restored. See [`BatchLoader::stats`](crate::BatchLoader::stats).
///
/// Counts of reading and parsing include records that are prefetched and buffered, not only records that came out in
/// batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Records that were framed: their length and checksums were checked.
    pub records_framed: u64,
    /// The bytes of these records and their frames, after decompression.
    pub bytes_framed: u64,
    /// Number of these bytes that were decompressed.
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
    /// Time of all threads together in which records were read and decoded into columns, without that of `inflating`. Where several
    /// threads read a file, it has the waits for each other.
    pub reading: Duration,
    /// Time of all threads together in which files of gzip and zlib, and blocks of Avro, were decompressed, those ahead of the
    /// reader included. What Parquet and Arrow files decompress is part of `reading`.
    pub inflating: Duration,
    /// Time of all threads together in which columns became the tensors of examples.
    pub parsing: Duration,
    /// Time to choose the next examples: to shuffle, cut into windows, pack. It includes the waits of this thread for
    /// records that others read.
    pub planning: Duration,
    /// Time of all threads together in which examples became batches: padded, normalised, copied.
    pub assembling: Duration,
    /// Time that the consumer waited for batches.
    pub waiting_for_input: Duration,
    /// Time that the consumer spent on something else while a batch was ready.
    pub waiting_for_consumer: Duration,
    /// Examples in the shuffle buffer now.
    pub buffered: u64,
}

impl Stats {
    /// Returns the summed counts of several loaders with a shared skip report, such as the loaders in an
    /// [`ElasticLoader`](crate::ElasticLoader).
    #[must_use]
    pub fn of_parts(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            let Self {
                records_framed,
                bytes_framed,
                bytes_inflated,
                records_parsed,
                records_filtered,
                ranges_skipped,
                records_skipped,
                bytes_skipped,
                windows,
                leftover,
                examples_truncated,
                examples_dropped,
                examples,
                batches,
                epoch,
                reading,
                inflating,
                parsing,
                planning,
                assembling,
                waiting_for_input,
                waiting_for_consumer,
                buffered,
            } = part;
            for (sum, count) in [
                (&mut all.records_framed, records_framed),
                (&mut all.bytes_framed, bytes_framed),
                (&mut all.bytes_inflated, bytes_inflated),
                (&mut all.records_parsed, records_parsed),
                (&mut all.records_filtered, records_filtered),
                (&mut all.windows, windows),
                (&mut all.leftover, leftover),
                (&mut all.examples_truncated, examples_truncated),
                (&mut all.examples_dropped, examples_dropped),
                (&mut all.examples, examples),
                (&mut all.batches, batches),
                (&mut all.buffered, buffered),
            ] {
                *sum = sum.saturating_add(count);
            }
            for (sum, time) in [
                (&mut all.reading, reading),
                (&mut all.inflating, inflating),
                (&mut all.parsing, parsing),
                (&mut all.planning, planning),
                (&mut all.assembling, assembling),
                (&mut all.waiting_for_input, waiting_for_input),
                (&mut all.waiting_for_consumer, waiting_for_consumer),
            ] {
                *sum = sum.saturating_add(time);
            }
            all.ranges_skipped = all.ranges_skipped.max(ranges_skipped);
            all.records_skipped = all.records_skipped.max(records_skipped);
            all.bytes_skipped = all.bytes_skipped.max(bytes_skipped);
            all.epoch = all.epoch.max(epoch);
        }
        all
    }
}

/// The counters that [`Stats`] is a snapshot of, shared by the threads.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) records_framed: AtomicU64,
    pub(crate) bytes_framed: AtomicU64,
    pub(crate) bytes_inflated: AtomicU64,
    pub(crate) records_parsed: AtomicU64,
    pub(crate) records_filtered: AtomicU64,
    /// Report and budget of skipped ranges.
    pub(crate) skip: Skip,
    pub(crate) windows: AtomicU64,
    pub(crate) leftover: AtomicU64,
    pub(crate) examples_truncated: AtomicU64,
    pub(crate) examples_dropped: AtomicU64,
    pub(crate) examples: AtomicU64,
    pub(crate) batches: AtomicU64,
    pub(crate) epoch: AtomicU64,
    pub(crate) reading: AtomicU64,
    pub(crate) inflating: InflateClock,
    pub(crate) parsing: AtomicU64,
    pub(crate) planning: AtomicU64,
    pub(crate) assembling: AtomicU64,
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

thread_local! {
    /// Nanoseconds that this thread has spent in stages.
    static SPENT: Cell<u64> = const { Cell::new(0) };
}

/// Returns the nanoseconds that this thread has spent on decompression.
fn inflated() -> u64 {
    u64::try_from(InflateClock::of_this_thread().as_nanos()).unwrap_or(u64::MAX)
}

/// Adds the time of `work`, in nanoseconds, to a counter, without the time of the stages within it on this thread and without
/// decompression.
pub(crate) fn timed<T>(counter: &AtomicU64, work: impl FnOnce() -> T) -> T {
    let (before, begun) = (SPENT.get().saturating_add(inflated()), Instant::now());
    let done = work();
    let all = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let inflated = inflated();
    let within = SPENT.get().saturating_add(inflated).saturating_sub(before);
    count(counter, all.saturating_sub(within));
    // With what was decompressed, all of the time.
    SPENT.set(before.saturating_add(all).saturating_sub(inflated));
    done
}

impl Counters {
    pub(crate) fn snapshot(&self) -> Stats {
        let skipped = self.skip.report();
        let nanos = |counter: &AtomicU64| Duration::from_nanos(counter.load(Relaxed));
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
            reading: nanos(&self.reading),
            inflating: self.inflating.elapsed(),
            parsing: nanos(&self.parsing),
            planning: nanos(&self.planning),
            assembling: nanos(&self.assembling),
            waiting_for_input: nanos(&self.input_nanos),
            waiting_for_consumer: nanos(&self.consumer_nanos),
            buffered: self.buffered.load(Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use tfxio_core::inflating;

    use super::*;

    #[test]
    fn a_stage_does_not_count_those_within_it() {
        let (outer, inner, innermost) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let clock = InflateClock::new();
        let work = |least: Duration| {
            let begun = Instant::now();
            while begun.elapsed() < least {
                std::hint::spin_loop();
            }
        };
        let least = Duration::from_millis(2);
        let begun = Instant::now();
        timed(&outer, || {
            timed(&inner, || timed(&innermost, || work(least)));
            timed(&innermost, || work(least));
            clock.during(|| inflating(|| work(least)));
            timed(&inner, || clock.during(|| inflating(|| work(least))));
        });
        let all = u64::try_from(begun.elapsed().as_nanos()).unwrap();
        let [outer, inner, innermost] = [outer, inner, innermost].map(AtomicU64::into_inner);
        let inflated = u64::try_from(clock.elapsed().as_nanos()).unwrap();
        assert!(innermost >= 4_000_000 && inflated >= 4_000_000, "{innermost} {inflated}");
        // What is counted twice would be more than there was.
        assert!(outer + inner + innermost + inflated <= all, "{outer} {inner} {innermost} {inflated} {all}");
    }
}
