//! Sparse tensors of values and index columns.

use arrow_array::{RecordBatch, UInt64Array};
use arrow_schema::Schema;
use arrow_select::take::take;
use tfxio_core::DType;

use super::cursor::{Cursor, Lists};
use super::ragged::{integer_dtype, integers};
use super::route::Route;
use super::splits::Splits;
use super::varlen::positions;
use super::{Run, batch};
use crate::{Error, ErrorKind, SparseRepresentation, SparseTensor, TensorSpec, Values};

#[derive(Debug)]
pub(super) struct SparsePlan {
    values: Route,
    dtype: DType,
    indices: Vec<Route>,
    /// The sizes of the kept dimensions, then those of the indices.
    sizes: Vec<Option<usize>>,
    kept: usize,
    sort: bool,
}

/// A column's entries, and which of them belong to which cell of the batch and the kept dimensions.
struct Grouped {
    kept: Vec<Splits>,
    groups: Splits,
    values: Values,
}

impl SparsePlan {
    pub(super) fn of(
        schema: &Schema,
        representation: &SparseRepresentation,
    ) -> Result<(Self, TensorSpec), Error> {
        let invalid = |message: String| Err(Error::new(ErrorKind::InvalidRepresentation, message));
        let (columns, kept) = (representation.index_columns.len(), representation.kept_dims);
        if columns == 0 {
            return invalid("a sparse tensor needs at least one index column".to_owned());
        }
        if kept.checked_add(columns) != Some(representation.dense_shape.len()) {
            let needed = if kept == 0 { String::new() } else { format!(" and {kept} kept dimensions") };
            return invalid(format!(
                "there are {} sizes for {columns} index columns{needed}; give one for each",
                representation.dense_shape.len()
            ));
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
        let values = Route::find(schema, &representation.value_column)?;
        let dtype = values.dtype(representation.dtype)?;
        let mut indices = Vec::new();
        for column in &representation.index_columns {
            let route = Route::find(schema, column)?;
            if !(route.end.is_integer() || route.is_null()) {
                let message = format!("indices must be integers, these are {}", route.end);
                return Err(Error::new(ErrorKind::TypeMismatch, message).in_column(&route.path));
            }
            indices.push(route);
        }
        for route in indices.iter().chain([&values]) {
            if route.lists() < kept && !route.is_null() {
                let (sizes, lists) = (kept + columns, route.lists());
                let message = format!(
                    "{sizes} sizes are given, at most {} can be: one for each index column ({columns}), and in front of \
                     them one for each level of lists of this column ({lists})",
                    lists + columns
                );
                return Err(Error::new(ErrorKind::TypeMismatch, message).in_column(&route.path));
            }
        }
        let shape = [None].into_iter().chain(sizes.iter().copied()).collect();
        let sort = representation.sort;
        Ok((Self { values, dtype, indices, sizes, kept, sort }, TensorSpec::Sparse { dtype, shape }))
    }

    pub(super) fn run(&self, batch: &RecordBatch, run: &mut Run<'_>) -> Result<SparseTensor, Error> {
        let of = |route: &Route, dtype: DType, run: &mut Run<'_>| {
            self.grouped(batch, route, dtype, run).map_err(|error| error.in_column(&route.path))
        };
        let values = of(&self.values, self.dtype, run)?;
        let rank = 1 + self.sizes.len();
        let count =
            values.values.len().checked_mul(rank).ok_or_else(|| {
                Error::new(ErrorKind::Overflow, "there are more indices than can be counted")
            })?;
        let mut room = run.room::<i64>(count)?;
        let mut dense_shape = vec![batch.num_rows()];
        for (at, splits) in values.kept.iter().enumerate() {
            dense_shape.push(self.kept_size(at, splits, &values)?);
        }
        let mut columns = Vec::new();
        for (route, size) in self.indices.iter().zip(self.sizes.iter().skip(self.kept)) {
            let column = of(route, integer_dtype(&route.end), run)?;
            self.check_counts(&values, &column, route)?;
            let (indices, size) =
                Indices::in_range(column, *size).map_err(|error| error.in_column(&route.path))?;
            columns.push(indices);
            dense_shape.push(size);
        }
        run.claim::<i64>(values.groups.lists().saturating_mul(rank))?;
        write(&values, &columns, rank, room.values());
        run.count.computed += (count * 8) as u64;
        let mut tensor_values = values.values;
        if self.sort
            && let Some(order) = sort(&values.groups, rank, room.values())
        {
            let taken = take(&tensor_values.to_array()?, &UInt64Array::from(order), None)?;
            run.count.values += taken.get_array_memory_size() as u64;
            tensor_values = Values::from_array(&taken)?;
        }
        Ok(SparseTensor::of_parts(run.finish(room).into(), tensor_values, dense_shape))
    }

    fn grouped(
        &self,
        batch: &RecordBatch,
        route: &Route,
        dtype: DType,
        run: &mut Run<'_>,
    ) -> Result<Grouped, Error> {
        let cursor = Cursor::new(batch::column(batch, route)?);
        let lists = match self.kept {
            0 => Lists::of_bare(cursor, route, run)?,
            kept => Lists::of(cursor, route, kept, run)?,
        };
        let values = lists.values(dtype, run)?;
        let mut levels = lists.levels;
        let inner = levels.split_off(self.kept.min(levels.len()));
        let groups = inner.into_iter().reduce(|outer, inner| outer.merged(&inner));
        let cells = levels.last().map_or(batch.num_rows(), Splits::items);
        // Without further lists each kept cell has one value.
        let groups = groups.unwrap_or(Splits::Fixed { size: 1, lists: cells });
        Ok(Grouped { kept: levels, groups, values })
    }

