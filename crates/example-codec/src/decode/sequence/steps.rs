//! The steps of a feature list in the form in which everybody writes them, fast.
//!
//! ```text
//! 0a L  1a L  0a L values    0a L  1a L  0a L values    ...
//! step  list  packed         step
//! ```
//!
//! `1a` is the tag of `int64_list`; `12` the tag of `float_list`, `0a` the tag of `bytes_list`, in which each value is a
//! field `0a L value` of its own. (tensorflow/core/example/{example,feature}.proto) Steps that look different in any way
//! are left to the column, which reads them with [`super::super::feature`].

use proto_wire::single_varint;

use super::super::buffer::Buf;
use super::super::feature::{Fault, Span};
use super::super::store::{Offset, Store, append_floats, append_ints};
use super::short_steps::append_short;
use super::short_strings::WINDOW as SHORT_WINDOW;

/// Strings of up to this many bytes are copied as that many.
const WIDE: usize = 16;

/// Steps of another form that are appended before short ones are looked for again.
const OTHERS: usize = 4;

/// Appends the plain steps of a list and their ends. Returns the offset at which something else begins, or the list ends.
#[inline(always)]
pub(super) fn append_plain<O: Offset>(
    record: &[u8],
    list: Span,
    store: &mut Store<O>,
    ends: &mut Buf<O>,
) -> Result<usize, Fault> {
    let mut rest = list;
    if let Store::Ints(values) = store {
        rest.start = single_ints(record, rest, values, ends);
        if rest.start >= rest.end {
            return Ok(rest.start);
        }
    }
    loop {
        rest.start = append_short(record, rest, store, ends);
        if rest.start >= rest.end {
            return Ok(rest.start);
        }
        if record.get(rest.start..).is_some_and(|last| last.len() < SHORT_WINDOW) {
            rest.start = append_last(record, rest, store, ends);
            if rest.start >= rest.end {
                return Ok(rest.start);
            }
        }
        let (at, count) = append_others(record, rest, store, ends)?;
        if count < OTHERS || at >= rest.end {
            return Ok(at);
        }
        rest.start = at;
    }
}

/// Appends short steps in the last bytes of a record, which it copies into a larger buffer; returns where something
/// else begins.
#[inline(never)]
fn append_last<O: Offset>(record: &[u8], list: Span, store: &mut Store<O>, ends: &mut Buf<O>) -> usize {
    let mut copy = [0; 2 * SHORT_WINDOW];
    let last = record.get(list.start..).unwrap_or_default();
    match copy.get_mut(..last.len()) {
        Some(to) => to.copy_from_slice(last),
        None => return list.start,
    }
    list.start + append_short(&copy, Span { start: 0, end: list.end - list.start }, store, ends)
}

/// Appends a few plain steps of any length; returns where the next one begins, and their number.
#[inline(never)]
fn append_others<O: Offset>(
    record: &[u8],
    list: Span,
    store: &mut Store<O>,
    ends: &mut Buf<O>,
) -> Result<(usize, usize), Fault> {
    match store {
        Store::None => Ok((list.start, 0)),
        Store::Ints(values) => each_step(record, list, 0x1a, ends, |body| {
            let Some(run) = whole_run(record, body) else { return Ok(None) };
            append_ints(values, record, run)?;
            Ok(Some(values.len()))
        }),
        Store::Floats(values) => each_step(record, list, 0x12, ends, |body| {
            let Some(run) = whole_run(record, body) else { return Ok(None) };
            append_floats(values, record, run)?;
            Ok(Some(values.len()))
        }),
        Store::Bytes(strings, data) => each_step(record, list, 0x0a, ends, |body| {
            Ok(append_strings(record, body, strings, data)?.then(|| strings.len() - 1))
        }),
    }
}

/// Passes the content of each step's list to `append`, which returns the number of values so far, or `None` if the step is
/// not plain.
#[inline(always)]
fn each_step<O: Offset>(
    record: &[u8],
    list: Span,
    tag: u8,
    ends: &mut Buf<O>,
    mut append: impl FnMut(Span) -> Result<Option<usize>, Fault>,
) -> Result<(usize, usize), Fault> {
    let bytes = record.get(..list.end).unwrap_or_default();
    let mut at = list.start;
    let mut count = 0;
    while count < OTHERS
        && let Some(body) = short_step(bytes, at, tag).or_else(|| long_step(bytes, at, tag))
    {
        let Some(values) = append(body)? else { break };
        ends.push(O::from_usize(values).ok_or(Fault::OffsetOverflow)?);
        at = body.end;
        count += 1;
    }
    Ok((at, count))
}

