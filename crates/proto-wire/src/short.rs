//! Short packed runs of varints: what a step of a sequence holds, a handful of values.
//!
//! Where [`decode_varints`](crate::decode_varints) looks at 64 bytes whatever the run, this looks at 32, and
//! it decodes four values at a time, of which those after the last are of no account: how many values a short
//! run has is what a processor foresees least.

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
/// Returns `None` if the run is longer than [`SHORT_RUN`], holds a value of more than 8 bytes, or ends
/// inside a value: [`decode_varints`](crate::decode_varints) is then to say what it is. What stands in `out`
/// after the values is not specified.
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
    let (words, _) = window.as_chunks::<8>();
    let [first, second, third, fourth, ..] = words.first_chunk::<6>()?.map(u64::from_le_bytes);
    if length == 0 {
        return Some(0);
    }
    // Up to eight values of one byte. Both are told by one branch: the bytes are more alike from run to run
    // than the length is.
    let above = first & HIGH_BITS & (u64::MAX >> (64 - 8 * length.min(8) as u32));
    if above | ((length - 1) / 8) as u64 == 0 {
        for (to, from) in out.iter_mut().zip(first.to_le_bytes()) {
            *to = i64::from(from);
        }
        return Some(length);
    }
    if length > SHORT_RUN {
        return None;
    }
    let mut ends = ends_of(first);
    for (index, word) in (1u32..).zip([second, third, fourth]) {
        ends |= ends_of(word) << (8 * index);
    }
    let run = (1u64 << length) - 1;
    if ends >> (length - 1) & 1 == 0 {
        return None;
    }
    let count = (ends & run).count_ones() as usize;
    // Bytes that do not end a value, of which a value of n bytes has n - 1 in a row.
    let more = !ends & run;
    let four_in_a_row = more & more >> 1 & more >> 2 & more >> 3;
    // After the run every byte ends a value, so that there is always a next one.
    let mut values = Ends { ends: ends | !run, from: 0 };
    let (groups, _) = out.as_chunks_mut::<4>();
    *expected = count.div_ceil(4).max((*expected).min(EXPECTED_GROUPS));
    let groups = groups.iter_mut().take(*expected);
    if four_in_a_row == 0 {
        for group in groups {
            let mut four = [0u32; 4];
            for to in &mut four {
                let (_, from) = window.split_at_checked(values.next_start())?;
                *to = u32::from_le_bytes(*from.first_chunk()?);
            }
            for (to, from) in group.iter_mut().zip(four) {
                *to = i64::from(gather_four(first_of_four(from)));
            }
        }
        return Some(count);
    }
    if four_in_a_row & four_in_a_row >> 4 != 0 {
        return None;
    }
    for group in groups {
        for to in group {
            *to = gather(first_of_eight(word(window, values.next_start())?)) as i64;
        }
    }
    Some(count)
}

/// Where values end, and where the next one begins.
struct Ends {
    ends: u64,
    from: usize,
}

impl Ends {
    /// Returns where the next value begins. After the last value it is anywhere in the longest run.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Writer, decode_varints};

    fn check(run: &[u8], behind: u8) {
        let mut window = [behind; SHORT_RUN_WINDOW];
        window[..run.len()].copy_from_slice(run);
        let mut out = [0; SHORT_RUN_VALUES];
        let mut wanted = [0i64; SHORT_RUN];
        let result = decode_varints(run, 0, run.len(), &mut wanted);
        // After no run, after shorter ones, and after a longer one.
        for mut expected in [0, 1, 2, 9] {
            match (decode_short_varints(&window, run.len(), &mut out, &mut expected), &result) {
                (Some(count), Ok(values)) => assert_eq!(out[..count], wanted[..*values], "{run:02x?}"),
                (Some(_), Err(error)) => panic!("{run:02x?} is not a run: {error}"),
                (None, result) => {
                    let is_long = run.split(|byte| *byte < 0x80).any(|value| value.len() >= 8);
                    assert!(result.is_err() || is_long, "{run:02x?}");
                }
            }
        }
    }

    #[test]
    fn the_same_as_runs_of_any_length() {
        // Every pair of sizes, and every size up to the longest run, with every kind of byte after it.
        for behind in [0, 0x7f, 0x80, 0xff] {
            for first in 1..=10u32 {
                for second in 1..=10u32 {
                    for third in [1, 4, 8] {
                        let mut run = [0u8; 30];
                        let mut writer = Writer::new(&mut run);
                        for size in [first, second, third] {
                            writer.varint((u64::MAX >> 1) >> 7u32.saturating_mul(10 - size).min(63)).unwrap();
                        }
                        let length = writer.written().len();
                        for cut in 0..=length {
                            check(&run[..cut], behind);
                        }
                    }
                }
            }
            for length in 0..=SHORT_RUN {
                for every in 1..=9 {
                    let mut run = [0x81u8; SHORT_RUN];
                    run.iter_mut().step_by(every).for_each(|byte| *byte &= 0x7f);
                    check(&run[..length], behind);
                }
            }
        }
    }

    #[test]
    fn a_longer_run_is_not_short() {
        let window = [1; SHORT_RUN_WINDOW];
        let mut out = [0; SHORT_RUN_VALUES];
        assert_eq!(decode_short_varints(&window, SHORT_RUN, &mut out, &mut 0), Some(SHORT_RUN));
        assert_eq!(decode_short_varints(&window, SHORT_RUN + 1, &mut out, &mut 0), None);
        assert_eq!(decode_short_varints(&window, usize::MAX, &mut out, &mut 0), None);
    }
}
