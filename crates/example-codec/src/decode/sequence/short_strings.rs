//! Steps of a few short strings of one length each.

use super::super::buffer::Buf;
use super::super::feature::Span;
use super::super::store::Offset;
use super::short_steps::BLOCK;

/// Up to this many bytes of a string are copied as that many.
const STRING: usize = 16;
/// The most strings of a step.
const STRINGS: usize = 8;
/// Bytes before the first string: `0a L  0a L  0a L`, the last two of which come before each string.
const HEAD: usize = 4;
const FIELD: usize = 2;
/// More than the bytes of the strings and their heads.
const BODY: usize = 128;
/// Bytes that are compared at once.
const HALF: usize = BODY / 2;
/// Bytes that must be there from where a step begins.
pub(super) const WINDOW: usize = HEAD + BODY + FIELD + STRING;
const COPIES: usize = BODY + STRING;
/// Bytes before the first string of a step without strings, and the two bytes of them to which the number of bytes is
/// added.
const EMPTY: u32 = 0x00_0a_02_0a;
const LENGTHS: u32 = 0x01_00_01_00;
/// Instead of a number of strings.
const NOT: u8 = u8::MAX;

/// The bytes before each string in a step, where all have one length.
struct Alike {
    /// The heads where they are, and zeros.
    heads: [u8; BODY],
    /// All bits set where heads are.
    mask: [u8; BODY],
    /// The number of strings for each number of bytes.
    counts: [u8; BODY],
}

static ALIKE: [Alike; STRING + 1] = alike();

const fn alike() -> [Alike; STRING + 1] {
    let mut all = [const { Alike { heads: [0; BODY], mask: [0; BODY], counts: [NOT; BODY] } }; STRING + 1];
    let mut length = 0;
    while length <= STRING {
        let to = &mut all[length];
        let stride = FIELD + length;
        let mut at = 0;
        while at < BODY {
            match at % stride {
                0 => (to.heads[at], to.mask[at]) = (0x0a, 0xff),
                1 => (to.heads[at], to.mask[at]) = (length as u8, 0xff),
                _ => {}
            }
            if at % stride == 0 && at / stride <= STRINGS {
                to.counts[at] = (at / stride) as u8;
            }
            at += 1;
        }
        length += 1;
    }
    all
}

/// All bits set, and then none.
static WITHIN: [u8; 2 * BODY] = {
    let mut bytes = [0; 2 * BODY];
    let mut at = 0;
    while at < BODY {
        bytes[at] = 0xff;
        at += 1;
    }
    bytes
};

impl Alike {
    /// Returns whether the first `length` bytes of a body have a head where each is expected.
    #[inline(always)]
    fn is_like(&self, body: &[u8; BODY], length: usize) -> bool {
        let within = WITHIN.get(BODY - length % BODY..).and_then(|from| from.first_chunk::<BODY>());
        let Some(within) = within else { return false };
        let [body, heads, mask, within] = [body, &self.heads, &self.mask, within].map(halves);
        differences(body.0, heads.0, mask.0, within.0) == 0
            && (length <= HALF || differences(body.1, heads.1, mask.1, within.1) == 0)
    }
}

#[inline(always)]
fn halves(bytes: &[u8; BODY]) -> (&[u8], &[u8]) {
    bytes.split_at(HALF)
}

/// Returns the bits in which `body` and `heads` differ, within both masks.
#[inline(always)]
fn differences(body: &[u8], heads: &[u8], mask: &[u8], within: &[u8]) -> u64 {
    let [body, heads, mask, within] =
        [body, heads, mask, within].map(|bytes| bytes.as_chunks::<8>().0.iter());
    let mut all = 0;
    for (((body, head), mask), within) in body.zip(heads).zip(mask).zip(within) {
        let [body, head, mask, within] = [body, head, mask, within].map(|word| u64::from_le_bytes(*word));
        all |= (body ^ head) & mask & within;
    }
    all
}

