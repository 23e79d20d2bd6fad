//! Packed runs of varints, many at a time.
//!
//! A byte below 0x80 ends a varint. The decoder looks at 64 bytes at once: it gathers "ends here"
//! bits of all of them into one word, and then walks the set bits. Where a value ends is then known
//! one cycle after the end before it, instead of a load, a compare and a branch for each byte. The
//! seven-bit groups of a value are brought together by three shift-and-mask steps on eight bytes.

use crate::{Error, ErrorKind};

pub(crate) const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
const BLOCK: usize = 64;
/// Bytes that may be looked at beyond the last byte of a block's last value.
const SLACK: usize = 8;

/// Returns the eight bytes at `at`, the first in the low bits. `bytes` must have them.
#[inline(always)]
pub(crate) fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk::<8>().map(|chunk| u64::from_le_bytes(*chunk))
}

/// One bit for each of the eight bytes: set where the byte ends a varint.
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
/// `bytes` is the whole record: having a few bytes after the run spares copying its tail. `out`
/// must have room for [`count_varints`] values; fewer values than that are never written.
///
/// Returns the number of values.
///
/// # Errors
/// `VarintTooLong` for a value of more than 10 bytes, `Truncated` when the run ends inside one or
/// reaches beyond `bytes`, `BufferFull` when `out` is too short. Positions count from the start of
/// `bytes`.
#[inline]
pub fn decode_varints(bytes: &[u8], start: usize, end: usize, out: &mut [i64]) -> Result<usize, Error> {
    decode(bytes, start, end, out, gather)
}

/// Does the same as [`decode_varints`], for x86-64 processors that have BMI1, BMI2 and POPCNT, which is all
/// since 2013: they bring the groups of a value together in one instruction.
///
/// It is for callers that know the processor; asking it needs the standard library, which this crate
/// does without.
///
/// # Errors
/// As [`decode_varints`].
///
/// # Safety
/// The processor must have BMI1, BMI2 and POPCNT. (A function that is itself compiled for them may call
/// this one without `unsafe`.)
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,popcnt")]
pub fn decode_varints_bmi2(bytes: &[u8], start: usize, end: usize, out: &mut [i64]) -> Result<usize, Error> {
    decode(bytes, start, end, out, |word| core::arch::x86_64::_pext_u64(word, !HIGH_BITS))
}

/// Decodes a run; `gather` brings the seven-bit groups of eight bytes together.
#[inline(always)]
fn decode(
    bytes: &[u8],
    start: usize,
    end: usize,
    out: &mut [i64],
    gather: impl Fn(u64) -> u64 + Copy,
) -> Result<usize, Error> {
    if end > bytes.len() || start > end {
        return Err(Error::new(ErrorKind::Truncated, start));
    }
    let mut at = start;
    let mut written = 0;
    while at < end {
        let length = (end - at).min(BLOCK);
        let free = out.get_mut(written..).unwrap_or_default();
        let progress = match bytes.get(at..).and_then(|rest| rest.first_chunk::<{ BLOCK + SLACK }>()) {
            Some(window) => decode_block(window, length, free, gather),
            None => {
                let mut window = [0u8; BLOCK + SLACK];
                if let (Some(to), Some(from)) = (window.get_mut(..length), bytes.get(at..at + length)) {
                    to.copy_from_slice(from);
                }
                decode_block(&window, length, free, gather)
            }
        };
        let (used, values) = progress.map_err(|kind| Error::new(kind, at))?;
        if used == 0 {
            let kind = if length < 10 { ErrorKind::Truncated } else { ErrorKind::VarintTooLong };
            return Err(Error::new(kind, at));
        }
        at += used;
        written += values;
    }
    Ok(written)
}

/// Decodes the values that end in the first `length` bytes of a window; returns the bytes used and
/// the values written.
#[inline(always)]
fn decode_block(
    window: &[u8; BLOCK + SLACK],
    length: usize,
    out: &mut [i64],
    gather: impl Fn(u64) -> u64,
) -> Result<(usize, usize), ErrorKind> {
    let mut ends = 0u64;
    for (index, chunk) in window.as_chunks::<8>().0.iter().take(BLOCK / 8).enumerate() {
        ends |= ends_of(u64::from_le_bytes(*chunk)) << (8 * index as u32);
    }
    if length < BLOCK {
        ends &= (1u64 << length) - 1;
    }
    let count = ends.count_ones() as usize;
    let Some(out) = out.get_mut(..count) else { return Err(ErrorKind::BufferFull) };

    // A block of one-byte values: 64 (or `length`) of them, copied wide.
    if count == length {
        for (to, from) in out.iter_mut().zip(window) {
            *to = i64::from(*from);
        }
        return Ok((length, count));
    }

    let mut from = 0usize;
    for to in out {
        let end = ends.trailing_zeros() as usize;
        ends &= ends.wrapping_sub(1);
        let bytes = end + 1 - from;
        let Some(low) = word(window, from) else { return Err(ErrorKind::Truncated) };
        *to = if bytes <= 8 {
            gather(low & (u64::MAX >> (64 - 8 * bytes as u32))) as i64
        } else {
            long_value(window, from, bytes, low)?
        };
        from = end + 1;
    }
    Ok((from, count))
}

/// Returns a value of 9 or 10 bytes.
#[inline]
fn long_value(window: &[u8; BLOCK + SLACK], from: usize, bytes: usize, low: u64) -> Result<i64, ErrorKind> {
    let byte = |index: usize| u64::from(window.get(from + index).copied().unwrap_or(0) & 0x7f);
    match bytes {
        9 => Ok((gather(low) | byte(8) << 56) as i64),
        10 => Ok((gather(low) | byte(8) << 56 | byte(9) << 63) as i64),
        _ => Err(ErrorKind::VarintTooLong),
    }
}
