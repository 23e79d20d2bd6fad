//! Values of rows of lists: a few bytes of levels can expand to any number of them.
//!
//! See the run-length encoding of levels in the
//! [format](https://github.com/apache/parquet-format/blob/master/Encodings.md).

use std::collections::VecDeque;

use parquet::basic::Encoding;
use parquet::column::page::Page;
use parquet::schema::types::ColumnDescPtr;

use super::thrift::Walk;

/// Counts of the values of the last rows, over all pages of a column.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    /// Values of each row, the one that may go on last.
    last: VecDeque<u64>,
    sum: u64,
}

/// Limits of rows in sequence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    pub(super) rows: u64,
    pub(super) values: u64,
}

impl Counts {
    /// Adds the values of a page of data. Returns the rows in sequence that have too many, and their values, where there are such.
    pub(super) fn add(&mut self, page: &Page, column: &ColumnDescPtr, most: Most) -> Option<(u64, u64)> {
        let bits = 16 - column.max_rep_level().unsigned_abs().leading_zeros();
        match page {
            Page::DataPage { buf, num_values, rep_level_encoding: Encoding::RLE, .. } => {
                let length = buf.first_chunk().copied().map_or(0, u32::from_le_bytes);
                let levels = buf.get(4..).unwrap_or_default();
                let levels = levels.get(..usize::try_from(length).ok()?).unwrap_or(levels);
                self.add_levels(levels, bits, (*num_values).into(), most)
            }
            Page::DataPageV2 { buf, num_values, rep_levels_byte_len, .. } => {
                let levels = buf.get(..usize::try_from(*rep_levels_byte_len).ok()?).unwrap_or(buf);
                self.add_levels(levels, bits, (*num_values).into(), most)
            }
            // Levels of the oldest writers: which row has the values is not looked at.
            Page::DataPage { num_values, .. } => self.go_on((*num_values).into(), most),
            Page::DictionaryPage { .. } => None,
        }
    }

    /// Adds `left` levels, of which the last may be missing.
    fn add_levels(&mut self, mut levels: &[u8], bits: u32, mut left: u64, most: Most) -> Option<(u64, u64)> {
        while left > 0 {
            let mut walk = Walk::new(levels);
            let Some(header) = walk.number() else { break };
            levels = walk.rest();
            let mut many = None;
            if header & 1 == 0 {
                let count = (header >> 1).min(left);
                let (level, rest) = levels.split_at_checked(bits.div_ceil(8) as usize).unwrap_or_default();
                levels = rest;
                left -= count;
                many = if level.iter().all(|byte| *byte == 0) {
                    // Rows of one value each; those before the last that count do not matter.
                    (0..count.min(most.rows)).find_map(|_| self.begin(most))
                } else {
                    self.go_on(count, most)
                };
            } else {
                let bytes = (header >> 1).saturating_mul(bits.into());
                let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).min(levels.len());
                let (packed, rest) = levels.split_at_checked(bytes).unwrap_or_default();
                levels = rest;
                let count = (packed.len() as u64 * 8).checked_div(bits.into()).unwrap_or(0).min(left);
                left -= count;
                for at in 0..count {
                    many = many.or(if is_zero(packed, at, bits) {
                        self.begin(most)
                    } else {
                        self.go_on(1, most)
                    });
                }
                if count == 0 {
                    break;
                }
            }
            if many.is_some() {
                return many;
            }
        }
        // What is missing, the reader refuses.
        None
    }

    /// Begins a row, with one value.
    fn begin(&mut self, most: Most) -> Option<(u64, u64)> {
        while self.last.len() as u64 >= most.rows {
            self.sum = self.sum.saturating_sub(self.last.pop_front().unwrap_or_default());
        }
        self.last.push_back(0);
        self.go_on(1, most)
    }

    /// Adds values to the last row.
    fn go_on(&mut self, values: u64, most: Most) -> Option<(u64, u64)> {
        match self.last.back_mut() {
            Some(last) => *last = last.saturating_add(values),
            None => self.last.push_back(values),
        }
        self.sum = self.sum.saturating_add(values);
        (self.sum > most.values).then_some((self.last.len() as u64, self.sum))
    }
}

/// Returns whether a number is zero, by its position in the packed bytes.
fn is_zero(packed: &[u8], at: u64, bits: u32) -> bool {
    let first = at.saturating_mul(bits.into());
    (first..first.saturating_add(bits.into())).all(|bit| {
        let byte = usize::try_from(bit / 8).ok().and_then(|byte| packed.get(byte));
        byte.is_none_or(|byte| byte >> (bit % 8) & 1 == 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most values of rows in sequence: the largest number that is too many with one less allowed.
    fn most_of(levels: &[u8], bits: u32, count: u64, rows: u64) -> u64 {
        (0..100)
            .find(|values| {
                Counts::default().add_levels(levels, bits, count, Most { rows, values: *values }).is_none()
            })
            .unwrap()
    }

    #[test]
    fn values_of_rows_are_counted_in_runs_and_in_packed_levels() {
        // A row of four values, one of one, one of three: 0 1 1 1 0 0 1 1, packed in one byte.
        let packed = [0b11, 0b1100_1110];
        for (rows, values) in [(1, 4), (2, 5), (3, 8), (9, 8)] {
            assert_eq!(most_of(&packed, 1, 8, rows), values, "{rows}");
        }
        // Three rows of one value, the last of which goes on for seven, and one row.
        let runs = [3 << 1, 0, 7 << 1, 1, 1 << 1, 0];
        for (rows, values) in [(1, 8), (2, 9), (3, 10), (4, 11)] {
            assert_eq!(most_of(&runs, 1, 11, rows), values, "{rows}");
        }
        // Two bits each: 0 2 1 0.
        assert_eq!(most_of(&[0b11, 0b0001_1000, 0], 2, 8, 1), 3);
        assert_eq!(most_of(&[0b11, 0b0001_1000, 0], 2, 8, 3), 5);
        // What is claimed and not there.
        assert_eq!(most_of(&[0xff, 0xff, 0x7f, 0xff], 1, 1 << 40, 1), 8);
        assert_eq!(most_of(&[], 1, 1 << 40, 1), 0);
        assert_eq!(most_of(&[0xff; 30], 1, 1 << 40, 1), 0);
        let long = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1];
        let found = Counts::default().add_levels(&long, 1, 1 << 40, Most { rows: 8, values: 1 << 30 });
        assert_eq!(found, Some((1, 1 << 40)));
    }

    #[test]
    fn a_row_goes_on_in_the_next_page() {
        let mut counts = Counts::default();
        let most = Most { rows: 1, values: 9 };
        assert_eq!(counts.add_levels(&[1 << 1, 0, 4 << 1, 1], 1, 5, most), None);
        assert_eq!(counts.add_levels(&[4 << 1, 1], 1, 4, most), None);
        assert_eq!(counts.add_levels(&[1 << 1, 1], 1, 1, most), Some((1, 10)));
    }
}
