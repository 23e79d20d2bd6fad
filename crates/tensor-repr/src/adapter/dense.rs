//! Dense tensors.

mod cells;
mod default;
mod gather;
mod raw;

use arrow_array::RecordBatch;
use tfxio_core::{Count, DType};

use self::default::Default;
pub(super) use self::raw::{Level, Raw};
use super::cursor::empty;
use super::route::{Route, RouteStep, SchemaColumns};
use super::{TensorRun, batch};
use crate::kind::Locate as _;
use crate::spec::sizes;
use crate::{DenseRepresentation, DenseTensor, Error, Fill, Kind, TensorSpec, Values};

#[derive(Debug)]
pub(super) struct DensePlan {
    route: Route,
    dtype: DType,
    shape: Vec<Option<usize>>,
    /// Default or padding that fills cells, if any.
    filling: Option<Default>,
    fill: Fill,
    /// Whether the filling is padding, which leaves null elements an error.
    is_padding: bool,
    /// Whether nested lists are taken for one.
    flat: bool,
}

/// Required form of the rows of one batch: the lists of each level and what may be filled.
#[derive(Debug)]
pub(super) struct RowForm {
    /// The number of items of each level of lists.
    sizes: Vec<usize>,
    /// Whether fewer items are filled up, for each level.
    pads: Vec<bool>,
    /// Number of cells of one item of each level.
    units: Vec<usize>,
    /// The cells of a row.
    cells: usize,
    /// Whether absent rows are filled.
    has_filling: bool,
    /// Whether a null element is filled.
    fills_elements: bool,
    /// Whether a default would fill shortfalls.
    shortfall: bool,
    /// Whether the filling is padding.
    is_padding: bool,
    /// Whether the innermost lists hold whole items: all dimensions that the outer lists leave of the shape.
    holds_items: bool,
}

/// Returns the length of the lists of fixed length that no row of the shape can have, and the length that it needs.
fn other_length(
    route: &Route,
    shape: &[Option<usize>],
    cells: Option<usize>,
    pads: bool,
) -> Option<(usize, usize)> {
    let one = [cells];
    let needed = match route.lists() {
        1 => &one[..],
        lists if lists == shape.len() => shape,
        _ => return None,
    };
    let lists = route.steps.iter().filter(|step| !matches!(step, RouteStep::Field(_)));
    lists.zip(needed).find_map(|(step, size)| match (step, size) {
        (RouteStep::FixedSizeList(found), Some(size)) if found > size || (found < size && !pads) => {
            Some((*found, *size))
        }
        _ => None,
    })
}

/// Checks that a column with this number of levels of lists can have the shape.
fn check_levels(shape: &[Option<usize>], lists: usize) -> Result<(), Error> {
    let rank = shape.len();
    if lists > 1 && lists != rank {
        // In a sequence the innermost lists hold what the outer ones leave of the shape.
        let message = match shape.get(lists - 1..) {
            _ if shape.first() != Some(&None) => {
                "they must be equal, or the column have one level, or the first size be unknown"
            }
            Some(rest) if !rest.contains(&None) => return Ok(()),
            Some(_) => "the innermost level holds several, whose sizes must be known",
            None => "the shape needs one for each level but the innermost",
        };
        let message = format!(
            "the column has {} of lists, the shape {} has {}; {message}",
            Count::of(lists, "level"),
            sizes(shape),
            Count::of(rank, "dimension")
        );
        return Err(Error::new(Kind::TypeMismatch, message));
    }
    let mut inner = shape.iter().skip(1);
    if lists <= 1 && inner.clone().any(Option::is_none) {
        let message = format!(
            "of the shape {} only the first size may be unknown, the column has no lists inside of lists",
            sizes(shape)
        );
        return Err(Error::new(Kind::TypeMismatch, message));
    }
    if lists <= 1 && shape.first() == Some(&None) && inner.any(|size| *size == Some(0)) {
        let message = format!(
            "the shape {} has items without values, whose number the column cannot say",
            sizes(shape)
        );
        return Err(Error::new(Kind::InvalidRepresentation, message));
    }
    Ok(())
}

