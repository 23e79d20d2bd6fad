//! Distribution of numbers: exact counts while few are distinct, else a sample in levels.

mod frequent;

use self::frequent::Frequent;
use super::merge_sorted::{merge_counts, merge_keys};
use super::radix;
use crate::Kmv;

/// The counts of distinct numbers, or, where there are too many, a sample of known error, and an estimate of their number.
///
/// Numbers are [keys](super::keys). The sample has levels: a key of level *h* represents 2^*h* numbers. A level of *k* keys
/// is halved: every other key goes up, which moves no rank by more than 2^*h*. The first and the last of each pair are
/// taken by turns, so that two halvings together do not either. With *n* numbers no rank is off by more than `n · log2(n /
/// k) / 2k`; [`rank_error`](Self::rank_error) counts the actual bound.
///
/// # Source
///
/// Manku, Rajagopalan, Lindsay: *Approximate Medians and other Quantiles in One Pass and with Limited Memory*, SIGMOD 1998.
#[derive(Clone, Debug)]
pub(super) struct QuantileSketch {
    /// The most distinct numbers that are counted exactly.
    pub(super) most_exact: usize,
    /// Keys of a full level.
    pub(super) block: usize,
    /// Keys that are in nothing else yet, up to twice as many as a block.
    buffer: Vec<u64>,
    /// Keys that are counted before they come into the buffer.
    frequent: Option<Frequent>,
    /// Number of times that the buffer was emptied.
    flushes: usize,
    pub(super) distribution: Distribution,
}

#[derive(Clone, Debug)]
pub(super) enum Distribution {
    /// Keys in ascending order, with counts.
    Exact(Vec<(u64, u64)>),
    Sampled(Sample),
}

#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) levels: Vec<SketchLevel>,
    pub(super) distinct: Kmv,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SketchLevel {
    /// Keys in ascending order.
    pub(super) keys: Vec<u64>,
    /// Number of times that the first, and the last, of each pair went up.
    pub(super) firsts: u64,
    pub(super) lasts: u64,
}

/// Keys that are looked up together.
const CHUNK: usize = 256;

/// Number of times that the buffer is emptied before the frequent keys are chosen again.
const CHOICE: usize = 16;

/// Levels above which weights would not fit.
pub(super) const MOST_LEVELS: usize = 63;

impl QuantileSketch {
    /// Returns an empty one, whose ranks are off by less than `epsilon`.
    pub(super) fn new(epsilon: f64, most_exact: usize) -> Self {
        // Of 2^40 blocks and fewer.
        let block = (20.0 / epsilon.clamp(1e-5, 1.0)) as usize;
        Self::with_block(block.next_power_of_two().max(64), most_exact)
    }

    pub(super) fn with_block(block: usize, most_exact: usize) -> Self {
        let distribution = Distribution::Exact(Vec::new());
        Self { most_exact, block, buffer: Vec::new(), frequent: None, flushes: 0, distribution }
    }

    /// Adds keys.
    pub(super) fn extend(&mut self, keys: &[u64]) {
        let mut missed = [0; CHUNK];
        for chunk in keys.chunks(CHUNK) {
            match &mut self.frequent {
                None => self.append(chunk),
                Some(frequent) => {
                    let others = frequent.add(chunk, &mut missed);
                    self.append(missed.get(..others).unwrap_or_default());
                }
            }
        }
        if let Some(frequent) = &mut self.frequent
            && frequent.is_worthless()
        {
            self.gather();
            self.frequent = None;
        }
    }

    /// Appends keys that are not frequent.
    fn append(&mut self, mut keys: &[u64]) {
        let full = self.block.saturating_mul(2);
        while !keys.is_empty() {
            let room = full.saturating_sub(self.buffer.len()).max(1);
            let (fitting, others) = keys.split_at(room.min(keys.len()));
            self.buffer.extend_from_slice(fitting);
            keys = others;
            if self.buffer.len() >= full {
                self.flush_buffer();
                self.flushes += 1;
                if self.flushes.is_power_of_two() || self.flushes.is_multiple_of(CHOICE) {
                    self.choose_frequent();
                }
            }
        }
    }

    /// Finds out which keys are frequent by now, as long as all are counted.
    fn choose_frequent(&mut self) {
        if let Distribution::Exact(_) = &self.distribution {
            self.gather();
        }
        if let Distribution::Exact(counts) = &self.distribution {
            self.frequent = Frequent::of(counts);
        }
    }

    /// Puts the counts of frequent keys into the distribution.
    fn gather(&mut self) {
        if let Some(frequent) = &mut self.frequent {
            let counts = frequent.take();
            self.add_counts(counts);
        }
    }

    /// Adds a key a number of times.
    pub(super) fn add(&mut self, key: u64, count: u64) {
        self.flush();
        self.add_counts(vec![(key, count)]);
    }

