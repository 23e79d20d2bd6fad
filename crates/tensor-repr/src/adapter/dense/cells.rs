//! Which element goes into which cell.

use super::Rows;
use super::raw::Raw;
use crate::{Error, ErrorKind};

/// A cell that the default fills.
pub(super) const DEFAULT: usize = usize::MAX;

/// Writes the element of each cell, or [`DEFAULT`]. With no cells at all it checks only.
pub(super) fn sources(raw: &Raw, needed: &Rows, out: &mut [usize]) -> Result<(), Error> {
    out.fill(DEFAULT);
    let mut cells = out.chunks_exact_mut(needed.cells.max(1));
    for row in 0..raw.rows {
        let own = cells.next().unwrap_or_default();
        list(raw, needed, 0, row, own).map_err(|error| error.in_row(row))?;
    }
    Ok(())
}

/// Places the items of one list into the cells that belong to it.
fn list(raw: &Raw, needed: &Rows, depth: usize, list_at: usize, out: &mut [usize]) -> Result<(), Error> {
    let (Some(level), Some(&size), Some(&pads), Some(&unit)) =
        (raw.levels.get(depth), needed.sizes.get(depth), needed.pads.get(depth), needed.units.get(depth))
    else {
        return Ok(());
    };
    let absent = level.is_null(list_at);
    if absent && depth == 0 {
        return if needed.has_default { Ok(()) } else { Err(no_value()) };
    }
    let (from, to) = if absent { (0, 0) } else { level.bounds(list_at) };
    let count = to - from;
    if count > size || (count < size && !pads) {
        return Err(wrong_count(raw, needed, depth, count));
    }
    if depth + 1 == raw.levels.len() {
        for (at, element) in (from..to).enumerate() {
            if raw.nulls.as_ref().is_some_and(|nulls| nulls.is_null(element)) {
                if !needed.fills_elements {
                    return Err(Error::new(
                        ErrorKind::NullValue,
                        format!("element {at} is null; a default with `Fill::Shortfall` would fill it"),
                    ));
                }
            } else if let Some(cell) = out.get_mut(at) {
                *cell = element;
            }
        }
        return Ok(());
    }
    let mut cells = out.chunks_exact_mut(unit.max(1));
    for inner in from..to {
        list(raw, needed, depth + 1, inner, cells.next().unwrap_or_default())?;
    }
    Ok(())
}

fn no_value() -> Error {
    Error::new(ErrorKind::NullValue, "the row has no value, and the representation no default")
}

fn wrong_count(raw: &Raw, needed: &Rows, depth: usize, count: usize) -> Error {
    let size = needed.sizes.get(depth).copied().unwrap_or_default();
    let hint = match (count < size, needed.has_default) {
        (false, _) => "",
        (true, false) => "; a default with `Fill::Shortfall` would fill the rest",
        (true, true) => "; the default fills absent rows alone, `Fill::Shortfall` would let it fill the rest",
    };
    let message = if raw.levels.len() == 1 {
        format!("{count} values, the shape of a row holds {size}{hint}")
    } else {
        format!("a list of {count} items in dimension {depth} of the row, whose size is {size}{hint}")
    };
    Error::new(ErrorKind::ShapeMismatch, message)
}