/// Appends steps of a few short strings of one length each; returns where something else begins.
///
/// As many strings are copied as the longest step so far may have had, whatever the step has: those after its end
/// are overwritten.
#[inline(always)]
pub(super) fn short_strings<O: Offset>(
    record: &[u8],
    list: Span,
    strings: &mut Buf<O>,
    data: &mut Buf<u8>,
    ends: &mut Buf<O>,
) -> usize {
    let mut at = list.start;
    let mut expected = 1;
    loop {
        let block = list.end.min(at + BLOCK);
        let (before, bytes_before) = (strings.len(), data.len());
        // Of a step that begins before the end of the block no more than this comes after it.
        let most = block.saturating_sub(at) + HEAD + STRINGS * (FIELD + STRING);
        if O::from_usize(bytes_before + most).is_none() || O::from_usize(before + most).is_none() {
            return at;
        }
        let offsets = strings.spare(most / FIELD + STRINGS);
        let bytes = data.spare(most + COPIES);
        let mut steps = ends.spare(most / HEAD).iter_mut();
        let (mut used, mut used_bytes, mut count) = (0, 0, 0);
        while at < block {
            let Some(window) = record.get(at..).and_then(|rest| rest.first_chunk::<WINDOW>()) else { break };
            let [a, b, c, d, _, length, ..] = *window;
            let head = u32::from_le_bytes([a, b, c, d]);
            let (body, length) = (usize::from(d), usize::from(length));
            let next = at + HEAD + body;
            if head.wrapping_sub(LENGTHS.wrapping_mul(u32::from(d))) != EMPTY || next > list.end {
                break;
            }
            let Some(alike) = ALIKE.get(length) else { break };
            let Some(&number) = alike.counts.get(body % BODY) else { break };
            let Some((_, from)) = window.split_first_chunk::<HEAD>() else { break };
            let is_alike = from.first_chunk().is_some_and(|from| alike.is_like(from, body));
            // A longer body would have a step whose length has two bytes.
            if body >= BODY - 2 || number == NOT || !is_alike {
                break;
            }
            let to = offsets.get_mut(used..).and_then(|to| to.first_chunk_mut::<STRINGS>());
            let copies = bytes.get_mut(used_bytes..).and_then(|to| to.first_chunk_mut::<COPIES>());
            let (Some(to), Some(copies), Some(step)) = (to, copies, steps.next()) else { break };
            let end = bytes_before + used_bytes;
            expected = expected.max(number);
            match expected {
                0 | 1 => copy::<1, O>(window, copies, to, length, end),
                2..=4 => copy::<4, O>(window, copies, to, length, end),
                _ => copy::<STRINGS, O>(window, copies, to, length, end),
            }
            used += usize::from(number);
            used_bytes += usize::from(number) * length;
            *step = O::usize_as(before + used - 1);
            (at, count) = (next, count + 1);
        }
        strings.advance(used);
        data.advance(used_bytes);
        ends.advance(count);
        if at < block || at >= list.end {
            return at;
        }
    }
}

/// Copies `N` strings of one length, and writes where each ends.
#[inline(always)]
fn copy<const N: usize, O: Offset>(
    window: &[u8; WINDOW],
    copies: &mut [u8; COPIES],
    ends: &mut [O; STRINGS],
    length: usize,
    end: usize,
) {
    for (index, to) in ends.iter_mut().enumerate().take(N) {
        *to = O::usize_as(end + (index + 1) * length);
    }
    for index in 0..N {
        let start = HEAD + FIELD + index * (FIELD + length) % BODY;
        let from = window.get(start..).and_then(|from| from.first_chunk::<STRING>());
        let copy = copies.get_mut(index * length % BODY..).and_then(|copy| copy.first_chunk_mut());
        if let (Some(from), Some(copy)) = (from, copy) {
            *copy = *from;
        }
    }
}
