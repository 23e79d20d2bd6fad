//! CRC-32C in three lanes, for processors of x86-64.
//!
//! The CRC instruction of SSE 4.2 takes eight bytes, needs three cycles and can start anew in every cycle, so three
//! independent checksums cost as much as one. A buffer is cut into three lanes of equal length, and a carry-less
//! multiplication by a constant moves the checksums of the first two past the bytes of the lanes after them. The
//! constants of every length are a table, so that a record of a few hundred bytes pays for a lookup: general
//! implementations compute them in each call, which takes longer than such a record itself. What does not fill three
//! lanes comes first, where it takes no branches: zeros before the first byte leave a checksum of zero as it is.
//!
//! Method of the lanes: Gopal et al., "Fast CRC Computation for iSCSI Polynomial Using CRC32 Instruction", Intel, 2011.

use std::arch::x86_64::{
    _mm_clmulepi64_si128, _mm_crc32_u8, _mm_crc32_u64, _mm_cvtsi64_si128, _mm_cvtsi128_si64,
};

/// Maximum number of words of eight bytes in a lane: where the bytes were read just before, as a reader's are, long lanes are
/// the fastest.
const LANE_WORDS: usize = 256;

/// Minimum number of words in a lane: shorter lanes cost more to join than they gain.
const FEWEST_WORDS: usize = 4;

/// Bytes in three lanes of [`LANE_WORDS`]; longer buffers are taken in chunks of this length.
pub(super) const CHUNK: usize = 3 * 8 * LANE_WORDS;

/// `PAST[n]` is x to the power of 64 n − 33 modulo the polynomial, bits reversed: the factor that moves a checksum past `n`
/// words. 32 of the 33 are what the CRC instruction multiplies by when it reduces the product; one is the product of
/// reversed factors, which has one bit less than two words.
static PAST: [u32; 2 * LANE_WORDS + 1] = {
    let mut table = [0; 2 * LANE_WORDS + 1];
    let mut power = 0x8000_0000_u32;
    let mut exponent = 0;
    let mut words = 1;
    while words < table.len() {
        while exponent < 64 * words - 33 {
            power = if power & 1 == 1 { (power >> 1) ^ super::POLYNOMIAL } else { power >> 1 };
            exponent += 1;
        }
        table[words] = power;
        words += 1;
    }
    table
};

/// Returns the CRC-32C of `data`, or `None` on a processor without the instructions.
#[inline]
pub(super) fn crc32c(data: &[u8]) -> Option<u32> {
    if std::arch::is_x86_feature_detected!("sse4.2") && std::arch::is_x86_feature_detected!("pclmulqdq") {
        // SAFETY: the processor has both, as just asked (cached flags, not a CPUID each time).
        Some(unsafe { hardware(data) })
    } else {
        None
    }
}

#[target_feature(enable = "sse4.2,pclmulqdq")]
fn hardware(data: &[u8]) -> u32 {
    !data.chunks(CHUNK).fold(u64::from(u32::MAX), |crc, chunk| through(crc, chunk)) as u32
}

/// Continues `crc` over at most [`CHUNK`] bytes.
#[target_feature(enable = "sse4.2,pclmulqdq")]
fn through(crc: u64, data: &[u8]) -> u64 {
    let Some(first) = data.first_chunk() else {
        return data.iter().fold(crc, |crc, &byte| u64::from(_mm_crc32_u8(crc as u32, byte)));
    };
    // The bytes before the first of the words that end with the data, moved to the end of a word; twice, for there may be none.
    let odd = data.len() % 8;
    let half = 32 - 4 * odd;
    let word = ((u64::from_le_bytes(*first) ^ crc) << half) << half;
    let crc = _mm_crc32_u64(0, word) ^ (crc >> (8 * odd));
    let (words, _) = data.get(odd..).unwrap_or_default().as_chunks();

    let length = words.len() / 3;
    if length < FEWEST_WORDS {
        return words.iter().fold(crc, |crc, word| step(crc, word));
    }
    let others = words.len() - 3 * length;
    let (crc, words) = (through_others(crc, words, others), words.get(others..).unwrap_or_default());
    in_lanes(crc, words, length)
}

/// Continues `crc` over the first `count` words, at most two: by masks, because how many there are is as good as random.
#[target_feature(enable = "sse4.2")]
fn through_others(crc: u64, words: &[[u8; 8]], count: usize) -> u64 {
    let when = |is: bool| 0_u64.wrapping_sub(u64::from(is));
    let word = |at| words.get(at).map_or(0, |word| u64::from_le_bytes(*word));
    let (both, any) = (when(count == 2), when(count != 0));
    let before = _mm_crc32_u64(crc & both, word(0) & both) ^ (crc & any & !both);
    _mm_crc32_u64(before, word(count.saturating_sub(1)) & any) ^ (crc & !any)
}

/// Continues `crc` over three lanes of `length` words.
#[target_feature(enable = "sse4.2,pclmulqdq")]
fn in_lanes(crc: u64, words: &[[u8; 8]], length: usize) -> u64 {
    let lane = |at: usize| words.get(at * length..).and_then(|words| words.get(..length)).unwrap_or_default();
    let (mut a, mut b, mut c) = (crc, 0, 0);
    for ((x, y), z) in lane(0).iter().zip(lane(1)).zip(lane(2)) {
        (a, b, c) = (step(a, x), step(b, y), step(c, z));
    }
    let (past_one, past_two) = (PAST.get(length), PAST.get(2 * length));
    _mm_crc32_u64(0, product(a, past_two) ^ product(b, past_one)) ^ c
}

#[inline]
#[target_feature(enable = "sse4.2")]
fn step(crc: u64, word: &[u8; 8]) -> u64 {
    _mm_crc32_u64(crc, u64::from_le_bytes(*word))
}

/// Returns the carry-less product.
#[target_feature(enable = "pclmulqdq")]
fn product(crc: u64, factor: Option<&u32>) -> u64 {
    let factor = factor.map_or(0, |&factor| i64::from(factor));
    let product = _mm_clmulepi64_si128::<0>(_mm_cvtsi64_si128(crc as i64), _mm_cvtsi64_si128(factor));
    _mm_cvtsi128_si64(product) as u64
}
