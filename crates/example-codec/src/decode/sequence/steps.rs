//! The steps of a feature list in the form in which everybody writes them, fast.
//!
//! ```text
//! 0a L  1a L  0a L values    0a L  1a L  0a L values    ...
//! step  list  packed         step
//! ```
//!
//! `1a` is the tag of `int64_list`; `12` is that of `float_list`, `0a` that of `bytes_list`, in which each
//! value is a field `0a L value` of its own. (tensorflow/core/example/{example,feature}.proto) What
//! looks different in any way is left to the column, which reads it with [`super::super::feature`].

use super::super::buffer::Buf;
use super::super::feature::{Fault, Span, single_run};
use super::super::store::{Offset, Store, append_bytes, append_floats, append_ints};

/// Appends the steps from `at` on that are plain, and says where each ends; returns where something else
/// begins, or the list ends.
#[inline(always)]
pub(super) fn append_plain<O: Offset>(
    record: &[u8],
    list: Span,
    store: &mut Store<O>,
    ends: &mut Buf<O>,
) -> Result<usize, Fault> {
    match store {
        Store::None => Ok(list.start),
        Store::Ints(values) => each_step(record, list, ends, |step| {
            let Some(start) = single_run(record, step, 0x1a) else {
                return Ok(is_empty_list(record, step, 0x1a).then(|| values.len()));
            };
            append_ints(values, record, Span { start, end: step.end })?;
            Ok(Some(values.len()))
        }),
        Store::Floats(values) => each_step(record, list, ends, |step| {
            let Some(start) = single_run(record, step, 0x12) else {
                return Ok(is_empty_list(record, step, 0x12).then(|| values.len()));
            };
            append_floats(values, record, Span { start, end: step.end })?;
            Ok(Some(values.len()))
        }),
        Store::Bytes(strings, data) => each_step(record, list, ends, |step| {
            if let Some(start) = single_run(record, step, 0x0a) {
                append_bytes(strings, data, record, Span { start, end: step.end })?;
                return Ok(Some(strings.len() - 1));
            }
            append_strings(record, step, strings, data)
        }),
    }
}

/// Hands each step to `append`, which returns the number of values so far, or nothing if the step is not
/// plain.
#[inline(always)]
fn each_step<O: Offset>(
    record: &[u8],
    list: Span,
    ends: &mut Buf<O>,
    mut append: impl FnMut(Span) -> Result<Option<usize>, Fault>,
) -> Result<usize, Fault> {
    let bytes = record.get(..list.end).unwrap_or_default();
    let mut at = list.start;
    while let Some((start, end)) = bytes.get(at..).and_then(|rest| field(rest, at)) {
        if end > bytes.len() {
            break;
        }
        let Some(values) = append(Span { start, end })? else { break };
        ends.push(O::from_usize(values).ok_or(Fault::OffsetOverflow)?);
        at = end;
    }
    Ok(at)
}

/// Where the contents of a field 1 of less than 16 KiB begin and end, which begins at `at`.
#[inline(always)]
fn field(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    match *bytes {
        [0x0a, length @ ..0x80, ..] => Some((at + 2, at + 2 + usize::from(length))),
        [0x0a, low, high @ ..0x80, ..] => {
            Some((at + 3, at + 3 + (usize::from(low & 0x7f) | usize::from(high) << 7)))
        }
        _ => None,
    }
}

#[inline(always)]
fn is_empty_list(record: &[u8], step: Span, tag: u8) -> bool {
    step.of(record) == [tag, 0]
}

/// The byte strings of a step; nothing is appended if it is not plain.
#[inline(always)]
fn append_strings<O: Offset>(
    record: &[u8],
    step: Span,
    strings: &mut Buf<O>,
    data: &mut Buf<u8>,
) -> Result<Option<usize>, Fault> {
    let before = (strings.len(), data.len());
    // `bytes_list` has the tag of a field 1, too.
    let Some((mut at, end)) = record.get(step.start..).and_then(|rest| field(rest, step.start)) else {
        return Ok(None);
    };
    let mut is_plain = end == step.end;
    while is_plain && at < end {
        match record.get(at..).and_then(|rest| field(rest, at)) {
            Some((start, stop)) if stop <= end => {
                append_bytes(strings, data, record, Span { start, end: stop })?;
                at = stop;
            }
            _ => is_plain = false,
        }
    }
    if is_plain {
        return Ok(Some(strings.len() - 1));
    }
    strings.truncate(before.0);
    data.truncate(before.1);
    Ok(None)
}
