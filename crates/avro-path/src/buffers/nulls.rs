//! Null entries of a column, as a list of their numbers.

use arrow_buffer::{BooleanBuffer, MutableBuffer, NullBuffer};

/// Numbers of the null entries, in order: an entry that is not null costs nothing.
#[derive(Debug, Default)]
pub(crate) struct Nulls(Vec<usize>);

impl Nulls {
    /// Marks the entry of that number as null. Entries before it that were not named are not null.
    #[inline]
    pub(crate) fn push(&mut self, entry: usize) {
        self.0.push(entry);
    }

    /// Keeps the nulls among the first `entries` entries.
    #[inline]
    pub(crate) fn truncate(&mut self, entries: usize) {
        while self.0.last().is_some_and(|&last| last >= entries) {
            self.0.pop();
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.len() * size_of::<usize>()
    }

    /// Returns the nulls among `entries` entries as bits; `None` where there is none.
    pub(crate) fn finish(&mut self, entries: usize) -> Option<NullBuffer> {
        if self.0.is_empty() {
            return None;
        }
        let mut bits = MutableBuffer::new(entries.div_ceil(8));
        bits.resize(entries.div_ceil(8), 0xff);
        for entry in self.0.drain(..) {
            if let Some(byte) = bits.as_slice_mut().get_mut(entry / 8) {
                *byte &= !(1 << (entry % 8));
            }
        }
        Some(NullBuffer::new(BooleanBuffer::new(bits.into(), 0, entries)))
    }
}

#[cfg(test)]
mod tests {
    use super::Nulls;

    #[test]
    fn nulls_are_bits_of_their_entries() {
        for entries in [1, 7, 8, 9, 100] {
            for kept in 0..=entries {
                let mut nulls = Nulls::default();
                (0..entries).filter(|at| at % 3 == 1).for_each(|at| nulls.push(at));
                nulls.truncate(kept);
                nulls.push(kept);
                let found = nulls.finish(kept + 2).map(|nulls| nulls.iter().collect::<Vec<_>>());
                let expected = (0..kept + 2).map(|at| at != kept && (at > kept || at % 3 != 1)).collect();
                assert_eq!(found, Some(expected), "{kept} of {entries}");
                assert_eq!(nulls.finish(5), None);
            }
        }
    }
}
