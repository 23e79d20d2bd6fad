//! Primitives at offsets of a slice, for loops that keep the offset in a register.
//!
//! Fast paths for frequent cases: numbers of one byte, and longer ones with eight bytes at hand. Everything else, and
//! every error, goes to a [`DatumReader`].
//!
//! Inlining is left out of debug builds: there every copy takes a part of the stack at each level of a nested datum.

use super::DatumReader;
use crate::Result;

/// The highest bit of each byte: set in all bytes of a varint but the last.
const HIGH: u64 = 0x8080_8080_8080_8080;
/// 1 in each byte. A product with it has in its highest byte the sum of all, and in each the sum up to it.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The bytes of a datum. Each function takes the offset at which a value begins and returns the one after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'a>(pub(crate) &'a [u8]);

/// A string of less than 16 bytes, all of them ASCII, and what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShortText<'a> {
    chunk: &'a [u8; 16],
    length: usize,
}

impl<'a> ShortText<'a> {
    /// Returns the bytes that begin with the string.
    #[inline(always)]
    pub(crate) fn chunk(self) -> &'a [u8; 16] {
        self.chunk
    }

    /// Returns the length of the string within the chunk.
    #[inline(always)]
    pub(crate) fn length(self) -> usize {
        self.length
    }
}

impl<'a> At<'a> {
    /// Reads the value with a [`DatumReader`].
    ///
    /// The result is put together anew from its parts, so that the fast path's values stay in registers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn careful<T>(
        self,
        at: usize,
        read: impl FnOnce(&mut DatumReader<'a>) -> Result<T>,
    ) -> Result<(T, usize)> {
        let (value, end) = self.read_carefully(at, read)?;
        Ok((value, end))
    }

