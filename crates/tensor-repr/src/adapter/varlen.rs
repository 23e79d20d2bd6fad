//! Sparse tensors of one column: each value at its position in the row.

use arrow_array::RecordBatch;
use tfxio_core::{Count, DType};

use super::cursor::{Cursor, Lists};
use super::route::{Route, SchemaColumns};
use super::splits::Splits;
use super::{TensorRun, batch};
use crate::kind::Locate as _;
use crate::{Error, Kind, SparseTensor, TensorSpec, VarLenSparseRepresentation};

#[derive(Debug)]
pub(super) struct VarLenPlan {
    route: Route,
    dtype: DType,
    rank: usize,
}

impl VarLenPlan {
    pub(super) fn of(
        columns: &SchemaColumns<'_>,
        representation: &VarLenSparseRepresentation,
    ) -> Result<(Self, TensorSpec), Error> {
        let route = Route::find(columns, &representation.column)?;
        let dtype = route.dtype(representation.dtype)?;
        let lists = route.lists();
        let mismatch = |message: String| Err(Error::new(Kind::TypeMismatch, message).in_column(&route.path));
        let rank = match (lists, representation.rank) {
            (0, rank) if route.is_null() => rank.unwrap_or(1).max(1),
            (0, _) => {
                return mismatch(format!(
                    "a varlen sparse tensor needs lists, the column is {}; take a dense one of shape []",
                    route.end
                ));
            }
            (_, Some(rank)) if rank != lists => {
                return mismatch(format!(
                    "the column has {} of lists, the representation says {rank}",
                    Count::of(lists, "level")
                ));
            }
            _ => lists,
        };
        let spec = TensorSpec::Sparse { dtype, shape: vec![None; rank + 1] };
        Ok((Self { route, dtype, rank }, spec))
    }

    pub(super) fn run(&self, batch: &RecordBatch, run: &mut TensorRun<'_>) -> Result<SparseTensor, Error> {
        let mut inner = || {
            let column = batch::column(batch, &self.route)?;
            let lists = Lists::of(Cursor::new(column), &self.route, self.rank, run)?;
            let values = lists.values(self.dtype, run)?;
            let width = self.rank + 1;
            let count = values
                .len()
                .checked_mul(width)
                .ok_or_else(|| Error::new(Kind::Overflow, "there are more indices than can be counted"))?;
            let mut room = run.room::<i64>(count)?;
            positions(&lists.levels, width, room.values());
            run.count.computed += (count * 8) as u64;
            let indices = run.finish(room).into();
            let mut dense_shape = vec![batch.num_rows()];
            dense_shape.extend(lists.levels.iter().map(Splits::longest));
            Ok(SparseTensor::of_parts(indices, values, dense_shape))
        };
        inner().map_err(|error: Error| error.in_column(&self.route.path))
    }
}

/// Writes the position of each item of the innermost lists: the row, then the index in the list of each level, as the first
/// numbers of every `width`.
pub(super) fn positions(levels: &[Splits], width: usize, out: &mut [i64]) {
    match levels {
        [] => {
            for (row, entry) in out.chunks_exact_mut(width).enumerate() {
                if let Some(first) = entry.first_mut() {
                    *first = row as i64;
                }
            }
        }
        [lists] if width == 2 => {
            let mut rest = out;
            lists.each(|row, from, to| {
                let (entries, after) = std::mem::take(&mut rest).split_at_mut((to - from) * 2);
                rest = after;
                for (at, entry) in entries.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                    *entry = [row as i64, at as i64];
                }
            });
        }
        [outer, inner] if width == 3 => {
            let mut entries = out.as_chunks_mut::<3>().0.iter_mut();
            let base = inner.base();
            outer.each(|row, from, to| {
                let mut begin = inner.get(from) - base;
                for list in from..to {
                    let end = inner.get(list + 1) - base;
                    for (at, entry) in (0..(end - begin) as i64).zip(entries.by_ref()) {
                        *entry = [row as i64, (list - from) as i64, at];
                    }
                    begin = end;
                }
            });
        }
        _ => {
            let mut prefix = vec![0; levels.len() + 1];
            let rows = levels.first().map_or(0, Splits::lists);
            let mut entries = out.chunks_exact_mut(width);
            for row in 0..rows {
                prefix[0] = row as i64;
                nested(levels, row, &mut prefix, 1, &mut entries);
            }
        }
    }
}

fn nested(
    levels: &[Splits],
    list: usize,
    prefix: &mut [i64],
    depth: usize,
    entries: &mut std::slice::ChunksExactMut<'_, i64>,
) {
    let Some((splits, inner)) = levels.split_first() else { return };
    let base = splits.base();
    let (from, to) = (splits.get(list) - base, splits.get(list + 1) - base);
    if inner.is_empty() {
        for at in 0..to - from {
            let Some(entry) = entries.next() else { return };
            if let Some((last, front)) = entry.get_mut(..=depth).and_then(<[i64]>::split_last_mut) {
                front.copy_from_slice(&prefix[..depth]);
                *last = at as i64;
            }
        }
        return;
    }
    for at in from..to {
        prefix[depth] = (at - from) as i64;
        nested(inner, at, prefix, depth + 1, entries);
    }
}
