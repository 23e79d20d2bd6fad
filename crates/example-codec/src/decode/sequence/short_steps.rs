//! Plain steps with few values, many of them in one go.
//!
//! All lengths before the values of such a step have one byte, and each of them is a constant plus the last
//! of them: one comparison tells all. Room is reserved for a block of steps, not for each, and what differs
//! from step to step, as the number of values does, is not asked for where it can be computed over: how many
//! values the next step has is what a processor foresees least. The first step that is not like this ends it,
//! and nothing of that step is appended.

use bytemuck::Pod;
#[cfg(target_arch = "x86_64")]
use proto_wire::decode_short_varints_avx2;
use proto_wire::{SHORT_RUN, SHORT_RUN_VALUES, SHORT_RUN_WINDOW, decode_short_varints};

use super::super::buffer::Buf;
use super::super::feature::Span;
#[cfg(target_arch = "x86_64")]
use super::super::processor::has_avx2;
use super::super::store::{Offset, Store};
use super::short_strings::short_strings;

/// Bytes of steps for which room is reserved at once.
pub(super) const BLOCK: usize = 4096;
/// Bytes before the values: `0a L  1a L  0a L`.
const HEAD: usize = 6;
/// Up to this many bytes of floats are copied as that many.
const FLOATS: usize = 32;
/// Instead of a number of values, where they are not short. (A function that returns an `Option` is not inlined
/// into one that is compiled for more instructions.)
const NOT: usize = usize::MAX;

/// Appends steps that are short; returns where something else begins.
#[inline(always)]
pub(super) fn append_short<O: Offset>(
    record: &[u8],
    list: Span,
    store: &mut Store<O>,
    ends: &mut Buf<O>,
) -> usize {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the processor has the features that the function is compiled for.
        return unsafe { append_short_avx2(record, list, store, ends) };
    }
    append_short_portable(record, list, store, ends)
}

#[inline(never)]
fn append_short_portable<O: Offset>(
    record: &[u8],
    list: Span,
    store: &mut Store<O>,
    ends: &mut Buf<O>,
) -> usize {
    append_with(record, list, store, ends, |window, length, out, expected| {
        decode_short_varints(window, length, out, expected).unwrap_or(NOT)
    })
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn append_short_avx2<O: Offset>(record: &[u8], list: Span, store: &mut Store<O>, ends: &mut Buf<O>) -> usize {
    append_with(record, list, store, ends, |window, length, out, expected| {
        decode_short_varints_avx2(window, length, out, expected).unwrap_or(NOT)
    })
}

#[inline(always)]
fn append_with<O: Offset>(
    record: &[u8],
    list: Span,
    store: &mut Store<O>,
    ends: &mut Buf<O>,
    decode: impl Fn(&[u8; SHORT_RUN_WINDOW], usize, &mut [i64; SHORT_RUN_VALUES], &mut usize) -> usize,
) -> usize {
    match store {
        Store::None => list.start,
        Store::Ints(values) => {
            const WINDOW: usize = HEAD + SHORT_RUN_WINDOW;
            let mut expected = 0;
            packed_steps::<O, _, WINDOW, _>(record, list, 0x1a, values, ends, |from, length, to| {
                let added = decode(from.first_chunk()?, length, to, &mut expected);
                (added != NOT).then_some(added)
            })
        }
        Store::Floats(_) if cfg!(target_endian = "big") => list.start,
        Store::Floats(values) => {
            const WINDOW: usize = HEAD + FLOATS;
            packed_steps::<O, _, WINDOW, _>(record, list, 0x12, values, ends, |from, length, to| {
                let to: &mut [f32; FLOATS / 4] = to;
                *bytemuck::cast_mut::<[f32; FLOATS / 4], [u8; FLOATS]>(to) = *from.first_chunk()?;
                length.is_multiple_of(4).then_some(length / 4)
            })
        }
        Store::Bytes(strings, data) => short_strings(record, list, strings, data, ends),
    }
}

/// Appends steps whose values are one packed run of at most [`SHORT_RUN`] bytes, which `append` writes into
/// `N` values of room; it returns their number. Of a record there must be `WINDOW` bytes from where a step begins.
#[inline(always)]
fn packed_steps<O: Offset, T: Pod, const WINDOW: usize, const N: usize>(
    record: &[u8],
    list: Span,
    tag: u8,
    values: &mut Buf<T>,
    ends: &mut Buf<O>,
    mut append: impl FnMut(&[u8], usize, &mut [T; N]) -> Option<usize>,
) -> usize {
    const { assert!(SHORT_RUN == FLOATS && WINDOW >= HEAD + SHORT_RUN) }
    const HEADS: u64 = (1 << (8 * HEAD)) - 1;
    const LENGTHS: u64 = 0x01_00_01_00_01_00;
    let empty = u64::from_le_bytes([0x0a, 4, tag, 2, 0x0a, 0, 0, 0]);
    let mut at = list.start;
    loop {
        let begin = at;
        let before = values.len();
        let most = list.end.saturating_sub(at).min(BLOCK) + SHORT_RUN;
        if O::from_usize(before + most).is_none() {
            return at;
        }
        let mut rest = record.get(at..).unwrap_or_default();
        let room = values.spare(most + N);
        let mut steps = ends.spare(most / HEAD).iter_mut();
        let (mut used, mut count) = (0, 0);
        while at - begin < BLOCK
            && let Some(window) = rest.first_chunk::<WINDOW>()
        {
            let Some((head, _)) = window.split_first_chunk() else { break };
            let head = u64::from_le_bytes(*head) & HEADS;
            let length = (head >> (8 * (HEAD - 1))) as usize;
            if head.wrapping_sub(LENGTHS.wrapping_mul(length as u64)) != empty || length > SHORT_RUN {
                break;
            }
            let next = at + HEAD + length;
            let (Some((_, from)), Some(after)) =
                (window.split_first_chunk::<HEAD>(), rest.get(HEAD + length..))
            else {
                break;
            };
            let Some(to) = room.get_mut(used..).and_then(|to| to.first_chunk_mut::<N>()) else { break };
            if next > list.end {
                break;
            }
            let Some(added) = append(from, length, to) else { break };
            let Some(step) = steps.next() else { break };
            used += added;
            *step = O::usize_as(before + used);
            (at, rest, count) = (next, after, count + 1);
        }
        values.advance(used);
        ends.advance(count);
        if at - begin < BLOCK || at >= list.end {
            return at;
        }
    }
}