    /// Puts all that was added into the distribution.
    pub(super) fn flush(&mut self) {
        self.flush_buffer();
        self.gather();
    }

    fn flush_buffer(&mut self) {
        if self.buffer.is_empty() {
            return;
        }
        let mut keys = std::mem::take(&mut self.buffer);
        radix::sort(&mut keys, &mut Vec::new());
        match &mut self.distribution {
            Distribution::Exact(_) => self.add_counts(counted(&keys)),
            Distribution::Sampled(sample) => {
                sample.see(keys.iter().copied());
                sample.push(0, &keys, self.block);
            }
        }
        keys.clear();
        self.buffer = keys;
    }

    /// Adds counts of keys in ascending order.
    fn add_counts(&mut self, counts: Vec<(u64, u64)>) {
        match &mut self.distribution {
            Distribution::Exact(exact) => {
                *exact = merge_counts(exact, &counts);
                if exact.len() > self.most_exact {
                    let counts = std::mem::take(exact);
                    self.distribution = Distribution::Sampled(Sample::of_counts(&counts, self.block));
                }
            }
            Distribution::Sampled(sample) => sample.add_counts(&counts, self.block),
        }
    }

    /// Adds what another one has, which was made with the same options.
    pub(super) fn merge(&mut self, other: &Self) {
        self.flush();
        let mut other = other.clone();
        other.flush();
        match (&mut self.distribution, other.distribution) {
            (_, Distribution::Exact(counts)) => self.add_counts(counts),
            (Distribution::Exact(counts), Distribution::Sampled(mut sample)) => {
                sample.add_counts(counts, self.block);
                self.distribution = Distribution::Sampled(sample);
            }
            (Distribution::Sampled(ours), Distribution::Sampled(theirs)) => ours.merge(&theirs, self.block),
        }
    }

    /// Returns keys in ascending order, each with the number of values that it represents.
    pub(super) fn counts(&self) -> Vec<(u64, u64)> {
        let flushed = self.flushed();
        match flushed.distribution {
            Distribution::Exact(counts) => counts,
            Distribution::Sampled(sample) => sample.counts(),
        }
    }

    fn flushed(&self) -> Self {
        let mut flushed = self.clone();
        flushed.flush();
        flushed
    }

    /// Returns the counts, if they are exact.
    pub(super) fn exact(&self) -> Option<Vec<(u64, u64)>> {
        match self.flushed().distribution {
            Distribution::Exact(counts) => Some(counts),
            Distribution::Sampled(_) => None,
        }
    }

    /// Returns the number of distinct keys.
    pub(super) fn distinct(&self) -> u64 {
        match self.flushed().distribution {
            Distribution::Exact(counts) => counts.len() as u64,
            Distribution::Sampled(sample) => sample.distinct.estimate(),
        }
    }

    /// Returns the most by which a rank is off; 0 where counts are exact.
    pub(super) fn rank_error(&self) -> u64 {
        match &self.flushed().distribution {
            Distribution::Exact(_) => 0,
            Distribution::Sampled(sample) => sample.rank_error(),
        }
    }
}

impl Sample {
    fn of_counts(counts: &[(u64, u64)], block: usize) -> Self {
        let mut sample = Self { levels: Vec::new(), distinct: Kmv::of_hashes() };
        sample.add_counts(counts, block);
        sample
    }

    /// Adds counts of keys in ascending order: each goes to the levels of the ones among the bits of its count.
    fn add_counts(&mut self, counts: &[(u64, u64)], block: usize) {
        self.see(counts.iter().map(|(key, _)| *key));
        let bits = counts.iter().fold(0, |bits, (_, count)| bits | count);
        for level in 0..MOST_LEVELS {
            if bits >> level & 1 == 1 {
                let of_level = counts.iter().filter(|(_, count)| count >> level & 1 == 1);
                let keys: Vec<u64> = of_level.map(|(key, _)| *key).collect();
                self.push(level, &keys, block);
            }
        }
    }

    /// Counts distinct keys, which are in ascending order.
    fn see(&mut self, keys: impl Iterator<Item = u64>) {
        let mut last = None;
        for key in keys {
            if last != Some(key) {
                self.distinct.insert_hash(mixed(key));
                last = Some(key);
            }
        }
    }

    /// Adds keys in ascending order to a level, and halves full levels.
    fn push(&mut self, level: usize, keys: &[u64], block: usize) {
        let mut next = self.push_to(level, keys, block);
        for above in level + 1.. {
            match next {
                Some(up) => next = self.push_to(above, &up, block),
                None => return,
            }
        }
    }

