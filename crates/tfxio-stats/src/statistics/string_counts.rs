//! Counts of byte strings: exact while few are distinct, else of the most frequent ones.

mod entry;
mod table;

use self::entry::Entry;
use self::table::{MOST_ENTRIES, Table};
use crate::Kmv;

pub(super) use self::entry::{INLINE, LONGEST};

/// Counts of distinct byte strings.
///
/// Frequent strings are counted at once. The others wait, and are added to the table together: a table that is larger than the
/// processor's caches is brought into them for many strings, not for each.
///
/// With more than `most_exact` strings, the strings of the largest counts are kept ([`KEPT`]) each time, and all counts
/// become smaller by the largest count that is dropped (Misra and Gries; merged as by Agarwal and others). The sum of what
/// was subtracted, at most *W* / ([`KEPT`] + 1) of *W* values, bounds the error of a count. The number of distinct ones is
/// estimated then.
///
/// A string of more than [`LONGEST`] bytes is kept as a fingerprint of 64 bits only: its text is not known.
#[derive(Clone, Debug)]
pub(super) struct StringCounts {
    pub(super) most_exact: usize,
    table: Table,
    waiting: Vec<Entry>,
    /// Strings that wait and do not fit into entries.
    waiting_bytes: Vec<u8>,
    /// Number of strings that may wait.
    most_waiting: usize,
    /// Number of times that waiting strings were added to the table.
    settled: usize,
    rest: Option<DroppedStrings>,
}

/// Record of dropped strings.
#[derive(Clone, Debug)]
pub(super) struct DroppedStrings {
    /// Number that was subtracted from each count.
    pub(super) subtracted: u64,
    pub(super) distinct: Kmv,
}

/// Counts of byte strings of which none wait.
#[derive(Debug)]
pub(super) struct SettledCounts {
    table: Table,
    rest: Option<DroppedStrings>,
}

/// Strings that are kept when not all can be.
pub(super) const KEPT: usize = 4096;

/// Number of times that strings are added to the table before the frequent ones are chosen again.
const CHOICE: usize = 8;

/// A string, or what is known of it, and its count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CountedString<'a> {
    Text(&'a [u8]),
    /// Fingerprint and length.
    Long(u64, u32),
}

/// Waiting strings: the fewest and the most, and the most bytes of strings that do not fit into entries.
const WAITING: (usize, usize) = (64, 2 * KEPT);
const WAITING_BYTES: usize = 1 << 18;

/// Strings that are looked up together.
const BLOCK: usize = 32;

impl StringCounts {
    pub(super) fn new(most_exact: usize) -> Self {
        Self {
            most_exact: most_exact.clamp(1, MOST_ENTRIES - WAITING.1),
            table: Table::new(),
            waiting: Vec::new(),
            waiting_bytes: Vec::new(),
            most_waiting: WAITING.0,
            settled: 0,
            rest: None,
        }
    }

    /// Sets what is known of strings that were dropped.
    pub(super) fn with_rest(mut self, rest: Option<DroppedStrings>) -> Self {
        self.rest = rest;
        self
    }