    #[cold]
    #[inline(never)]
    fn read_carefully<T>(
        self,
        at: usize,
        read: impl FnOnce(&mut DatumReader<'a>) -> Result<T>,
    ) -> Result<(T, usize)> {
        let mut reader = DatumReader::at(self.0, at);
        let value = read(&mut reader)?;
        Ok((value, reader.position()))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn chunk<const N: usize>(self, at: usize) -> Option<&'a [u8; N]> {
        self.0.get(at..)?.first_chunk()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn boolean(self, at: usize) -> Result<(bool, usize)> {
        match self.0.get(at) {
            Some(&byte @ 0..=1) => Ok((byte == 1, at + 1)),
            _ => self.careful(at, |reader| reader.boolean()),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn long(self, at: usize) -> Result<(i64, usize)> {
        match self.plain_long(at) {
            Some(found) => Ok(found),
            None => self.careful(at, |reader| reader.long()),
        }
    }

    /// Reads a number of up to eight bytes; `None` for any other, and for a longer one close to the end.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn plain_long(self, at: usize) -> Option<(i64, usize)> {
        match *self.0.get(at)? {
            byte if byte < 0x80 => Some((zigzag(u64::from(byte)), at + 1)),
            _ => varint(*self.chunk(at)?).map(|(value, length)| (zigzag(value), at + length)),
        }
    }

    /// Reads a number of one byte; `None` for any other.
    #[inline(always)]
    pub(crate) fn short_int(self, at: usize) -> Option<i32> {
        let byte = i32::from(*self.0.get(at)?);
        (byte < 0x80).then_some(byte >> 1 ^ -(byte & 1))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn int(self, at: usize) -> Result<(i32, usize)> {
        let (value, end) = self.long(at)?;
        match i32::try_from(value) {
            Ok(value) => Ok((value, end)),
            Err(_) => self.careful(at, |reader| reader.int()),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn float(self, at: usize) -> Result<(f32, usize)> {
        match self.chunk(at) {
            Some(bytes) => Ok((f32::from_le_bytes(*bytes), at + 4)),
            None => self.careful(at, |reader| reader.float()),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn double(self, at: usize) -> Result<(f64, usize)> {
        match self.chunk(at) {
            Some(bytes) => Ok((f64::from_le_bytes(*bytes), at + 8)),
            None => self.careful(at, |reader| reader.double()),
        }
    }

    /// Reads bytes with their length before them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn bytes(self, at: usize) -> Result<(&'a [u8], usize)> {
        let (length, start) = self.long(at)?;
        if let Ok(length) = usize::try_from(length)
            && let Some(found) = self.0.get(start..).and_then(|rest| rest.get(..length))
        {
            return Ok((found, start + length));
        }
        self.careful(at, |reader| reader.bytes())
    }

    /// Reads a string with its length before it.
    #[inline]
    pub(crate) fn text(self, at: usize) -> Result<(&'a str, usize)> {
        let (found, end) = self.bytes(at)?;
        match std::str::from_utf8(found) {
            Ok(text) => Ok((text, end)),
            // The reader says what is wrong.
            Err(_) => self.careful(at, |reader| reader.string()),
        }
    }

    /// Reads a short ASCII string; `None` for any other, and close to the end.
    #[inline(always)]
    pub(crate) fn short_text(self, at: usize) -> Option<ShortText<'a>> {
        let [length, chunk @ ..] = self.chunk::<17>(at)?;
        // Neither negative nor more than 15.
        if length & 0xe1 != 0 {
            return None;
        }
        let length = usize::from(length >> 1);
        let [first, last] = HIGH_OF.get(length)?;
        let is_ascii = (half(chunk.first_chunk()) & first) | (half(chunk.last_chunk()) & last) == 0;
        is_ascii.then_some(ShortText { chunk, length })
    }

    /// Reads a known number of bytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn fixed(self, at: usize, size: usize) -> Result<(&'a [u8], usize)> {
        match self.0.get(at..).and_then(|rest| rest.get(..size)) {
            Some(found) => Ok((found, at + size)),
            None => self.careful(at, |reader| reader.fixed(size)),
        }
    }

    /// Reads the number of a branch or a symbol, below `of`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn index(self, at: usize, of: usize) -> Result<(usize, usize)> {
        match self.0.get(at) {
            Some(&byte) if byte < 0x80 && byte & 1 == 0 && usize::from(byte >> 1) < of => {
                Ok((usize::from(byte >> 1), at + 1))
            }
            _ => self.careful(at, |reader| reader.index(of)),
        }
    }

    /// Reads the head of a block of an array or a map: returns the number of items, 0 after the last block, the bytes
    /// that they take, if the writer has given them, and the offset of the first. See [`DatumReader::item_block`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn item_block(self, at: usize, least: usize) -> Result<(u64, Option<usize>, usize)> {
        if let Some(&count) = self.0.get(at)
            && count & 0x81 == 0
        {
            let items = usize::from(count >> 1);
            if items.checked_mul(least).is_some_and(|bytes| bytes <= self.0.len() - (at + 1)) {
                return Ok((items as u64, None, at + 1));
            }
        }
        self.long_item_block(at, least)
    }

    #[inline(never)]
    fn long_item_block(self, at: usize, least: usize) -> Result<(u64, Option<usize>, usize)> {
        let (count, start) = self.long(at)?;
        if let Ok(items) = usize::try_from(count)
            && items.checked_mul(least).is_some_and(|bytes| bytes <= self.0.len() - start)
        {
            return Ok((items as u64, None, start));
        }
        let (block, at) = self.careful(at, |reader| reader.item_block(least))?;
        Ok(block.map_or((0, None, at), |block| (block.count, block.bytes, at)))
    }

    /// Passes over a varint of whatever value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn skip_varint(self, at: usize) -> Result<usize> {
        match self.0.get(at) {
            Some(&byte) if byte < 0x80 => Ok(at + 1),
            _ => {
                let ends = self.chunk(at).map_or(0, |chunk| !u64::from_le_bytes(*chunk) & HIGH);
                if ends == 0 {
                    return self.skip_varints_carefully(at, 1);
                }
                Ok(at + ends.trailing_zeros() as usize / 8 + 1)
            }
        }
    }

    /// Passes over `count` varints: looks for their last bytes only.
    #[inline]
    pub(crate) fn skip_varints(self, start: usize, count: usize) -> Result<usize> {
        if let (2..=64, Some(window)) = (count, self.chunk(start))
            && let Some(bytes) = super::ends::bytes_of(window, count)
        {
            return Ok(start + bytes);
        }
        let (mut at, mut left) = (start, count);
        while left > 0 {
            let Some(word) = self.chunk(at).map(|chunk| u64::from_le_bytes(*chunk)) else {
                return self.skip_varints_carefully(start, count);
            };
            // In each byte the number of ends up to it.
            let counts = ((!word & HIGH) >> 7).wrapping_mul(ONES);
            let found = (counts >> 56) as usize;
            if found < left {
                left -= found;
                at += 8;
            } else {
                // The last end has as many bytes before it as there are with fewer ends than are left, which is at most
                // 8: no byte borrows from the next.
                let before = (HIGH + ONES * (left as u64 - 1) - counts) & HIGH;
                return Ok(at + ((before >> 7).wrapping_mul(ONES) >> 56) as usize + 1);
            }
        }
        Ok(at)
    }

    #[cold]
    #[inline(never)]
    fn skip_varints_carefully(self, at: usize, count: usize) -> Result<usize> {
        let mut reader = DatumReader::at(self.0, at);
        (0..count).try_for_each(|_| reader.skip_varint())?;
        Ok(reader.position())
    }

    /// Passes over bytes with their length before them, and `more` bytes after them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn skip_sized(self, at: usize, more: u32) -> Result<usize> {
        if let Some(&length) = self.0.get(at)
            && length & 0x81 == 0
        {
            // An offset in memory and two small numbers: no overflow.
            let end = at + 1 + usize::from(length >> 1) + more as usize;
            if end <= self.0.len() {
                return Ok(end);
            }
        }
        self.skip_long(at, more)
    }

    #[inline(never)]
    fn skip_long(self, at: usize, more: u32) -> Result<usize> {
        let (_, at) = self.bytes(at)?;
        self.fixed(at, more as usize).map(|(_, at)| at)
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn zigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ (value & 1).cast_signed().wrapping_neg()
}

#[inline(always)]
fn half(bytes: Option<&[u8; 8]>) -> u64 {
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// For each length the highest bits of that number of first bytes, in two halves.
const HIGH_OF: [[u64; 2]; 16] = {
    let mut masks = [[0; 2]; 16];
    let mut length = 1;
    while length < 16 {
        masks[length] = masks[length - 1];
        masks[length][(length - 1) / 8] |= 0x80 << (8 * ((length - 1) % 8));
        length += 1;
    }
    masks
};

/// Returns the number that begins a chunk, and its length in bytes; `None` if it has more than eight.
#[inline]
fn varint(chunk: [u8; 8]) -> Option<(u64, usize)> {
    let word = u64::from_le_bytes(chunk);
    let ends = !word & HIGH;
    if ends == 0 {
        return None;
    }
    // Up to the last byte of the number, each byte without its highest bit.
    let value = word & (ends ^ (ends - 1)) & !HIGH;
    // Groups of 7 bits become groups of 14, of 28, and one of 56.
    let value = value & 0x007f_007f_007f_007f | (value & 0x7f00_7f00_7f00_7f00) >> 1;
    let value = value & 0x0000_3fff_0000_3fff | (value & 0x3fff_0000_3fff_0000) >> 2;
    let value = value & 0x0000_0000_0fff_ffff | (value & 0x0fff_ffff_0000_0000) >> 4;
    Some((value, ends.trailing_zeros() as usize / 8 + 1))
}

#[cfg(test)]
mod tests {
    use super::{At, ShortText};
    use crate::datum::{DatumReader, write};

    /// Returns numbers of every length, with bytes of every kind after them.
    fn numbers() -> impl Iterator<Item = i64> {
        (0..64).flat_map(|shift| [i64::MAX >> shift, i64::MIN >> shift, 0x1234_5678_9abc_def0 >> shift])
    }

    #[test]
    fn numbers_are_read_as_a_reader_reads_them() {
        for number in numbers() {
            for behind in [&[][..], &[0; 12], &[0xff; 12], &[0x80, 0, 0x80, 0, 1, 2, 3, 4, 5, 6]] {
                let mut bytes = vec![7];
                write::long(&mut bytes, number);
                let end = bytes.len();
                bytes.extend(behind);
                assert_eq!(At(&bytes).long(1).unwrap(), (number, end));
                assert_eq!(At(&bytes).skip_varint(1).unwrap(), end);
                let int = At(&bytes).int(1).map(|(value, _)| value).ok();
                assert_eq!(int, i32::try_from(number).ok());
            }
        }
    }

    #[test]
    fn runs_of_numbers_are_passed_over() {
        let numbers = numbers().collect::<Vec<_>>();
        for count in 1..=numbers.len() {
            for chosen in [numbers.get(..count), numbers.get(numbers.len() - count..)] {
                let mut bytes = Vec::new();
                chosen.unwrap().iter().for_each(|number| write::long(&mut bytes, *number));
                let end = bytes.len();
                for behind in 0..9 {
                    bytes.truncate(end);
                    bytes.extend(std::iter::repeat_n(0xff, behind));
                    assert_eq!(At(&bytes).skip_varints(0, count).unwrap(), end);
                    bytes.truncate(end);
                    bytes.extend(std::iter::repeat_n(0, behind));
                    assert_eq!(At(&bytes).skip_varints(0, count).unwrap(), end);
                }
            }
        }
        assert!(At(&[0, 0]).skip_varints(0, 3).is_err());
    }

    #[test]
    fn short_texts_are_ascii_within_their_length() {
        for length in 0..=20 {
            let mut bytes = Vec::new();
            write::bytes(&mut bytes, &vec![b'x'; length]);
            bytes.extend([0xff; 20]);
            let found = At(&bytes).short_text(0).map(ShortText::length);
            assert_eq!(found, (length < 16).then_some(length));
            let mut reader = DatumReader::new(&bytes);
            assert_eq!(At(&bytes).bytes(0).unwrap().0, reader.bytes().unwrap());
            for at in 0..length {
                let mut damaged = bytes.clone();
                damaged[1 + at] = 0x80;
                assert_eq!(At(&damaged).short_text(0), None);
            }
        }
        assert_eq!(At(&[2, b'x']).short_text(0), None);
    }
}
