//! Division of a list column's items into rows, and writers of the numbers of a row.

use arrow_array::OffsetSizeTrait;
use proto_wire::varint_size;

use super::back::{Back, short_varint};
use super::block::Buffers;
use super::cell::{Frame, Full};
use super::row_set::RowSet;
use super::short::ShortHead;

/// The items of each row.
pub(super) trait RowItems {
    /// Returns the first item and the one after the last.
    fn items(&self, row: usize) -> (usize, usize);

    /// Returns the first of the items of a group of rows, if each valid row has one item and the others have none.
    fn single(&self, first: usize, rows: RowSet, valid: RowSet) -> Option<usize>;
}

pub(super) struct ByOffsets<'a, O>(pub(super) &'a [O]);

impl<O: OffsetSizeTrait> RowItems for ByOffsets<'_, O> {
    #[inline(always)]
    fn items(&self, row: usize) -> (usize, usize) {
        match self.0.get(row..).and_then(|rest| rest.first_chunk::<2>()) {
            Some([start, end]) => (start.as_usize(), end.as_usize()),
            None => (0, 0),
        }
    }

    fn single(&self, first: usize, rows: RowSet, valid: RowSet) -> Option<usize> {
        let offsets = self.0.get(first..=first + rows.len())?;
        let (start, end) = (offsets.first()?.as_usize(), offsets.last()?.as_usize());
        let length = |pair: &[O]| match pair {
            [start, end] => end.as_usize().wrapping_sub(start.as_usize()),
            _ => 0,
        };
        // The one bit that these lengths have together is that of the rows of one item.
        let one = offsets.windows(2).fold(0, |lengths, pair| lengths | length(pair)) <= 1;
        let mut none = rows.without(valid).filter_map(|row| offsets.get(row..row + 2));
        (one && end - start == valid.len() && none.all(|pair| length(pair) == 0)).then_some(start)
    }
}

pub(super) struct ByLength(pub(super) usize);

impl RowItems for ByLength {
    #[inline(always)]
    fn items(&self, row: usize) -> (usize, usize) {
        (row * self.0, (row + 1) * self.0)
    }

    fn single(&self, first: usize, rows: RowSet, valid: RowSet) -> Option<usize> {
        (self.0 == 1 && rows == valid).then_some(first)
    }
}

/// Values that can be written one list at a time.
pub(super) trait Values {
    /// Puts the feature that holds the items `start..end` in front, which are at least one.
    fn write(&self, start: usize, end: usize, head: &impl Frame, out: &mut Back) -> Result<(), Full>;

    /// Puts the features that hold one item each, from `first` on, in front of `rows`. Returns the rows whose
    /// item is not a short one, which are left as they were.
    fn write_single<const N: usize>(
        &self,
        first: usize,
        rows: RowSet,
        head: &ShortHead<N>,
        out: &mut Buffers,
    ) -> RowSet;
}

pub(super) struct Ints<'a>(pub(super) &'a [i64]);

/// Number of integers beyond which the exact size is reserved instead of the largest possible one.
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
            [value] => out.varint(*value as u64),
            values => out.varints(values),
        };
        head.run(bytes, out);
        Ok(())
    }

    #[inline(never)]
    fn write_single<const N: usize>(
        &self,
        first: usize,
        rows: RowSet,
        head: &ShortHead<N>,
        out: &mut Buffers,
    ) -> RowSet {
        let Some(values) = self.0.get(first..first + rows.len()) else { return rows };
        let varint = |value: &i64| {
            let size = varint_size(*value as u64);
            (size <= 8).then(|| (short_varint(*value as u64, size).to_le_bytes(), size))
        };
        head.write_each(rows, values, varint, out)
    }
}

pub(super) struct Floats<'a>(pub(super) &'a [f32]);

impl Values for Floats<'_> {
    #[inline(always)]
    fn write(&self, start: usize, end: usize, head: &impl Frame, out: &mut Back) -> Result<(), Full> {
        let values = self.0.get(start..end).unwrap_or_default();
        room(values.len(), 4, head, out)?;
        if cfg!(target_endian = "little") {
            out.put(bytemuck::cast_slice(values));
        } else {
            values.iter().rev().for_each(|value| out.put(&value.to_le_bytes()));
        }
        head.run(values.len() * 4, out);
        Ok(())
    }

    #[inline(never)]
    fn write_single<const N: usize>(
        &self,
        first: usize,
        rows: RowSet,
        head: &ShortHead<N>,
        out: &mut Buffers,
    ) -> RowSet {
        let Some(values) = self.0.get(first..first + rows.len()) else { return rows };
        head.write_each(rows, values, |value| Some((value.to_le_bytes(), size_of::<f32>())), out)
    }
}

/// Makes room for `values` values of `size` bytes each, and their frame.
#[inline(always)]
pub(super) fn room(values: usize, size: usize, head: &impl Frame, out: &mut Back) -> Result<(), Full> {
    match values.checked_mul(size).and_then(|bytes| bytes.checked_add(head.room())) {
        Some(bytes) if out.reserve(bytes) => Ok(()),
        _ => Err(Full),
    }
}
