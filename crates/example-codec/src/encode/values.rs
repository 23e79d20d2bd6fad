//! How the rows of a list column divide its items, and how the items of a row are written.

use arrow_array::types::ByteViewType;
use arrow_array::{Array, GenericByteViewArray, OffsetSizeTrait};
use proto_wire::varint_size;

use super::back::{Back, short_varint};
use super::cell::{Frame, Full};
use super::warm::warm;

/// The items of each row.
pub(super) trait Rows {
    /// First item and the one after the last.
    fn items(&self, row: usize) -> (usize, usize);

    /// Brings what says so into the cache.
    fn warm(&self) {}
}

pub(super) struct ByOffsets<'a, O>(pub(super) &'a [O]);

impl<O: OffsetSizeTrait> Rows for ByOffsets<'_, O> {
    #[inline(always)]
    fn items(&self, row: usize) -> (usize, usize) {
        match self.0.get(row..).and_then(|rest| rest.first_chunk::<2>()) {
            Some([start, end]) => (start.as_usize(), end.as_usize()),
            None => (0, 0),
        }
    }

    fn warm(&self) {
        warm(self.0);
    }
}

pub(super) struct ByLength(pub(super) usize);

impl Rows for ByLength {
    #[inline(always)]
    fn items(&self, row: usize) -> (usize, usize) {
        (row * self.0, (row + 1) * self.0)
    }
}

/// Values that can be written one list at a time.
pub(super) trait Values {
    /// Puts the feature that holds the items `start..end` in front, which are at least one.
    fn write(&self, start: usize, end: usize, head: &impl Frame, out: &mut Back) -> Result<(), Full>;
}

pub(super) struct Ints<'a>(pub(super) &'a [i64]);

/// Of more integers than this the exact size is reserved, not the largest.
const MANY: usize = 256;

impl Values for Ints<'_> {
    #[inline(always)]
    fn write(&self, start: usize, end: usize, head: &impl Frame, out: &mut Back) -> Result<(), Full> {
        let values = self.0.get(start..end).unwrap_or_default();
        if values.len() <= MANY {
            room(values.len(), 10, head, out)?;
        } else {
            let bytes = values.iter().map(|value| varint_size(*value as u64)).sum::<usize>();
            room(1, bytes.saturating_add(16), head, out)?;
        }
        let bytes = match values {
            [value] => {
                let value = *value as u64;
                let size = varint_size(value);
                if size <= 8 && head.short_run(&short_varint(value, size).to_le_bytes(), size, out) {
                    return Ok(());
                }
                out.varint(value)
            }
            values => {
                let before = out.len();
                for value in values.iter().rev() {
                    out.varint(*value as u64);
                }
                out.len() - before
            }
        };
        head.run(bytes, out);
        Ok(())
    }
}

pub(super) struct Floats<'a>(pub(super) &'a [f32]);

impl Values for Floats<'_> {
    #[inline(always)]
    fn write(&self, start: usize, end: usize, head: &impl Frame, out: &mut Back) -> Result<(), Full> {
        let values = self.0.get(start..end).unwrap_or_default();
        room(values.len(), 4, head, out)?;
        match values {
            [value] if head.short_run(&value.to_le_bytes(), 4, out) => return Ok(()),
            values if cfg!(target_endian = "little") => out.put(bytemuck::cast_slice(values)),
            values => values.iter().rev().for_each(|value| out.put(&value.to_le_bytes())),
        }
        head.run(values.len() * 4, out);
        Ok(())
    }
}

/// Byte strings by number.
pub(super) trait Strings {
    fn string(&self, index: usize) -> &[u8];

    /// Up to 16 bytes that end with a short string, and its length.
    #[inline(always)]
    fn short(&self, _index: usize) -> Option<(&[u8; 16], usize)> {
        None
    }

    /// Puts a string in front. Needs its length and 16 bytes more.
    #[inline(always)]
    fn put(&self, index: usize, out: &mut Back) -> usize {
        let string = self.string(index);
        out.put(string);
        string.len()
    }

    /// The bytes of some strings together.
    fn bytes(&self, start: usize, end: usize) -> usize;
}

pub(super) struct InOneBuffer<'a, O> {
    pub(super) offsets: &'a [O],
    pub(super) data: &'a [u8],
}

impl<O: OffsetSizeTrait> InOneBuffer<'_, O> {
    #[inline(always)]
    pub(super) fn range(&self, index: usize) -> (usize, usize) {
        ByOffsets(self.offsets).items(index)
    }
}

impl<O: OffsetSizeTrait> Strings for InOneBuffer<'_, O> {
    #[inline(always)]
    fn string(&self, index: usize) -> &[u8] {
        let (start, end) = self.range(index);
        self.data.get(start..end).unwrap_or_default()
    }

    #[inline(always)]
    fn short(&self, index: usize) -> Option<(&[u8; 16], usize)> {
        let (start, end) = self.range(index);
        let length = end.wrapping_sub(start);
        if length > 16 {
            return None;
        }
        Some((self.data.get(..end)?.last_chunk::<16>()?, length))
    }

    #[inline(always)]
    fn put(&self, index: usize, out: &mut Back) -> usize {
        if let Some((block, length)) = self.short(index) {
            out.put_block(block, length);
            return length;
        }
        let string = self.string(index);
        out.put(string);
        string.len()
    }

    #[inline(always)]
    fn bytes(&self, start: usize, end: usize) -> usize {
        let at = |index: usize| self.offsets.get(index).map_or(0, |offset| offset.as_usize());
        at(end).saturating_sub(at(start))
    }
}

pub(super) struct InViews<'a, T: ByteViewType>(pub(super) &'a GenericByteViewArray<T>);

impl<T: ByteViewType> Strings for InViews<'_, T> {
    fn string(&self, index: usize) -> &[u8] {
        if index < self.0.len() { self.0.value(index).as_ref() } else { &[] }
    }

    fn bytes(&self, start: usize, end: usize) -> usize {
        (start..end).fold(0, |sum: usize, index| sum.saturating_add(self.string(index).len()))
    }
}

pub(super) struct Bytes<S>(pub(super) S);

impl<S: Strings> Values for Bytes<S> {
    #[inline(always)]
    fn write(&self, start: usize, end: usize, head: &impl Frame, out: &mut Back) -> Result<(), Full> {
        if end - start == 1
            && let Some((block, length)) = self.0.short(start)
        {
            room(1, 16, head, out)?;
            if head.short_run(block, length, out) {
                return Ok(());
            }
        }
        let bytes = self.0.bytes(start, end);
        room(end.saturating_sub(start), 11, head, out)?;
        if !out.reserve(bytes.saturating_add((end - start) * 11 + head.room())) {
            return Err(Full);
        }
        if end - start == 1 {
            let bytes = self.0.put(start, out);
            head.run(bytes, out);
            return Ok(());
        }
        let before = out.len();
        for index in (start..end).rev() {
            let bytes = self.0.put(index, out);
            out.varint(bytes as u64);
            out.byte(0x0a);
        }
        head.list(out.len() - before, out);
        Ok(())
    }
}

/// Room for values of a number of bytes, and what stands around them.
#[inline(always)]
pub(super) fn room(values: usize, size: usize, head: &impl Frame, out: &mut Back) -> Result<(), Full> {
    match values.checked_mul(size).and_then(|bytes| bytes.checked_add(head.room())) {
        Some(bytes) if out.reserve(bytes) => Ok(()),
        _ => Err(Full),
    }
}