impl DensePlan {
    pub(super) fn of(
        columns: &SchemaColumns<'_>,
        representation: &DenseRepresentation,
    ) -> Result<(Self, TensorSpec), Error> {
        let DenseRepresentation { column, shape, flat, default, fill, padding, dtype, .. } = representation;
        let route = Route::find(columns, column)?;
        let wanted = match dtype {
            None if route.is_null() => default::dtype(default.as_ref(), padding.as_ref()),
            _ => *dtype,
        };
        let dtype = route.dtype(wanted)?;
        let in_column = |error: Error| error.in_column(&route.path);
        // The sizes that are known, also where others are not: their product is computed again and again.
        let known = shape.iter().flatten().try_fold(1usize, |cells, size| cells.checked_mul(*size));
        let Some(known) = known else {
            let message = format!("the shape {} has more cells than can be counted", sizes(shape));
            return Err(in_column(Error::new(Kind::InvalidRepresentation, message)));
        };
        let cells = (!shape.contains(&None)).then_some(known);
        let flat = *flat || (shape.is_empty() && *fill == Fill::Shortfall);
        let lists = if flat { route.lists().min(1) } else { route.lists() };
        check_levels(shape, lists).map_err(in_column)?;
        let filling = match (default, padding) {
            (None, None) => Ok(None),
            (Some(default), None) => Default::of(default, dtype, cells, shape).map(Some),
            (None, Some(padding)) => Default::of_padding(padding, dtype).map(Some),
            (Some(_), Some(_)) => {
                let message = "there is a default and a padding; a default with `Fill::Shortfall` pads too, and a padding leaves null elements an error: give one of them";
                Err(Error::new(Kind::InvalidRepresentation, message))
            }
        };
        let filling = filling.map_err(in_column)?;
        let pads = filling.is_some() && (*fill == Fill::Shortfall || padding.is_some());
        if let Some((found, size)) = other_length(&route, shape, cells, pads) {
            let message = format!(
                "each list of the column has {}, the shape {} holds {size}",
                Count::of(found, "item"),
                sizes(shape)
            );
            return Err(in_column(Error::new(Kind::ShapeMismatch, message)));
        }
        let spec_shape = [None].into_iter().chain(shape.iter().copied()).collect();
        let is_padding = padding.is_some();
        let plan = Self { route, dtype, shape: shape.clone(), filling, fill: *fill, is_padding, flat };
        Ok((plan, TensorSpec::Dense { dtype, shape: spec_shape }))
    }

    pub(super) fn run(&self, batch: &RecordBatch, run: &mut TensorRun<'_>) -> Result<DenseTensor, Error> {
        let mut inner = || {
            let column = batch::column(batch, &self.route)?;
            let mut raw = Raw::of(column, &self.route, run)?;
            if self.flat && raw.levels.len() > 1 {
                raw.flatten(run)?;
            }
            let rows = raw.rows;
            let shape =
                |sizes: &[usize]| -> Vec<usize> { [rows].into_iter().chain(sizes.iter().copied()).collect() };
            if let Some((values, sizes)) = self.shared(&raw, run) {
                return DenseTensor::try_new(shape(&sizes), values);
            }
            let (needed, sizes) = self.rows(&raw)?;
            let values = self.written(&raw, &needed, run)?;
            DenseTensor::try_new(shape(&sizes), values)
        };
        inner().map_err(|error: Error| error.in_column(&self.route.path))
    }

    /// Returns the values as they are, if every row has exactly its shape, one after the other.
    fn shared(&self, raw: &Raw, run: &mut TensorRun<'_>) -> Option<(Values, Vec<usize>)> {
        let (lengths, from, to) = raw.uniform()?;
        let (last, outer) = lengths.split_last()?;
        let (lead, rest) = self.shape.split_at_checked(outer.len())?;
        let fits = |(length, size): (&usize, &Option<usize>)| size.is_none_or(|size| size == *length);
        if !outer.iter().zip(lead).all(fits) {
            return None;
        }
        let sizes = match rest {
            [_] if lengths.iter().zip(&self.shape).all(fits) => lengths,
            [_] => return None,
            _ if outer.is_empty() => self.reshaped(*last)?,
            _ => {
                let rest = rest.iter().copied().collect::<Option<Vec<_>>>()?;
                let is_whole = rest.iter().product::<usize>() == *last;
                is_whole.then(|| outer.iter().copied().chain(rest).collect())?
            }
        };
        raw.values(from, to, run).map(|values| (values, sizes))
    }

