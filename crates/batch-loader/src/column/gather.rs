//! Copies of some elements of a tensor.

use std::ops::Range;

use arrow_array::LargeBinaryArray;
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use bytemuck::Pod;
use tensor_repr::{Strings, Values};

/// Returns the elements in these ranges, `count` in all, in this order; `None` if one of them does not exist.
pub(crate) fn gather(
    values: &Values,
    count: usize,
    ranges: impl Iterator<Item = Range<usize>>,
) -> Option<Values> {
    let buffer = match values.dtype().width() {
        Some(1) => fixed::<u8>(values, count, ranges),
        Some(2) => fixed::<u16>(values, count, ranges),
        Some(4) => fixed::<u32>(values, count, ranges),
        Some(_) => fixed::<u64>(values, count, ranges),
        None => return strings(values, count, ranges),
    };
    Values::try_new(values.dtype(), buffer?).ok()
}

fn fixed<T: Pod + arrow_buffer::ArrowNativeType>(
    values: &Values,
    count: usize,
    ranges: impl Iterator<Item = Range<usize>>,
) -> Option<Buffer> {
    let from = bytemuck::try_cast_slice::<u8, T>(values.buffer()?.as_slice()).ok()?;
    let mut taken = Vec::with_capacity(count);
    // Not `try_for_each`, which makes the nested loops of `ranges` slow. What does not exist is missing from the count.
    ranges.for_each(|range| match from.get(range).unwrap_or_default() {
        // A call for one element costs more than its copy.
        [one] => taken.push(*one),
        run => taken.extend_from_slice(run),
    });
    (taken.len() == count).then(|| Buffer::from_vec(taken))
}

/// Returns the byte at which a string begins and the one before it ends.
pub(crate) fn end_before(strings: &Strings, at: usize) -> Option<usize> {
    match strings.small_offsets() {
        Some(offsets) => usize::try_from(*offsets.get(at)?).ok(),
        None => usize::try_from(*strings.large_offsets()?.get(at)?).ok(),
    }
}

/// Consecutive strings are copied at once.
fn strings(values: &Values, count: usize, mut ranges: impl Iterator<Item = Range<usize>>) -> Option<Values> {
    let strings = values.as_strings()?;
    let end = |at: usize| end_before(strings, at);
    let (data, mut bytes) = (strings.data().as_slice(), Vec::new());
    let mut ends = Vec::with_capacity(count + 1);
    ends.push(0i64);
    ranges.try_for_each(|range| {
        let (first, before) = (end(range.start)?, bytes.len());
        bytes.extend_from_slice(data.get(first..end(range.end)?)?);
        for at in range {
            ends.push((before + end(at + 1)?.checked_sub(first)?) as i64);
        }
        Some(())
    })?;
    let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
    Values::from_array(&LargeBinaryArray::try_new(ends, Buffer::from_vec(bytes), None).ok()?).ok()
}
