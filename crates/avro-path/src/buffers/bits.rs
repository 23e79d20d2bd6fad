//! Booleans and validity bits, as growing bitmaps.

use arrow_buffer::{BooleanBuffer, NullBuffer};

use super::Values;

/// Bits, 64 of them gathered before they are stored.
#[derive(Debug, Default)]
pub(crate) struct Bits {
    words: Values,
    word: u64,
    len: usize,
}

impl Bits {
    #[inline]
    pub(crate) fn push(&mut self, bit: bool) {
        self.word |= u64::from(bit) << (self.len & 63);
        self.len += 1;
        if self.len & 63 == 0 {
            self.words.push(self.word.to_le());
            self.word = 0;
        }
    }

    /// Returns the number of bits.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of whole bytes that the bits take.
    pub(crate) fn bytes(&self) -> usize {
        self.len / 8
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        if len >= self.len {
            return;
        }
        if let Some(&word) = self.words.typed::<u64>().get(len / 64) {
            self.word = u64::from_le(word);
            self.words.truncate(len / 64 * 8);
        }
        self.word &= (1 << (len & 63)) - 1;
        self.len = len;
    }

    /// Returns how many of the first `len` bits are set.
    pub(crate) fn count_ones(&self, len: usize) -> usize {
        let words = self.words.typed::<u64>().iter().map(|word| u64::from_le(*word)).chain([self.word]);
        let count = |(at, word): (usize, u64)| {
            let bits = len.saturating_sub(at * 64);
            let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
            (word & mask).count_ones() as usize
        };
        words.enumerate().map(count).sum()
    }

    pub(crate) fn finish(&mut self) -> BooleanBuffer {
        let len = std::mem::take(&mut self.len);
        let word = std::mem::take(&mut self.word);
        if len & 63 != 0 {
            self.words.push(word.to_le());
        }
        BooleanBuffer::new(self.words.finish(), 0, len)
    }

    /// Returns the bits as a null buffer, in which unset bits are null; `None` if all are set.
    pub(crate) fn finish_nulls(&mut self) -> Option<NullBuffer> {
        Some(NullBuffer::new(self.finish())).filter(|nulls| nulls.null_count() > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn bits_are_taken_back_at_any_index() {
        let pattern = |at: usize| at % 3 == 1 || at % 64 == 63;
        for total in [0, 1, 63, 64, 65, 128, 200] {
            for kept in 0..=total {
                let mut bits = Bits::default();
                (0..total).for_each(|at| bits.push(pattern(at)));
                let ones = (0..kept).filter(|&at| pattern(at)).count();
                assert_eq!(bits.count_ones(kept), ones);
                bits.truncate(kept);
                bits.push(true);
                bits.push(false);
                let found = bits.finish().iter().collect::<Vec<_>>();
                let expected = (0..kept).map(pattern).chain([true, false]).collect::<Vec<_>>();
                assert_eq!(found, expected, "{kept} of {total}");
            }
        }
    }
}
