//! Skipping of arrays and maps: each kind of item in a loop of its own.

use crate::Result;
use crate::datum::At;

/// Passes over the blocks of an array or a map whose items have at least `least` bytes. `skip` passes over a number of items
/// from an offset on.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn blocks(
    least: usize,
    bytes: At<'_>,
    mut at: usize,
    skip: impl Fn(u64, usize) -> Result<usize>,
) -> Result<usize> {
    loop {
        let (count, size, start) = bytes.item_block(at, least)?;
        if count == 0 {
            return Ok(start);
        }
        at = match size {
            Some(size) => bytes.fixed(start, size)?.1,
            None => skip(count, start)?,
        };
        if bytes.0.get(at) == Some(&0) {
            return Ok(at + 1);
        }
    }
}

/// As many single strings are passed over by their lengths: that takes less time than a wrong guess that they are alike.
const FEW: usize = 8;

#[inline(never)]
pub(super) fn wide_items(least: usize, width: usize, bytes: At<'_>, at: usize) -> Result<usize> {
    blocks(least, bytes, at, |count, at| Ok(bytes.fixed(at, times(count, width))?.1))
}

#[inline(never)]
pub(super) fn varint_items(least: usize, each: usize, bytes: At<'_>, at: usize) -> Result<usize> {
    blocks(least, bytes, at, |count, at| bytes.skip_varints(at, times(count, each)))
}

/// Multiplies. Does not overflow if the items have bytes: the block would have been refused. If they have none, their
/// number does not matter.
fn times(count: u64, width: usize) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(width)
}

/// Passes over an array or a map of `N` strings an item.
#[inline(never)]
pub(super) fn sized_items<const N: usize>(
    least: usize,
    more: [u32; N],
    bytes: At<'_>,
    at: usize,
) -> Result<usize> {
    match end_of_alike(more, bytes.0, at) {
        Some(end) => Ok(end),
        None => any_sized_items(least, more, bytes, at),
    }
}

#[inline(never)]
fn any_sized_items<const N: usize>(least: usize, more: [u32; N], bytes: At<'_>, at: usize) -> Result<usize> {
    blocks(least, bytes, at, |count, at| skip_sized_items(count, more, bytes, at))
}

/// Returns where an array or a map ends that has one block at most, of items all as long as the first and of short strings;
/// `None` for any other.
///
/// The end is known as soon as the first item is: later items do not wait for it.
#[cfg_attr(not(debug_assertions), inline(always))]
fn end_of_alike<const N: usize>(more: [u32; N], bytes: &[u8], at: usize) -> Option<usize> {
    let count = *bytes.get(at)?;
    if count & 0x81 != 0 {
        return None;
    }
    if count == 0 {
        return Some(at + 1);
    }
    let items = usize::from(count >> 1);
    // Offsets in memory and small numbers: no overflow.
    let first = at + 1;
    let mut end = first;
    let mut parts = [(&[][..], 0); N];
    for (part, behind) in parts.iter_mut().zip(more) {
        let rest = bytes.get(end..)?;
        let length = *rest.first()?;
        if length & 0x81 != 0 {
            return None;
        }
        *part = (rest, length);
        end += 1 + usize::from(length >> 1) + behind as usize;
    }
    if let ([behind], ..FEW) = (&more[..], items) {
        for _ in 1..items {
            let length = *bytes.get(end)?;
            if length & 0x81 != 0 {
                return None;
            }
            end += 1 + usize::from(length >> 1) + *behind as usize;
        }
    } else {
        let whole = end - first;
        let mut offset = 0;
        for _ in 1..items {
            offset += whole;
            if parts.iter().any(|(part, length)| part.get(offset) != Some(length)) {
                return None;
            }
        }
        end = first + items.checked_mul(whole)?;
    }
    (bytes.get(end) == Some(&0)).then_some(end + 1)
}

