//! Sparse tensors of values and index columns.

mod cells;

use arrow_array::{RecordBatch, UInt64Array};
use arrow_select::take::take;
use tfxio_core::{Count, DType};

use self::cells::CellEntries;
use super::cursor::{Cursor, Lists};
use super::ragged::{integer_dtype, integers};
use super::route::{Route, SchemaColumns};
use super::splits::Splits;
use super::varlen::positions;
use super::{TensorRun, batch};
use crate::kind::Locate as _;
use crate::{Error, Kind, SparseRepresentation, SparseTensor, TensorSpec, Values};

#[derive(Debug)]
pub(super) struct SparsePlan {
    values: Route,
    dtype: DType,
    indices: Vec<Route>,
    /// The sizes of the kept dimensions, then of the index dimensions.
    sizes: Vec<Option<usize>>,
    kept: usize,
    /// The index column whose lists are the kept dimensions; `None` for the value column.
    guide: Option<usize>,
    sort: bool,
}

/// A column's entries, and where they are.
struct Grouped {
    cells: CellEntries,
    values: Values,
}

impl SparsePlan {
    pub(super) fn of(
        columns: &SchemaColumns<'_>,
        representation: &SparseRepresentation,
    ) -> Result<(Self, TensorSpec), Error> {
        let invalid = |message: String| Err(Error::new(Kind::InvalidRepresentation, message));
        let (count, kept) = (representation.index_columns.len(), representation.kept_dims);
        if count == 0 {
            return invalid("a sparse tensor needs at least one index column".to_owned());
        }
        if kept.checked_add(count) != Some(representation.dense_shape.len()) {
            let needed = match kept {
                0 => String::new(),
                kept => format!(" and {}", Count::of(kept, "kept dimension")),
            };
            let (sizes, columns) =
                (Count::of(representation.dense_shape.len(), "size"), Count::of(count, "index column"));
            let are = sizes.verb("is", "are");
            return invalid(format!("there {are} {sizes} for {columns}{needed}; give one for each"));
        }
        let mut sizes = Vec::new();
        for size in &representation.dense_shape {
            let known = size.map(|size| usize::try_from(i64::try_from(size).unwrap_or(-1))).transpose();
            let Ok(known) = known else {
                return invalid(format!(
                    "the size {} is more than an index counts",
                    size.unwrap_or_default()
                ));
            };
            sizes.push(known);
        }
        let values = Route::find(columns, &representation.value_column)?;
        let dtype = values.dtype(representation.dtype)?;
        let mut indices = Vec::new();
        for column in &representation.index_columns {
            let route = Route::find(columns, column)?;
            if !(route.end.is_integer() || route.is_null()) {
                let message = format!("indices must be integers, these are {}", route.end);
                return Err(Error::new(Kind::TypeMismatch, message).in_column(&route.path));
            }
            indices.push(route);
        }
        let guide = guide(&values, &indices, kept)?;
        let shape = [None].into_iter().chain(sizes.iter().copied()).collect();
        let sort = representation.sort;
        Ok((Self { values, dtype, indices, sizes, kept, guide, sort }, TensorSpec::Sparse { dtype, shape }))
    }

