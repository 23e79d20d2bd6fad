//! Slots of the table of strings.

use super::Word;
use tfxio_base::fingerprint;

/// Bytes of a string that fit into a slot.
pub(in crate::statistics) const INLINE: usize = 16;

/// Bytes of the longest string that is kept.
pub(in crate::statistics) const LONGEST: usize = 1024;

/// A string and its count; a count of 0 is a free slot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    /// A string of up to [`INLINE`] bytes and zeros; of a longer one the first and the last eight bytes, and of one that is not
    /// kept its fingerprint.
    head: [u8; INLINE],
    pub(super) count: u64,
    length: u32,
    /// Where a string that does not fit begins in the bytes of the table.
    pub(super) at: u32,
}

/// Returns the slot of a string, without a count.
#[inline]
pub(super) fn key(word: &[u8]) -> Slot {
    let length = word.len();
    if length > LONGEST {
        return long_key(fingerprint(word), u32::try_from(length).unwrap_or(u32::MAX));
    }
    Slot { head: head(word).to_le_bytes(), count: 0, length: length as u32, at: 0 }
}

/// Copies a short string by words that overlap.
#[inline]
fn head(word: &[u8]) -> u128 {
    if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
        let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
        let shift = 8 * (word.len().min(INLINE) - 8);
        return u128::from(first) | u128::from(last) << shift;
    }
    if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return u128::from(u64::from(first) | u64::from(last) << (8 * (word.len() - 4)));
    }
    word.iter().rev().fold(0, |head, byte| head << 8 | u128::from(*byte))
}

pub(super) fn long_key(fingerprint: u64, length: u32) -> Slot {
    Slot { head: u128::from(fingerprint).to_le_bytes(), count: 0, length, at: 0 }
}

impl Slot {
    /// Whether the string is in the bytes of the table.
    #[inline]
    pub(super) fn is_in_bytes(&self) -> bool {
        (INLINE + 1..=LONGEST).contains(&(self.length as usize))
    }

    /// Returns the string, of which the bytes of the table have what does not fit.
    #[inline]
    pub(super) fn word<'a>(&'a self, bytes: &'a [u8]) -> Word<'a> {
        let length = self.length as usize;
        if let Some(word) = self.head.get(..length) {
            return Word::Text(word);
        }
        let start = self.at as usize;
        match bytes.get(start..start.saturating_add(length)) {
            Some(word) if length <= LONGEST => Word::Text(word),
            _ => Word::Long(u128::from_le_bytes(self.head) as u64, self.length),
        }
    }

    /// Returns the slot without its count.
    pub(super) fn key(&self) -> Self {
        Self { count: 0, at: 0, ..*self }
    }

    /// Returns a hash that is the same in every process.
    pub(super) fn stable_hash(&self, bytes: &[u8]) -> u64 {
        match self.word(bytes) {
            Word::Text(word) => fingerprint(word),
            Word::Long(fingerprint, _) => fingerprint,
        }
    }

    /// Returns the hash by which the slot is found.
    #[inline]
    pub(super) fn hash(&self, word: &[u8], seed: [u64; 2]) -> usize {
        let head = u128::from_le_bytes(self.head);
        let mut hash = fold(head as u64 ^ seed[0], (head >> 64) as u64 ^ seed[1]);
        if self.is_in_bytes() {
            let (words, _) = word.as_chunks();
            for word in words {
                hash = fold(u64::from_le_bytes(*word) ^ hash, seed[1]);
            }
        }
        fold(hash ^ u64::from(self.length), seed[0]) as usize
    }

    #[inline]
    fn is_same(&self, other: &Self, word: &[u8], bytes: &[u8]) -> bool {
        self.head == other.head
            && self.length == other.length
            && (!self.is_in_bytes() || self.word(bytes) == Word::Text(word))
    }
}

/// Multiplies, and folds the 128 bits of the product.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// Where a string is, or may go.
pub(super) enum Found<'a> {
    At(&'a mut Slot),
    Free(usize),
}

/// Finds a string in a table of a power of two of slots, or of none.
#[inline]
pub(super) fn find<'a>(
    slots: &'a mut [Slot],
    key: &Slot,
    hash: usize,
    word: &[u8],
    bytes: &[u8],
) -> Found<'a> {
    let mask = slots.len().wrapping_sub(1);
    let mut at = hash & mask;
    loop {
        match slots.get(at) {
            Some(slot) if slot.count > 0 => {
                if slot.is_same(key, word, bytes) {
                    break;
                }
            }
            _ => return Found::Free(at),
        }
        at = (at + 1) & mask;
    }
    match slots.get_mut(at) {
        Some(slot) => Found::At(slot),
        None => Found::Free(at),
    }
}

/// Finds the free slot for a string that is not in the table, of which half is free.
pub(super) fn free(slots: &[Slot], key: &Slot, word: &[u8], seed: [u64; 2]) -> usize {
    let mask = slots.len().wrapping_sub(1);
    let mut at = key.hash(word, seed) & mask;
    while slots.get(at).is_some_and(|slot| slot.count > 0) {
        at = (at + 1) & mask;
    }
    at
}
