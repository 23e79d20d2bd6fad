//! Decoding tables of prefix codes (RFC 1951, section 3.2).
//!
//! A code of up to `bits` bits is found with one look at the next `bits` bits of the stream; a longer one with a second
//! look into a smaller table behind. An entry says all that is needed to go on:
//!
//! ```text
//!  literal   1 ······· llllllll 0000 0000 nnnnnnnn    l: the byte, n: bits to consume
//!  base      0 bbbbbbb bbbbbbbb 000 eeeee nnnnnnnn    b: length or distance, e: extra bits, n: bits with these
//!  table     0 sssssss ssssssss 11 · eeeee nnnnnnnn   s: where it starts, e: its bits, n: bits to consume before
//!  end       bits 15 and 13                           the end of a block
//!  invalid   bit 15 alone                             no symbol has this code
//! ```

/// A byte that goes to the output as it is.
pub(super) const LITERAL: u32 = 1 << 31;
/// Neither a literal nor a base.
pub(super) const SPECIAL: u32 = 1 << 15;
/// The code goes on in another table.
pub(super) const TABLE: u32 = 1 << 14;
/// The end of a block.
pub(super) const END: u32 = 1 << 13;

/// The longest code.
const MAX_BITS: usize = 15;

/// Bits to consume.
#[inline(always)]
pub(super) fn bits(entry: u32) -> u32 {
    entry & 0xff
}

/// Number of extra bits, or of the bits that index a second table.
#[inline(always)]
pub(super) fn extra(entry: u32) -> u32 {
    entry >> 8 & 0x1f
}

/// The base of a length or a distance, or where a second table starts.
#[inline(always)]
pub(super) fn base(entry: u32) -> usize {
    (entry >> 16 & 0x7fff) as usize
}

/// A table whose first level has `SIZE` entries, a power of two.
#[derive(Debug)]
pub(super) struct Table<const SIZE: usize> {
    pub(super) first: Box<[u32; SIZE]>,
    /// All tables of the second level.
    pub(super) second: Vec<u32>,
}

impl<const SIZE: usize> Table<SIZE> {
    pub(super) fn new() -> Self {
        Self { first: Box::new([SPECIAL; SIZE]), second: Vec::new() }
    }

    /// The entry for the next bits of the stream, if these are enough; an entry of the second level is returned with
    /// the bits of both levels.
    #[inline]
    pub(super) fn find(&self, next: u64) -> u32 {
        let entry = self.first.get(next as usize & (SIZE - 1)).copied().unwrap_or(SPECIAL);
        if entry & (SPECIAL | TABLE) != SPECIAL | TABLE {
            return entry;
        }
        // The second level counts its own bits only.
        self.find_second(entry, next >> bits(entry)) + bits(entry)
    }

    /// The entry of the second level, whose table `entry` names, for the bits behind those of the first.
    #[inline]
    pub(super) fn find_second(&self, entry: u32, next: u64) -> u32 {
        let index = base(entry) + (next as usize & ((1 << extra(entry)) - 1));
        self.second.get(index).copied().unwrap_or(SPECIAL)
    }

    /// Builds the table for codes of the given lengths; `symbol` makes an entry without the length of the code, to
    /// which extra bits are already added. `false` if these are no lengths of a prefix code.
    pub(super) fn build(&mut self, lengths: &[u8], symbol: impl Fn(usize) -> u32) -> bool {
        let first_bits = SIZE.trailing_zeros();
        let mut counts = [0u16; MAX_BITS + 1];
        for &length in lengths {
            match counts.get_mut(usize::from(length)) {
                Some(count) => *count += 1,
                None => return false,
            }
        }
        counts[0] = 0;
        // Where each length's codes begin, and whether all codes together fill the space.
        let mut starts = [0u32; MAX_BITS + 2];
        let mut left = 1i32;
        for length in 1..=MAX_BITS {
            left = (left << 1) - i32::from(counts[length]);
            if left < 0 {
                return false;
            }
            starts[length + 1] = (starts[length] + u32::from(counts[length])) << 1;
        }
        let longest = (1..=MAX_BITS).rev().find(|&length| counts[length] > 0).unwrap_or(0);
        // As in zlib: an incomplete code is in order only if it has at most one symbol, of one bit.
        if left > 0 && longest > 1 {
            return false;
        }
        self.first.fill(SPECIAL);
        self.second.clear();
        if longest > first_bits as usize {
            self.make_second_level(lengths, starts, first_bits);
        }
        for (index, &length) in lengths.iter().enumerate() {
            if length == 0 {
                continue;
            }
            let length = u32::from(length);
            let reversed = next_code(&mut starts, length);
            let entry = symbol(index);
            if length <= first_bits {
                for place in self.first.iter_mut().skip(reversed).step_by(1 << length) {
                    *place = entry + length;
                }
            } else {
                let pointer = self.first.get(reversed & (SIZE - 1)).copied().unwrap_or(SPECIAL);
                let rest = length - first_bits;
                let start = base(pointer);
                let end = start + (1 << extra(pointer));
                let places = self.second.get_mut(start..end).unwrap_or_default();
                for place in places.iter_mut().skip(reversed >> first_bits).step_by(1 << rest) {
                    *place = entry + rest;
                }
            }
        }
        true
    }

    /// Makes a table for each group of long codes that begin alike, as large as its longest code needs.
    fn make_second_level(&mut self, lengths: &[u8], mut starts: [u32; MAX_BITS + 2], first_bits: u32) {
        let mut sizes = [0u8; SIZE];
        for &length in lengths.iter().filter(|&&length| length > 0) {
            let length = u32::from(length);
            let reversed = next_code(&mut starts, length);
            if length > first_bits
                && let Some(size) = sizes.get_mut(reversed & (SIZE - 1))
            {
                *size = (*size).max((length - first_bits) as u8);
            }
        }
        for (place, &size) in self.first.iter_mut().zip(&sizes) {
            if size > 0 {
                let start = self.second.len();
                *place = SPECIAL | TABLE | (start as u32) << 16 | u32::from(size) << 8 | first_bits;
                self.second.resize(start + (1 << size), SPECIAL);
            }
        }
    }
}

/// The next code of a length, with its first bit lowest, as the stream has it.
fn next_code(starts: &mut [u32; MAX_BITS + 2], length: u32) -> usize {
    let Some(code) = starts.get_mut(length as usize) else { return 0 };
    let reversed = code.reverse_bits() >> (32 - length);
    *code += 1;
    reversed as usize
}
