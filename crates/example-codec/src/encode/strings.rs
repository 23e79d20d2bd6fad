//! Writers of the byte strings of a row.

use arrow_array::types::ByteViewType;
use arrow_array::{Array, GenericByteViewArray, OffsetSizeTrait};
use arrow_data::MAX_INLINE_VIEW_LEN;

use super::back::Back;
use super::block::Buffers;
use super::cell::{Frame, Full};
use super::row_set::RowSet;
use super::short::{ShortHead, ShortValue};
use super::values::{ByOffsets, RowItems, Values, room};

/// Byte strings by number.
pub(super) trait Strings {
    fn string(&self, index: usize) -> &[u8];

    /// As [`Values::write_single`].
    fn write_single<const N: usize>(
        &self,
        first: usize,
        rows: RowSet,
        head: &ShortHead<N>,
        out: &mut Buffers,
    ) -> RowSet;

    /// Puts a string in front. Needs its length and 16 bytes more.
    #[inline(always)]
    fn put(&self, index: usize, out: &mut Back) -> usize {
        let string = self.string(index);
        out.put(string);
        string.len()
    }

    /// Returns the bytes of some strings together.
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

    /// Returns a string of at most 16 bytes, unless it ends before byte 16 of the buffer.
    #[inline(always)]
    fn short(&self, start: usize, end: usize) -> Option<ShortValue<16>> {
        let length = end.wrapping_sub(start);
        if length > 16 {
            return None;
        }
        Some((*self.data.get(..end)?.last_chunk()?, length))
    }
}

impl<O: OffsetSizeTrait> Strings for InOneBuffer<'_, O> {
    #[inline(always)]
    fn string(&self, index: usize) -> &[u8] {
        let (start, end) = self.range(index);
        self.data.get(start..end).unwrap_or_default()
    }

    #[inline(never)]
    fn write_single<const N: usize>(
        &self,
        first: usize,
        rows: RowSet,
        head: &ShortHead<N>,
        out: &mut Buffers,
    ) -> RowSet {
        let Some(offsets) = self.offsets.get(first..=first + rows.len()) else { return rows };
        let string = |pair: &[O]| match pair {
            [start, end] => self.short(start.as_usize(), end.as_usize()),
            _ => None,
        };
        head.write_each(rows, offsets.windows(2), string, out)
    }

    #[inline(always)]
    fn put(&self, index: usize, out: &mut Back) -> usize {
        let (start, end) = self.range(index);
        if let Some((block, length)) = self.short(start, end) {
            out.put_block(&block, length);
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

    #[inline(never)]
    fn write_single<const N: usize>(
        &self,
        first: usize,
        rows: RowSet,
        head: &ShortHead<N>,
        out: &mut Buffers,
    ) -> RowSet {
        let Some(views) = self.0.views().get(first..first + rows.len()) else { return rows };
        // The bytes of a short string stand in the view, after its length of four bytes.
        let string = |view: &u128| {
            let length = *view as u32;
            let bytes = (view >> 32).wrapping_shl(128 - 8 * length.min(MAX_INLINE_VIEW_LEN));
            (length <= MAX_INLINE_VIEW_LEN).then(|| (bytes.to_le_bytes(), length as usize))
        };
        head.write_each(rows, views, string, out)
    }

    fn bytes(&self, start: usize, end: usize) -> usize {
        (start..end).fold(0, |sum: usize, index| sum.saturating_add(self.string(index).len()))
    }
}

pub(super) struct Bytes<S>(pub(super) S);

impl<S: Strings> Values for Bytes<S> {
    #[inline(always)]
    fn write(&self, start: usize, end: usize, head: &impl Frame, out: &mut Back) -> Result<(), Full> {
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

    #[inline(always)]
    fn write_single<const N: usize>(
        &self,
        first: usize,
        rows: RowSet,
        head: &ShortHead<N>,
        out: &mut Buffers,
    ) -> RowSet {
        self.0.write_single(first, rows, head, out)
    }
}
