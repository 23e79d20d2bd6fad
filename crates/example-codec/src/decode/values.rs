//! Values of a few bytes, read without loops from a window that has bytes to spare.

const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// Returns the varint that takes the first `length` bytes of `word`, if they are one varint of at most eight bytes.
///
/// `gather` brings the seven-bit groups of eight bytes together.
#[inline(always)]
pub(super) fn varint_of(word: u64, length: usize, gather: impl Fn(u64) -> u64) -> Option<u64> {
    // The high bit of each byte that ends a varint.
    let ends = !word & HIGH_BITS;
    if ends.trailing_zeros() as usize + 1 != 8 * length {
        return None;
    }
    Some(gather(word & (ends ^ ends.wrapping_sub(1))))
}

/// Returns the varint that `word` begins with, and how many bits it takes, which are more than 64 if it does not end.
#[inline(always)]
pub(super) fn prefix_varint(word: u64, gather: impl Fn(u64) -> u64) -> (u64, u64) {
    let ends = !word & HIGH_BITS;
    let bits = u64::from(ends.trailing_zeros()) + 1;
    (gather(word & (ends ^ ends.wrapping_sub(1))), bits)
}

/// Brings the seven-bit groups of eight bytes together: 56 bits.
#[inline(always)]
pub(super) fn gather(bytes: u64) -> u64 {
    let x = bytes & !HIGH_BITS;
    let x = (x & 0x007f_007f_007f_007f) | ((x & 0x7f00_7f00_7f00_7f00) >> 1);
    let x = (x & 0x0000_3fff_0000_3fff) | ((x & 0x3fff_0000_3fff_0000) >> 2);
    (x & 0x0000_0000_0fff_ffff) | ((x & 0x0fff_ffff_0000_0000) >> 4)
}

/// Does the same in one instruction.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,popcnt")]
#[inline]
pub(super) fn gather_bmi2(bytes: u64) -> u64 {
    core::arch::x86_64::_pext_u64(bytes, !HIGH_BITS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proto_wire::Reader;

    use super::{gather, varint_of};

    proptest! {
        #[test]
        fn a_varint_is_what_the_reader_says(bytes: [u8; 8], ends in 0usize..8, length in 0usize..12) {
            let mut bytes = bytes;
            if let Some(last) = bytes.get_mut(ends) {
                *last &= 0x7f;
            }
            let mut reader = Reader::new(&bytes);
            let expected = reader.varint().ok().filter(|_| reader.position() == length);
            prop_assert_eq!(varint_of(u64::from_le_bytes(bytes), length, gather), expected);
        }
    }
}