    /// Adds strings, each once.
    #[inline]
    pub(super) fn extend<'w>(&mut self, strings: impl Iterator<Item = &'w [u8]>) {
        let (mut strings, mut missed) = (strings.peekable(), [&[] as &[u8]; BLOCK]);
        while strings.peek().is_some() {
            let others = self.table.add_frequent(strings.by_ref().take(BLOCK), &mut missed);
            for string in missed.get(..others).unwrap_or_default() {
                self.wait(entry::key(string), string, 1);
            }
        }
    }

    /// Adds contiguous strings, each once, all of the same length: at least 1 and at most [`INLINE`].
    pub(super) fn extend_short(&mut self, bytes: &[u8], length: usize) {
        let mut missed = [Entry::default(); BLOCK];
        for block in bytes.chunks(length.max(1).saturating_mul(BLOCK)) {
            let keys = block.chunks_exact(length.max(1)).map(entry::short_key);
            let others = self.table.add_frequent_short(keys, &mut missed);
            for key in missed.get(..others).unwrap_or_default() {
                self.wait(*key, &[], 1);
            }
        }
    }

    /// Adds a string a number of times.
    pub(super) fn add(&mut self, string: &[u8], count: u64) {
        self.add_key(&entry::key(string), string, count);
    }

    /// Adds a string whose text is not known.
    pub(super) fn add_long(&mut self, fingerprint: u64, length: u32, count: u64) {
        self.add_key(&entry::long_key(fingerprint, length), &[], count);
    }

    fn add_key(&mut self, key: &Entry, string: &[u8], count: u64) {
        if count > 0 {
            self.wait(*key, string, count);
        }
    }

    #[inline]
    fn wait(&mut self, mut key: Entry, string: &[u8], count: u64) {
        key.count = count;
        if key.is_in_bytes() {
            key.at = self.waiting_bytes.len() as u32;
            self.waiting_bytes.extend_from_slice(string);
        }
        self.waiting.push(key);
        if self.waiting.len() >= self.most_waiting || self.waiting_bytes.len() >= WAITING_BYTES {
            self.settle();
        }
    }

    /// Adds the strings that wait to the table.
    #[inline(never)]
    fn settle(&mut self) {
        add_waiting(&mut self.table, &mut self.rest, &self.waiting, &self.waiting_bytes, self.most_exact);
        self.waiting.clear();
        self.waiting_bytes.clear();
        self.most_waiting = self.table.len().clamp(WAITING.0, WAITING.1);
        self.settled += 1;
        if self.settled.is_power_of_two() || self.settled.is_multiple_of(CHOICE) {
            self.table.gather();
            self.table.choose_frequent();
        }
    }

    /// Returns the counts, the waiting strings included.
    pub(super) fn settled(&self) -> SettledCounts {
        let (mut table, mut rest) = (self.table.clone(), self.rest.clone());
        add_waiting(&mut table, &mut rest, &self.waiting, &self.waiting_bytes, self.most_exact);
        table.gather();
        SettledCounts { table, rest }
    }

    /// Adds what another one has, which was made with the same options.
    pub(super) fn merge(&mut self, other: &Self) {
        let other = other.settled();
        if let Some(theirs) = &other.rest {
            self.settle();
            let ours = self.rest.get_or_insert_with(|| DroppedStrings::of(&self.table));
            ours.reduce(&mut self.table);
            // They have the same number of buckets.
            let _ = ours.distinct.merge(&theirs.distinct);
            ours.subtracted = ours.subtracted.saturating_add(theirs.subtracted);
        }
        let bytes = other.table.bytes();
        for entry in other.table.entries() {
            self.add_key(entry, entry.text(bytes), entry.count);
        }
    }
}

/// Adds strings that wait to a table, and keeps the most frequent ones where there are too many.
fn add_waiting(
    table: &mut Table,
    rest: &mut Option<DroppedStrings>,
    waiting: &[Entry],
    bytes: &[u8],
    most_exact: usize,
) {
    table.reserve(waiting.len());
    let mut hashes = [0; BLOCK];
    for block in waiting.chunks(BLOCK) {
        for (hash, entry) in hashes.iter_mut().zip(block) {
            *hash = table.hash(entry, entry.text(bytes));
        }
        table.touch(&hashes);
        for (entry, hash) in block.iter().zip(hashes) {
            if table.add(*entry, hash, entry.text(bytes), entry.count)
                && let Some(rest) = rest
            {
                rest.distinct.insert_hash(entry.stable_hash(bytes));
            }
        }
    }
    if rest.is_none() && table.len() > most_exact {
        *rest = Some(DroppedStrings::of(table));
    }
    if let Some(rest) = rest {
        rest.reduce(table);
    }
}

impl DroppedStrings {
    /// Begins to estimate how many strings there are.
    fn of(table: &Table) -> Self {
        let mut distinct = Kmv::of_hashes();
        distinct
            .insert_hashes(table.entries().iter().map(|entry| entry.stable_hash(table.bytes())).collect());
        Self { subtracted: 0, distinct }
    }

    /// Keeps the most frequent strings of a table that has too many.
    fn reduce(&mut self, table: &mut Table) {
        if table.len() > KEPT {
            table.gather();
            let mut counts: Vec<u64> = table.entries().iter().map(|entry| entry.count).collect();
            let (_, dropped, _) = counts.select_nth_unstable_by(KEPT, |a, b| b.cmp(a));
            let dropped = *dropped;
            table.subtract(dropped, 4 * KEPT);
            self.subtracted = self.subtracted.saturating_add(dropped);
        }
    }
}

