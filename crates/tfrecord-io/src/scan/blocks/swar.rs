//! The operations of the search for any processor: eight bytes at a time, in a word.

use super::BLOCK;
use crate::crc::{self, LENGTH_TABLES};

const LOW_7: u64 = every(0x7f);

/// Bits 15 to 22 of the CRC of the length 0. Masking rotates by 15 bits, so that they are the first byte that is stored,
/// but for a constant that is added.
pub(super) const OF_ZERO: u8 = (crc::unmask(crc::OF_LENGTH_0) >> 15) as u8;

/// The lowest byte of that constant.
pub(super) const MASK_LOW_BYTE: u8 = crc::mask(0) as u8;

/// Returns what a length's byte at `index` contributes to these bits, 0 being the lowest byte: a CRC is linear over single bits,
/// so that of a length is the XOR of [`OF_ZERO`] and of what its bytes contribute.
pub(super) const fn contribution(index: usize, byte: u8) -> u8 {
    (LENGTH_TABLES[7 - index][byte as usize] >> 15) as u8
}

/// Returns a word in which bit `i` is set if byte `i` of `block` is zero.
#[inline]
pub(super) fn zero_bytes(block: &[u8; BLOCK]) -> u64 {
    let (words, _) = block.as_chunks::<8>();
    let zeros = words
        .iter()
        .enumerate()
        .fold(0, |zeros, (i, word)| zeros | zero_bytes_of(u64::from_le_bytes(*word)) << i);
    transpose(zeros)
}

/// Returns a word in which bit `p` is set if, at position `p`, the first byte of the checksum is right for the length
/// there, provided that only the `LOW` lowest bytes of the length are not zero.
///
/// Eight positions at a time, one in each byte of a word: byte `j` of the file is byte `j - i` of the length at
/// position `i`.
#[inline]
pub(super) fn first_byte_fits<const LOW: usize>(two: &[u8; 2 * BLOCK]) -> u64 {
    let (words, _) = two.as_chunks::<8>();
    let following = words.iter().skip(1);
    let fitting =
        words.iter().zip(following).take(BLOCK / 8).enumerate().fold(0, |fitting, (i, (this, next))| {
            let of_this = this.iter().fold(0, |sum, &byte| sum >> 8 ^ contributions(byte));
            let of_next =
                next.iter().take(LOW - 1).rev().fold(0, |sum, &byte| (sum ^ contributions(byte)) << 8);
            let sum = of_this ^ of_next ^ every(OF_ZERO);
            // Byte by byte, without carrying.
            let add = every(MASK_LOW_BYTE);
            let expected = ((sum & LOW_7) + (add & LOW_7)) ^ ((sum ^ add) & !LOW_7);
            fitting | zero_bytes_of(expected ^ u64::from_le_bytes(*next)) << i
        });
    transpose(fitting)
}

/// Returns what a byte contributes as each of the eight bytes of a length, the highest in the lowest byte.
#[inline]
fn contributions(byte: u8) -> u64 {
    static TABLE: [u64; 256] = {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let mut index = 0;
            while index < 8 {
                table[byte] |= (contribution(index, byte as u8) as u64) << (8 * (7 - index));
                index += 1;
            }
            byte += 1;
        }
        table
    };
    TABLE[usize::from(byte)]
}

/// Returns a word in which the lowest bit of each byte is set if that byte of `word` is zero, and no other bit.
#[inline]
fn zero_bytes_of(word: u64) -> u64 {
    // The highest bit of each byte is set unless the byte is zero. No carry crosses a byte, so that this is exact.
    let not_zero = ((word & LOW_7) + LOW_7) | word;
    (!not_zero & !LOW_7) >> 7
}

/// Returns a word of eight times the same byte.
const fn every(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Makes bit `i` of byte `j` bit `j` of byte `i`.
#[inline]
fn transpose(bits: u64) -> u64 {
    let exchange = |bits: u64, by: u32, low: u64| {
        let change = (bits ^ bits >> by) & low;
        bits ^ change ^ change << by
    };
    let bits = exchange(bits, 7, 0x00aa_00aa_00aa_00aa);
    let bits = exchange(bits, 14, 0x0000_cccc_0000_cccc);
    exchange(bits, 28, 0x0000_0000_f0f0_f0f0)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_first_byte, check_zero_bytes};
    use super::*;

    #[test]
    fn one_bit_for_each_zero_byte() {
        check_zero_bytes(zero_bytes);
    }

    #[test]
    fn one_bit_for_each_first_byte_that_fits() {
        check_first_byte::<4>(first_byte_fits::<4>);
        check_first_byte::<5>(first_byte_fits::<5>);
        check_first_byte::<8>(first_byte_fits::<8>);
    }
}
