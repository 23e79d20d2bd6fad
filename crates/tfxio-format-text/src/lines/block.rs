//! Blocks of sixty-four bytes, all of which are compared with a byte at once.

/// Bytes of a block.
pub(crate) const BLOCK: usize = 64;

/// Returns a bit for each byte that is this one, the lowest for the first.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn bits(block: &[u8; BLOCK], byte: u8) -> u64 {
    // Cells in quotes are read a quarter faster than with `bits_of_words`.
    // SAFETY: all x86-64 processors have SSE2.
    unsafe { bits_sse2(block, byte) }
}

/// Returns a bit for each byte that is this one, the lowest for the first.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) fn bits(block: &[u8; BLOCK], byte: u8) -> u64 {
    bits_of_words(block, byte)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
#[inline]
fn bits_sse2(block: &[u8; BLOCK], byte: u8) -> u64 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8};

    let wanted = _mm_set1_epi8(byte.cast_signed());
    let halves = block.as_chunks::<8>().0.as_chunks::<2>().0;
    halves.iter().enumerate().fold(0, |bits, (index, [low, high])| {
        let bytes = _mm_set_epi64x(i64::from_le_bytes(*high), i64::from_le_bytes(*low));
        let found = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)).cast_unsigned();
        bits | u64::from(found) << (16 * index)
    })
}

/// Returns what [`bits`] does, on any processor.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline]
fn bits_of_words(block: &[u8; BLOCK], byte: u8) -> u64 {
    // An array that is mapped is compared in vectors; then the product has the marks of a word next to each other in its highest
    // byte.
    let marks = block.map(|other| if other == byte { 0x80 } else { 0 });
    marks.as_chunks::<8>().0.iter().enumerate().fold(0, |bits, (index, word)| {
        bits | u64::from_le_bytes(*word).wrapping_mul(0x0002_0408_1020_4081) >> 56 << (8 * index)
    })
}

#[cfg(test)]
mod tests {
    use super::{bits, bits_of_words};

    #[test]
    fn bits_stand_for_bytes() {
        let bytes: [u8; 64] = std::array::from_fn(|index| (index * index % 7) as u8 | (index as u8 & 8) << 4);
        for byte in (0..8).chain(128..136) {
            let expected =
                (0..64).filter(|index| bytes[*index] == byte).fold(0, |bits, index| bits | 1 << index);
            assert_eq!((bits(&bytes, byte), bits_of_words(&bytes, byte)), (expected, expected), "{byte}");
        }
    }
}
