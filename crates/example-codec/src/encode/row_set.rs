//! Sets of rows of a group.

use arrow_buffer::NullBuffer;

use super::block::GROUP;

/// Some rows of a group, by their numbers in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RowSet(u64);

impl RowSet {
    pub(super) const EMPTY: Self = Self(0);

    /// Returns the first rows, at most [`GROUP`].
    pub(super) fn first(count: usize) -> Self {
        Self(u64::MAX.checked_shr(GROUP.saturating_sub(count) as u32).unwrap_or(0))
    }

    pub(super) fn one(row: usize) -> Self {
        Self(1 << (row % GROUP))
    }

    /// Returns the rows that are valid, in a group whose first row is `first` of the batch.
    pub(super) fn valid(self, nulls: &NullBuffer, first: usize) -> Self {
        let bit = nulls.offset() + first;
        let mut word = [0; 16];
        let bytes = nulls.validity().iter().skip(bit / 8).take(9);
        word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        Self(self.0 & (u128::from_le_bytes(word) >> (bit % 8)) as u64)
    }

    /// Returns the rows that are not in another set.
    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns the rows of both sets.
    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline(always)]
    pub(super) fn insert(&mut self, row: usize) {
        self.0 |= 1 << (row % GROUP);
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn len(self) -> usize {
        self.0.count_ones() as usize
    }
}

impl Iterator for RowSet {
    type Item = usize;

    /// Removes the lowest row.
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let row = self.0.trailing_zeros() as usize;
        (row < GROUP).then(|| {
            self.0 &= self.0 - 1;
            row
        })
    }
}

#[cfg(test)]
mod tests {
    use arrow_buffer::NullBuffer;

    use super::{GROUP, RowSet};

    #[test]
    fn validity_is_that_of_the_null_buffer() {
        let bits = (0..300u32).map(|row| row.wrapping_mul(0x9e37_79b9) >> 30 != 0).collect::<Vec<_>>();
        let nulls = NullBuffer::from(bits);
        for (cut, length) in [(0, 300), (1, 299), (13, 200), (64, 65), (130, 3)] {
            let nulls = nulls.slice(cut, length);
            for first in 0..length {
                let count = (length - first).min(GROUP);
                let valid = RowSet::first(count).valid(&nulls, first);
                let expected = (0..count).filter(|row| nulls.is_valid(first + row)).collect::<Vec<_>>();
                assert_eq!(valid.len(), expected.len(), "{cut} {first}");
                assert_eq!(valid.collect::<Vec<_>>(), expected, "{cut} {first}");
                let rest = RowSet::first(count).without(valid);
                assert!((0..count).all(|row| { rest }.any(|other| other == row) != expected.contains(&row)));
            }
        }
    }

    #[test]
    fn sets_of_no_rows_and_of_all() {
        assert_eq!(RowSet::first(0), RowSet::EMPTY);
        assert!(RowSet::EMPTY.is_empty());
        assert!(RowSet::first(GROUP).eq(0..GROUP));
        let mut set = RowSet::one(63);
        set.insert(0);
        assert!(set.eq([0, 63]));
    }
}
