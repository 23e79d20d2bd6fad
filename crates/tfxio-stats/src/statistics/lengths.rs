//! Counts of small numbers: lengths of lists and of strings.

use super::quantile_sketch::QuantileSketch;

/// Counts of numbers: exact below [`EXACT`], else in a [`QuantileSketch`].
#[derive(Clone, Debug)]
pub(super) struct Lengths {
    pub(super) small: Vec<u64>,
    pub(super) large: Option<Box<QuantileSketch>>,
    /// The least and the largest one; the least is larger where there is none.
    pub(super) min: u64,
    pub(super) max: u64,
    epsilon: f64,
}

/// Numbers from here on are not counted one by one.
pub(super) const EXACT: usize = 1024;

impl Lengths {
    pub(super) fn new(epsilon: f64) -> Self {
        Self { small: Vec::new(), large: None, min: u64::MAX, max: 0, epsilon }
    }

    /// Adds a length a number of times.
    #[inline]
    pub(super) fn add(&mut self, length: u64, count: u64) {
        if count == 0 {
            return;
        }
        (self.min, self.max) = (self.min.min(length), self.max.max(length));
        self.count(length, count);
    }

    #[inline]
    fn count(&mut self, length: u64, count: u64) {
        match usize::try_from(length).ok().and_then(|length| self.small.get_mut(length)) {
            Some(of_length) => *of_length = of_length.saturating_add(count),
            None => self.count_new(length, count),
        }
    }

    #[inline(never)]
    fn count_new(&mut self, length: u64, count: u64) {
        match usize::try_from(length) {
            Ok(index) if index < EXACT => {
                self.small.resize(index + 1, 0);
                self.count(length, count);
            }
            _ if count == 1 => self.large().extend(&[length]),
            _ => self.large().add(length, count),
        }
    }

    pub(super) fn large(&mut self) -> &mut QuantileSketch {
        let epsilon = self.epsilon;
        self.large.get_or_insert_with(|| Box::new(QuantileSketch::new(epsilon, EXACT)))
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (length, count) in (0..).zip(&other.small).filter(|(_, count)| **count > 0) {
            self.count(length, *count);
        }
        (self.min, self.max) = (self.min.min(other.min), self.max.max(other.max));
        if let Some(theirs) = &other.large {
            self.large().merge(theirs);
        }
    }

    /// Returns lengths in ascending order with their counts.
    pub(super) fn counts(&self) -> Vec<(u64, u64)> {
        let small = (0..).zip(&self.small).filter(|(_, count)| **count > 0);
        let mut counts: Vec<_> = small.map(|(length, count)| (length, *count)).collect();
        counts.extend(self.large.iter().flat_map(|large| large.counts()));
        counts
    }
}