    pub(super) fn run(&self, batch: &RecordBatch, run: &mut TensorRun<'_>) -> Result<SparseTensor, Error> {
        let of = |route: &Route, dtype: DType, run: &mut TensorRun<'_>| {
            self.grouped(batch, route, dtype, run).map_err(|error| error.in_column(&route.path))
        };
        let Grouped { cells, mut values } = of(&self.values, self.dtype, run)?;
        let rank = 1 + self.sizes.len();
        let count = values
            .len()
            .checked_mul(rank)
            .ok_or_else(|| Error::new(Kind::Overflow, "there are more indices than can be counted"))?;
        let mut room = run.room::<i64>(count)?;
        let mut columns = Vec::with_capacity(self.indices.len());
        for route in &self.indices {
            let column = of(route, integer_dtype(&route.end), run)?;
            self.check_counts(&cells, &column.cells).map_err(|error| error.in_column(&route.path))?;
            columns.push(column);
        }
        let other = self.guide.and_then(|at| Some((self.indices.get(at)?, columns.get(at)?.cells.clone())));
        let (guide, cells) = other.as_ref().map_or((&self.values, &cells), |(route, cells)| (*route, cells));
        let mut dense_shape = vec![batch.num_rows()];
        for (at, splits) in cells.kept.iter().enumerate() {
            dense_shape
                .push(self.kept_size(at, splits, cells).map_err(|error| error.in_column(&guide.path))?);
        }
        let mut indices = Vec::with_capacity(columns.len());
        let sizes = self.sizes.iter().skip(self.kept);
        for ((route, column), size) in self.indices.iter().zip(columns).zip(sizes) {
            let in_column = |error: Error| error.in_column(&route.path);
            if self.guide.is_some() {
                cells.check(&guide.path, &column.cells).map_err(in_column)?;
            }
            let (column, size) = Indices::in_range(column, *size).map_err(in_column)?;
            indices.push(column);
            dense_shape.push(size);
        }
        run.claim::<i64>(cells.groups.lists().saturating_mul(rank))?;
        write(cells, &indices, rank, room.values());
        run.count.computed += (count * 8) as u64;
        if self.sort
            && let Some(order) = sort(&cells.groups, rank, room.values())
        {
            let taken = take(&values.to_array()?, &UInt64Array::from(order), None)?;
            run.count.values += taken.get_array_memory_size() as u64;
            values = Values::from_array(&taken)?;
        }
        Ok(SparseTensor::of_parts(run.finish(room).into(), values, dense_shape))
    }

    fn grouped(
        &self,
        batch: &RecordBatch,
        route: &Route,
        dtype: DType,
        run: &mut TensorRun<'_>,
    ) -> Result<Grouped, Error> {
        let cursor = Cursor::new(batch::column(batch, route)?);
        let kept = if has_kept(route, self.kept) { self.kept } else { 0 };
        let lists = match kept {
            0 => Lists::of_bare(cursor, route, run)?,
            kept => Lists::of(cursor, route, kept, run)?,
        };
        let values = lists.values(dtype, run)?;
        let mut levels = lists.levels;
        let inner = levels.split_off(kept.min(levels.len()));
        let groups = inner.into_iter().reduce(|outer, inner| outer.merged(&inner));
        let cells = levels.last().map_or(batch.num_rows(), Splits::items);
        // Without further lists each kept cell has one value.
        let groups = groups.unwrap_or(Splits::Fixed { size: 1, lists: cells });
        Ok(Grouped { cells: CellEntries { kept: levels, groups }, values })
    }

    fn kept_size(&self, at: usize, splits: &Splits, cells: &CellEntries) -> Result<usize, Error> {
        let longest = splits.longest();
        match self.sizes.get(at).copied().flatten() {
            Some(size) if longest > size => {
                let list = (0..splits.lists()).find(|&list| splits.length(list) > size).unwrap_or_default();
                let message =
                    format!("a list of {}, the size of the dimension is {size}", Count::of(longest, "item"));
                Err(Error::new(Kind::ShapeMismatch, message).in_row(cells.row_of(at, list)))
            }
            Some(size) => Ok(size),
            None => Ok(longest),
        }
    }

    /// Checks that every cell, or, where one of the columns has none of them, every row, has as many indices as values.
    fn check_counts(&self, values: &CellEntries, indices: &CellEntries) -> Result<(), Error> {
        let Some((row, values, indices)) = values.first_difference(indices) else { return Ok(()) };
        let path = &self.values.path;
        let message = format!(
            "{} for the {} of column \"{path}\"",
            Count::of(indices, "index"),
            Count::of(values, "value")
        );
        Err(Error::new(Kind::InvalidIndex, message).in_row(row))
    }
}

/// Returns the column whose lists are the kept dimensions: the values', or, if it has too few, the first index column that
/// has enough.
fn guide(values: &Route, indices: &[Route], kept: usize) -> Result<Option<usize>, Error> {
    if has_kept(values, kept) {
        return Ok(None);
    }
    if let Some(at) = indices.iter().position(|route| has_kept(route, kept)) {
        return Ok(Some(at));
    }
    // Of several the first.
    let columns = indices.iter().chain([values]).rev();
    let deepest = columns.max_by_key(|route| route.lists()).unwrap_or(values);
    let (columns, lists) = (indices.len(), deepest.lists());
    let (given, most) = (Count::of(kept + columns, "size"), lists + columns);
    let are = given.verb("is", "are");
    let message = format!(
        "{given} {are} given, at most {most} can be: one for each index column ({columns}), and in front of them one for \
         each level of lists of this column ({lists})"
    );
    Err(Error::new(Kind::TypeMismatch, message).in_column(&deepest.path))
}

/// Returns whether a column has lists for `kept` kept dimensions. One without any value has as many as are needed.
fn has_kept(route: &Route, kept: usize) -> bool {
    let lists = route.lists();
    lists >= kept || (lists == 0 && route.is_null())
}

/// The indices of a column.
struct Indices {
    column: Grouped,
    /// The numbers, if they are not 64 bits wide in the column.
    widened: Option<Vec<i64>>,
}

impl Indices {
    fn numbers(&self) -> &[i64] {
        self.widened.as_deref().or(self.column.values.as_slice::<i64>()).unwrap_or_default()
    }

    fn row(&self, entry: usize) -> usize {
        let cells = &self.column.cells;
        cells.row_of(cells.kept.len(), cells.groups.list_of(entry))
    }

