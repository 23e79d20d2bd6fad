//! Counts of items, in a fixed number of buckets.

use std::collections::{BTreeSet, HashMap};

/// Counts below this are 0: they are differences of sums of floats.
const NEARLY_ZERO: f64 = 1e-8;

/// The counts, and what is known of items that are not counted.
#[derive(Clone, Debug)]
pub(super) struct Counters {
    buckets: usize,
    /// For each item the least that its count can be. Not more items than buckets.
    counts: HashMap<Box<[u8]>, f64>,
    /// Items whose count fell to 0 in the last reduction; they fill buckets that are empty. Some may be counted again.
    extras: BTreeSet<Box<[u8]>>,
    /// The most by which a count can be too low.
    delta: f64,
}

impl Counters {
    pub(super) fn new(buckets: usize) -> Self {
        Self { buckets, counts: HashMap::new(), extras: BTreeSet::new(), delta: 0.0 }
    }

    /// The counters of a state that was checked: not more counts than buckets.
    pub(super) fn from_parts(
        buckets: usize,
        counts: HashMap<Box<[u8]>, f64>,
        extras: BTreeSet<Box<[u8]>>,
        delta: f64,
    ) -> Self {
        Self { buckets, counts, extras, delta }
    }

    /// Counts an item once. If there is no bucket for it, all counts are reduced by one.
    #[inline]
    pub(super) fn count(&mut self, item: &[u8]) {
        if self.insert(item, 1.0) {
            self.reduce(1.0);
        }
    }

    /// Adds to the count of an item. If there is no bucket for it, all counts are reduced by the least.
    #[inline]
    pub(super) fn weigh(&mut self, item: &[u8], weight: f64) {
        if self.insert(item, weight) {
            self.reduce(self.counts.values().copied().fold(f64::INFINITY, f64::min));
        }
    }

    /// Adds to the count of an item, and returns whether there are more counts than buckets now.
    #[inline]
    fn insert(&mut self, item: &[u8], weight: f64) -> bool {
        match self.counts.get_mut(item) {
            Some(count) => {
                *count += weight;
                false
            }
            None => {
                self.counts.insert(item.into(), weight);
                self.counts.len() > self.buckets
            }
        }
    }

    /// Reduces all counts, and drops the items whose counts fall to 0 or below. The first of those at 0 stay as extras.
    #[cold]
    fn reduce(&mut self, by: f64) {
        let Self { counts, extras, .. } = self;
        extras.clear();
        counts.retain(|item, count| {
            *count -= by;
            let stays = *count >= NEARLY_ZERO;
            if !stays && *count > -NEARLY_ZERO {
                extras.insert(item.clone());
            }
            stays
        });
        self.delta += by;
        self.drop_extras();
    }

    /// Drops extras for which there is no bucket: the last ones, so that the result does not depend on chance.
    fn drop_extras(&mut self) {
        let free = self.buckets - self.counts.len().min(self.buckets);
        while self.extras.len() > free {
            self.extras.pop_last();
        }
    }

    /// Adds the counts of others, and reduces all by the largest count that does not fit, if one does not.
    pub(super) fn merge(&mut self, other: &Self) {
        for (item, count) in &other.counts {
            self.insert(item, *count);
        }
        self.delta += other.delta;
        self.extras.extend(other.extras.iter().cloned());
        let Self { counts, extras, .. } = self;
        extras.retain(|item| !counts.contains_key(item));
        if self.counts.len() > self.buckets {
            let mut counts: Vec<f64> = self.counts.values().copied().collect();
            let (_, largest, _) = counts.select_nth_unstable_by(self.buckets, |a, b| b.total_cmp(a));
            let largest = *largest;
            self.reduce(largest);
        } else {
            self.drop_extras();
        }
    }

    pub(super) fn buckets(&self) -> usize {
        self.buckets
    }

    pub(super) fn delta(&self) -> f64 {
        self.delta
    }

    /// The items and their least counts, in no order.
    pub(super) fn counts(&self) -> impl Iterator<Item = (&[u8], f64)> {
        self.counts.iter().map(|(item, count)| (&**item, *count))
    }

    /// The items that were counted last at 0, in ascending order.
    pub(super) fn extras(&self) -> impl Iterator<Item = &[u8]> {
        self.extras.iter().map(|item| &**item)
    }

    /// The items that are not counted and may have a count of `delta`, in ascending order.
    pub(super) fn uncounted(&self) -> impl Iterator<Item = &[u8]> {
        self.extras().filter(|item| !self.counts.contains_key(*item))
    }
}
