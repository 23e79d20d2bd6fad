//! Offsets of columns that have one value a row, or none.

use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};

use super::Column;
use crate::decode::store::Offset;

/// The offsets of columns that have one value in each row, which are the same in all of them.
#[derive(Default)]
pub(in crate::decode) struct SingleOffsets<O: Offset>(Option<OffsetBuffer<O>>);

impl<O: Offset> SingleOffsets<O> {
    /// Returns the offsets of that number of rows.
    pub(super) fn of(&mut self, rows: usize) -> OffsetBuffer<O> {
        let known = self.0.take().filter(|known| known.len() > rows);
        let known = known.unwrap_or_else(|| {
            let offsets = (0..=rows.next_power_of_two()).map(O::usize_as).collect::<Vec<_>>();
            OffsetBuffer::new(ScalarBuffer::from(Buffer::from_slice_ref(offsets)))
        });
        self.0.insert(known).slice(0, rows)
    }
}

impl<O: Offset> Column<O> {
    /// Writes the offsets of the first `rows` rows, which have one value each or are null.
    pub(super) fn write_offsets(&mut self, rows: usize) {
        self.offsets.truncate(0);
        self.filled = rows;
        // Eight at once: some of the last are after the end.
        let Some((first, rest)) = self.offsets.spare(rows.next_multiple_of(8) + 1).split_first_mut() else {
            return;
        };
        *first = O::usize_as(0);
        let mut chunks = rest.as_chunks_mut::<8>().0.iter_mut().take(rows.div_ceil(8));
        let mut count = 0;
        for word in self.valid.iter().copied().chain(std::iter::repeat(0)) {
            if chunks.len() == 0 {
                break;
            }
            for (bits, chunk) in word.to_le_bytes().into_iter().zip(&mut chunks) {
                let counts = &COUNTS[usize::from(bits)];
                for (offset, more) in chunk.iter_mut().zip(counts) {
                    *offset = O::usize_as(count + usize::from(*more));
                }
                count += usize::from(counts[7]);
            }
        }
        self.offsets.advance(rows + 1);
    }
}

/// Counts of set bits in the lowest one, two, up to all eight bits of each byte.
static COUNTS: [[u8; 8]; 256] = {
    let mut all = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            all[byte][bit] = (byte << (7 - bit) & 0xff).count_ones() as u8;
            bit += 1;
        }
        byte += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::Column;
    use crate::decode::store::Offset;

    fn check<O: Offset>(valid: &[u64], rows: usize) {
        let mut column = Column::<O>::inferred(Arc::from("name"));
        column.valid = valid.to_vec();
        // What was written there before does not matter.
        column.offsets.push_n(O::usize_as(7), 3);
        column.write_offsets(rows);
        let is_set = |row: usize| valid.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1);
        let ends = (0..rows).scan(0, |count, row| {
            *count += usize::from(is_set(row));
            Some(O::usize_as(*count))
        });
        let expected = std::iter::once(O::usize_as(0)).chain(ends).collect::<Vec<_>>();
        assert_eq!(column.offsets.values(), expected);
    }

    proptest! {
        #[test]
        fn each_offset_is_the_number_of_values_before(
            valid in prop::collection::vec(prop_oneof![any::<u64>(), Just(0), Just(u64::MAX)], 0..5),
            rows in 0usize..330,
        ) {
            check::<i32>(&valid, rows);
            check::<i64>(&valid, rows);
        }
    }
}
