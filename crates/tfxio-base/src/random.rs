//! Random numbers that stay the same on every machine and in every release.
//!
//! A [`Stream`] is SplitMix64 ([Steele, Lea and Flood 2014](https://doi.org/10.1145/2714064.2660195)) with its state
//! written as a key and a counter: number `i` of a stream is a function of the two alone, so that a saved key and
//! counter are the whole state. **What comes out for a key never changes:** the order of examples, samples and saved
//! states depend on it. It is not for secrets.
//!
//! ```
//! use tfxio_base::random::{Stream, derive};
//!
//! let mut die = Stream::new(derive(7, "die", &[]));
//! let rolls = [die.below(6), die.below(6), die.below(6)];
//! assert!(rolls.iter().all(|roll| *roll < 6));
//! // A stream goes on from its key and counter.
//! let mut again = Stream { key: die.key, counter: die.counter };
//! assert_eq!(again.next_u64(), die.next_u64());
//! ```

#[cfg(test)]
mod tests;

/// Increment of SplitMix64: 2^64 divided by the golden ratio, made odd.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the bits that the finaliser of SplitMix64 makes of some, a bijection that lets each bit of its argument change each
/// bit of its value.
#[inline]
#[must_use]
pub const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Derives the key of an independent stream from a seed, a purpose and numbers, such as an epoch and a file.
///
/// Keys of different purposes or numbers, and of numbers in another order, are unrelated.
#[must_use]
pub fn derive(seed: u64, purpose: &str, numbers: &[u64]) -> u64 {
    let absorb = |key: u64, word: u64| mix((key ^ word).wrapping_add(STEP));
    let mut key = absorb(mix(seed.wrapping_add(STEP)), purpose.len() as u64);
    for bytes in purpose.as_bytes().chunks(8) {
        let word = bytes.iter().rev().fold(0, |word, &byte| (word << 8) | u64::from(byte));
        key = absorb(key, word);
    }
    numbers.iter().fold(key, |key, &number| absorb(key, number))
}

/// A stream of random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Key that identifies the stream.
    pub key: u64,
    /// Number of values taken so far.
    pub counter: u64,
}

impl Stream {
    /// Returns the stream of a key, from its beginning. Any number is a key; a seed of several streams becomes one by [`derive()`].
    #[must_use]
    pub const fn new(key: u64) -> Self {
        Self { key, counter: 0 }
    }

    /// Returns the next 64 random bits.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        self.counter = self.counter.wrapping_add(1);
        mix(self.key.wrapping_add(self.counter.wrapping_mul(STEP)))
    }

    /// Returns a number below `bound`, each equally likely; 0 for a bound of 0.
    ///
    /// Takes one number of the stream, and another as often as one falls where some results would be likelier than
    /// others (with a probability below `bound / 2^64`).
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        // The upper half of the product: Lemire 2019, https://doi.org/10.1145/3230636.
        let mut product = u128::from(self.next_u64()) * u128::from(bound);
        if (product as u64) < bound {
            let uneven = bound.wrapping_neg() % bound;
            while (product as u64) < uneven {
                product = u128::from(self.next_u64()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }
}