impl SettledCounts {
    /// Returns the strings and their counts, which are at most [`count_error`](Self::count_error) too small, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (CountedString<'_>, u64)> {
        self.table.entries().iter().map(|entry| (entry.counted_string(self.table.bytes()), entry.count))
    }

    /// Returns the number of distinct strings.
    pub(super) fn distinct(&self) -> u64 {
        let counted = self.table.len() as u64;
        self.rest.as_ref().map_or(counted, |rest| rest.distinct.estimate().max(counted))
    }

    /// Returns what is known of strings that were dropped; nothing where counts are exact.
    pub(super) fn rest(&self) -> Option<&DroppedStrings> {
        self.rest.as_ref()
    }

    /// Returns the most by which counts are too small; nothing where they are exact.
    pub(super) fn count_error(&self) -> Option<u64> {
        self.rest().map(|rest| rest.subtracted)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{CountedString, KEPT, StringCounts};

    fn counts(strings: &StringCounts) -> BTreeMap<Vec<u8>, u64> {
        let text = |string| match string {
            CountedString::Text(text) => Vec::from(text),
            CountedString::Long(fingerprint, length) => format!("{fingerprint} {length}").into_bytes(),
        };
        strings.settled().iter().map(|(string, count)| (text(string), count)).collect()
    }

    #[test]
    fn strings_of_all_lengths_are_told_apart() {
        let mut strings = StringCounts::new(1 << 14);
        let mut expected = BTreeMap::new();
        for length in 0..200 {
            for (last, count) in [(b'a', 1), (b'b', 2), (0, 3)] {
                let mut string = vec![0; length];
                if let Some(end) = string.last_mut() {
                    *end = last;
                }
                strings.add(&string, count);
                *expected.entry(string).or_insert(0) += count;
            }
            let mut string = vec![b'x'; length];
            if let Some(first) = string.first_mut() {
                *first = b'y';
            }
            strings.add(&string, 1);
            *expected.entry(string).or_insert(0) += 1;
        }
        assert_eq!(counts(&strings), expected);
        assert_eq!(
            (strings.settled().distinct(), strings.settled().count_error()),
            (expected.len() as u64, None)
        );
        let mut merged = strings.clone();
        merged.merge(&strings);
        expected.values_mut().for_each(|count| *count *= 2);
        assert_eq!(counts(&merged), expected);
    }

    #[test]
    fn long_strings_are_known_by_their_fingerprints() {
        let mut strings = StringCounts::new(10);
        let long = vec![b'x'; super::LONGEST + 1];
        strings.add(&long, 2);
        strings.add(&long, 1);
        strings.add(&vec![b'y'; super::LONGEST + 1], 1);
        assert_eq!(strings.settled().distinct(), 2);
        assert!(
            strings
                .settled()
                .iter()
                .any(|(string, count)| matches!(string, CountedString::Long(_, 1025)) && count == 3)
        );
    }

    #[test]
    fn counts_are_within_the_error_where_not_all_are_kept() {
        let mut strings = StringCounts::new(5_000);
        let mut parts = vec![StringCounts::new(5_000); 3];
        let mut exact = BTreeMap::new();
        for number in 0..100_000u64 {
            // Every third is frequent.
            let number = if number % 3 == 0 { number % 300 } else { number };
            let string = number.to_string().into_bytes();
            strings.add(&string, 1);
            parts[number as usize % 3].add(&string, 1);
            *exact.entry(string).or_insert(0u64) += 1;
        }
        let mut merged = StringCounts::new(5_000);
        parts.iter().for_each(|part| merged.merge(part));
        for strings in [&strings, &merged] {
            let error = strings.settled().count_error().expect("not exact");
            assert!(error <= 100_000 / (KEPT as u64 + 1), "{error}");
            let counts = counts(strings);
            for (string, count) in &exact {
                let found = counts.get(string).copied().unwrap_or(0);
                assert!(found <= *count && count - found <= error, "{string:?}: {found} of {count}, {error}");
            }
            let distinct = strings.settled().distinct() as f64 / exact.len() as f64;
            assert!((distinct - 1.0).abs() < 0.06, "{distinct}");
        }
    }
}
