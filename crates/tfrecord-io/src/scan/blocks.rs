//! The fast part of the search: sixty-four positions at a time, for lengths below 2³².

#[cfg(target_arch = "x86_64")]
mod x86;

use super::Candidate;
use crate::frame::HEADER_LEN;

/// Positions tested at a time: one bit of a `u64` each.
const BLOCK: usize = 64;

/// Up to so many positions of a block are tested one by one. With more of them, as in small `int64` values, it is
/// cheaper to rule out most of them at once by the first byte of the checksum.
const FEW: u32 = 4;

/// Searches whole blocks of `data` from `from` on. `Err` holds the position from which on the rest is too short for
/// this way of searching.
#[inline]
pub(super) fn search(data: &[u8], from: usize, max_length: u64) -> Result<Candidate, usize> {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx2") && has!("bmi1") && has!("bmi2") && has!("sse4.2") {
            // SAFETY: the processor has these four, as just asked.
            return unsafe { x86::search_avx2(data, from, max_length) };
        }
        if has!("sse4.2") {
            // SAFETY: the processor has SSE 4.2, as just asked.
            return unsafe { x86::search_sse(data, from, max_length) };
        }
    }
    search_with(data, from, max_length, zero_bytes, |_| u64::MAX, crate::crc::header_crc)
}

/// The search, given the operations that processors have instructions for: which bytes of a block are zero; which
/// positions have the right first byte of a checksum, if the length is below 2³² (all of them will do as an answer);
/// and the masked CRC of a length. Always inlined, so that they are compiled for the processor that the caller has found.
#[inline(always)]
fn search_with(
    data: &[u8],
    from: usize,
    max_length: u64,
    zero_bytes: impl Fn(&[u8; BLOCK]) -> u64,
    first_crc_byte_fits: impl Fn(&[u8; 2 * BLOCK]) -> u64,
    header_crc: impl Fn(u64) -> u32,
) -> Result<Candidate, usize> {
    let mut at = from;
    let mut zero = match data.get(at..).and_then(<[u8]>::first_chunk::<BLOCK>) {
        Some(block) => zero_bytes(block),
        None => return Err(at),
    };
    // The test of a block's last position reaches into the block behind it.
    while let Some(two) = data.get(at..).and_then(<[u8]>::first_chunk::<{ 2 * BLOCK }>) {
        let (_, behind) = two.split_at(BLOCK);
        let zero_behind = behind.first_chunk::<BLOCK>().map_or(0, &zero_bytes);
        let mut positions = candidates(zero, zero_behind);
        zero = zero_behind;
        if positions.count_ones() > FEW {
            positions &= first_crc_byte_fits(two);
        }
        while positions != 0 {
            let position = positions.trailing_zeros() as usize % BLOCK;
            positions &= positions - 1;
            let Some(bytes) = two.get(position..).and_then(<[u8]>::first_chunk::<HEADER_LEN>) else { break };
            let [l0, l1, l2, l3, l4, l5, l6, l7, c0, c1, c2, c3] = *bytes;
            let length = u64::from_le_bytes([l0, l1, l2, l3, l4, l5, l6, l7]);
            if header_crc(length) == u32::from_le_bytes([c0, c1, c2, c3]) && length <= max_length {
                return Ok(Candidate { position: at + position, length });
            }
        }
        at += BLOCK;
    }
    Err(at)
}

/// Which positions of a block can begin a header whose length is below 2³²: bit `p` for position `p`, given which
/// bytes are zero in the block and in the block behind it.
#[inline(always)]
fn candidates(zero: u64, zero_behind: u64) -> u64 {
    let zero = u128::from(zero) | u128::from(zero_behind) << BLOCK;
    let runs_of_2 = zero & zero >> 1;
    let runs_of_4 = runs_of_2 & runs_of_2 >> 2;
    let runs_of_9 = runs_of_4 & runs_of_4 >> 4 & zero >> 8;
    (runs_of_4 >> 4 & !runs_of_9) as u64
}

/// Bit `i` is set if byte `i` of `block` is zero; for any processor.
#[inline]
fn zero_bytes(block: &[u8; BLOCK]) -> u64 {
    const LOW_7: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let (words, _) = block.as_chunks::<8>();
    words.iter().enumerate().fold(0, |mask, (i, word)| {
        let word = u64::from_le_bytes(*word);
        // Bit 7 of each byte: set where the byte is zero. No carry crosses a byte, so that this is exact.
        let flags = !(((word & LOW_7) + LOW_7) | word | LOW_7);
        // Gathers the eight flags into the top byte, the first byte's flag lowest.
        let gathered = (flags >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask | gathered << (8 * i)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bit_for_each_zero_byte() {
        let mut state = 1u64;
        for _ in 0..2000 {
            let block: [u8; BLOCK] = std::array::from_fn(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // Half of the bytes are zero, many others 1 or 128: the values that a carry would confuse.
                [0, 0, 0, 0, 1, 128, 255, (state >> 40) as u8][(state >> 61) as usize]
            });
            let expected =
                block.iter().enumerate().fold(0, |mask, (i, &byte)| mask | u64::from(byte == 0) << i);
            assert_eq!(zero_bytes(&block), expected);
            #[cfg(target_arch = "x86_64")]
            {
                if std::arch::is_x86_feature_detected!("sse4.2") {
                    // SAFETY: as just asked.
                    assert_eq!(unsafe { x86::zero_bytes_sse(&block) }, expected);
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: as just asked.
                    assert_eq!(unsafe { x86::zero_bytes_avx2(&block) }, expected);
                }
            }
        }
    }

    #[test]
    fn the_ways_of_searching_agree() {
        let mut data = vec![0; 777];
        for length in [0u64, 1, 5, 0xffff_ffff, 1 << 20] {
            data.extend_from_slice(&crate::frame::Header::encode(length));
            data.extend(std::iter::repeat_n([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9], 13).flatten());
        }
        for from in 0..data.len() {
            let expected =
                search_with(&data, from, 1 << 30, zero_bytes, |_| u64::MAX, crate::crc::header_crc);
            assert_eq!(search(&data, from, 1 << 30), expected);
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("sse4.2") {
                // SAFETY: as just asked.
                assert_eq!(unsafe { x86::search_sse(&data, from, 1 << 30) }, expected);
            }
        }
    }
}
