//! The hash table from the prefix of a map entry to columns.
//!
//! The prefix is the tag and the length of the key, the key, and the tag of the value, so that one comparison checks all of
//! them.

use std::hash::{BuildHasher, RandomState};

/// Longest prefix that is hashed in one step and compared at once.
pub(super) const HALF: usize = 16;
/// Shortest prefix that is hashed in two steps; `WHOLE` is the longest.
const LONGER: usize = HALF + 1;
pub(super) const WHOLE: usize = 32;

/// Masks of 16 bytes, by the number of bytes that count.
pub(super) const MASKS: [u128; HALF + 1] = {
    let mut masks = [u128::MAX; HALF + 1];
    let mut length = 0;
    while length < HALF {
        masks[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    masks
};

/// Maximum number of names for which other seeds are tried where two names fall on one slot,
const FEW: usize = 256;
/// so often.
const TRIES: usize = 16;

/// Open addressing, a power of two of slots.
#[derive(Clone, Debug)]
pub(super) struct Table {
    slots: Vec<Slot>,
    /// The last sixteen bytes of each entry of up to 32.
    lasts: Vec<u128>,
    seeds: (u64, u64),
    /// Number of entries outside the slot of their hash.
    displaced: usize,
}

/// The first 16 bytes, and the name's number and column.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Slot {
    low: u64,
    high: u64,
    id: u32,
    column: u32,
}

/// A free slot has the number 0, and begins as nothing does that is looked up: there the second byte is the length of the
/// key, which is less than 32 where all is compared with a slot.
const FREE: Slot = Slot { low: 0xff00, high: 0, id: 0, column: 0 };

impl Table {
    pub(super) fn new() -> Self {
        Self { slots: vec![FREE; 256], lasts: vec![0], seeds: seeds(), displaced: 0 }
    }

    /// Finds what begins an entry, and is the first `length` bytes of these 16.
    #[inline(always)]
    pub(super) fn find_half(&self, bytes: u128, length: usize) -> Option<(u32, u32)> {
        let masks = MASKS.get(length)?;
        let (low, high) = (bytes as u64 & *masks as u64, (bytes >> 64) as u64 & (*masks >> 64) as u64);
        let mask = self.slots.len() - 1;
        let mut at = fold(self.seeds, low, high) as usize & mask;
        loop {
            let slot = self.slots.get(at)?;
            if slot.low == low && slot.high == high {
                return Some((slot.id, slot.column));
            }
            if slot.id == 0 {
                return None;
            }
            at = (at + 1) & mask;
        }
    }

    /// Does the same for 17 to 32 bytes, of which these are the first and the last sixteen.
    #[inline(always)]
    pub(super) fn find_whole(&self, first: u128, last: u128) -> Option<(u32, u32)> {
        let mask = self.slots.len() - 1;
        let mut at = fold_both(self.seeds, first, last) as usize & mask;
        loop {
            let slot = self.slots.get(at)?;
            if slot.low == first as u64
                && slot.high == (first >> 64) as u64
                && self.lasts.get(slot.id as usize) == Some(&last)
            {
                return Some((slot.id, slot.column));
            }
            if slot.id == 0 {
                return None;
            }
            at = (at + 1) & mask;
        }
    }

    /// Does the same for any number of bytes; `is_it` compares more than 32.
    pub(super) fn find(&self, bytes: &[u8], is_it: impl Fn(u32) -> bool) -> Option<(u32, u32)> {
        let (first, last) = ends(bytes);
        match bytes.len() {
            length @ ..=HALF => return self.find_half(first, length),
            LONGER..=WHOLE => return self.find_whole(first, last),
            _ => {}
        }
        let mask = self.slots.len() - 1;
        let mut at = hash(self.seeds, bytes) as usize & mask;
        loop {
            let slot = self.slots.get(at)?;
            if slot.id == 0 {
                return None;
            }
            if is_it(slot.id) {
                return Some((slot.id, slot.column));
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds the name with the highest number; `all` gives what entries begin with, by number from one
    /// on, and the columns. The number 0 is nobody's.
    pub(super) fn insert<'k, K>(&mut self, id: u32, all: impl Fn(usize) -> K)
    where
        K: Iterator<Item = (&'k [u8], u32)>,
    {
        let names = id as usize + 1;
        if names * 4 > self.slots.len() {
            self.slots = vec![FREE; self.slots.len() * 4];
            self.enter_all(all(0));
        } else {
            let displaced = self.displaced;
            self.enter_from(id, all(id as usize));
            if self.displaced == displaced {
                return;
            }
        }
        // One beside its slot costs a wrong guess of the processor each time.
        let mut best = (self.displaced, self.seeds);
        for _ in 0..TRIES {
            if best.0 == 0 || names > FEW {
                break;
            }
            self.seeds = seeds();
            self.enter_all(all(0));
            best = best.min((self.displaced, self.seeds));
        }
        if self.seeds != best.1 {
            self.seeds = best.1;
            self.enter_all(all(0));
        }
    }

    fn enter_all<'k>(&mut self, all: impl Iterator<Item = (&'k [u8], u32)>) {
        self.slots.fill(FREE);
        self.lasts.clear();
        self.displaced = 0;
        self.enter_from(0, all);
    }

    /// Enters all from a number on.
    fn enter_from<'k>(&mut self, id: u32, all: impl Iterator<Item = (&'k [u8], u32)>) {
        for (id, (bytes, column)) in (id..).zip(all) {
            let (first, last) = ends(bytes);
            self.lasts.push(last);
            if id == 0 {
                continue;
            }
            let mask = self.slots.len() - 1;
            let home = hash(self.seeds, bytes) as usize & mask;
            let mut at = home;
            while self.slots.get(at).is_some_and(|taken| taken.id != 0) {
                at = (at + 1) & mask;
            }
            self.displaced += usize::from(at != home);
            if let Some(free) = self.slots.get_mut(at) {
                *free = Slot { low: first as u64, high: (first >> 64) as u64, id, column };
            }
        }
    }
}

/// Returns secret seeds, so that nobody can choose names that collide.
fn seeds() -> (u64, u64) {
    let random = RandomState::new();
    (random.hash_one(1) | 1, random.hash_one(2))
}

/// Returns a keyed hash.
fn hash(seeds: (u64, u64), bytes: &[u8]) -> u64 {
    let (first, last) = ends(bytes);
    match bytes.len() {
        ..=HALF => fold(seeds, first as u64, (first >> 64) as u64),
        LONGER..=WHOLE => fold_both(seeds, first, last),
        _ => bytes.chunks(HALF).fold(0, |hash, chunk| {
            let chunk = ends(chunk).0;
            fold(seeds, chunk as u64, ((chunk >> 64) as u64).wrapping_add(hash))
        }),
    }
}

#[inline(always)]
fn fold_both(seeds: (u64, u64), first: u128, last: u128) -> u64 {
    let hash = fold(seeds, first as u64, (first >> 64) as u64);
    fold(seeds, last as u64, ((last >> 64) as u64).wrapping_add(hash))
}

/// Returns the two halves of a product, folded: every bit of the input moves about half of the bits.
#[inline(always)]
fn fold(seeds: (u64, u64), low: u64, high: u64) -> u64 {
    let product = u128::from(low ^ seeds.0) * u128::from(high ^ seeds.1);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Returns the first and the last sixteen bytes. Fewer than sixteen are followed by zeros.
pub(super) fn ends(bytes: &[u8]) -> (u128, u128) {
    let mut first = [0u8; HALF];
    for (to, from) in first.iter_mut().zip(bytes) {
        *to = *from;
    }
    let last = bytes.last_chunk::<HALF>().unwrap_or(&first);
    (u128::from_le_bytes(first), u128::from_le_bytes(*last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_are_found_while_the_table_grows_and_changes_its_seeds() {
        let lengths = [1, 4, 13, 14, 16, 17, 31, 32, 33, 100];
        let entries = (0..400u32).map(|number| {
            let mut bytes = vec![0x0a; lengths[number as usize % lengths.len()]];
            bytes.extend(number.to_le_bytes());
            bytes
        });
        let entries = entries.collect::<Vec<_>>();
        let mut table = Table::new();
        for known in 1..entries.len() {
            let all = |first| {
                let known = entries.iter().take(known + 1).zip(0..).skip(first);
                known.map(|(bytes, column)| (bytes.as_slice(), column))
            };
            table.insert(known as u32, all);
            if !known.is_power_of_two() && known != entries.len() - 1 {
                continue;
            }
            for (id, bytes) in entries.iter().enumerate().skip(1) {
                let found = table.find(bytes, |other| entries.get(other as usize) == Some(bytes));
                assert_eq!(found, (id <= known).then_some((id as u32, id as u32)), "{id} of {known}");
            }
        }
    }
}