    /// Returns the indices of a column, all within the size, and the size: the largest index plus one if it is not known.
    fn in_range(column: Grouped, size: Option<usize>) -> Result<(Self, usize), Error> {
        let wide = column.values.as_slice::<i64>().is_some();
        let widened = if wide { None } else { integers(&column.values) };
        let indices = Self { column, widened };
        if !wide && indices.widened.is_none() {
            let beyond = indices.column.values.as_slice::<u64>().unwrap_or_default().iter();
            let at = beyond.clone().position(|&index| i64::try_from(index).is_err()).unwrap_or_default();
            let message =
                format!("the index {} is more than 64 bits hold", beyond.max().copied().unwrap_or_default());
            return Err(Error::new(Kind::InvalidIndex, message).in_row(indices.row(at)));
        }
        let numbers = indices.numbers();
        let bound = size.map_or(i64::MAX, |size| size as i64);
        // The sign of either number shows an index outside; no branch, so that several are looked at at once.
        let outside =
            numbers.iter().fold(0, |signs, &index| signs | index | (bound - 1).wrapping_sub(index)) < 0;
        if outside && let Some(at) = numbers.iter().position(|&index| index < 0 || index >= bound) {
            let index = numbers.get(at).copied().unwrap_or_default();
            let message = match size {
                Some(size) => format!("the index {index} lies outside of the size {size}"),
                None => format!("the index {index} is negative or too large"),
            };
            return Err(Error::new(Kind::InvalidIndex, message).in_row(indices.row(at)));
        }
        let size = match (size, numbers.iter().max()) {
            (Some(size), _) => size,
            (None, None) => 0,
            (None, Some(&largest)) => usize::try_from(largest).unwrap_or_default() + 1,
        };
        Ok((indices, size))
    }
}

/// Writes the entries: row, position in the kept dimensions, indices.
fn write(cells: &CellEntries, columns: &[Indices], rank: usize, out: &mut [i64]) {
    if let ([], [column], 2) = (cells.kept.as_slice(), columns, rank) {
        let (mut entries, mut numbers) = (out.as_chunks_mut::<2>().0.iter_mut(), column.numbers().iter());
        cells.groups.each(|row, from, to| {
            // Without `zip`, which is set up anew for each row; most have few entries.
            for _ in from..to {
                if let (Some(entry), Some(index)) = (entries.next(), numbers.next()) {
                    *entry = [row as i64, *index];
                }
            }
        });
        return;
    }
    let prefix = rank - columns.len();
    let mut coordinates = vec![0; cells.groups.lists().saturating_mul(prefix)];
    positions(&cells.kept, prefix, &mut coordinates);
    let mut rest = &mut *out;
    let mut groups = coordinates.chunks_exact(prefix);
    cells.groups.each(|_, from, to| {
        let (entries, after) = std::mem::take(&mut rest).split_at_mut((to - from) * rank);
        rest = after;
        let front_of_cell = groups.next().unwrap_or_default();
        for entry in entries.chunks_exact_mut(rank) {
            if let Some(front) = entry.get_mut(..front_of_cell.len()) {
                front.copy_from_slice(front_of_cell);
            }
        }
    });
    for (at, column) in columns.iter().enumerate() {
        for (entry, &index) in out.chunks_exact_mut(rank).zip(column.numbers()) {
            if let Some(slot) = entry.get_mut(prefix + at) {
                *slot = index;
            }
        }
    }
}

/// Puts the entries of each group in order; answers the order of the values if it is another one.
fn sort(groups: &Splits, rank: usize, out: &mut [i64]) -> Option<Vec<u64>> {
    if rank == 2 {
        return sort_pairs(groups, out);
    }
    if out.chunks_exact(rank).is_sorted() {
        return None;
    }
    let entries = out.chunks_exact(rank).collect::<Vec<_>>();
    let mut order = (0..entries.len() as u64).collect::<Vec<_>>();
    groups.each(|_, from, to| {
        if let Some(own) = order.get_mut(from..to) {
            own.sort_by_key(|&at| entries.get(at as usize).copied().unwrap_or_default());
        }
    });
    let ordered = order.iter().flat_map(|&at| entries.get(at as usize).copied().unwrap_or_default()).copied();
    let ordered = ordered.collect::<Vec<_>>();
    out.copy_from_slice(&ordered);
    Some(order)
}

/// Does the same for entries of a row and one index.
fn sort_pairs(groups: &Splits, out: &mut [i64]) -> Option<Vec<u64>> {
    let entries = out.as_chunks_mut::<2>().0;
    if entries.is_sorted() {
        return None;
    }
    let mut order = Vec::with_capacity(entries.len());
    let mut own = Vec::new();
    groups.each(|_, from, to| {
        let Some(entries) = entries.get_mut(from..to) else { return };
        own.clear();
        own.extend(entries.iter().zip(from as u64..).map(|([_, index], at)| (*index, at)));
        // The position makes every pair different, so that equal indices keep their order.
        own.sort_unstable();
        for ([_, slot], (index, at)) in entries.iter_mut().zip(&own) {
            *slot = *index;
            order.push(*at);
        }
    });
    Some(order)
}
