//! Counts of items, in a fixed number of buckets.

use std::collections::HashMap;

use super::item::Item;
use crate::seeded_hash::SeededHash;

/// Counts below this are 0: they are differences of sums of floats.
const NEARLY_ZERO: f64 = 1e-8;

/// The counts, and what is known of items that are not counted.
#[derive(Clone, Debug)]
pub(super) struct Counters {
    buckets: usize,
    /// Lower bound of the count of each item. Not more items than buckets.
    counts: HashMap<Item, f64, SeededHash>,
    /// Items whose count fell to 0 in the last reduction, in no order and each once; they fill buckets that are empty. Some
    /// may be counted again.
    extras: Vec<Item>,
    /// The most by which a count can be too low.
    delta: f64,
}

impl Counters {
    pub(super) fn new(buckets: usize) -> Self {
        Self { buckets, counts: HashMap::default(), extras: Vec::new(), delta: 0.0 }
    }

    /// Sets the state that was read from bytes, which has no more items than buckets.
    ///
    /// Returns nothing if an item has two counts.
    pub(super) fn from_parts(
        buckets: usize,
        items: &[Vec<u8>],
        counts: &[f64],
        extras: &[Vec<u8>],
        delta: f64,
    ) -> Option<Self> {
        let items_and_counts = items.iter().map(|item| Item::from(&**item)).zip(counts.iter().copied());
        let mut counters = Self { delta, counts: items_and_counts.collect(), ..Self::new(buckets) };
        counters.extras = extras.iter().map(|item| Item::from(&**item)).collect();
        sort_unique(&mut counters.extras);
        (counters.counts.len() == items.len()).then_some(counters)
    }

    /// Counts an item once. If all buckets are taken by others, all counts are reduced by one.
    #[inline]
    pub(super) fn count(&mut self, item: &[u8]) {
        if self.insert(item, 1.0) {
            self.reduce(1.0);
        }
    }

    /// Adds to the count of an item. If all buckets are taken by others, all counts are reduced by the least.
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
        let dropped = self.counts.extract_if(|_, count| {
            *count -= by;
            *count < NEARLY_ZERO
        });
        let at_zero = dropped.filter(|(_, count)| *count > -NEARLY_ZERO);
        self.extras.clear();
        self.extras.extend(at_zero.map(|(item, _)| item));
        self.delta += by;
        self.drop_extras();
    }

    /// Drops extras beyond the free buckets: the last ones, so that the result does not depend on chance.
    fn drop_extras(&mut self) {
        let free = self.buckets - self.counts.len().min(self.buckets);
        if self.extras.len() > free {
            self.extras.select_nth_unstable_by(free, |a, b| a.bytes().cmp(b.bytes()));
            self.extras.truncate(free);
        }
    }

    /// Adds the counts of others, and reduces all by the largest count that does not fit, if one does not.
    pub(super) fn merge(&mut self, other: &Self) {
        for (item, count) in &other.counts {
            self.insert(item.bytes(), *count);
        }
        self.delta += other.delta;
        if self.counts.len() > self.buckets {
            let mut counts: Vec<f64> = self.counts.values().copied().collect();
            let (_, largest, _) = counts.select_nth_unstable_by(self.buckets, |a, b| b.total_cmp(a));
            let largest = *largest;
            self.reduce(largest);
        } else {
            self.extras.extend(other.extras.iter().cloned());
            let Self { counts, extras, .. } = self;
            extras.retain(|item| !counts.contains_key(item));
            sort_unique(extras);
            self.drop_extras();
        }
    }

    pub(super) fn buckets(&self) -> usize {
        self.buckets
    }

    pub(super) fn delta(&self) -> f64 {
        self.delta
    }

    /// Returns the items and their least counts, in no order.
    pub(super) fn counts(&self) -> impl Iterator<Item = (&[u8], f64)> {
        self.counts.iter().map(|(item, count)| (item.bytes(), *count))
    }

    /// Returns the items that were counted last at 0, in ascending order.
    pub(super) fn extras(&self) -> Vec<&[u8]> {
        let mut extras: Vec<_> = self.extras.iter().map(Item::bytes).collect();
        extras.sort_unstable();
        extras
    }

    /// Returns whether an item has a count.
    pub(super) fn has(&self, item: &[u8]) -> bool {
        self.counts.contains_key(item)
    }
}

fn sort_unique(items: &mut Vec<Item>) {
    items.sort_unstable_by(|a, b| a.bytes().cmp(b.bytes()));
    items.dedup();
}
