//! Planning of requests for the ranges that are wanted.

use std::ops::Range;

/// Planner that turns ranges of an object into requests: merges near ones, and splits long ones. It does no I/O.
///
/// ```
/// use tfrecord_io::store::Planner;
///
/// let planner = Planner::default().gap_bytes(10).request_bytes(100);
/// let requests = planner.plan(&[500..720, 0..20, 25..40], 700);
/// assert_eq!(requests, [0..40, 500..600, 600..700]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Planner {
    /// Two ranges with at most this number of bytes between them are one request: reading the gap takes less time than
    /// another request. Default: 1 MiB, which takes as long as a request of 10 ms at 100 MB/s.
    pub gap_bytes: u64,
    /// Maximum bytes of a request, so that several may travel at a time, and one that fails is soon sent again. Default:
    /// 4 MiB.
    pub request_bytes: u64,
}

impl Planner {
    /// Sets [`Planner::gap_bytes`].
    #[must_use]
    pub fn gap_bytes(mut self, bytes: u64) -> Self {
        self.gap_bytes = bytes;
        self
    }

    /// Sets [`Planner::request_bytes`]; at least 1.
    #[must_use]
    pub fn request_bytes(mut self, bytes: u64) -> Self {
        self.request_bytes = bytes.max(1);
        self
    }

    /// Returns requests, in order and without overlaps, that bring all bytes of the ranges which an object of `size` bytes
    /// has. Ranges may overlap, be empty, and reach beyond the object.
    #[must_use]
    pub fn plan(&self, wanted: &[Range<u64>], size: u64) -> Vec<Range<u64>> {
        self.requests(wanted, size).collect()
    }

    /// As [`plan`](Self::plan), for a size that may be an empty claim.
    pub(super) fn requests(&self, wanted: &[Range<u64>], size: u64) -> impl Iterator<Item = Range<u64>> {
        let within = |range: &Range<u64>| range.start..range.end.min(size);
        let mut wanted: Vec<_> = wanted.iter().map(within).filter(|range| !range.is_empty()).collect();
        wanted.sort_by_key(|range| range.start);
        let mut together: Vec<Range<u64>> = Vec::new();
        for range in wanted {
            match together.last_mut() {
                Some(last) if range.start <= last.end.saturating_add(self.gap_bytes) => {
                    last.end = last.end.max(range.end);
                }
                _ => together.push(range),
            }
        }
        let planner = *self;
        together.into_iter().flat_map(move |range| planner.cut(range))
    }

    /// Cuts a range into requests of nearly the same size.
    fn cut(self, range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
        let len = range.end - range.start;
        let count = len.div_ceil(self.request_bytes.max(1)).max(1);
        let most = len.div_ceil(count);
        (0..count).map(move |index| {
            let at = |index: u64| range.start.saturating_add(index.saturating_mul(most)).min(range.end);
            at(index)..at(index + 1)
        })
    }
}

impl Default for Planner {
    fn default() -> Self {
        Self { gap_bytes: 1 << 20, request_bytes: 4 << 20 }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::single_range_in_vec_init, reason = "lists of requests, of which some have one")]

    use proptest::prelude::*;

    use super::*;

    fn plan(gap: u64, most: u64, wanted: &[Range<u64>]) -> Vec<Range<u64>> {
        Planner::default().gap_bytes(gap).request_bytes(most).plan(wanted, 1000)
    }

    #[test]
    fn near_ranges_are_one_request_and_long_ones_several() {
        let none: [Range<u64>; 0] = [];
        assert_eq!(plan(10, 100, &none), none);
        #[allow(clippy::reversed_empty_ranges, reason = "a claim of a file")]
        let empty = [7..7, 9..3, 1000..2000];
        assert_eq!(plan(10, 100, &empty), none);
        assert_eq!(plan(10, 100, &[0..10, 20..30]), [0..30]);
        assert_eq!(plan(9, 100, &[0..10, 20..30]), [0..10, 20..30]);
        assert_eq!(plan(0, 100, &[5..9, 0..5, 2..3]), [0..9], "they touch and overlap");
        assert_eq!(plan(0, 100, &[0..201]), [0..67, 67..134, 134..201], "no request is small");
        assert_eq!(plan(u64::MAX, 1000, &[3..4, 900..u64::MAX]), [3..1000]);
        assert_eq!(plan(0, 1, &[0..2]), [0..1, 1..2]);
    }

    proptest! {
        #[test]
        fn all_that_is_wanted_comes_once_and_little_else(
            wanted in proptest::collection::vec((0u64..1200, 0u64..300), 0..20),
            gap in 0u64..100,
            most in 1u64..200,
        ) {
            let wanted: Vec<_> = wanted.into_iter().map(|(start, len)| start..start + len).collect();
            let requests = plan(gap, most, &wanted);
            for pair in requests.windows(2) {
                prop_assert!(pair[0].end <= pair[1].start);
            }
            let is_wanted = |byte: u64| wanted.iter().any(|range| range.contains(&byte));
            let mut between = 0;
            for byte in 0..1000 {
                let comes = requests.iter().any(|range| range.contains(&byte));
                prop_assert!(comes || !is_wanted(byte), "byte {}", byte);
                // Bytes that nobody wants come in gaps only.
                between = if comes && !is_wanted(byte) { between + 1 } else { 0 };
                prop_assert!(between <= gap);
            }
            for request in &requests {
                prop_assert!(!request.is_empty() && request.end - request.start <= most && request.end <= 1000);
            }
        }
    }
}
