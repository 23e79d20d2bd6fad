//! Rows that hold parts of several examples: their runs, and the tensors that tell the examples apart.

use bytemuck::Pod;
use tensor_repr::{DenseTensor, Values};
use tfxio_core::DType;

use super::batcher::broken;
use super::failure::too_large;
use super::pool::{Pool, Room};
use super::runs::{CellRun, Extent, Runs};
use crate::Result;
use crate::error::outside;
use crate::packing::Packing;

impl<R: CellRun> Runs<R> {
    /// Returns the runs of packed rows, cut from the runs of examples; a step has `inner` cells.
    pub(super) fn packed(&self, packing: &Packing, inner: usize) -> Option<Self> {
        let mut rows = Self {
            runs: Vec::with_capacity(self.runs.len()),
            examples: Vec::with_capacity(packing.ends.len()),
        };
        let mut examples = self.iter().zip(&packing.parts);
        let mut at = 0;
        for &end in &packing.ends {
            let mut steps = 0usize;
            for ((own, runs), &(from, len)) in examples.by_ref().take(end.checked_sub(at)?) {
                if from.checked_add(len)? > own {
                    return None;
                }
                rows.cut(runs, from.checked_mul(inner)?, len.checked_mul(inner)?)?;
                steps = steps.checked_add(len)?;
            }
            at = end;
            rows.examples.push(Extent { steps, end: rows.runs.len() });
        }
        Some(rows)
    }

    /// Adds `cells` cells of some runs, after the first `from`.
    fn cut(&mut self, runs: &[R], mut from: usize, mut cells: usize) -> Option<()> {
        for &run in runs {
            let here = run.cells();
            let take = here.saturating_sub(from).min(cells);
            if take > 0 {
                self.runs.push(run.part(from, from.checked_add(take)?)?);
            }
            (from, cells) = (from.saturating_sub(here), cells - take);
        }
        (cells == 0).then_some(())
    }
}

/// The two tensors that tell the examples of rows apart.
pub(super) struct Ids {
    /// The number of each token's example in its row, from 1; 0 for padding.
    pub(super) segments: DenseTensor,
    /// The number of each token in its example, from 0.
    pub(super) positions: DenseTensor,
}

/// Makes the tensors that tell examples apart, of int32 or int64, in the memory of a pool each.
pub(super) fn ids(
    packing: &Packing,
    dtype: DType,
    [segments, positions]: &[Pool; 2],
    used: u64,
    limit: u64,
) -> Result<Ids> {
    let shape = vec![packing.ends.len(), packing.length];
    let cells = packing.ends.len().checked_mul(packing.length);
    let bytes = cells.and_then(|cells| cells.checked_mul(dtype.width()?));
    let both = bytes.and_then(|bytes| bytes.checked_mul(2)).map(|both| both as u64);
    if both.and_then(|both| both.checked_add(used)).is_none_or(|all| all > limit) {
        return Err(too_large(&shape, both, used, limit));
    }
    let bytes = bytes.ok_or_else(outside)?;
    let mut rooms = [segments.room(bytes)?, positions.room(bytes)?];
    // A row has no more tokens than fit into the type, which is checked when a loader is built.
    let written = match dtype {
        DType::Int64 => write(packing, &mut rooms, |number| number as i64),
        _ => write(packing, &mut rooms, |number| number as i32),
    };
    written.ok_or_else(outside)?;
    let [segments, positions] = rooms.map(|room| {
        let values = Values::try_new(dtype, room.finish()).map_err(broken)?;
        DenseTensor::try_new(shape.clone(), values).map_err(broken)
    });
    Ok(Ids { segments: segments?, positions: positions? })
}

/// Writes both numbers of every token, and 0 for padding; `None` if a row has more tokens than its length.
fn write<T: Pod>(
    packing: &Packing,
    [segments, positions]: &mut [Room; 2],
    of: impl Fn(usize) -> T,
) -> Option<()> {
    let length = packing.length.max(1);
    let segments = segments.values::<T>().chunks_exact_mut(length);
    let positions = positions.values::<T>().chunks_exact_mut(length);
    let mut at = 0;
    for (&end, (segments, positions)) in packing.ends.iter().zip(segments.zip(positions)) {
        let mut used = 0usize;
        for (number, &(from, len)) in packing.parts.get(at..end)?.iter().enumerate() {
            let to = used.checked_add(len)?;
            segments.get_mut(used..to)?.fill(of(number + 1));
            let numbers = from..from.checked_add(len)?;
            positions
                .get_mut(used..to)?
                .iter_mut()
                .zip(numbers)
                .for_each(|(cell, number)| *cell = of(number));
            used = to;
        }
        segments.get_mut(used..)?.fill(T::zeroed());
        positions.get_mut(used..)?.fill(T::zeroed());
        at = end;
    }
    Some(())
}
