//! Hashes for tables in memory: fast, and with a secret seed, so that nobody can choose values that collide.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Makes hashers of one seed, which differs from table to table.
#[derive(Clone, Debug)]
pub(crate) struct SeededHash {
    seed: u64,
}

impl Default for SeededHash {
    fn default() -> Self {
        Self { seed: RandomState::new().hash_one(0) }
    }
}

impl BuildHasher for SeededHash {
    type Hasher = FoldHasher;

    #[inline]
    fn build_hasher(&self) -> FoldHasher {
        FoldHasher { state: self.seed }
    }
}

/// Multiplies each word into the state, and folds the 128 bits of the product.
pub(crate) struct FoldHasher {
    state: u64,
}

/// An odd number with as many ones as zeros.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl FoldHasher {
    #[inline]
    fn fold(&mut self, word: u64) {
        let product = u128::from(self.state ^ word) * u128::from(FACTOR);
        self.state = product as u64 ^ (product >> 64) as u64;
    }
}

impl Hasher for FoldHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.fold(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            // The length is written before the bytes, so that this does not collide with zeros.
            self.fold(rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.fold(word);
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.fold(word as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::BuildHasher as _;

    use super::SeededHash;

    #[test]
    fn hashes_differ_by_value_length_and_seed() {
        let (hash, other) = (SeededHash::default(), SeededHash::default());
        let values: Vec<Vec<u8>> = (0..100).flat_map(|length| [vec![0; length], vec![1; length]]).collect();
        let hashes: HashSet<u64> = values.iter().map(|value| hash.hash_one(value)).collect();
        // The empty value twice.
        assert_eq!(hashes.len(), 199);
        assert_ne!(hash.hash_one("a"), other.hash_one("a"));
    }
}