/// Skips `count` times `N` strings.
///
/// Items whose strings are as long as the previous item's are skipped together: finding the next item does not wait for
/// the lengths in this one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn skip_sized_items<const N: usize>(
    mut count: u64,
    more: [u32; N],
    bytes: At<'_>,
    mut at: usize,
) -> Result<usize> {
    while count > 0 {
        // Where in the item the lengths stand, and what they are.
        let mut lengths = [(0, 0); N];
        let mut end = at;
        let is_short = lengths.iter_mut().zip(more).all(|(length, behind)| {
            let first = bytes.0.get(end).copied().unwrap_or(0xff);
            *length = (end - at, first);
            // An offset in memory and two small numbers: no overflow.
            end += 1 + usize::from(first >> 1) + behind as usize;
            first & 0x81 == 0
        });
        count -= 1;
        (count, at) = if is_short && end <= bytes.0.len() {
            skip_alike(count, lengths, end - at, bytes.0, end)
        } else {
            (count, skip_long_item(more, bytes, at)?)
        };
    }
    Ok(at)
}

#[cold]
#[inline(never)]
fn skip_long_item<const N: usize>(more: [u32; N], bytes: At<'_>, at: usize) -> Result<usize> {
    more.iter().try_fold(at, |at, &behind| bytes.skip_sized(at, behind))
}

/// Skips items that are like the one before: `whole` bytes long, with these length bytes at these offsets. Returns the
/// number of items that are left, and the offset of the first of them.
#[cfg_attr(not(debug_assertions), inline(always))]
fn skip_alike<const N: usize>(
    mut count: u64,
    lengths: [(usize, u8); N],
    whole: usize,
    bytes: &[u8],
    mut at: usize,
) -> (u64, usize) {
    // Where an item begins at an offset, its lengths stand at the same offset of these.
    let parts = lengths.map(|(at, length)| (bytes.get(at..).unwrap_or_default(), length));
    while count > 0 && parts.iter().all(|(part, length)| part.get(at) == Some(length)) {
        // In memory or after it by less than an item: no overflow.
        at += whole;
        count -= 1;
    }
    if at > bytes.len() {
        // The last one is not there to its end.
        (count + 1, at - whole)
    } else {
        (count, at)
    }
}

#[cfg(test)]
mod tests {
    use super::{At, Result, sized_items};
    use crate::datum::{DatumReader, write};

    /// Skips with a reader, item by item unless a block gives its bytes.
    fn one_by_one(more: &[u32], bytes: &[u8]) -> Result<usize> {
        let mut reader = DatumReader::new(bytes);
        while let Some(block) = reader.item_block(more.len())? {
            if let Some(size) = block.bytes {
                reader.fixed(size)?;
                continue;
            }
            for _ in 0..block.count {
                for &behind in more {
                    reader.bytes()?;
                    reader.fixed(behind as usize)?;
                }
            }
        }
        Ok(reader.position())
    }

    fn check<const N: usize>(more: [u32; N], lengths: &[usize]) {
        let mut bytes = Vec::new();
        for items in lengths.chunks(N * 5) {
            write::long(&mut bytes, (items.len() / N) as i64);
            for (number, &length) in items.iter().enumerate() {
                write::bytes(&mut bytes, &vec![b'x'; length]);
                bytes.extend(vec![7; more[number % N] as usize]);
            }
        }
        bytes.push(0);
        assert_eq!(sized_items(N, more, At(&bytes), 0).unwrap(), bytes.len());
        for cut in 0..bytes.len() {
            let cut = &bytes[..cut];
            assert!(sized_items(N, more, At(cut), 0).is_err());
            assert!(one_by_one(&more, cut).is_err());
        }
        let longer = [&bytes[..], &[2, 2, b'x', 0xff]].concat();
        assert_eq!(sized_items(N, more, At(&longer), 0).unwrap(), bytes.len());
        for at in 0..bytes.len() {
            for byte in [0, 1, 2, 4, 0x7f, 0x80, 0xff] {
                let mut changed = longer.clone();
                changed[at] = byte;
                let found = sized_items(N, more, At(&changed), 0).ok();
                assert_eq!(found, one_by_one(&more, &changed).ok(), "{more:?} {lengths:?} {at} {byte}");
            }
        }
    }

    #[test]
    fn items_alike_are_passed_over_as_one_by_one() {
        let patterns: [&[usize]; 5] =
            [&[3; 24], &[0; 6], &[3, 4, 3, 4, 3, 5], &[1, 63, 64, 70, 2, 2], &[2; 6]];
        for lengths in patterns {
            check([0], lengths);
            check([8], lengths);
            check([0, 4], lengths);
            check([1, 0], lengths);
            check([0, 3, 2], lengths);
        }
    }
}
