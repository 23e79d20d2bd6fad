//! Set of a file's records that a filter keeps, with access to the n-th of them.

/// Words, of 64 records each, that share one rank.
const BLOCK: usize = 8;

/// The records of a file that are kept: a bit each, and how many come before each 512 of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordSet {
    bits: Vec<u64>,
    ranks: Vec<u64>,
    kept: u64,
}

impl RecordSet {
    /// Notes that a record is kept. Records come in ascending order.
    pub(super) fn push(&mut self, record: u64) {
        let word = usize::try_from(record / 64).unwrap_or(usize::MAX);
        while self.bits.len() <= word {
            if self.bits.len().is_multiple_of(BLOCK) {
                self.ranks.push(self.kept);
            }
            self.bits.push(0);
        }
        if let Some(bits) = self.bits.get_mut(word) {
            *bits |= 1 << (record % 64);
            self.kept += 1;
        }
    }

    /// Returns how many records are kept.
    pub(crate) fn len(&self) -> u64 {
        self.kept
    }

    /// Returns the number of the n-th record that is kept, from 0.
    pub(crate) fn record(&self, nth: u64) -> Option<u64> {
        let block = self.ranks.partition_point(|&rank| rank <= nth).checked_sub(1)?;
        let mut left = nth.checked_sub(*self.ranks.get(block)?)?;
        let first = block.checked_mul(BLOCK)?;
        for (word, &bits) in self.bits.iter().enumerate().skip(first).take(BLOCK) {
            let ones = u64::from(bits.count_ones());
            if left < ones {
                let mut bits = bits;
                for _ in 0..left {
                    bits &= bits.wrapping_sub(1);
                }
                return Some(word as u64 * 64 + u64::from(bits.trailing_zeros()));
            }
            left -= ones;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::RecordSet;

    proptest! {
        #[test]
        fn the_nth_record_is_found(gaps in prop::collection::vec(prop_oneof![1..4u64, 1..2000u64], 0..600)) {
            let mut kept = RecordSet::default();
            let mut records = Vec::new();
            for gap in gaps {
                let record = records.last().map_or(gap - 1, |last| last + gap);
                records.push(record);
                kept.push(record);
            }
            prop_assert_eq!(kept.len(), records.len() as u64);
            for (nth, record) in records.iter().enumerate() {
                prop_assert_eq!(kept.record(nth as u64), Some(*record));
            }
            prop_assert_eq!(kept.record(records.len() as u64), None);
            prop_assert_eq!(kept.record(u64::MAX), None);
        }
    }
}
