//! The operations of the search with vector instructions: several times as fast as without, which is what makes scanning
//! cheaper than reading.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi8, _mm_and_si128, _mm_cmpeq_epi8, _mm_crc32_u64, _mm_movemask_epi8,
    _mm_set_epi64x, _mm_set1_epi8, _mm_setzero_si128, _mm_shuffle_epi8, _mm_srli_epi16, _mm_xor_si128,
    _mm256_add_epi8, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8, _mm256_movemask_epi8,
    _mm256_set_epi64x, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
    _mm256_xor_si256,
};

use super::swar::{MASK_LOW_BYTE, OF_ZERO, contribution};
use super::{BLOCK, Candidate, Search};
use crate::crc::mask;

#[target_feature(enable = "avx2,bmi1,bmi2,sse4.2")]
pub(super) fn search_avx2<const LOW: usize>(search: Search<'_>) -> Result<Candidate, usize> {
    search.run::<LOW>(
        |block| zero_bytes_avx2(block),
        |two| fits_avx2::<LOW>(two),
        |length| header_crc(length),
    )
}

#[target_feature(enable = "sse4.2")]
pub(super) fn search_sse<const LOW: usize>(search: Search<'_>) -> Result<Candidate, usize> {
    search.run::<LOW>(|block| zero_bytes_sse(block), |two| fits_sse::<LOW>(two), |length| header_crc(length))
}

#[target_feature(enable = "sse4.2")]
#[inline]
fn header_crc(length: u64) -> u32 {
    mask(!(_mm_crc32_u64(u64::from(u32::MAX), length) as u32))
}

/// Returns a word in which bit `i` is set if byte `i` of `block` is zero.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn zero_bytes_avx2(block: &[u8; BLOCK]) -> u64 {
    let (parts, _) = block.as_chunks::<32>();
    parts.iter().enumerate().fold(0, |mask, (i, part)| {
        let equal = _mm256_cmpeq_epi8(load_32(part), _mm256_setzero_si256());
        mask | u64::from(_mm256_movemask_epi8(equal) as u32) << (32 * i)
    })
}

/// Returns a word in which bit `i` is set if byte `i` of `block` is zero.
#[target_feature(enable = "sse4.2")]
#[inline]
pub(super) fn zero_bytes_sse(block: &[u8; BLOCK]) -> u64 {
    let (parts, _) = block.as_chunks::<16>();
    parts.iter().enumerate().fold(0, |mask, (i, part)| {
        let equal = _mm_cmpeq_epi8(load_16(part), _mm_setzero_si128());
        mask | u64::from(_mm_movemask_epi8(equal) as u32) << (16 * i)
    })
}

/// Returns a word in which bit `p` is set if, at position `p`, the first byte of the checksum is right for the length
/// there, provided that only the `LOW` lowest bytes of the length are not zero.
///
/// The contribution of half a byte is looked up in a table of sixteen entries, by one shuffle instruction for
/// thirty-two positions.
#[target_feature(enable = "avx2")]
#[inline]
fn fits_avx2<const LOW: usize>(two: &[u8; 2 * BLOCK]) -> u64 {
    let low_half = _mm256_set1_epi8(0x0f);
    let bytes = |at: usize| load_32(two[at..].first_chunk().unwrap_or(&[0; 32]));
    [0, 32].into_iter().fold(0, |mask, base| {
        let mut byte = _mm256_set1_epi8(OF_ZERO as i8);
        for (k, [low, high]) in TABLES.iter().enumerate().take(LOW) {
            let source = bytes(base + k);
            let low_bits = _mm256_and_si256(source, low_half);
            let high_bits = _mm256_and_si256(_mm256_srli_epi16::<4>(source), low_half);
            let [low, high] = [low, high].map(|table| _mm256_broadcastsi128_si256(load_16(table)));
            byte = _mm256_xor_si256(byte, _mm256_shuffle_epi8(low, low_bits));
            byte = _mm256_xor_si256(byte, _mm256_shuffle_epi8(high, high_bits));
        }
        let expected = _mm256_add_epi8(byte, _mm256_set1_epi8(MASK_LOW_BYTE as i8));
        let fits = _mm256_cmpeq_epi8(expected, bytes(base + 8));
        mask | u64::from(_mm256_movemask_epi8(fits) as u32) << base
    })
}

