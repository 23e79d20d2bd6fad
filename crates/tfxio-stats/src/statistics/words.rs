//! How often byte strings occur: exactly while few are distinct, else the most frequent ones.

mod slot;

use std::hash::{BuildHasher as _, RandomState};

use self::slot::{Found, Slot};
use crate::Kmv;

pub(super) use self::slot::LONGEST;

/// Counts of distinct byte strings in a hash table whose entries have short strings in them.
///
/// With more than [`most_exact`](Self::most_exact) strings, those of the largest counts are kept ([`KEPT`]), and all counts become
/// smaller by the count of the largest one that is not (Misra and Gries; merged as by Agarwal and others): what was subtracted
/// altogether, at most *W* / ([`KEPT`] + 1) of *W* values, is how much a count is off. The number of distinct ones is estimated then.
///
/// Of a string of more than [`LONGEST`] bytes only a fingerprint of 64 bits is kept: its text is not known.
#[derive(Clone, Debug)]
pub(super) struct Words {
    pub(super) most_exact: usize,
    slots: Vec<Slot>,
    used: usize,
    /// Strings that do not fit into slots.
    bytes: Vec<u8>,
    seed: [u64; 2],
    pub(super) rest: Option<Rest>,
}

/// What is known of strings that were dropped.
#[derive(Clone, Debug)]
pub(super) struct Rest {
    /// What was subtracted from each count.
    pub(super) subtracted: u64,
    pub(super) distinct: Kmv,
}

/// Strings that are kept when not all can be.
pub(super) const KEPT: usize = 4096;

/// A string, or what is known of it, and its count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Word<'a> {
    Text(&'a [u8]),
    /// Fingerprint and length.
    Long(u64, u32),
}

const FIRST_SLOTS: usize = 64;

/// Strings that are looked up together.
pub(super) const BLOCK: usize = 32;

impl Words {
    pub(super) fn new(most_exact: usize) -> Self {
        let state = RandomState::new();
        Self {
            most_exact: most_exact.max(1),
            slots: Vec::new(),
            used: 0,
            bytes: Vec::new(),
            seed: [state.hash_one(0), state.hash_one(1)],
            rest: None,
        }
    }

    /// Adds a string a number of times.
    #[inline]
    pub(super) fn add(&mut self, word: &[u8], count: u64) {
        self.add_key(&slot::key(word), word, count);
    }

    /// Adds up to [`BLOCK`] strings, each once. All slots are read before the first is looked at, so that the processor waits for
    /// several at once where the table is larger than its caches.
    pub(super) fn add_block(&mut self, words: &[&[u8]]) {
        let (mut keys, mut hashes) = ([Slot::default(); BLOCK], [0; BLOCK]);
        for ((key, hash), word) in keys.iter_mut().zip(&mut hashes).zip(words) {
            *key = slot::key(word);
            *hash = key.hash(word, self.seed);
        }
        let mask = self.slots.len().wrapping_sub(1);
        let slots = hashes.iter().take(words.len()).filter_map(|hash| self.slots.get(hash & mask));
        std::hint::black_box(slots.fold(0, |all, slot| all ^ slot.count));
        for ((key, hash), word) in keys.iter().zip(hashes).zip(words) {
            self.add_hashed(key, hash, word, 1);
        }
    }

    #[inline]
    fn add_key(&mut self, key: &Slot, word: &[u8], count: u64) {
        self.add_hashed(key, key.hash(word, self.seed), word, count);
    }

    #[inline]
    fn add_hashed(&mut self, key: &Slot, hash: usize, word: &[u8], count: u64) {
        match slot::find(&mut self.slots, key, hash, word, &self.bytes) {
            Found::At(slot) => slot.count = slot.count.saturating_add(count),
            Found::Free(at) => self.insert(at, *key, word, count),
        }
    }

