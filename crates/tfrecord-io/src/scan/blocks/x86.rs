//! The operations of the search with vector instructions: up to ten times as fast as without, which is what makes
//! scanning cheaper than reading.

use std::arch::x86_64::{
    __m256i, _mm_cmpeq_epi8, _mm_crc32_u64, _mm_movemask_epi8, _mm_set_epi64x, _mm_setzero_si128,
    _mm256_add_epi8, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_movemask_epi8, _mm256_set_epi64x,
    _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_xor_si256,
};

use super::{BLOCK, Candidate, search_with};
use crate::crc::mask;

#[target_feature(enable = "avx2,bmi1,bmi2,sse4.2")]
pub(super) fn search_avx2(data: &[u8], from: usize, max_length: u64) -> Result<Candidate, usize> {
    search_with(
        data,
        from,
        max_length,
        |block| zero_bytes_avx2(block),
        |two| first_crc_byte_fits(two),
        |length| header_crc(length),
    )
}

#[target_feature(enable = "sse4.2")]
pub(super) fn search_sse(data: &[u8], from: usize, max_length: u64) -> Result<Candidate, usize> {
    search_with(
        data,
        from,
        max_length,
        |block| zero_bytes_sse(block),
        |_| u64::MAX,
        |length| header_crc(length),
    )
}

#[target_feature(enable = "sse4.2")]
#[inline]
fn header_crc(length: u64) -> u32 {
    mask(!(_mm_crc32_u64(u64::from(u32::MAX), length) as u32))
}

/// Bit `i` is set if byte `i` of `block` is zero.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn zero_bytes_avx2(block: &[u8; BLOCK]) -> u64 {
    let (parts, _) = block.as_chunks::<32>();
    parts.iter().enumerate().fold(0, |mask, (i, part)| {
        let equal = _mm256_cmpeq_epi8(load(part), _mm256_setzero_si256());
        mask | u64::from(_mm256_movemask_epi8(equal) as u32) << (32 * i)
    })
}

/// Bit `i` is set if byte `i` of `block` is zero.
#[target_feature(enable = "sse4.2")]
#[inline]
pub(super) fn zero_bytes_sse(block: &[u8; BLOCK]) -> u64 {
    let (parts, _) = block.as_chunks::<16>();
    parts.iter().enumerate().fold(0, |mask, (i, part)| {
        let (words, _) = part.as_chunks::<8>();
        let [a, b] = [0, 1].map(|k| i64::from_le_bytes(words[k]));
        let equal = _mm_cmpeq_epi8(_mm_set_epi64x(b, a), _mm_setzero_si128());
        mask | u64::from(_mm_movemask_epi8(equal) as u32) << (16 * i)
    })
}

/// Thirty-two bytes, at any alignment. Compiles to one load.
#[target_feature(enable = "avx2")]
#[inline]
fn load(bytes: &[u8; 32]) -> __m256i {
    let (words, _) = bytes.as_chunks::<8>();
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| i64::from_le_bytes(words[k]));
    _mm256_set_epi64x(d, c, b, a)
}

/// Bit `p` is set if, at position `p`, the first byte of the checksum is right for the length there, provided that the
/// length is below 2³².
///
/// A CRC is linear over single bits: that of a length is the XOR of what each half byte of it contributes, which is a
/// table of sixteen entries and one shuffle instruction for thirty-two positions. Masking rotates by 15 bits and adds a
/// constant, so that the first byte stored is bits 15 to 22 of the CRC plus the constant's lowest byte.
#[target_feature(enable = "avx2")]
#[inline]
fn first_crc_byte_fits(two: &[u8; 2 * BLOCK]) -> u64 {
    let low_half = _mm256_set1_epi8(0x0f);
    let bytes = |at: usize| load(two[at..].first_chunk().unwrap_or(&[0; 32]));
    [0, 32].into_iter().fold(0, |mask, base| {
        let mut byte = _mm256_set1_epi8(OF_ZERO as i8);
        for (k, [low, high]) in TABLES.iter().enumerate() {
            let source = bytes(base + k);
            let low_bits = _mm256_and_si256(source, low_half);
            let high_bits = _mm256_and_si256(_mm256_srli_epi16::<4>(source), low_half);
            byte = _mm256_xor_si256(byte, _mm256_shuffle_epi8(load(low), low_bits));
            byte = _mm256_xor_si256(byte, _mm256_shuffle_epi8(load(high), high_bits));
        }
        let expected = _mm256_add_epi8(byte, _mm256_set1_epi8(MASK_LOW_BYTE as i8));
        let fits = _mm256_cmpeq_epi8(expected, bytes(base + 8));
        mask | u64::from(_mm256_movemask_epi8(fits) as u32) << base
    })
}

/// The lowest byte of what masking adds.
const MASK_LOW_BYTE: u8 = mask(0) as u8;

/// What the length 0 gives.
const OF_ZERO: u8 = bits_15_to_22(0);

/// What each half byte of the four low bytes of a length contributes, its low half first; twice in a row, because the
/// shuffle works on halves of a register.
const TABLES: [[[u8; 32]; 2]; 4] = {
    let mut tables = [[[0; 32]; 2]; 4];
    let mut entry = 0;
    while entry < 4 * 2 * 32 {
        let (byte, half, value) = (entry / 64, entry / 32 % 2, entry % 16);
        tables[byte][half][entry % 32] = bits_15_to_22((value as u64) << (8 * byte + 4 * half)) ^ OF_ZERO;
        entry += 1;
    }
    tables
};

/// Bits 15 to 22 of the CRC-32C of a length, not masked; bit by bit, for building tables.
const fn bits_15_to_22(length: u64) -> u8 {
    let mut state = length ^ u32::MAX as u64;
    let mut bit = 0;
    while bit < 64 {
        state = if state & 1 == 1 { (state >> 1) ^ 0x82f6_3b78 } else { state >> 1 };
        bit += 1;
    }
    (!(state as u32) >> 15) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_of_the_checksum_fits_where_it_does() {
        if !std::arch::is_x86_feature_detected!("avx2") {
            return;
        }
        let mut two = [0u8; 2 * BLOCK];
        let mut state = 7u64;
        for byte in &mut two {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *byte = (state >> 50) as u8;
        }
        let mut hits = 0;
        for round in 0..64 {
            two[round..round + 12].copy_from_slice(&crate::frame::Header::encode(state >> (32 + round % 32)));
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let expected = (0..BLOCK).fold(0, |mask, p| {
                let length = u32::from_le_bytes([two[p], two[p + 1], two[p + 2], two[p + 3]]);
                let fits = crate::crc::header_crc(u64::from(length)) as u8 == two[p + 8];
                mask | u64::from(fits) << p
            });
            // SAFETY: the processor has AVX2, as asked above.
            assert_eq!(unsafe { first_crc_byte_fits(&two) }, expected, "round {round}");
            hits += expected.count_ones();
        }
        assert!(hits >= 64);
    }
}
