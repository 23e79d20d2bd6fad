//! Which elements go into which cells.

use super::Rows;
use super::raw::{Level, Raw};
use crate::kind::Locate as _;
use crate::{Error, Kind};

/// Elements that lie behind each other, for as many cells, and cells behind them that the default fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The number of cells that the default fills.
    pub(super) then: usize,
}

/// All cells of all rows, in order, as few pieces as possible.
#[derive(Debug, Default)]
pub(super) struct Pieces(Vec<Piece>);

impl Pieces {
    /// The pieces of the rows of a batch.
    pub(super) fn of(raw: &Raw, needed: &Rows) -> Result<Self, Error> {
        let mut pieces = Self::default();
        if let ([level], None) = (raw.levels.as_slice(), &raw.nulls) {
            pieces.flat(raw, needed, level)?;
        } else {
            for row in 0..raw.rows {
                pieces.list(raw, needed, 0, row, row).map_err(|error| error.in_row(row))?;
            }
        }
        Ok(pieces)
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Piece> {
        self.0.iter()
    }

    #[inline]
    fn elements(&mut self, from: usize, to: usize) {
        if from == to {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.then == 0 && last.to == from => last.to = to,
            _ => self.0.push(Piece { from, to, then: 0 }),
        }
    }

    #[inline]
    fn defaults(&mut self, count: usize) {
        match self.0.last_mut() {
            Some(last) => last.then += count,
            None => self.0.push(Piece { from: 0, to: 0, then: count }),
        }
    }

    /// One level of lists without null elements: as many rows at once as are not null.
    fn flat(&mut self, raw: &Raw, needed: &Rows, level: &Level) -> Result<(), Error> {
        let Some(nulls) = &level.nulls else { return self.present(raw, needed, level, 0, raw.rows) };
        let mut done = 0;
        for (start, end) in nulls.valid_slices() {
            self.absent(needed, done, start)?;
            self.present(raw, needed, level, start, end)?;
            done = end;
        }
        self.absent(needed, done, raw.rows)
    }

    fn absent(&mut self, needed: &Rows, start: usize, end: usize) -> Result<(), Error> {
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
        needed: &Rows,
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

    /// The items of one list, which is item `at` of the list around it.
    fn list(&mut self, raw: &Raw, needed: &Rows, depth: usize, list: usize, at: usize) -> Result<(), Error> {
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
    Error::new(Kind::NullValue, "the row has no value, and the representation no default")
}

fn wrong_count(raw: &Raw, needed: &Rows, depth: usize, at: usize, count: usize) -> Error {
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
        format!("{count} values, the shape of a row holds {size}{hint}")
    } else if needed.holds_items && depth + 1 == raw.levels.len() {
        let values = if count == 1 { "value" } else { "values" };
        format!("item {at} of the list has {count} {values}, the shape of an item holds {size}{hint}")
    } else {
        format!("a list of {count} items in dimension {depth} of the row, whose size is {size}{hint}")
    };
    Error::new(Kind::ShapeMismatch, message)
}
