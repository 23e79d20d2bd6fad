//! Text of arrays: whether it is UTF-8.

use std::collections::HashMap;
use std::str;

use arrow_buffer::ArrowNativeType;
use arrow_data::{ArrayData, ByteView, MAX_INLINE_VIEW_LEN};

use super::Text;

/// Bytes of a value whose offset is remembered, so that values that share their bytes are read once.
const LONG: u32 = 64;

/// Checks values between offsets.
pub(super) fn check_offsets<T: ArrowNativeType>(data: &ArrayData, text: Text) -> Result<(), String> {
    if data.is_empty() {
        return Ok(());
    }
    let [_, values] = data.buffers() else { return Err("text without offsets or bytes".to_owned()) };
    let offsets = data.buffer::<T>(0).get(..=data.len()).unwrap_or_default();
    let offset = |row: usize| offsets.get(row).and_then(|offset| offset.to_usize());
    let (Some(first), Some(last)) = (offset(0), offset(data.len())) else {
        return Err("an offset of text is negative".to_owned());
    };
    let Some(bytes) = values.get(first..last) else {
        return Err(format!(
            "the offsets of text reach from {first} to {last}, and it has {} bytes",
            values.len()
        ));
    };
    if text == Text::Unread
        && let Err(error) = str::from_utf8(bytes)
    {
        let at = first.saturating_add(error.valid_up_to());
        let after = offsets.partition_point(|offset| offset.to_usize().is_some_and(|offset| offset <= at));
        return Err(not_text(after.saturating_sub(1)));
    }
    let mut before = first;
    for (row, next) in offsets.iter().enumerate() {
        let at = next.to_usize().filter(|at| (before..=last).contains(at));
        let Some(at) = at else {
            return Err(format!(
                "offset {row} of text is {next:?}, the one before it {before}, the last {last}"
            ));
        };
        // The bytes as a whole are text, so that a value can only begin in a character that the one before it has begun.
        if bytes.get(at - first).is_some_and(|byte| is_inner(*byte)) {
            return Err(not_text(row.saturating_sub(1)));
        }
        before = at;
    }
    Ok(())
}

/// Checks values that views describe.
pub(super) fn check_views(data: &ArrayData, text: Text) -> Result<(), String> {
    let Some((_, blocks)) = data.buffers().split_first() else {
        return Err("views without views".to_owned());
    };
    let views = data.buffer::<u128>(0).get(..data.len()).unwrap_or_default();
    // Offset in a block, and the bytes from there on that were read.
    let mut read = HashMap::new();
    for (row, view) in views.iter().enumerate() {
        let view_bytes = view.to_le_bytes();
        let length = *view as u32;
        if length <= MAX_INLINE_VIEW_LEN {
            let (value, rest) = view_bytes
                .get(4..)
                .and_then(|rest| rest.split_at_checked(length as usize))
                .unwrap_or_default();
            if str::from_utf8(value).is_err() {
                return Err(not_text(row));
            }
            if rest.iter().any(|byte| *byte != 0) {
                return Err(format!("value {row} is short, and its view has more than zeros after it"));
            }
            continue;
        }
        let view = ByteView::from(*view);
        let block = blocks.get(view.buffer_index as usize);
        let value = block.and_then(|block| {
            let start = view.offset as usize;
            block.get(start..start.checked_add(length as usize)?)
        });
        let Some(value) = value else {
            return Err(format!(
                "value {row} is {length} bytes at {} of block {}, of which there are not as many",
                view.offset, view.buffer_index
            ));
        };
        if value.get(..4) != Some(&view.prefix.to_le_bytes()) {
            return Err(format!("value {row} begins with other bytes than its view says"));
        }
        let is_text = match text {
            Text::ReadTogether => is_whole(value),
            Text::Unread => {
                let location = (view.buffer_index, view.offset);
                let is_known = length > LONG && read.get(&location) == Some(&length);
                let is_text = is_known || str::from_utf8(value).is_ok();
                if is_text && length > LONG {
                    read.insert(location, length);
                }
                is_text
            }
        };
        if !is_text {
            return Err(not_text(row));
        }
    }
    Ok(())
}

#[cold]
fn not_text(row: usize) -> String {
    format!("value {row} is not UTF-8, and its type is text")
}

/// Returns whether a byte continues a character.
const fn is_inner(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// Returns whether a part of text begins and ends where characters do.
fn is_whole(value: &[u8]) -> bool {
    let is_begun = value.first().is_none_or(|first| !is_inner(*first));
    let last = value.iter().rev().take(4).position(|byte| !is_inner(*byte));
    let ends = last.is_some_and(|back| {
        let lead = value.get(value.len() - 1 - back).copied().unwrap_or_default();
        let length = match lead {
            0..0x80 => 1,
            0xc0..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        };
        back + 1 == length
    });
    is_begun && ends
}
