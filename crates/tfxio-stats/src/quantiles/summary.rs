//! Values in ascending order, each with bounds of its rank.

use std::cmp::Ordering;

/// A value, and what is known of its rank, which is the weight of all values that are smaller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) value: f64,
    /// The weight of the value itself.
    pub(super) weight: f64,
    /// The least that the weight of all smaller values can be.
    pub(super) min_rank: f64,
    /// The most that the weight of this and all smaller values can be.
    pub(super) max_rank: f64,
}

impl Entry {
    /// Returns the most that the weight of all smaller values can be.
    fn max_below(&self) -> f64 {
        self.max_rank - self.weight
    }

    /// Returns the least that the weight of this and all smaller values can be.
    fn min_with(&self) -> f64 {
        self.min_rank + self.weight
    }
}

/// Entries in ascending order of values, all different. Values are not NaN.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Summary {
    entries: Vec<Entry>,
}

impl Summary {
    /// Sorts values and weights, and returns the summary of them. It is exact.
    pub(super) fn of_values(values: &mut [(f64, f64)]) -> Self {
        sort(values);
        let mut entries: Vec<Entry> = Vec::with_capacity(values.len());
        for &mut (value, weight) in values {
            match entries.last_mut() {
                Some(last) if last.value == value => last.weight += weight,
                _ => entries.push(Entry { value, weight, min_rank: 0.0, max_rank: 0.0 }),
            }
        }
        let mut rank = 0.0;
        for entry in &mut entries {
            entry.min_rank = rank;
            rank += entry.weight;
            entry.max_rank = rank;
        }
        Self { entries }
    }

    /// Returns the summary of entries in ascending order.
    pub(super) fn of_entries(entries: Vec<Entry>) -> Self {
        Self { entries }
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn total_weight(&self) -> f64 {
        self.entries.last().map_or(0.0, |last| last.max_rank)
    }

    /// Merges another summary into this one. The error of the result is not larger than the larger one of the two.
    ///
    /// An entry of one side alone gets a rank of the other side, between the ranks of its neighbours there.
    pub(super) fn merge(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        if self.is_empty() {
            self.entries.clone_from(&other.entries);
            return;
        }
        let ours = std::mem::take(&mut self.entries);
        let mut merged = Vec::with_capacity(ours.len() + other.len());
        let (mut left, mut right) = (Side::new(&ours), Side::new(&other.entries));
        loop {
            let order = match (left.next(), right.next()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => order(a.value, b.value),
            };
            let entry = match order {
                Ordering::Less => left.take().map(|entry| right.around(entry)),
                Ordering::Greater => right.take().map(|entry| left.around(entry)),
                Ordering::Equal => left.take().zip(right.take()).map(|(a, b)| Entry {
                    value: a.value,
                    weight: a.weight + b.weight,
                    min_rank: a.min_rank + b.min_rank,
                    max_rank: a.max_rank + b.max_rank,
                }),
            };
            merged.extend(entry);
        }
        self.entries = merged;
    }

    /// Drops entries until about `size` are left, the first and the last among them. The rank of a dropped entry becomes
    /// less certain by at most the larger one of 1/`size` and `eps`, times the weight of all.
    ///
    /// Entries are dropped evenly: each one kept pays for as many as the size allows, and what it saves the next may use.
    pub(super) fn compress(&mut self, size: usize, eps: f64) {
        let (size, length) = (size.max(2), self.entries.len());
        if length <= size {
            return;
        }
        let allowed = self.total_weight() * (1.0 / size as f64).max(eps);
        let entries = &mut self.entries;
        // Of `length` dropped entries, `size` may be kept.
        let (mut spent, mut kept, mut read) = (0i64, 1, 0);
        while read + 1 < length {
            let mut next = read + 1;
            while next < length
                && spent < length as i64
                && entries[next].max_below() - entries[read].min_with() <= allowed
            {
                spent += size as i64;
                next += 1;
            }
            read = (next - 1).max(read + 1);
            entries[kept] = entries[read];
            kept += 1;
            spent -= length as i64;
        }
        entries.truncate(kept);
    }

    /// Calls a function with `number` + 1 quantiles in ascending order, each with the most that the weight of all values
    /// not larger can be. Does nothing for an empty summary.
    pub(super) fn quantiles(&self, number: usize, mut each: impl FnMut(f64, f64)) {
        let entries = &self.entries;
        if entries.is_empty() {
            return;
        }
        let total = self.total_weight();
        let mut at = 0;
        for rank in 0..=number {
            // Twice the rank, to compare with sums of two bounds.
            let wanted = 2.0 * (rank as f64 * total / number as f64);
            let mut next = at + 1;
            while entries.get(next).is_some_and(|entry| wanted >= entry.min_rank + entry.max_rank) {
                next += 1;
            }
            at = next - 1;
            let nearer = match entries.get(next) {
                Some(after) if wanted >= entries[at].min_with() + after.max_below() => after,
                _ => &entries[at],
            };
            each(nearer.value, nearer.max_rank);
        }
    }
}

/// Sorts values by their size. Equal ones stay in their order, since sums of weights depend on it.
fn sort(values: &mut [(f64, f64)]) {
    let first_weight = values.first().map_or(0.0, |(_, weight)| *weight);
    let is_plain =
        |(value, weight): &(f64, f64)| *weight == first_weight && value.to_bits() != (-0.0f64).to_bits();
    if !values.iter().all(is_plain) {
        return values.sort_by_key(|(value, _)| sort_key(*value));
    }
    // Equal values are the same then, and numbers are sorted in less time than pairs.
    let mut keys: Vec<u64> = values.iter().map(|(value, _)| sort_key(*value)).collect();
    keys.sort_unstable();
    for ((value, _), key) in values.iter_mut().zip(keys) {
        *value = f64::from_bits(if key & SIGN == 0 { !key } else { key ^ SIGN });
    }
}

const SIGN: u64 = 1 << 63;

/// Returns a number that is in the order of values. Both zeros have the same; values are not NaN.
#[inline]
fn sort_key(value: f64) -> u64 {
    // Makes -0.0 to 0.0.
    let bits = (value + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// Returns the order of values, which are not NaN. Both zeros are equal.
fn order(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}

/// One of two summaries that are merged.
struct Side<'a> {
    entries: &'a [Entry],
    at: usize,
    /// The least weight up to the entry taken last.
    min_with_last: f64,
}

impl<'a> Side<'a> {
    fn new(entries: &'a [Entry]) -> Self {
        Self { entries, at: 0, min_with_last: 0.0 }
    }

    #[inline]
    fn next(&self) -> Option<&'a Entry> {
        self.entries.get(self.at)
    }

    #[inline]
    fn take(&mut self) -> Option<&'a Entry> {
        let entry = self.next()?;
        self.at += 1;
        self.min_with_last = entry.min_with();
        Some(entry)
    }