/// Does the same for sixteen positions at a time.
#[target_feature(enable = "sse4.2")]
#[inline]
fn fits_sse<const LOW: usize>(two: &[u8; 2 * BLOCK]) -> u64 {
    let low_half = _mm_set1_epi8(0x0f);
    let bytes = |at: usize| load_16(two[at..].first_chunk().unwrap_or(&[0; 16]));
    [0, 16, 32, 48].into_iter().fold(0, |mask, base| {
        let mut byte = _mm_set1_epi8(OF_ZERO as i8);
        for (k, [low, high]) in TABLES.iter().enumerate().take(LOW) {
            let source = bytes(base + k);
            let low_bits = _mm_and_si128(source, low_half);
            let high_bits = _mm_and_si128(_mm_srli_epi16::<4>(source), low_half);
            byte = _mm_xor_si128(byte, _mm_shuffle_epi8(load_16(low), low_bits));
            byte = _mm_xor_si128(byte, _mm_shuffle_epi8(load_16(high), high_bits));
        }
        let expected = _mm_add_epi8(byte, _mm_set1_epi8(MASK_LOW_BYTE as i8));
        let fits = _mm_cmpeq_epi8(expected, bytes(base + 8));
        mask | u64::from(_mm_movemask_epi8(fits) as u32) << base
    })
}

/// Loads thirty-two bytes, at any alignment. Compiles to one load.
#[target_feature(enable = "avx2")]
#[inline]
fn load_32(bytes: &[u8; 32]) -> __m256i {
    let (words, _) = bytes.as_chunks::<8>();
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| i64::from_le_bytes(words[k]));
    _mm256_set_epi64x(d, c, b, a)
}

/// Loads sixteen bytes, at any alignment. Compiles to one load.
#[target_feature(enable = "sse4.2")]
#[inline]
fn load_16(bytes: &[u8; 16]) -> __m128i {
    let (words, _) = bytes.as_chunks::<8>();
    let [a, b] = [0, 1].map(|k| i64::from_le_bytes(words[k]));
    _mm_set_epi64x(b, a)
}

/// Contribution of each half of each byte of a length to the first byte of its checksum, the low half first.
static TABLES: [[[u8; 16]; 2]; 8] = {
    let mut tables = [[[0; 16]; 2]; 8];
    let mut entry = 0;
    while entry < 8 * 2 * 16 {
        let (byte, half, value) = (entry / 32, entry / 16 % 2, entry % 16);
        tables[byte][half][value] = contribution(byte, (value << (4 * half)) as u8);
        entry += 1;
    }
    tables
};

#[cfg(test)]
mod tests {
    use std::arch::is_x86_feature_detected as has;

    use super::super::tests::{check_first_byte, check_zero_bytes};
    use super::*;

    #[test]
    fn one_bit_for_each_zero_byte() {
        if has!("sse4.2") {
            // SAFETY: as just asked.
            check_zero_bytes(|block| unsafe { zero_bytes_sse(block) });
        }
        if has!("avx2") {
            // SAFETY: as just asked.
            check_zero_bytes(|block| unsafe { zero_bytes_avx2(block) });
        }
    }

    #[test]
    fn one_bit_for_each_first_byte_that_fits() {
        if has!("sse4.2") {
            // SAFETY: as just asked.
            check_first_byte::<4>(|two| unsafe { fits_sse::<4>(two) });
            // SAFETY: as just asked.
            check_first_byte::<5>(|two| unsafe { fits_sse::<5>(two) });
            // SAFETY: as just asked.
            check_first_byte::<8>(|two| unsafe { fits_sse::<8>(two) });
        }
        if has!("avx2") {
            // SAFETY: as just asked.
            check_first_byte::<4>(|two| unsafe { fits_avx2::<4>(two) });
            // SAFETY: as just asked.
            check_first_byte::<5>(|two| unsafe { fits_avx2::<5>(two) });
            // SAFETY: as just asked.
            check_first_byte::<8>(|two| unsafe { fits_avx2::<8>(two) });
        }
    }
}