/// Appends steps of one integer each, as long as there are such; returns where something else begins.
///
/// Six bytes come before the integer, of which each is a constant, or one plus the length of the integer: one
/// comparison tells all of them.
#[inline(always)]
fn single_ints<O: Offset>(record: &[u8], list: Span, values: &mut Buf<i64>, ends: &mut Buf<O>) -> usize {
    const HEAD: usize = 6;
    /// An integer of no bytes: `0a 04 1a 02 0a 00`.
    const NONE: u64 = 0x0a_02_1a_04_0a;
    const LENGTHS: u64 = 0x01_00_01_00_01_00;
    let bytes = record.get(..list.end).unwrap_or_default();
    let most = list.end.saturating_sub(list.start) / (HEAD + 1);
    let before = values.len();
    if O::from_usize(before + most).is_none() {
        return list.start;
    }
    let mut at = list.start;
    let mut count = 0;
    for (value, end) in values.spare(most).iter_mut().zip(ends.spare(most)).take(most) {
        let Some(head) = bytes.get(at..).and_then(|rest| rest.first_chunk()) else { break };
        let head = u64::from_le_bytes(*head) & 0xffff_ffff_ffff;
        let length = (head >> 40) as usize;
        let next = at + HEAD + length;
        if head.wrapping_sub(LENGTHS.wrapping_mul(length as u64)) != NONE || next > bytes.len() {
            break;
        }
        let Some(int) = single_varint(bytes, at + HEAD, next) else { break };
        (*value, at, count) = (int as i64, next, count + 1);
        *end = O::usize_as(before + count);
    }
    values.advance(count);
    ends.advance(count);
    at
}

/// Returns the contents of the list of a step of less than 128 bytes at `at` that is nothing but this list.
#[inline(always)]
fn short_step(bytes: &[u8], at: usize, tag: u8) -> Option<Span> {
    let head = u32::from_le_bytes(*bytes.get(at..)?.first_chunk::<4>()?);
    let length = head >> 8 & 0xff;
    let list = length.wrapping_sub(2);
    let expected = 0x0a | length << 8 | u32::from(tag) << 16 | list << 24;
    let end = at + 2 + length as usize;
    (list < 126 && head == expected && end <= bytes.len()).then_some(Span { start: at + 4, end })
}

/// Does the same for a step of any length.
#[inline(never)]
fn long_step(bytes: &[u8], at: usize, tag: u8) -> Option<Span> {
    let step = field(bytes, at, 0x0a)?;
    field(bytes, step.start, tag).filter(|list| list.end == step.end)
}

/// Returns the contents of a length-delimited field with that tag at `at`.
#[inline]
fn field(bytes: &[u8], at: usize, tag: u8) -> Option<Span> {
    if *bytes.get(at)? != tag {
        return None;
    }
    let mut length = 0usize;
    for index in 0..4 {
        let byte = *bytes.get(at + 1 + index)?;
        length |= usize::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            let start = at + 2 + index;
            let end = start + length;
            return (end <= bytes.len()).then_some(Span { start, end });
        }
    }
    None
}

/// Returns the packed values if they are all that a list holds; a list without any has none.
#[inline(always)]
fn whole_run(record: &[u8], list: Span) -> Option<Span> {
    match *record.get(list.start..list.end)? {
        [0x0a, length @ ..0x80, ..] if list.start + 2 + usize::from(length) == list.end => {
            Some(Span { start: list.start + 2, end: list.end })
        }
        [] => Some(list),
        _ => field(record.get(..list.end)?, list.start, 0x0a).filter(|run| run.end == list.end),
    }
}

/// Appends the byte strings of a list; nothing is appended, and false returned, if it is not plain.
#[inline(always)]
fn append_strings<O: Offset>(
    record: &[u8],
    list: Span,
    strings: &mut Buf<O>,
    data: &mut Buf<u8>,
) -> Result<bool, Fault> {
    let length = list.end - list.start;
    let before = data.len();
    // All offsets fit if the largest that there could be does.
    O::from_usize(before + length).ok_or(Fault::OffsetOverflow)?;
    // A string has at least two bytes around it.
    let mut offsets = strings.spare(length / 2).iter_mut();
    let bytes = data.spare(length + WIDE);
    let mut count = 0;
    let mut at = list.start;
    let mut used = 0;
    while at < list.end {
        let (start, end) = match record.get(at..) {
            Some([0x0a, length @ ..0x80, ..]) => (at + 2, at + 2 + usize::from(*length)),
            _ => match field(record, at, 0x0a) {
                Some(string) => (string.start, string.end),
                None => return Ok(false),
            },
        };
        if end > list.end {
            return Ok(false);
        }
        let length = end - start;
        let from = record.get(start..).unwrap_or_default();
        let to = bytes.get_mut(used..).unwrap_or_default();
        match (from.first_chunk::<WIDE>(), to.first_chunk_mut::<WIDE>()) {
            (Some(from), Some(to)) if length <= WIDE => *to = *from,
            _ => {
                if let (Some(from), Some(to)) = (from.get(..length), to.get_mut(..length)) {
                    to.copy_from_slice(from);
                }
            }
        }
        used += length;
        if let Some(offset) = offsets.next() {
            *offset = O::usize_as(before + used);
        }
        count += 1;
        at = end;
    }
    strings.advance(count);
    data.advance(used);
    Ok(true)
}
