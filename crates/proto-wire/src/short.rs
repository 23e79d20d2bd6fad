//! Short packed runs of varints, a handful of values each, as in a step of a sequence.
//!
//! [`decode_varints`](crate::decode_varints) looks at 64 bytes whatever the run; this looks at 32. It decodes four
//! values at a time and ignores surplus ones, since a processor predicts the number of values of a short run worst.

use crate::packed::{HIGH_BITS, ends_of, gather, word};

/// Bytes of the longest short run.
pub const SHORT_RUN: usize = 32;
/// Bytes that must be there from the start of a short run on, whatever its length.
pub const SHORT_RUN_WINDOW: usize = SHORT_RUN + 16;
/// Values that may be overwritten by a short run.
pub const SHORT_RUN_VALUES: usize = SHORT_RUN + 4;
/// Groups of four values that are decoded at most because runs before had as many: the bytes that they read
/// after the longest run are in the window.
const EXPECTED_GROUPS: usize = 2;

/// Decodes the packed run that is the first `length` bytes of `window` into the front of `out`, as 64-bit
/// patterns; returns the number of values.
///
/// Returns `None` if the run is longer than [`SHORT_RUN`], holds a value of more than 8 bytes, or ends inside a value:
/// call [`decode_varints`](crate::decode_varints) then. The contents of `out` after the values are not specified.
///
/// `expected` begins as 0 and is handed from run to run: runs that are shorter than those before are decoded
/// as if they were as long, up to eight values, for doing the same each time costs less than a wrong guess.
#[inline(always)]
#[must_use]
pub fn decode_short_varints(
    window: &[u8; SHORT_RUN_WINDOW],
    length: usize,
    out: &mut [i64; SHORT_RUN_VALUES],
    expected: &mut usize,
) -> Option<usize> {
    decode(window, length, out, expected, |run| {
        (0u32..).zip(words(run)).fold(0, |ends, (index, word)| ends | (ends_of(word) as u32) << (8 * index))
    })
}

/// Does the same as [`decode_short_varints`], for processors that have AVX2, BMI1, BMI2, LZCNT and POPCNT.
///
/// # Safety
/// The processor must have AVX2, BMI1, BMI2, LZCNT and POPCNT. (A function that is itself compiled for them
/// may call this one without `unsafe`.)
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[must_use]
pub fn decode_short_varints_avx2(
    window: &[u8; SHORT_RUN_WINDOW],
    length: usize,
    out: &mut [i64; SHORT_RUN_VALUES],
    expected: &mut usize,
) -> Option<usize> {
    use core::arch::x86_64::{_mm256_movemask_epi8, _mm256_set_epi64x};
    decode(window, length, out, expected, |run| {
        let [a, b, c, d] = words(run).map(u64::cast_signed);
        // One load.
        !_mm256_movemask_epi8(_mm256_set_epi64x(d, c, b, a)).cast_unsigned()
    })
}

#[inline(always)]
fn words(run: &[u8; SHORT_RUN]) -> [u64; SHORT_RUN / 8] {
    let words = run.as_chunks::<8>().0.first_chunk();
    words.map_or([0; SHORT_RUN / 8], |words| words.map(u64::from_le_bytes))
}

/// Decodes a short run; `ends_in` finds the bytes that end a value.
#[inline(always)]
fn decode(
    window: &[u8; SHORT_RUN_WINDOW],
    length: usize,
    out: &mut [i64; SHORT_RUN_VALUES],
    expected: &mut usize,
    ends_in: impl Fn(&[u8; SHORT_RUN]) -> u32,
) -> Option<usize> {
    if length > SHORT_RUN {
        return None;
    }
    let ends = u64::from(ends_in(window.first_chunk()?));
    let run = (1u64 << length) - 1;
    // Bytes that do not end a value, of which a value of n bytes has n - 1 in a row.
    let more = !ends & run;
    if more == 0 && length <= 8 {
        for (to, from) in out.iter_mut().zip(window.first_chunk::<8>()?) {
            *to = i64::from(*from);
        }
        return Some(length);
    }
    // The last byte must end a value.
    if more >> (length - 1) != 0 {
        return None;
    }
    let count = (ends & run).count_ones() as usize;
    let four_in_a_row = more & more >> 1 & more >> 2 & more >> 3;
    // After the run every byte ends a value, so that there is always a next one.
    let mut values = Ends { ends: ends | !run, from: 0 };
    *expected = count.div_ceil(4).max((*expected).min(EXPECTED_GROUPS));
    if four_in_a_row == 0 {
        if *expected <= 1 {
            decode_small::<4>(window, &mut values, out.first_chunk_mut()?)?;
            return Some(count);
        }
        let (groups, _) = out.as_chunks_mut::<8>();
        for group in groups.iter_mut().take(expected.div_ceil(2)) {
            decode_small(window, &mut values, group)?;
        }
        return Some(count);
    }
    if four_in_a_row & four_in_a_row >> 4 != 0 {
        return None;
    }
    for to in out.iter_mut().take(4 * *expected) {
        *to = gather(first_of_eight(word(window, values.next_start())?)) as i64;
    }
    Some(count)
}

/// Decodes the next values, of at most four bytes each.
#[inline(always)]
fn decode_small<const N: usize>(
    window: &[u8; SHORT_RUN_WINDOW],
    values: &mut Ends,
    out: &mut [i64; N],
) -> Option<()> {
    let mut bytes = [0u32; N];
    for to in &mut bytes {
        let (_, from) = window.split_at_checked(values.next_start())?;
        *to = u32::from_le_bytes(*from.first_chunk()?);
    }
    for (to, from) in out.iter_mut().zip(bytes) {
        *to = i64::from(gather_four(first_of_four(from)));
    }
    Some(())
}

/// Ends of values, and the start of the next one.
struct Ends {
    ends: u64,
    from: usize,
}

impl Ends {
    /// Returns the start of the next value. After the last value it is anywhere in the longest run.
    #[inline(always)]
    fn next_start(&mut self) -> usize {
        let start = self.from % SHORT_RUN;
        // The bit is there anyway, only the compiler does not know.
        self.from = (self.ends | 1 << 63).trailing_zeros() as usize + 1;
        self.ends &= self.ends.wrapping_sub(1);
        start
    }
}

/// Returns the bytes up to the first that ends a value, of which there is one.
#[inline(always)]
const fn first_of_four(bytes: u32) -> u32 {
    let ends = !bytes & HIGH_BITS as u32;
    bytes & (ends ^ ends.wrapping_sub(1))
}

/// Returns the bytes up to the first that ends a value, of which there is one.
#[inline(always)]
const fn first_of_eight(bytes: u64) -> u64 {
    let ends = !bytes & HIGH_BITS;
    bytes & (ends ^ ends.wrapping_sub(1))
}

/// Brings the seven-bit groups of four bytes together: 28 bits. Simple enough to be done for four values at
/// once.
#[inline(always)]
const fn gather_four(bytes: u32) -> u32 {
    let x = bytes & 0x7f7f_7f7f;
    let x = (x & 0x007f_007f) | ((x & 0x7f00_7f00) >> 1);
    (x & 0x0000_3fff) | ((x & 0x3fff_0000) >> 2)
}