    /// Returns an entry of the other side, with the ranks that it has on both together.
    #[inline]
    fn around(&self, entry: &Entry) -> Entry {
        let above = match self.next() {
            Some(next) => next.max_below(),
            None => self.entries.last().map_or(0.0, |last| last.max_rank),
        };
        Entry { min_rank: entry.min_rank + self.min_with_last, max_rank: entry.max_rank + above, ..*entry }
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, Summary};

    fn entry(value: f64, weight: f64, min_rank: f64, max_rank: f64) -> Entry {
        Entry { value, weight, min_rank, max_rank }
    }

    #[test]
    fn merging_adds_the_ranks_of_both() {
        let mut left = Summary::of_values(&mut [(4.0, 2.0), (1.0, 3.0)]);
        let right = Summary::of_values(&mut [(3.0, 1.0), (4.0, 1.0)]);
        left.merge(&right);
        let expected = [entry(1.0, 3.0, 0.0, 3.0), entry(3.0, 1.0, 3.0, 4.0), entry(4.0, 3.0, 4.0, 7.0)];
        assert_eq!(left.entries(), expected);
        left.merge(&Summary::default());
        assert_eq!(left.len(), 3);
        let mut empty = Summary::default();
        empty.merge(&left);
        assert_eq!(empty, left);
    }

    #[test]
    fn equal_values_are_one_and_zeros_keep_their_sign() {
        let values = |values: &[f64], weights: &[f64]| {
            let mut pairs: Vec<_> = values.iter().copied().zip(weights.iter().copied()).collect();
            let summary = Summary::of_values(&mut pairs);
            summary.entries().iter().map(|entry| (entry.value.to_bits(), entry.weight)).collect::<Vec<_>>()
        };
        let bits = f64::to_bits;
        let all = [2.0, f64::INFINITY, -1.5, 0.0, f64::NEG_INFINITY, 2.0, -2.0, 5e-324];
        let expected = [f64::NEG_INFINITY, -2.0, -1.5, 0.0, 5e-324, 2.0, f64::INFINITY];
        let weight = |value: f64| if value == 2.0 { 2.0 } else { 1.0 };
        assert_eq!(values(&all, &[1.0; 8]), expected.map(|value| (bits(value), weight(value))));
        assert_eq!(values(&all, &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0, 1.0])[1], (bits(-2.0), 3.0));
        assert_eq!(values(&[1.0, 0.0, -0.0], &[1.0; 3]), [(bits(0.0), 2.0), (bits(1.0), 1.0)]);
        assert_eq!(values(&[1.0, -0.0, 0.0], &[1.0; 3]), [(bits(-0.0), 2.0), (bits(1.0), 1.0)]);
    }

    #[test]
    fn compression_keeps_the_ends_and_about_the_size() {
        for length in [3, 4, 10, 101, 1000] {
            for size in [0, 2, 3, 7, 50, 999] {
                let mut values: Vec<_> = (0..length).map(|value| (f64::from(value), 1.0)).collect();
                let mut summary = Summary::of_values(&mut values);
                let total = summary.total_weight();
                summary.compress(size, 0.0);
                let (first, last) = (summary.entries[0].value, summary.entries.last().map(|last| last.value));
                assert_eq!((first, last), (0.0, Some(f64::from(length - 1))), "{length} to {size}");
                assert!(summary.len() <= size.max(2) + 1, "{length} to {size}: {}", summary.len());
                assert_eq!(summary.total_weight(), total);
            }
        }
    }
}