    /// Adds keys to one level, and returns the keys that go up from it.
    fn push_to(&mut self, level: usize, keys: &[u64], block: usize) -> Option<Vec<u64>> {
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, SketchLevel::default);
        }
        let at = self.levels.get_mut(level)?;
        at.keys = merge_keys(&at.keys, keys);
        (at.keys.len() >= block && level < MOST_LEVELS).then(|| at.halve())
    }

    fn merge(&mut self, other: &Self, block: usize) {
        // They have the same number of buckets.
        let _ = self.distinct.merge(&other.distinct);
        for (number, theirs) in other.levels.iter().enumerate() {
            self.push(number, &theirs.keys, block);
            if let Some(ours) = self.levels.get_mut(number) {
                ours.firsts = ours.firsts.saturating_add(theirs.firsts);
                ours.lasts = ours.lasts.saturating_add(theirs.lasts);
            }
        }
    }

    fn counts(&self) -> Vec<(u64, u64)> {
        let mut all = Vec::new();
        for (level, keys) in self.levels.iter().enumerate() {
            let mut counts = counted(&keys.keys);
            counts
                .iter_mut()
                .for_each(|(_, count)| *count = count.saturating_mul(1 << level.min(MOST_LEVELS)));
            all = merge_counts(&all, &counts);
        }
        all
    }

    fn rank_error(&self) -> u64 {
        let of_level = |(level, at): (usize, &SketchLevel)| {
            at.firsts.max(at.lasts).saturating_mul(1 << level.min(MOST_LEVELS))
        };
        self.levels.iter().enumerate().map(of_level).fold(0, u64::saturating_add)
    }
}

impl SketchLevel {
    /// Takes every other key; an odd one stays.
    fn halve(&mut self) -> Vec<u64> {
        let lasts = self.lasts < self.firsts;
        let (pairs, rest) = self.keys.as_chunks::<2>();
        let up = pairs.iter().map(|[first, last]| if lasts { *last } else { *first }).collect();
        let rest = rest.first().copied();
        self.keys.clear();
        self.keys.extend(rest);
        if lasts {
            self.lasts = self.lasts.saturating_add(1)
        } else {
            self.firsts = self.firsts.saturating_add(1)
        }
        up
    }
}

/// Returns keys in ascending order with their numbers.
fn counted(keys: &[u64]) -> Vec<(u64, u64)> {
    let mut counts: Vec<(u64, u64)> = Vec::new();
    for key in keys {
        match counts.last_mut() {
            Some((last, count)) if last == key => *count += 1,
            _ => counts.push((*key, 1)),
        }
    }
    counts
}

/// Mixes the bits of a key, one to one (the finalizer of SplitMix64).
#[inline]
fn mixed(key: u64) -> u64 {
    let key = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let key = (key ^ key >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let key = (key ^ key >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    key ^ key >> 31
}

#[cfg(test)]
mod tests {
    use super::QuantileSketch;
    use crate::statistics::merge_sorted::merge_counts;

    fn rank(counts: &[(u64, u64)], key: u64) -> u64 {
        counts.iter().filter(|(other, _)| *other <= key).map(|(_, count)| count).sum()
    }

    #[test]
    fn few_distinct_numbers_are_counted_exactly() {
        let mut sketch = QuantileSketch::with_block(8, 10);
        sketch.extend(&(0..1000).map(|value| value % 10).collect::<Vec<_>>());
        assert_eq!(sketch.exact(), Some((0..10).map(|key| (key, 100)).collect()));
        sketch.extend(&[10]);
        assert_eq!((sketch.exact(), sketch.distinct()), (None, 11));
        assert_eq!(rank(&sketch.counts(), u64::MAX), 1001);
    }

    #[test]
    fn ranks_are_within_the_error_that_is_counted() {
        for (block, parts) in [(64, 1), (64, 7), (256, 40)] {
            // Not in order, and a tenth is equal.
            let values: Vec<u64> = (0..50_000).map(|value: u64| (value * 7919 % 50_000).max(5_000)).collect();
            let mut merged = QuantileSketch::with_block(block, 100);
            for part in values.chunks(values.len() / parts) {
                let mut sketch = QuantileSketch::with_block(block, 100);
                sketch.extend(part);
                merged.merge(&sketch);
            }
            let exact = merge_counts(&[], &{
                let mut sorted = values.clone();
                sorted.sort_unstable();
                super::counted(&sorted)
            });
            let (counts, error) = (merged.counts(), merged.rank_error());
            assert_eq!(rank(&counts, u64::MAX), 50_000);
            assert!(error < 50_000 * 20 / (block as u64 * 2) + 20 * 2 * parts as u64, "{error}");
            for key in (0..50_000).step_by(997) {
                assert!(rank(&counts, key).abs_diff(rank(&exact, key)) <= error, "{key}: {error}");
            }
            let distinct = merged.distinct() as f64;
            assert!((distinct / 45_000.0 - 1.0).abs() < 0.05, "{distinct}");
        }
    }
}
