//! A hash table of strings and their counts.

use std::hash::{BuildHasher as _, RandomState};

use super::entry::{self, Entry};

/// Strings and their counts, in the order in which they came, and an index by their hashes.
///
/// A slot of the index is a number of 32 bits: the lower bits, as many as number the slots, are the number of an entry plus
/// 1, the upper ones are from its hash; 0 is a free slot. So most strings that are not in the table are told by the index
/// alone, which is small.
#[derive(Clone, Debug)]
pub(super) struct Table {
    entries: Vec<Entry>,
    /// Strings that do not fit into entries.
    bytes: Vec<u8>,
    /// A power of two of slots, at least twice as many as entries.
    index: Vec<u32>,
    /// Hot cache of the most frequent strings, with the counts that are not in the entries yet: so few that they stay in
    /// the nearest caches, also beside the ones of other columns. A string is in one of both slots of a bucket.
    frequent: Box<[[Entry; 2]; BUCKETS]>,
    /// The number of the entry of each of these slots.
    numbers: Box<[[u32; 2]; BUCKETS]>,
    seed: [u64; 2],
}

/// Entry of a string, or the slot that is free for it.
enum Found<'a> {
    At(&'a mut Entry),
    Free(usize),
}

const FIRST_SLOTS: usize = 128;

/// Strings that are frequent, at most, and the buckets for them.
const MOST_FREQUENT: usize = 320;
const BUCKETS: usize = 256;

/// Maximum number of entries of a table, whose slots a `u32` must be able to number.
pub(super) const MOST_ENTRIES: usize = 1 << 30;