    fn kept_size(&self, at: usize, splits: &Splits, values: &Grouped) -> Result<usize, Error> {
        let longest = splits.longest();
        match self.sizes.get(at).copied().flatten() {
            Some(size) if longest > size => {
                let list = (0..splits.lists()).find(|&list| splits.length(list) > size).unwrap_or_default();
                let outer = values.kept.get(..at).unwrap_or_default();
                let row = outer.iter().rev().fold(list, |item, splits| splits.list_of(item));
                let message = format!("a list of {longest} items, the size of the dimension is {size}");
                let error = Error::new(ErrorKind::ShapeMismatch, message);
                Err(error.in_column(&self.values.path).in_row(row))
            }
            Some(size) => Ok(size),
            None => Ok(longest),
        }
    }

    /// Every cell must have as many indices as values.
    fn check_counts(&self, values: &Grouped, indices: &Grouped, route: &Route) -> Result<(), Error> {
        let wrong = |row: usize, indices: usize, values: usize| {
            let path = &self.values.path;
            let message = format!("{indices} indices for the {values} values of column \"{path}\"");
            Err(Error::new(ErrorKind::InvalidIndex, message).in_column(&route.path).in_row(row))
        };
        for (level, (ours, theirs)) in values.kept.iter().zip(&indices.kept).enumerate() {
            if let Some(list) = ours.first_difference(theirs) {
                let outer = values.kept.get(..level).unwrap_or_default();
                let row = outer.iter().rev().fold(list, |item, splits| splits.list_of(item));
                return wrong(row, theirs.length(list), ours.length(list));
            }
        }
        match values.groups.first_difference(&indices.groups) {
            Some(group) => wrong(
                values.kept.iter().rev().fold(group, |item, splits| splits.list_of(item)),
                indices.groups.length(group),
                values.groups.length(group),
            ),
            None => Ok(()),
        }
    }
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
        let group = self.column.groups.list_of(entry);
        self.column.kept.iter().rev().fold(group, |item, splits| splits.list_of(item))
    }

    /// The indices of a column, all within the size, and the size: the largest index plus one if it is not
    /// known.
    fn in_range(column: Grouped, size: Option<usize>) -> Result<(Self, usize), Error> {
        let wide = column.values.as_slice::<i64>().is_some();
        let widened = if wide { None } else { integers(&column.values) };
        let indices = Self { column, widened };
        if !wide && indices.widened.is_none() {
            let beyond = indices.column.values.as_slice::<u64>().unwrap_or_default().iter();
            let at = beyond.clone().position(|&index| i64::try_from(index).is_err()).unwrap_or_default();
            let message =
                format!("the index {} is more than 64 bits hold", beyond.max().copied().unwrap_or_default());
            return Err(Error::new(ErrorKind::InvalidIndex, message).in_row(indices.row(at)));
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
            return Err(Error::new(ErrorKind::InvalidIndex, message).in_row(indices.row(at)));
        }
        let size = match (size, numbers.iter().max()) {
            (Some(size), _) => size,
            (None, None) => 0,
            (None, Some(&largest)) => usize::try_from(largest).unwrap_or_default() + 1,
        };
        Ok((indices, size))
    }
}

/// Writes the entries: row, place in the kept dimensions, indices.
fn write(values: &Grouped, columns: &[Indices], rank: usize, out: &mut [i64]) {
    if let ([], [column], 2) = (values.kept.as_slice(), columns, rank) {
        let (mut rest, mut numbers) = (out, column.numbers());
        values.groups.each(|row, from, to| {
            let (entries, after) = std::mem::take(&mut rest).split_at_mut((to - from) * 2);
            let (own, further) = numbers.split_at(to - from);
            (rest, numbers) = (after, further);
            for (entry, &index) in entries.as_chunks_mut::<2>().0.iter_mut().zip(own) {
                *entry = [row as i64, index];
            }
        });
        return;
    }
    let prefix = rank - columns.len();
    let mut places = vec![0; values.groups.lists().saturating_mul(prefix)];
    positions(&values.kept, prefix, &mut places);
    let mut rest = &mut *out;
    let mut groups = places.chunks_exact(prefix);
    values.groups.each(|_, from, to| {
        let (entries, after) = std::mem::take(&mut rest).split_at_mut((to - from) * rank);
        rest = after;
        let place = groups.next().unwrap_or_default();
        for entry in entries.chunks_exact_mut(rank) {
            if let Some(front) = entry.get_mut(..place.len()) {
                front.copy_from_slice(place);
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

/// The same for entries of a row and one index.
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
        // The place makes every pair different, so that equal indices keep their order.
        own.sort_unstable();
        for ([_, slot], (index, at)) in entries.iter_mut().zip(&own) {
            *slot = *index;
            order.push(*at);
        }
    });
    Some(order)
}
