//! All that grows while data are read: buffers by their numbers, so that a plan can be shared by decoders.

use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};

use super::offsets::{Binary, Ends, Strings};
use crate::program::{Offset, Values};

/// How many buffers of each kind a plan needs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) values: usize,
    pub(super) bits: usize,
    pub(super) ends: usize,
    pub(super) binaries: usize,
    pub(super) strings: usize,
}

/// The buffers of a decoder.
#[derive(Debug)]
pub(super) struct Stores<O> {
    /// Numbers and fixed bytes.
    pub(super) values: Vec<Values>,
    /// Booleans, and which entries are not null.
    pub(super) bits: Vec<Bits>,
    /// Where lists end.
    pub(super) ends: Vec<Ends<O>>,
    pub(super) binaries: Vec<Binary<O>>,
    pub(super) strings: Vec<Strings<O>>,
    /// Offsets of lists of one item each: 0, 1, 2, …; shared by all columns of a batch that need them.
    ones: Buffer,
}

impl<O: Offset> Stores<O> {
    pub(super) fn new(counts: Counts) -> Self {
        Self {
            values: (0..counts.values).map(|_| Values::default()).collect(),
            bits: (0..counts.bits).map(|_| Bits::default()).collect(),
            ends: (0..counts.ends).map(|_| Ends::default()).collect(),
            binaries: (0..counts.binaries).map(|_| Binary::default()).collect(),
            strings: (0..counts.strings).map(|_| Strings::default()).collect(),
            ones: Buffer::from(Vec::<u8>::new()),
        }
    }

    /// Takes back everything.
    pub(super) fn clear(&mut self) {
        self.values.iter_mut().for_each(|values| values.truncate(0));
        self.bits.iter_mut().for_each(|bits| bits.truncate(0));
        self.ends.iter_mut().for_each(|ends| ends.truncate(0));
        self.binaries.iter_mut().for_each(|binary| binary.truncate(0));
        self.strings.iter_mut().for_each(|strings| strings.truncate(0));
    }

    /// The bytes that are held, and the greatest offset.
    pub(super) fn measure(&self) -> (usize, usize) {
        let values = self.values.iter().map(|values| (values.bytes(), 0));
        let bits = self.bits.iter().map(|bits| (bits.len / 8, 0));
        let ends = self.ends.iter().map(|ends| (ends.bytes(), ends.last()));
        let binaries = self.binaries.iter().map(|binary| (binary.bytes(), binary.last()));
        let strings = self.strings.iter().map(|strings| (strings.bytes(), strings.last()));
        let all = values.chain(bits).chain(ends).chain(binaries).chain(strings);
        all.fold((0, 0), |(sum, most), (bytes, last)| (sum + bytes, last.max(most)))
    }

    /// The offsets of so many lists of one item each.
    pub(super) fn ones(&mut self, count: usize) -> OffsetBuffer<O> {
        if self.ones.len() / size_of::<O>() <= count {
            let mut values = Values::default();
            (0..=count).for_each(|end| values.push(O::usize_as(end)));
            self.ones = values.finish();
        }
        OffsetBuffer::new(ScalarBuffer::new(self.ones.clone(), 0, count + 1))
    }
}

/// Bits, 64 of them gathered before they are stored.
#[derive(Debug, Default)]
pub(super) struct Bits {
    words: Values,
    word: u64,
    len: usize,
}

impl Bits {
    #[inline]
    pub(super) fn push(&mut self, bit: bool) {
        self.word |= u64::from(bit) << (self.len & 63);
        self.len += 1;
        if self.len & 63 == 0 {
            self.words.push(self.word.to_le());
            self.word = 0;
        }
    }

    pub(super) fn truncate(&mut self, len: usize) {
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

    /// How many of the first bits are set.
    pub(super) fn count_ones(&self, len: usize) -> usize {
        let words = self.words.typed::<u64>().iter().map(|word| u64::from_le(*word)).chain([self.word]);
        let count = |(at, word): (usize, u64)| {
            let bits = len.saturating_sub(at * 64);
            let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
            (word & mask).count_ones() as usize
        };
        words.enumerate().map(count).sum()
    }

    pub(super) fn finish(&mut self) -> BooleanBuffer {
        let len = std::mem::take(&mut self.len);
        let word = std::mem::take(&mut self.word);
        if len & 63 != 0 {
            self.words.push(word.to_le());
        }
        BooleanBuffer::new(self.words.finish(), 0, len)
    }

    /// The bits as those that are null where they are not set; `None` where all are set.
    pub(super) fn finish_nulls(&mut self) -> Option<NullBuffer> {
        Some(NullBuffer::new(self.finish())).filter(|nulls| nulls.null_count() > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn bits_are_taken_back_at_any_place() {
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