impl Table {
    pub(super) fn new() -> Self {
        let state = RandomState::new();
        let seed = [state.hash_one(0), state.hash_one(1)];
        Self {
            entries: Vec::new(),
            bytes: Vec::new(),
            index: vec![0; FIRST_SLOTS],
            frequent: Box::new([[entry::FREE; 2]; BUCKETS]),
            numbers: Box::new([[0; 2]; BUCKETS]),
            seed,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the bytes of strings that do not fit into entries.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    #[inline]
    pub(super) fn hash(&self, key: &Entry, string: &[u8]) -> u64 {
        key.hash(string, self.seed)
    }

    /// Reads the slots of strings, so that they are in the nearest cache when they are looked at, and the processor waits for
    /// several at once.
    pub(super) fn touch(&self, hashes: &[u64]) {
        let mask = self.mask();
        let slots = hashes.iter().filter_map(|hash| self.index.get(*hash as usize & mask));
        let entries = slots.filter_map(|slot| self.entries.get((*slot as usize & mask).wrapping_sub(1)));
        std::hint::black_box(entries.fold(0, |all, entry| all ^ entry.count));
    }

    /// Adds strings that are frequent, each once, and returns the number of the others, which are put into `missed`.
    #[inline(always)]
    pub(super) fn add_frequent<'w, const N: usize>(
        &mut self,
        strings: impl Iterator<Item = &'w [u8]>,
        missed: &mut [&'w [u8]; N],
    ) -> usize {
        let mut others = 0;
        for string in strings {
            let key = entry::key(string);
            let (slot, is_head) = slot_of(&mut self.frequent, &key, key.hash(string, self.seed));
            // A number instead of a branch, which could not be predicted.
            let is_found = is_head & slot.is_rest_of(string, &self.bytes);
            slot.count += u64::from(is_found);
            if let Some(missed) = missed.get_mut(others) {
                *missed = string;
            }
            others += usize::from(!is_found);
        }
        others
    }

    /// Does the same with strings that fit into entries.
    #[inline(always)]
    pub(super) fn add_frequent_short<const N: usize>(
        &mut self,
        keys: impl Iterator<Item = Entry>,
        missed: &mut [Entry; N],
    ) -> usize {
        let mut others = 0;
        for key in keys {
            let (slot, is_found) = slot_of(&mut self.frequent, &key, key.short_hash(self.seed));
            slot.count += u64::from(is_found);
            if let Some(missed) = missed.get_mut(others) {
                *missed = key;
            }
            others += usize::from(!is_found);
        }
        others
    }

    /// Adds the counts of frequent strings to the entries.
    pub(super) fn gather(&mut self) {
        let numbers = self.numbers.as_flattened();
        for (slot, number) in self.frequent.as_flattened_mut().iter_mut().zip(numbers) {
            let count = std::mem::take(&mut slot.count);
            if count > 0
                && let Some(entry) = self.entries.get_mut(*number as usize)
            {
                entry.count = entry.count.saturating_add(count);
            }
        }
    }

    /// Finds out which strings are frequent by now. Counts have to be [gathered](Self::gather).
    pub(super) fn choose_frequent(&mut self) {
        let least = if self.entries.len() > MOST_FREQUENT {
            let mut counts: Vec<u64> = self.entries.iter().map(|entry| entry.count).collect();
            *counts.select_nth_unstable_by(MOST_FREQUENT, |a, b| b.cmp(a)).1
        } else {
            0
        };
        self.frequent.fill([entry::FREE; 2]);
        for (number, entry) in (0..).zip(&self.entries).filter(|(_, entry)| entry.count > least) {
            let bucket = entry.hash(entry.text(&self.bytes), self.seed) as usize % BUCKETS;
            // One for which a bucket has no slot left is looked up with those that are not frequent.
            let slots = self.frequent[bucket].iter_mut().zip(&mut self.numbers[bucket]);
            if let Some((slot, of_slot)) = { slots }.find(|(slot, _)| slot.is_free()) {
                (*slot, *of_slot) = (entry.without_count(), number);
            }
        }
    }

    #[inline]
    fn mask(&self) -> usize {
        self.index.len().wrapping_sub(1)
    }

    /// Finds a string.
    #[inline]
    fn find(&mut self, key: &Entry, hash: u64, string: &[u8]) -> Found<'_> {
        let mask = self.mask();
        let tag = tag(hash, mask);
        let mut at = hash as usize & mask;
        loop {
            let slot = self.index.get(at).copied().unwrap_or(0);
            if slot == 0 {
                return Found::Free(at);
            }
            let number = (slot as usize & mask).wrapping_sub(1);
            if (slot ^ tag) as usize & !mask & u32::MAX as usize == 0
                && self.entries.get(number).is_some_and(|entry| entry.is_same(key, string, &self.bytes))
            {
                return match self.entries.get_mut(number) {
                    Some(entry) => Found::At(entry),
                    None => Found::Free(at),
                };
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a string a number of times, and returns whether it is new.
    ///
    /// Needs [room](Self::reserve) for it.
    pub(super) fn add(&mut self, mut key: Entry, hash: u64, string: &[u8], count: u64) -> bool {
        let at = match self.find(&key, hash, string) {
            Found::At(entry) => {
                entry.count = entry.count.saturating_add(count);
                return false;
            }
            Found::Free(at) => at,
        };
        if key.is_in_bytes() {
            // There are not as many strings as would fill 4 GiB.
            key.at = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
            self.bytes.extend_from_slice(string);
        }
        key.count = count;
        self.entries.push(key);
        let number = self.entries.len() as u32;
        let tag = tag(hash, self.mask());
        if let Some(slot) = self.index.get_mut(at) {
            *slot = tag | number;
        }
        true
    }

    /// Makes room for a number of strings more.
    pub(super) fn reserve(&mut self, more: usize) {
        let slots = self.entries.len().saturating_add(more).saturating_mul(2).next_power_of_two();
        if slots > self.index.len() {
            self.build_index(slots);
        }
    }

    /// Makes the index of a number of slots, a power of two, and at least twice that of the entries.
    fn build_index(&mut self, slots: usize) {
        self.index.clear();
        self.index.resize(slots, 0);
        let mask = self.mask();
        for (number, entry) in (1..).zip(&self.entries) {
            let hash = entry.hash(entry.text(&self.bytes), self.seed);
            let mut at = hash as usize & mask;
            while self.index.get(at).is_some_and(|slot| *slot != 0) {
                at = (at + 1) & mask;
            }
            if let Some(slot) = self.index.get_mut(at) {
                *slot = tag(hash, mask) | number;
            }
        }
    }

    /// Makes all counts smaller, drops the strings whose count is 0 then, and makes an index of a number of slots. Counts
    /// have to be [gathered](Self::gather).
    pub(super) fn subtract(&mut self, dropped: u64, slots: usize) {
        self.entries.retain_mut(|entry| {
            entry.count = entry.count.saturating_sub(dropped);
            entry.count > 0
        });
        if !self.bytes.is_empty() {
            let old = std::mem::take(&mut self.bytes);
            for entry in &mut self.entries {
                if entry.is_in_bytes() {
                    let start = self.bytes.len();
                    self.bytes.extend_from_slice(entry.text(&old));
                    entry.at = u32::try_from(start).unwrap_or(u32::MAX);
                }
            }
        }
        self.build_index(slots);
        self.choose_frequent();
    }
}

/// Returns the slot in which a string is if it is frequent, and whether the slot has its head and length.
#[inline(always)]
fn slot_of<'a>(frequent: &'a mut [[Entry; 2]; BUCKETS], key: &Entry, hash: u64) -> (&'a mut Entry, bool) {
    let [first, second] = &mut frequent[hash as usize % BUCKETS];
    let (is_first, is_second) = (first.is_head_of(key), second.is_head_of(key));
    (if is_second { second } else { first }, is_first | is_second)
}

/// Returns the part of a hash that a slot has: the bits above the entry number.
#[inline]
fn tag(hash: u64, mask: usize) -> u32 {
    (hash >> 32) as u32 & !(mask as u32)
}
