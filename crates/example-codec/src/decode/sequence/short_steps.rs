//! Plain steps with few values, many of them in one go.
//!
//! All lengths before the values of such a step have one byte, and each of them is a constant plus the last
//! of them: one comparison tells all. Room is reserved for a block of steps, not for each, and what differs
//! from step to step, as the number of values does, is not asked for where it can be computed over: how many
//! values the next step has is what a processor foresees least. The first step that is not like this ends it,
//! and nothing of that step is appended.

use bytemuck::Pod;
use proto_wire::{SHORT_RUN, SHORT_RUN_VALUES, SHORT_RUN_WINDOW, decode_short_varints};

use super::super::buffer::Buf;
use super::super::feature::Span;
use super::super::store::Offset;

/// Bytes of steps for which room is reserved at once.
const BLOCK: usize = 4096;
/// Up to this many bytes of floats are copied as that many.
const FLOATS: usize = 32;
/// Up to this many bytes of a string are copied as that many.
const STRING: usize = 16;
/// The most strings of a step.
const STRINGS: usize = 8;

/// Appends steps of packed integers; returns where something else begins.
#[inline(never)]
pub(super) fn short_ints<O: Offset>(
    record: &[u8],
    list: Span,
    values: &mut Buf<i64>,
    ends: &mut Buf<O>,
) -> usize {
    let mut expected = 0;
    packed_steps(record, list, 0x1a, values, ends, |from, length, to: &mut [i64; SHORT_RUN_VALUES]| {
        decode_short_varints(from.first_chunk::<SHORT_RUN_WINDOW>()?, length, to, &mut expected)
    })
}

/// Appends steps of packed floats; returns where something else begins.
#[inline(never)]
pub(super) fn short_floats<O: Offset>(
    record: &[u8],
    list: Span,
    values: &mut Buf<f32>,
    ends: &mut Buf<O>,
) -> usize {
    if cfg!(target_endian = "big") {
        return list.start;
    }
    packed_steps(record, list, 0x12, values, ends, |from, length, to: &mut [f32; FLOATS / 4]| {
        *bytemuck::cast_mut::<[f32; FLOATS / 4], [u8; FLOATS]>(to) = *from.first_chunk()?;
        length.is_multiple_of(4).then_some(length / 4)
    })
}

/// Appends steps whose values are one packed run of at most [`SHORT_RUN`] bytes, which `append` writes into
/// `N` values of room; it returns their number.
#[inline(always)]
fn packed_steps<O: Offset, T: Pod, const N: usize>(
    record: &[u8],
    list: Span,
    tag: u8,
    values: &mut Buf<T>,
    ends: &mut Buf<O>,
    mut append: impl FnMut(&[u8], usize, &mut [T; N]) -> Option<usize>,
) -> usize {
    const { assert!(SHORT_RUN == FLOATS) }
    /// Bytes before the values: `0a L  1a L  0a L`.
    const HEAD: usize = 6;
    const LENGTHS: u64 = 0x01_00_01_00_01_00;
    let empty = u64::from_le_bytes([0x0a, 4, tag, 2, 0x0a, 0, 0, 0]);
    let mut at = list.start;
    loop {
        let block = list.end.min(at + BLOCK);
        let before = values.len();
        let most = block.saturating_sub(at) + SHORT_RUN;
        if O::from_usize(before + most).is_none() {
            return at;
        }
        let room = values.spare(most + N);
        let mut steps = ends.spare(most / HEAD).iter_mut();
        let (mut used, mut count) = (0, 0);
        while at < block {
            let Some(rest) = record.get(at..) else { break };
            let Some((head, from)) = rest.split_first_chunk::<HEAD>() else { break };
            let [a, b, c, d, e, f] = *head;
            let head = u64::from_le_bytes([a, b, c, d, e, f, 0, 0]);
            let length = usize::from(f);
            let next = at + HEAD + length;
            if head.wrapping_sub(LENGTHS.wrapping_mul(length as u64)) != empty
                || length > SHORT_RUN
                || next > list.end
            {
                break;
            }
            let Some(to) = room.get_mut(used..).and_then(|to| to.first_chunk_mut::<N>()) else { break };
            let Some(added) = append(from, length, to) else { break };
            let Some(step) = steps.next() else { break };
            used += added;
            *step = O::usize_as(before + used);
            (at, count) = (next, count + 1);
        }
        values.advance(used);
        ends.advance(count);
        if at < block || at >= list.end {
            return at;
        }
    }
}

/// Appends steps of a few short strings of one length each; returns where something else begins.
///
/// As many strings are copied as the longest step so far had, whatever the step has: those after its end
/// are overwritten.
#[inline(never)]
pub(super) fn short_strings<O: Offset>(
    record: &[u8],
    list: Span,
    strings: &mut Buf<O>,
    data: &mut Buf<u8>,
    ends: &mut Buf<O>,
) -> usize {
    /// Bytes before the first string: `0a L  0a L  0a L`, the last two of which come before each string.
    const HEAD: usize = 4;
    const FIELD: usize = 2;
    /// More than where the last string of a step may begin, in the step or among the copies.
    const STARTS: usize = 128;
    const { assert!((STRINGS - 1) * (FIELD + STRING) < STARTS) }
    const WINDOW: usize = HEAD + STARTS + FIELD + STRING;
    const COPIES: usize = STARTS + STRING;
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
            let [a, b, c, d, e, f, ..] = *window;
            let (step, body, length) = (usize::from(b), usize::from(d), usize::from(f));
            let next = at + 2 + step;
            let stride = FIELD + length;
            if (a, c, e) != (0x0a, 0x0a, 0x0a)
                || step != body + 2
                || step >= 0x80
                || length > STRING
                || next > list.end
            {
                break;
            }
            while expected < STRINGS && expected * stride < body {
                expected += 1;
            }
            let Some(to) = offsets.get_mut(used..).and_then(|to| to.first_chunk_mut::<STRINGS>()) else {
                break;
            };
            let copies = bytes.get_mut(used_bytes..).and_then(|to| to.first_chunk_mut::<COPIES>());
            let Some(copies) = copies else { break };
            let field = u16::from_le_bytes([e, f]);
            let (mut found, mut alike) = (0, true);
            let (mut start, mut copied) = (0, 0);
            let end = bytes_before + used_bytes;
            for offset in to.iter_mut().take(expected) {
                // Neither start is as much as that.
                let from = window
                    .get(HEAD + start % STARTS..)
                    .and_then(|from| from.first_chunk::<{ FIELD + STRING }>());
                let copy = copies.get_mut(copied % STARTS..).and_then(|copy| copy.first_chunk_mut());
                let (Some([tag, own, string @ ..]), Some(copy)) = (from, copy) else { break };
                *copy = *string;
                let is_there = start < body;
                alike &= !is_there | (u16::from_le_bytes([*tag, *own]) == field);
                found += usize::from(is_there);
                start += stride;
                copied += length;
                *offset = O::usize_as(end + copied);
            }
            if !alike || found * stride != body {
                break;
            }
            let Some(step) = steps.next() else { break };
            used += found;
            used_bytes += found * length;
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
