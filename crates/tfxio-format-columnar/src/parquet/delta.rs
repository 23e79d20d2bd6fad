//! Check of pages of bytes whose lengths are stored as differences: the reader allocates by the counts in them.
//!
//! See `DELTA_BINARY_PACKED` and the two encodings that begin with it in the
//! [format](https://github.com/apache/parquet-format/blob/master/Encodings.md).

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::Page;
use parquet::schema::types::ColumnDescPtr;

/// `DELTA_LENGTH_BYTE_ARRAY` and `DELTA_BYTE_ARRAY` in the head of a page.
pub(super) const ENCODINGS: [i64; 2] = [6, 7];

/// A page of data, inflated.
struct Values {
    bytes: Bytes,
    encoding: Encoding,
    /// Values that its head claims.
    count: u64,
}

/// Fault of a page.
pub(super) enum Wrong {
    /// It is damaged, in these words.
    Damaged(String),
    /// Its longest value takes this many bytes, most of them from the value before it, and more rows are decoded at once than fit.
    TooLong(u64),
}

/// Number of rows that are decoded at once, and of the bytes that they may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) rows: u64,
    pub(super) bytes: u64,
}

/// Returns the fault of the counts and lengths in a page of one of these encodings.
pub(super) fn wrong(column: &ColumnDescPtr, page: &Page, room: Room) -> Option<Wrong> {
    let damaged = |what: String| Some(Wrong::Damaged(what));
    let Some(Values { bytes, encoding, count }) = values(page, column) else {
        return damaged("ends in its levels".to_owned());
    };
    let mut stream = Stream { left: &bytes };
    // The beginnings of values, which are those of the values before them, and the rest of each.
    let has_beginnings = encoding == Encoding::DELTA_BYTE_ARRAY;
    let mut beginning = 0;
    for is_beginning in [true, false].into_iter().filter(|is_beginning| has_beginnings || !is_beginning) {
        let mut longest = 0;
        match stream
            .pass(count, &mut |length| longest = longest.max(u64::try_from(length).unwrap_or_default()))
        {
            Some(found) if found <= count => {}
            Some(found) => {
                return damaged(format!(
                    "has lengths of {found} values, and its head says that it has {count}"
                ));
            }
            None => return damaged("ends in its lengths".to_owned()),
        }
        if is_beginning {
            beginning = longest;
        }
    }
    // What is not of a value before stands in the page as it is.
    let most = beginning.saturating_mul(count.min(room.rows));
    (most > room.bytes).then_some(Wrong::TooLong(beginning))
}

/// Returns the values of a page of data; nothing where it ends before them.
fn values(page: &Page, column: &ColumnDescPtr) -> Option<Values> {
    match page {
        Page::DataPage { buf, num_values, encoding, def_level_encoding, rep_level_encoding, .. } => {
            let mut at = 0usize;
            for (most, levels) in
                [(column.max_rep_level(), *rep_level_encoding), (column.max_def_level(), *def_level_encoding)]
            {
                if most == 0 {
                    continue;
                }
                let bytes = match levels {
                    Encoding::RLE => {
                        let length = buf.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)?;
                        usize::try_from(length).ok()?.checked_add(4)?
                    }
                    _ => {
                        let bits = 16 - most.unsigned_abs().leading_zeros();
                        usize::try_from((u64::from(*num_values) * u64::from(bits)).div_ceil(8)).ok()?
                    }
                };
                at = at.checked_add(bytes).filter(|at| *at <= buf.len())?;
            }
            Some(Values { bytes: buf.slice(at..), encoding: *encoding, count: (*num_values).into() })
        }
        Page::DataPageV2 { buf, num_values, encoding, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let at =
                usize::try_from(u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len)).ok()?;
            let at = Some(at).filter(|at| *at <= buf.len())?;
            Some(Values { bytes: buf.slice(at..), encoding: *encoding, count: (*num_values).into() })
        }
        // Of another page than its head said, nothing is known.
        Page::DictionaryPage { .. } => None,
    }
}

/// Numbers that are stored as differences, one stream after the other.
struct Stream<'a> {
    left: &'a [u8],
}

