//! A keyed bijection of the numbers below a bound.

#[cfg(test)]
mod tests;

use tfxio_core::random::Stream;

/// Rounds for few elements, and for more than [`FEW_BITS`] bits hold.
///
/// With few elements, a round moves few at once: five elements take twenty rounds until each order is equally likely.
const ROUNDS: (usize, usize) = (24, 12);
const FEW_BITS: u32 = 8;

/// An order of the numbers below `n` that looks random, without a table of them.
///
/// A Feistel network permutes the numbers of as many bits as `n` needs, and what falls outside of `n` is permuted
/// again until it falls inside, less than once on average. **The order of a key never changes** between releases.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    n: u64,
    /// Bits of the lower of the two parts of a number.
    low: u32,
    low_mask: u64,
    high_mask: u64,
    keys: [u64; ROUNDS.0],
    rounds: usize,
}

impl Permutation {
    /// The order that a key gives the numbers below `n`.
    pub(crate) fn new(key: u64, n: u64) -> Self {
        let bits = u64::BITS - n.saturating_sub(1).leading_zeros();
        let (low, high) = (bits / 2, bits - bits / 2);
        let mask = |bits: u32| (1u64 << bits) - 1;
        let mut stream = Stream::new(key);
        Self {
            n,
            low,
            low_mask: mask(low),
            high_mask: mask(high),
            keys: std::array::from_fn(|_| stream.next_u64()),
            rounds: if bits <= FEW_BITS { ROUNDS.0 } else { ROUNDS.1 },
        }
    }

    /// Returns the number at a position. Each number below `n` is at one position below `n`; a position that is not
    /// below `n` maps to itself.
    #[inline]
    pub(crate) fn at(&self, position: u64) -> u64 {
        if position >= self.n {
            return position;
        }
        // Ends: on its cycle, `position` itself is the last that can be met.
        let mut number = position;
        loop {
            number = self.network(number);
            if number < self.n {
                return number;
            }
        }
    }

    /// Permutes all numbers that have the bits of `n - 1`.
    #[inline]
    fn network(&self, number: u64) -> u64 {
        let (mut low, mut high) = (number & self.low_mask, number >> self.low);
        let keys = self.keys.get(..self.rounds).unwrap_or(&self.keys);
        for pair in keys.chunks_exact(2) {
            if let [first, second] = pair {
                low ^= upper(first ^ high) & self.low_mask;
                high ^= upper(second ^ low) & self.high_mask;
            }
        }
        (high << self.low) | low
    }
}

/// 32 random bits of a number.
#[inline]
fn upper(bits: u64) -> u64 {
    tfxio_core::random::mix(bits) >> 32
}
