//! Null bitmaps under construction.

use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};

/// Growing bitmap. Bits beyond its end are not set.
#[derive(Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    #[inline(always)]
    pub(super) fn set(&mut self, at: usize) {
        let word = at / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        if let Some(word) = self.0.get_mut(word) {
            *word |= 1 << (at % 64);
        }
    }

    /// Keeps the first `len` bits.
    pub(super) fn truncate(&mut self, len: usize) {
        self.0.truncate(len.div_ceil(64));
        if !len.is_multiple_of(64)
            && let Some(word) = self.0.get_mut(len / 64)
        {
            *word &= (1 << (len % 64)) - 1;
        }
    }

    /// Returns the validity of `len` things of which those are valid whose bit is `valid`; nothing if all are.
    pub(super) fn nulls(&self, len: usize, valid: bool) -> Option<NullBuffer> {
        let set = self.0.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        let nulls = if valid { len.saturating_sub(set) } else { set };
        (nulls > 0).then(|| {
            let flip = if valid { 0 } else { u64::MAX };
            let words = self.0.iter().copied().chain(std::iter::repeat(0)).take(len.div_ceil(64));
            let words = words.map(|word| (word ^ flip).to_le()).collect::<Vec<_>>();
            NullBuffer::new(BooleanBuffer::new(Buffer::from_slice_ref(&words), 0, len))
        })
    }
}