impl Stream<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, left) = self.left.split_first()?;
            self.left = left;
            number |= u64::from(byte & 0x7f) << shift;
            if *byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// Returns the next number that may be negative.
    fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// Goes over a stream: gives each number to a function, as the reader has it, and returns how many it claims. Where it claims more
    /// than `most`, of which no bytes need be there, it ends at once.
    fn pass(&mut self, most: u64, each: &mut dyn FnMut(i32)) -> Option<u64> {
        let (block, in_block) = (self.number()?, self.number()?);
        let count = self.number()?;
        if count > most {
            return Some(count);
        }
        let mut last = self.signed()?;
        each(last as i32);
        let of_one = block.checked_div(in_block).filter(|of_one| *of_one > 0 && block % in_block == 0)?;
        // The first number stands in the head. Each block takes bytes, so that what is claimed beyond them ends the loop.
        let mut left = count.saturating_sub(1);
        while left > 0 {
            let least = self.signed()?;
            let (widths, rest) = self.left.split_at_checked(usize::try_from(in_block).ok()?)?;
            let mut bytes = 0u64;
            for width in widths {
                if left == 0 {
                    break;
                }
                let packed = rest.get(usize::try_from(bytes).ok()?..).unwrap_or_default();
                for at in 0..left.min(of_one) {
                    let Some(bits) = bits(packed, at, *width) else { break };
                    last = last.wrapping_add(least).wrapping_add(bits.cast_signed());
                    each(last as i32);
                }
                left = left.saturating_sub(of_one);
                bytes = bytes.checked_add(u64::from(*width).checked_mul(of_one)? / 8)?;
            }
            match rest.get(usize::try_from(bytes).ok()?..) {
                Some(rest) => self.left = rest,
                // What is padded at the end may be left out.
                None if left == 0 => self.left = &[],
                // More is claimed than there is; the count says how much.
                None => return Some(count),
            }
        }
        Some(count)
    }
}

/// Returns a number of `width` bits by its position in the packed bytes; nothing where they end before it.
fn bits(packed: &[u8], at: u64, width: u8) -> Option<u64> {
    let first = at.checked_mul(u64::from(width))?;
    let start = usize::try_from(first / 8).ok()?;
    // A number and the bits before it in its first byte take nine bytes at most.
    let end = usize::try_from(first.checked_add(u64::from(width))?.div_ceil(8)).ok()?;
    let mut wide = [0; 16];
    let bytes = packed.get(start..end).filter(|bytes| bytes.len() <= 9)?;
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let number = u128::from_le_bytes(wide) >> (first % 8);
    Some((number & ((1_u128 << width.min(64)) - 1)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_unpacked() {
        // 7, 5, 3, 1, 2, 3, 4, 5 of the format's own example, whose differences are -2, -2, -2, 1, 1, 1, 1.
        let mut bytes = vec![0x80, 1, 4, 8, 14, 3, 2, 0, 0, 0];
        bytes.extend([0b1100_0000, 0b0011_1111]);
        bytes.extend([0; 6]);
        let mut found = Vec::new();
        assert_eq!(Stream { left: &bytes }.pass(8, &mut |number| found.push(number)), Some(8));
        assert_eq!(found, [7, 5, 3, 1, 2, 3, 4, 5]);
        // Numbers without bits take no bytes: what is claimed beyond the values of the page is not gone over.
        let block = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40, 1];
        let claims = [&block[..], &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f, 0, 0, 0]].concat();
        assert_eq!(Stream { left: &claims }.pass(8, &mut |_| ()), Some((1 << 55) - 1));
        assert_eq!(bits(&[0xff; 9], 1, 7), Some(0x7f));
        assert_eq!(bits(&[0xff; 9], 0, 64), Some(u64::MAX));
        assert_eq!(bits(&[0xff; 2], 2, 7), None);
        assert_eq!(bits(&[], 3, 0), Some(0));
    }

    /// A stream of `count` numbers in blocks of 128, with four widths of 8 bits each.
    fn stream(count: u8, blocks: usize) -> Vec<u8> {
        let mut bytes = vec![0x80, 1, 4, count, 0];
        for _ in 0..blocks {
            bytes.extend([0, 8, 8, 8, 8]);
            bytes.extend([1; 128]);
        }
        bytes
    }

    #[test]
    fn streams_are_gone_over() {
        for (count, blocks, left) in [(0, 0, 3), (1, 0, 3), (127, 1, 3), (60, 1, 67)] {
            let bytes = [stream(count, blocks), vec![9; 3]].concat();
            let mut stream = Stream { left: &bytes };
            assert_eq!(stream.pass(u64::MAX, &mut |_| ()), Some(count.into()), "{count}");
            assert_eq!(stream.left.len(), left, "{count}");
        }
        for cut in 0..stream(127, 1).len() {
            // The count is known, or nothing.
            let found = Stream { left: &stream(127, 1)[..cut] }.pass(u64::MAX, &mut |_| ());
            assert!(found.is_none_or(|found| found == 127), "{cut}");
        }
        let claims = [0x80, 1, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0];
        assert_eq!(Stream { left: &claims }.pass(u64::MAX, &mut |_| ()), None);
        assert_eq!(Stream { left: &[0x80, 1, 0, 5, 0] }.pass(u64::MAX, &mut |_| ()), None, "no width");
        assert_eq!(Stream { left: &[0xff; 30] }.pass(u64::MAX, &mut |_| ()), None);
    }
}