    /// Returns the shape of a flat row of that length, if it has it exactly.
    fn reshaped(&self, length: usize) -> Option<Vec<usize>> {
        let unit = self.shape.iter().flatten().product::<usize>();
        let open = self.shape.contains(&None);
        let first = if open { length.is_multiple_of(unit).then(|| length / unit)? } else { 0 };
        (open || length == unit).then(|| self.shape.iter().map(|size| size.unwrap_or(first)).collect())
    }

    /// Returns the required form of the rows of this batch, and the shape of each.
    fn rows(&self, raw: &Raw) -> Result<(RowForm, Vec<usize>), Error> {
        let open = self.shape.contains(&None);
        let longest = if open { raw.longest() } else { vec![0; raw.levels.len()] };
        let has_filling = self.filling.is_some();
        let shortfall = self.fill == Fill::Shortfall;
        let pads = |size: &Option<usize>| has_filling && (shortfall || self.is_padding || size.is_none());
        let fills_elements = has_filling && shortfall && !self.is_padding;
        // Each level of lists is a dimension, and the innermost one what the others leave of the shape.
        let outer = raw.levels.len().saturating_sub(1);
        let is_nested = raw.levels.len() == self.shape.len();
        let sizes: Vec<usize> = if outer == 0 && !is_nested {
            let unit = self.shape.iter().flatten().product::<usize>().max(1);
            let first = longest.first().copied().unwrap_or_default().div_ceil(unit);
            self.shape.iter().map(|size| size.unwrap_or(first)).collect()
        } else {
            let longest = longest.iter().copied().chain(std::iter::repeat(0));
            self.shape.iter().zip(longest).map(|(size, longest)| size.unwrap_or(longest)).collect()
        };
        let count = |sizes: &[usize]| {
            let count = sizes.iter().try_fold(1usize, |cells, &size| cells.checked_mul(size));
            count.ok_or_else(|| Error::new(Kind::Overflow, "a row has more cells than can be counted"))
        };
        let cells = count(&sizes)?;
        let mut levels = sizes.iter().take(outer).copied().collect::<Vec<_>>();
        let mut all_pads = self.shape.iter().take(outer).map(pads).collect::<Vec<_>>();
        let units = (1..=outer).map(|level| count(sizes.get(level..).unwrap_or_default()));
        let mut units = units.collect::<Result<Vec<_>, _>>()?;
        levels.push(count(sizes.get(outer..).unwrap_or_default())?);
        units.push(1);
        let holds_items = outer > 0 && !is_nested;
        all_pads.push(match self.shape.get(outer) {
            // Of an item some values are not padded, as none are made up: only a default stands for them.
            _ if holds_items => fills_elements,
            first => pads(first.unwrap_or(&Some(1))),
        });
        if outer == 0
            && !is_nested
            && let (Some(None), unit @ 2..) = (self.shape.first(), count(sizes.get(1..).unwrap_or_default())?)
        {
            raw.check_multiple(unit)?;
        }
        let is_padding = self.is_padding;
        let rows = RowForm {
            sizes: levels,
            pads: all_pads,
            units,
            cells,
            has_filling,
            fills_elements,
            shortfall,
            is_padding,
            holds_items,
        };
        Ok((rows, sizes))
    }

    /// Returns the values, cell by cell.
    fn written(&self, raw: &Raw, needed: &RowForm, run: &mut TensorRun<'_>) -> Result<Values, Error> {
        let overflow = || Error::new(Kind::Overflow, "the tensor has more cells than can be counted");
        let cells = raw.rows.checked_mul(needed.cells).ok_or_else(overflow)?;
        if cells == 0 {
            cells::CellSpans::of(raw, needed)?;
            return Ok(empty(self.dtype));
        }
        gather::values(raw, needed, cells, self.dtype, self.filling.as_ref(), run)
    }
}
