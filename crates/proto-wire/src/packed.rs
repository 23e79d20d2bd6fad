//! Packed runs of varints, many at a time.
//!
//! A byte below 0x80 ends a varint. The decoder looks at 64 bytes at once: it gathers "ends here" bits of all of them
//! into one word, and then walks the set bits. The end of a value is then known one cycle after the end before it,
//! instead of a load, a compare and a branch for each byte. The same word gives the length of the longest value, so
//! that no value's own length is needed: each is read as eight bytes, or as ten, and the bytes after its end are masked
//! out. The seven-bit groups of a value are brought together by three shift-and-mask steps on eight bytes, of four
//! values at once if the processor has such vectors.

use crate::{Error, ErrorKind};

pub(crate) const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
const BLOCK: usize = 64;
/// Bytes that are looked at: a value that begins with the last byte of a block is read as sixteen.
const WINDOW: usize = BLOCK + 16;
/// Values that are decoded at once, whether or not there are as many left.
const GROUP: usize = 4;
/// The ends of a block of values of nine bytes.
const NINES: u64 = 0x4020_1008_0402_0100;

/// Returns the eight bytes at `at`, the first in the low bits. `bytes` must have them.
#[inline(always)]
pub(crate) fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk::<8>().map(|chunk| u64::from_le_bytes(*chunk))
}

