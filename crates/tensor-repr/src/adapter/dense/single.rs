//! Columns of one value a row, the most frequent ones of all.
//!
//! Which rows are absent is chance to a processor, so nothing here branches on it. Whatever is not of the
//! plain form is left to the general way, which also finds out what is wrong.

use arrow_buffer::NullBuffer;
use bytemuck::Pod;

use super::Rows;
use super::raw::{Bounds, Level, Raw};
use crate::adapter::splits::Offset;

/// A column of one cell a row: bare values, or lists that are no fixed-size ones.
pub(super) struct Single<'a> {
    level: &'a Level,
    rows: usize,
    pads: bool,
    has_filling: bool,
}

/// A row: whether it has its one value, and where its list begins and ends.
struct Row {
    present: bool,
    from: usize,
    to: usize,
}

impl<'a> Single<'a> {
    /// The column, if it is of this form.
    pub(super) fn of(raw: &'a Raw, needed: &Rows) -> Option<Self> {
        let ([level], None, 1) = (raw.levels.as_slice(), &raw.nulls, needed.cells) else { return None };
        let pads = needed.pads.first().copied().unwrap_or_default();
        Some(Self { level, rows: raw.rows, pads, has_filling: needed.has_filling })
    }

    /// Values of fixed width. False if the rows are not all as they should be.
    pub(super) fn fixed<T: Pod>(&self, source: &[T], default: T, out: &mut [T]) -> bool {
        let fallback = [default];
        let source = if source.is_empty() { &fallback } else { source };
        let last = source.len() - 1;
        let mut out = out.iter_mut();
        self.each(|row| {
            if let Some(slot) = out.next() {
                let value = source[row.from.min(last)];
                *slot = if row.present { value } else { default };
            }
        })
    }

    /// The first element of the rows.
    pub(super) fn first(&self) -> usize {
        self.level.bounds(0).0
    }

    /// The offsets of strings, whose bytes begin at `begin`; an absent one has `missing` bytes. None if the
    /// rows are not all as they should be.
    pub(super) fn offsets<O: Offset>(
        &self,
        source: &[O],
        begin: usize,
        missing: usize,
        out: &mut [i64],
    ) -> Option<usize> {
        let last = source.len().checked_sub(1)?;
        let mut end = begin;
        let (first, out) = out.split_first_mut()?;
        *first = end as i64;
        let mut out = out.iter_mut();
        let fits = self.each(|row| {
            let from = row.from.min(last);
            let length = source[(from + 1).min(last)].at() - source[from].at();
            end += if row.present { length } else { missing };
            if let Some(slot) = out.next() {
                *slot = end as i64;
            }
        });
        fits.then_some(end)
    }

    /// Whether no row without a value hides bytes of strings.
    pub(super) fn hides_nothing<O: Offset>(&self, source: &[O]) -> bool {
        let Some(last) = source.len().checked_sub(1) else { return true };
        let end = |element: usize| source[element.min(last)].at();
        let mut hidden = false;
        self.each(|row| hidden |= !row.present & (end(row.from) != end(row.to)));
        !hidden
    }

    /// Calls `f` for each run of rows that are not null, with the elements of their lists, and for the number of
    /// null rows before each run and after the last.
    pub(super) fn runs(&self, mut absent: impl FnMut(usize), mut elements: impl FnMut(usize, usize)) {
        let bounds = |row: usize| self.level.bounds(row);
        let mut run = |start: usize, end: usize| {
            if start < end {
                elements(bounds(start).0, bounds(end - 1).1);
            }
        };
        let Some(nulls) = &self.level.nulls else { return run(0, self.rows) };
        let mut done = 0;
        for (start, end) in nulls.valid_slices() {
            absent(start - done);
            run(start, end);
            done = end;
        }
        absent(self.rows - done);
    }

    /// Whether every list that is not null has exactly one value.
    pub(super) fn is_full(&self) -> bool {
        !self.pads || {
            let mut missing = 0;
            self.each(|row| missing += usize::from(!row.present));
            missing == self.level.nulls.as_ref().map_or(0, NullBuffer::null_count)
        }
    }

    /// Calls `f` with every row; answers whether all are as they should be.
    #[inline(always)]
    fn each(&self, f: impl FnMut(Row)) -> bool {
        match &self.level.bounds {
            Bounds::Small(offsets) => self.each_of(offsets, f),
            Bounds::Large(offsets) => self.each_of(offsets, f),
            Bounds::Fixed(1) => self.each_bare(f),
            Bounds::Fixed(_) => false,
        }
    }

    #[inline(always)]
    fn each_bare(&self, mut f: impl FnMut(Row)) -> bool {
        let Some(nulls) = &self.level.nulls else {
            (0..self.rows).for_each(|from| f(Row { present: true, from, to: from + 1 }));
            return true;
        };
        let words = nulls.inner().inner().bit_chunks(nulls.offset(), nulls.len());
        for (word, start) in words.iter_padded().zip((0..self.rows).step_by(64)) {
            for from in start..self.rows.min(start + 64) {
                f(Row { present: (word >> (from - start)) & 1 != 0, from, to: from + 1 });
            }
        }
        self.has_filling || nulls.null_count() == 0
    }

    #[inline(always)]
    fn each_of<O: Offset>(&self, offsets: &[O], mut f: impl FnMut(Row)) -> bool {
        let mut fits = true;
        let mut row = |pair: &[O], valid: bool| {
            let (from, to) = (pair[0].at(), pair[1].at());
            let present = valid & (to - from == 1);
            fits &= present | (!valid & self.has_filling) | (valid & (to == from) & self.pads);
            f(Row { present, from, to });
        };
        match &self.level.nulls {
            None => offsets.windows(2).for_each(|pair| row(pair, true)),
            Some(nulls) => {
                let words = nulls.inner().inner().bit_chunks(nulls.offset(), nulls.len());
                for (word, start) in words.iter_padded().zip((0..self.rows).step_by(64)) {
                    let Some(own) = offsets.get(start..offsets.len().min(start + 65)) else { return false };
                    for (at, pair) in own.windows(2).enumerate() {
                        row(pair, (word >> at) & 1 != 0);
                    }
                }
            }
        }
        fits
    }
}
