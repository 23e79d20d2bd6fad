//! Strings with their counts, short ones within.

use tfxio_base::fingerprint;

use super::CountedString;

/// Bytes of a string that fit into an entry.
pub(in crate::statistics) const INLINE: usize = 16;

/// Bytes of the longest string that is kept.
pub(in crate::statistics) const LONGEST: usize = 1024;

/// A string and its count.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// A string of up to [`INLINE`] bytes and zeros; of a longer one the first and the last eight bytes, and of one that is not
    /// kept its fingerprint.
    head: [u8; INLINE],
    pub(super) count: u64,
    length: u32,
    /// Offset of a string that does not fit, in the bytes that are kept beside the entries.
    pub(super) at: u32,
}

/// Free entry, which equals the entry of no string: the second half of the head of one that is so long is 0.
pub(super) const FREE: Entry = Entry { head: [0xff; INLINE], count: 0, length: u32::MAX, at: 0 };

/// Returns the entry of a string, without a count.
#[inline(always)]
pub(super) fn key(string: &[u8]) -> Entry {
    let length = string.len();
    if length > LONGEST {
        return long_key(fingerprint(string), u32::try_from(length).unwrap_or(u32::MAX));
    }
    Entry { head: head(string).to_le_bytes(), count: 0, length: length as u32, at: 0 }
}

/// Returns the entry of a string that fits into it, without a count.
#[inline(always)]
pub(super) fn short_key(string: &[u8]) -> Entry {
    Entry { head: head(string).to_le_bytes(), count: 0, length: string.len() as u32, at: 0 }
}

/// Returns the first and the second eight bytes of a short string, and zeros; of a longer one the first and the last eight. Short
/// strings are copied by words that overlap.
#[inline(always)]
fn head(string: &[u8]) -> u128 {
    if let (Some(first), Some(last)) = (string.first_chunk(), string.last_chunk()) {
        let unused = 8 * INLINE.saturating_sub(string.len()) as u32;
        let second = u64::from_le_bytes(*last).checked_shr(unused).unwrap_or(0);
        return u128::from(u64::from_le_bytes(*first)) | u128::from(second) << 64;
    }
    if let (Some(first), Some(last)) = (string.first_chunk(), string.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return u128::from(u64::from(first) | u64::from(last) << (8 * (string.len() - 4)));
    }
    string.iter().rev().fold(0, |head, byte| head << 8 | u128::from(*byte))
}

pub(super) fn long_key(fingerprint: u64, length: u32) -> Entry {
    Entry { head: u128::from(fingerprint).to_le_bytes(), count: 0, length, at: 0 }
}

impl Entry {
    pub(super) fn without_count(&self) -> Self {
        Self { count: 0, ..*self }
    }

    pub(super) fn is_free(&self) -> bool {
        self.is_head_of(&FREE)
    }

    /// Returns whether the string is in the bytes beside the entries.
    #[inline]
    pub(super) fn is_in_bytes(&self) -> bool {
        (INLINE + 1..=LONGEST).contains(&(self.length as usize))
    }

    /// Returns the string, of which the bytes beside the entries have what does not fit.
    #[inline]
    pub(super) fn counted_string<'a>(&'a self, bytes: &'a [u8]) -> CountedString<'a> {
        let length = self.length as usize;
        if let Some(string) = self.head.get(..length) {
            return CountedString::Text(string);
        }
        let start = self.at as usize;
        match bytes.get(start..start.saturating_add(length)) {
            Some(string) if length <= LONGEST => CountedString::Text(string),
            _ => CountedString::Long(u128::from_le_bytes(self.head) as u64, self.length),
        }
    }

    /// Returns the bytes that are known of the string.
    #[inline]
    pub(super) fn text<'a>(&'a self, bytes: &'a [u8]) -> &'a [u8] {
        match self.counted_string(bytes) {
            CountedString::Text(text) => text,
            CountedString::Long(..) => &[],
        }
    }

    /// Returns a hash that is the same in every process.
    pub(super) fn stable_hash(&self, bytes: &[u8]) -> u64 {
        match self.counted_string(bytes) {
            CountedString::Text(string) => fingerprint(string),
            CountedString::Long(fingerprint, _) => fingerprint,
        }
    }

    /// Returns the hash by which the entry is found.
    #[inline(always)]
    pub(super) fn hash(&self, string: &[u8], seed: [u64; 2]) -> u64 {
        let mut hash = self.short_hash(seed);
        if self.is_in_bytes() {
            let (words, _) = string.as_chunks();
            for word in words {
                hash = fold(u64::from_le_bytes(*word) ^ hash, seed[1]);
            }
        }
        hash
    }

    /// Returns the hash of a string that fits into the entry.
    #[inline(always)]
    pub(super) fn short_hash(&self, seed: [u64; 2]) -> u64 {
        let head = u128::from_le_bytes(self.head);
        fold(head as u64 ^ seed[0], (head >> 64) as u64 ^ seed[1] ^ u64::from(self.length))
    }

    #[inline]
    pub(super) fn is_same(&self, other: &Self, string: &[u8], bytes: &[u8]) -> bool {
        self.is_head_of(other) && self.is_rest_of(string, bytes)
    }

    /// Returns whether both have the same head and length.
    #[inline(always)]
    pub(super) fn is_head_of(&self, other: &Self) -> bool {
        let heads = u128::from_le_bytes(self.head) ^ u128::from_le_bytes(other.head);
        heads as u64 | (heads >> 64) as u64 | u64::from(self.length ^ other.length) == 0
    }

    /// Returns whether the string is another one, of the same head and length.
    #[inline(always)]
    pub(super) fn is_rest_of(&self, string: &[u8], bytes: &[u8]) -> bool {
        !self.is_in_bytes() || self.counted_string(bytes) == CountedString::Text(string)
    }
}

/// Multiplies, and folds the 128 bits of the product.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}