    /// Adds a string that is not in the table; `at` is the free slot for it.
    #[inline(never)]
    fn insert(&mut self, mut at: usize, mut key: Slot, word: &[u8], count: u64) {
        if count == 0 {
            return;
        }
        if (self.used + 1).saturating_mul(2) > self.slots.len() {
            self.rebuild(self.slots.len().saturating_mul(2).max(FIRST_SLOTS));
            at = slot::free(&self.slots, &key, word, self.seed);
        }
        if key.is_in_bytes() {
            // There are not as many strings as would fill 4 GiB.
            key.at = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
            self.bytes.extend_from_slice(word);
        }
        if let Some(rest) = &mut self.rest {
            rest.distinct.insert_hash(key.stable_hash(&self.bytes));
        }
        key.count = count;
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = key;
        }
        self.used += 1;
        let most = if self.rest.is_some() { 2 * KEPT } else { self.most_exact };
        if self.used > most {
            self.reduce();
        }
    }

    /// Makes a table of a number of slots, a power of two, of those that are in use.
    fn rebuild(&mut self, slots: usize) {
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); slots]);
        let old_bytes = std::mem::take(&mut self.bytes);
        for mut slot in old.into_iter().filter(|slot| slot.count > 0) {
            if slot.is_in_bytes() {
                let start = self.bytes.len();
                if let Word::Text(word) = slot.word(&old_bytes) {
                    self.bytes.extend_from_slice(word);
                }
                slot.at = u32::try_from(start).unwrap_or(u32::MAX);
            }
            let word = match slot.word(&self.bytes) {
                Word::Text(word) => word,
                Word::Long(..) => &[],
            };
            let at = slot::free(&self.slots, &slot, word, self.seed);
            if let Some(free) = self.slots.get_mut(at) {
                *free = slot;
            }
        }
    }

    /// Keeps the most frequent strings.
    #[cold]
    fn reduce(&mut self) {
        let words = self.slots.iter().filter(|slot| slot.count > 0);
        if self.rest.is_none() {
            let mut distinct = Kmv::of_hashes();
            words.clone().for_each(|slot| distinct.insert_hash(slot.stable_hash(&self.bytes)));
            self.rest = Some(Rest { subtracted: 0, distinct });
        }
        let mut counts: Vec<u64> = words.map(|slot| slot.count).collect();
        if counts.len() <= KEPT {
            return;
        }
        let (_, dropped, _) = counts.select_nth_unstable_by(KEPT, |a, b| b.cmp(a));
        let dropped = *dropped;
        for slot in &mut self.slots {
            slot.count = slot.count.saturating_sub(dropped);
        }
        if let Some(rest) = &mut self.rest {
            rest.subtracted = rest.subtracted.saturating_add(dropped);
        }
        self.used = self.slots.iter().filter(|slot| slot.count > 0).count();
        // With twice as many strings as are kept, half of it is free.
        self.rebuild(4 * KEPT);
    }

    /// Adds what another one has, which was made with the same options.
    pub(super) fn merge(&mut self, other: &Self) {
        if let (None, Some(_)) = (&self.rest, &other.rest) {
            self.reduce();
        }
        if let (Some(ours), Some(theirs)) = (&mut self.rest, &other.rest) {
            // They have the same number of buckets.
            let _ = ours.distinct.merge(&theirs.distinct);
            ours.subtracted = ours.subtracted.saturating_add(theirs.subtracted);
        }
        for slot in other.slots.iter().filter(|slot| slot.count > 0) {
            match slot.word(&other.bytes) {
                Word::Text(word) => self.add_key(&slot.key(), word, slot.count),
                Word::Long(fingerprint, length) => self.add_long(fingerprint, length, slot.count),
            }
        }
    }

    /// Returns the strings and their counts, which are at most [`count_error`](Self::count_error) too small, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Word<'_>, u64)> {
        let used = self.slots.iter().filter(|slot| slot.count > 0);
        used.map(|slot| (slot.word(&self.bytes), slot.count))
    }

    /// Returns the number of distinct strings.
    pub(super) fn distinct(&self) -> u64 {
        match &self.rest {
            None => self.used as u64,
            Some(rest) => rest.distinct.estimate().max(self.used as u64),
        }
    }

    /// Returns the most by which counts are too small; nothing where they are exact.
    pub(super) fn count_error(&self) -> Option<u64> {
        self.rest.as_ref().map(|rest| rest.subtracted)
    }

    /// Adds a string whose text is not known.
    pub(super) fn add_long(&mut self, fingerprint: u64, length: u32, count: u64) {
        self.add_key(&slot::long_key(fingerprint, length), &[], count);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{KEPT, Word, Words};

    fn counts(words: &Words) -> BTreeMap<Vec<u8>, u64> {
        let text = |word| match word {
            Word::Text(text) => Vec::from(text),
            Word::Long(fingerprint, length) => format!("{fingerprint} {length}").into_bytes(),
        };
        words.iter().map(|(word, count)| (text(word), count)).collect()
    }

    #[test]
    fn strings_of_all_lengths_are_told_apart() {
        let mut words = Words::new(1 << 14);
        let mut expected = BTreeMap::new();
        for length in 0..200 {
            for (last, count) in [(b'a', 1), (b'b', 2), (0, 3)] {
                let mut word = vec![0; length];
                if let Some(end) = word.last_mut() {
                    *end = last;
                }
                words.add(&word, count);
                *expected.entry(word).or_insert(0) += count;
            }
            let mut word = vec![b'x'; length];
            if let Some(first) = word.first_mut() {
                *first = b'y';
            }
            words.add(&word, 1);
            *expected.entry(word).or_insert(0) += 1;
        }
        assert_eq!(counts(&words), expected);
        assert_eq!((words.distinct(), words.count_error()), (expected.len() as u64, None));
        let mut merged = words.clone();
        merged.merge(&words);
        expected.values_mut().for_each(|count| *count *= 2);
        assert_eq!(counts(&merged), expected);
    }

    #[test]
    fn long_strings_are_known_by_their_fingerprints() {
        let mut words = Words::new(10);
        let long = vec![b'x'; super::LONGEST + 1];
        words.add(&long, 2);
        words.add(&long, 1);
        words.add(&vec![b'y'; super::LONGEST + 1], 1);
        assert_eq!(words.distinct(), 2);
        assert!(words.iter().any(|(word, count)| matches!(word, Word::Long(_, 1025)) && count == 3));
    }

    #[test]
    fn counts_are_within_the_error_where_not_all_are_kept() {
        let mut words = Words::new(5_000);
        let mut parts = vec![Words::new(5_000); 3];
        let mut exact = BTreeMap::new();
        for number in 0..100_000u64 {
            // Every third is frequent.
            let number = if number % 3 == 0 { number % 300 } else { number };
            let word = number.to_string().into_bytes();
            words.add(&word, 1);
            parts[number as usize % 3].add(&word, 1);
            *exact.entry(word).or_insert(0u64) += 1;
        }
        let mut merged = Words::new(5_000);
        parts.iter().for_each(|part| merged.merge(part));
        for words in [&words, &merged] {
            let error = words.count_error().expect("not exact");
            assert!(error <= 100_000 / (KEPT as u64 + 1), "{error}");
            let counts = counts(words);
            for (word, count) in &exact {
                let found = counts.get(word).copied().unwrap_or(0);
                assert!(found <= *count && count - found <= error, "{word:?}: {found} of {count}, {error}");
            }
            let distinct = words.distinct() as f64 / exact.len() as f64;
            assert!((distinct - 1.0).abs() < 0.06, "{distinct}");
        }
    }
}
