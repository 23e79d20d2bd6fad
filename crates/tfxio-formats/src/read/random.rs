//! Random numbers that are the same on every machine.

/// SplitMix64 ([Steele, Lea and Flood 2014](https://doi.org/10.1145/2714064.2660195)).
pub(super) struct Random(u64);

impl Random {
    /// Returns the numbers of a seed.
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a number below `bound`, each equally likely; 0 for a bound of 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        // The upper half of the product: Lemire 2019, https://doi.org/10.1145/3230636.
        let mut product = u128::from(self.next()) * u128::from(bound);
        if (product as u64) < bound {
            let uneven = bound.wrapping_neg() % bound;
            while (product as u64) < uneven {
                product = u128::from(self.next()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }
}
