//! Assignment of elements to cells.

use arrow_buffer::NullBuffer;
use bytemuck::Pod;
use tfxio_core::Count;

use super::RowForm;
use super::raw::{Bounds, Level, Raw};
use crate::adapter::splits::Offset;
use crate::kind::Locate as _;
use crate::{Error, Kind};

/// Consecutive elements, for as many cells, and cells after them that the default fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellSpan {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The number of cells that the default fills.
    pub(super) then: usize,
}

/// All cells of all rows, in order, as few runs as possible.
#[derive(Debug, Default)]
pub(super) struct CellSpans(Vec<CellSpan>);

impl CellSpans {
    /// Returns the runs of the rows of a batch.
    pub(super) fn of(raw: &Raw, needed: &RowForm) -> Result<Self, Error> {
        let mut spans = Self::default();
        if let ([level], None) = (raw.levels.as_slice(), &raw.nulls) {
            spans.flat(raw, needed, level)?;
        } else {
            for row in 0..raw.rows {
                spans.list(raw, needed, 0, row, row).map_err(|error| error.in_row(row))?;
            }
        }
        Ok(spans)
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, CellSpan> {
        self.0.iter()
    }

    #[inline]
    fn elements(&mut self, from: usize, to: usize) {
        if from == to {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.then == 0 && last.to == from => last.to = to,
            _ => self.0.push(CellSpan { from, to, then: 0 }),
        }
    }

    #[inline]
    fn defaults(&mut self, count: usize) {
        match self.0.last_mut() {
            Some(last) => last.then += count,
            None => self.0.push(CellSpan { from: 0, to: 0, then: count }),
        }
    }

    /// Appends one level of lists without null elements: as many rows at once as are not null.
    fn flat(&mut self, raw: &Raw, needed: &RowForm, level: &Level) -> Result<(), Error> {
        let Some(nulls) = &level.nulls else { return self.present(raw, needed, level, 0, raw.rows) };
        let mut done = 0;
        for (start, end) in nulls.valid_slices() {
            self.absent(needed, done, start)?;
            self.present(raw, needed, level, start, end)?;
            done = end;
        }
        self.absent(needed, done, raw.rows)
    }

    fn absent(&mut self, needed: &RowForm, start: usize, end: usize) -> Result<(), Error> {
        if start < end {
            if !needed.has_filling {
                return Err(no_value().in_row(start));
            }
            self.defaults((end - start) * needed.cells);
        }
        Ok(())
    }

    fn present(
        &mut self,
        raw: &Raw,
        needed: &RowForm,
        level: &Level,
        start: usize,
        end: usize,
    ) -> Result<(), Error> {
        if let Some((length, from, to)) = level.uniform(start, end)
            && length == needed.cells
        {
            self.elements(from, to);
            return Ok(());
        }
        for row in start..end {
            self.list(raw, needed, 0, row, row).map_err(|error| error.in_row(row))?;
        }
        Ok(())
    }

    /// Appends the items of one list, which is item `at` of the list around it.
    fn list(
        &mut self,
        raw: &Raw,
        needed: &RowForm,
        depth: usize,
        list: usize,
        at: usize,
    ) -> Result<(), Error> {
        let (Some(level), Some(&size), Some(&pads), Some(&unit)) =
            (raw.levels.get(depth), needed.sizes.get(depth), needed.pads.get(depth), needed.units.get(depth))
        else {
            return Ok(());
        };
        let absent = level.is_null(list);
        if absent && depth == 0 {
            return if needed.has_filling {
                self.defaults(needed.cells);
                Ok(())
            } else {
                Err(no_value())
            };
        }
        let (from, to) = if absent { (0, 0) } else { level.bounds(list) };
        let count = to - from;
        if count > size || (count < size && !pads) {
            return Err(wrong_count(raw, needed, depth, at, count));
        }
        if depth + 1 < raw.levels.len() {
            for inner in from..to {
                self.list(raw, needed, depth + 1, inner, inner - from)?;
            }
        } else if let Some(nulls) = &raw.nulls {
            for element in from..to {
                if nulls.is_valid(element) {
                    self.elements(element, element + 1);
                } else if needed.fills_elements {
                    self.defaults(1);
                } else {
                    let at = element - from;
                    let of = if needed.shortfall { "" } else { " of a feature spec" };
                    let message = format!("element {at} is null; a default{of} would fill it");
                    return Err(Error::new(Kind::NullValue, message));
                }
            }
        } else {
            self.elements(from, to);
        }
        if count < size {
            self.defaults((size - count) * unit);
        }
        Ok(())
    }
}

fn no_value() -> Error {
    Error::new(Kind::AbsentValue, "the row has no value, and the representation no default")
}

fn wrong_count(raw: &Raw, needed: &RowForm, depth: usize, at: usize, count: usize) -> Error {
    let size = needed.sizes.get(depth).copied().unwrap_or_default();
    let has_default = needed.has_filling && !needed.is_padding;
    let hint = match (count < size, needed.shortfall, has_default) {
        (false, ..) => "",
        (true, true, _) if needed.is_padding => "; a default would fill the rest",
        (true, true, _) => {
            "; a default would fill the rest, unless \"allow_missing\" is false, which ignores it"
        }
        (true, false, false) => "; a default of a feature spec would fill the rest",
        (true, false, true) => {
            "; the default fills absent rows alone, one of a feature spec would fill the rest too"
        }
    };
    let message = if raw.levels.len() == 1 {
        format!("{}, the shape of a row holds {size}{hint}", Count::of(count, "value"))
    } else if needed.holds_items && depth + 1 == raw.levels.len() {
        let values = if count == 1 { "value" } else { "values" };
        format!("item {at} of the list has {count} {values}, the shape of an item holds {size}{hint}")
    } else {
        format!(
            "a list of {} in dimension {depth} of the row, whose size is {size}{hint}",
            Count::of(count, "item")
        )
    };
    Error::new(Kind::ShapeMismatch, message)
}

/// A column of one cell a row: bare values, or lists of variable length.
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
    /// Returns the column, if it is of this form.
    pub(super) fn of(raw: &'a Raw, needed: &RowForm) -> Option<Self> {
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

    /// Returns the first element of the rows.
    pub(super) fn first(&self) -> usize {
        self.level.bounds(0).0
    }

    /// Returns the offsets of strings, whose bytes begin at `begin`; an absent one has `missing` bytes. None if the rows
    /// are not all as they should be.
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

    /// Returns whether no row without a value hides bytes of strings.
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

    /// Returns whether every list that is not null has exactly one value.
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