/// Returns one bit for each of the eight bytes, set if the byte ends a varint.
#[inline(always)]
pub(crate) const fn ends_of(word: u64) -> u64 {
    // The high bit of each byte to the bit of its number: a multiplication adds shifted copies so
    // that byte i's bit lands at bit 56 + i, and nothing else reaches there.
    ((!word & HIGH_BITS) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Brings the seven-bit groups of eight bytes together: 56 bits.
#[inline(always)]
pub(crate) const fn gather(bytes: u64) -> u64 {
    let x = bytes & !HIGH_BITS;
    let x = (x & 0x007f_007f_007f_007f) | ((x & 0x7f00_7f00_7f00_7f00) >> 1);
    let x = (x & 0x0000_3fff_0000_3fff) | ((x & 0x3fff_0000_3fff_0000) >> 2);
    (x & 0x0000_0000_0fff_ffff) | ((x & 0x0fff_ffff_0000_0000) >> 4)
}

/// Returns how many varints a packed run holds: the bytes that end one.
///
/// It equals what [`decode_varints`] writes for the same run, if that succeeds.
#[inline(always)]
#[must_use]
pub fn count_varints(run: &[u8]) -> usize {
    let (words, rest) = run.as_chunks::<8>();
    let mut count = 0u32;
    for chunk in words {
        count += (!u64::from_le_bytes(*chunk) & HIGH_BITS).count_ones();
    }
    count as usize + rest.iter().filter(|&&byte| byte < 0x80).count()
}

/// Returns the value of a run that is one varint of at most 8 bytes; `None` for every other run.
///
/// `bytes[start..end]` is the run. The fast path of features with one value.
#[inline(always)]
#[must_use]
pub fn single_varint(bytes: &[u8], start: usize, end: usize) -> Option<u64> {
    let length = end.wrapping_sub(start);
    if length.wrapping_sub(1) >= 8 {
        return None;
    }
    // The eight bytes that end where the run does; those before it are shifted out.
    let shift = 64 - 8 * length as u32;
    let word = match end.checked_sub(8).and_then(|at| word(bytes, at)) {
        Some(word) => word >> shift,
        None => {
            let mut padded = [0u8; 8];
            padded.get_mut(..length)?.copy_from_slice(bytes.get(start..end)?);
            u64::from_le_bytes(padded)
        }
    };
    // All bytes but the last continue.
    let expected = (HIGH_BITS >> 8) >> shift;
    if word & HIGH_BITS == expected { Some(gather(word)) } else { None }
}

/// Decodes the packed run `bytes[start..end]` into the front of `out`, as 64-bit patterns.
///
/// `bytes` is the whole record: having a few bytes after the run spares copying its tail. `out` must have room for
/// [`count_varints`] values, and with room for 64 more it is faster. The contents of `out` after the values are not
/// specified.
///
/// Returns the number of values.
///
/// # Errors
/// `VarintTooLong` for a value of more than 10 bytes, `Truncated` when the run ends inside one or
/// reaches beyond `bytes`, `BufferFull` when `out` is too short. Positions count from the start of
/// `bytes`.
#[inline]
pub fn decode_varints(bytes: &[u8], start: usize, end: usize, out: &mut [i64]) -> Result<usize, Error> {
    decode(bytes, start, end, out, ends_in)
}

/// Does the same as [`decode_varints`], for x86-64 processors that have AVX2, BMI1, BMI2, LZCNT and POPCNT,
/// which is nearly all since 2013: they decode four values at once.
///
/// It is for callers that know the processor; asking it needs the standard library, which this crate
/// does without.
///
/// # Errors
/// As [`decode_varints`].
///
/// # Safety
/// The processor must have AVX2, BMI1, BMI2, LZCNT and POPCNT. (A function that is itself compiled for them
/// may call this one without `unsafe`.)
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn decode_varints_avx2(bytes: &[u8], start: usize, end: usize, out: &mut [i64]) -> Result<usize, Error> {
    use core::arch::x86_64::{_mm256_movemask_epi8, _mm256_set_epi64x};
    let ends_in = |window: &[u8; WINDOW]| {
        let [a, b, c, d, e, f, g, h] = words(window).map(u64::cast_signed);
        // Each is one load.
        let low = _mm256_movemask_epi8(_mm256_set_epi64x(d, c, b, a)).cast_unsigned();
        let high = _mm256_movemask_epi8(_mm256_set_epi64x(h, g, f, e)).cast_unsigned();
        !(u64::from(low) | u64::from(high) << 32)
    };
    decode(bytes, start, end, out, ends_in)
}

/// Returns the words of a block.
#[inline(always)]
fn words(window: &[u8; WINDOW]) -> [u64; BLOCK / 8] {
    let (words, _) = window.as_chunks::<8>();
    words.first_chunk().map_or([0; BLOCK / 8], |words| words.map(u64::from_le_bytes))
}

/// Returns one bit for each byte of a block, set if the byte ends a varint.
#[inline(always)]
fn ends_in(window: &[u8; WINDOW]) -> u64 {
    (0u32..).zip(words(window)).fold(0, |ends, (index, word)| ends | ends_of(word) << (8 * index))
}

/// Decodes a run; `ends_in` finds the bytes of a block that end a value.
#[inline(always)]
fn decode(
    bytes: &[u8],
    start: usize,
    end: usize,
    out: &mut [i64],
    ends_in: impl Fn(&[u8; WINDOW]) -> u64 + Copy,
) -> Result<usize, Error> {
    if end > bytes.len() || start > end {
        return Err(Error::new(ErrorKind::Truncated, start));
    }
    let mut at = start;
    let mut written = 0;
    while at < end {
        let length = (end - at).min(BLOCK);
        let free = out.get_mut(written..).unwrap_or_default();
        let mut padded;
        let window = match bytes.get(at..).and_then(|rest| rest.first_chunk::<WINDOW>()) {
            Some(window) => window,
            None => {
                padded = [0u8; WINDOW];
                if let (Some(to), Some(from)) = (padded.get_mut(..length), bytes.get(at..at + length)) {
                    to.copy_from_slice(from);
                }
                &padded
            }
        };
        let ends = ends_in(window) & (u64::MAX >> (BLOCK - length));
        let count = ends.count_ones() as usize;
        let used = BLOCK - ends.leading_zeros() as usize;
        if used == 0 {
            let kind = if length < 10 { ErrorKind::Truncated } else { ErrorKind::VarintTooLong };
            return Err(Error::new(kind, at));
        }
        if free.len() < count {
            return Err(Error::new(ErrorKind::BufferFull, at));
        }
        let mut values = None;
        let to = match free.first_chunk_mut() {
            Some(to) => to,
            None => values.insert([0; BLOCK]),
        };
        decode_block(window, ends, to).map_err(|kind| Error::new(kind, at))?;
        if let Some(values) = values {
            free.iter_mut().zip(values).take(count).for_each(|(to, value)| *to = value);
        }
        at += used;
        written += count;
    }
    Ok(written)
}

/// Decodes the values that end at these bytes of a window, at least one. The contents of `out` after them are not
/// specified.
#[inline(always)]
fn decode_block(window: &[u8; WINDOW], ends: u64, out: &mut [i64; BLOCK]) -> Result<(), ErrorKind> {
    // Bytes that do not end a value, of which a value of n bytes has n - 1 in a row.
    let more = !ends & (u64::MAX >> ends.leading_zeros());
    if more == 0 {
        const WIDE: usize = 16;
        let (to, from) = (out.as_chunks_mut::<WIDE>().0, window.as_chunks::<WIDE>().0);
        for (to, from) in to.iter_mut().zip(from).take(ends.count_ones().div_ceil(WIDE as u32) as usize) {
            *to = from.map(i64::from);
        }
        return Ok(());
    }
    let two = more & more >> 1;
    let four = two & two >> 2;
    let eight = four & four >> 4;
    let groups = ends.count_ones().div_ceil(GROUP as u32) as usize;
    let groups = out.as_chunks_mut::<GROUP>().0.iter_mut().take(groups);
    let mut starts = Starts(ends << 1 | 1);
    if eight == 0 {
        for group in groups {
            let words = [(); GROUP].map(|()| word_at(window, starts.next()));
            *group = words.map(|word| gather(first_value(word)).cast_signed());
        }
    } else if ends == NINES & (u64::MAX >> ends.leading_zeros()) {
        let groups = out.as_chunks_mut::<GROUP>().0.iter_mut();
        for (number, group) in groups.enumerate().take(BLOCK.div_ceil(9 * GROUP)) {
            let starts = [0, 1, 2, 3].map(|index| 9 * (GROUP * number + index));
            let words = starts.map(|start| word_at(window, start));
            let lasts = starts.map(|start| window.get(start + 8).map_or(0, |last| u64::from(*last)));
            for ((to, word), last) in group.iter_mut().zip(words).zip(lasts) {
                *to = (gather(word) | last << 56).cast_signed();
            }
        }
    } else if eight & two >> 8 == 0 {
        // None has more than ten bytes.
        for group in groups {
            let starts = [(); GROUP].map(|()| starts.next());
            let words = starts.map(|start| word_at(window, start));
            let highs = starts.map(|start| word_at(window, start + 8));
            // Of the tenth byte the lowest bit, if the ninth byte does not end the value.
            let highs = highs.map(|word| (word & 0x7f | word & word >> 1 & 0x80) << 56);
            for ((to, word), high) in group.iter_mut().zip(words).zip(highs) {
                let high = if !word & HIGH_BITS == 0 { high } else { 0 };
                *to = (gather(first_value(word)) | high).cast_signed();
            }
        }
    } else {
        return Err(ErrorKind::VarintTooLong);
    }
    Ok(())
}

/// A bit for each byte of a block that begins a value.
struct Starts(u64);

impl Starts {
    /// Returns where the next value begins. After the last value it is the end of the block.
    #[inline(always)]
    fn next(&mut self) -> usize {
        let start = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        start
    }
}

/// Returns the eight bytes of a window from an offset on, which is at most 72.
#[inline(always)]
fn word_at(window: &[u8; WINDOW], at: usize) -> u64 {
    word(window, at).unwrap_or(0)
}

/// Returns the bytes up to the first that ends a value, or all.
#[inline(always)]
pub(crate) const fn first_value(bytes: u64) -> u64 {
    let ends = !bytes & HIGH_BITS;
    bytes & ends.wrapping_sub(1)
}
