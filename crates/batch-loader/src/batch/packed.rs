//! Rows that hold parts of several examples: their runs, and the tensors that tell the examples apart.

use tensor_repr::{DenseTensor, Values};
use tfxio_core::DType;

use super::batcher::broken;
use super::failure::{outside, too_large};
use super::runs::{Extent, Run, Runs};
use crate::Result;
use crate::engine::Packing;

impl<R: Run> Runs<R> {
    /// Returns the runs of rows instead of those of examples, of which a step has `inner` cells.
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

/// Makes the tensors that tell examples apart, of int32 or int64.
pub(super) fn ids(packing: &Packing, dtype: DType, used: u64, limit: u64) -> Result<Ids> {
    let shape = vec![packing.ends.len(), packing.length];
    let cells = packing.ends.len().checked_mul(packing.length);
    let bytes =
        cells.and_then(|cells| cells.checked_mul(dtype.width()?.checked_mul(2)?)).map(|all| all as u64);
    if bytes.and_then(|bytes| bytes.checked_add(used)).is_none_or(|all| all > limit) {
        return Err(too_large(&shape, bytes, used, limit));
    }
    let tensor = |values| DenseTensor::try_new(shape.clone(), values).map_err(broken);
    // A row has no more tokens than fit into the type, which is checked when a loader is built.
    let [segments, positions] = if dtype == DType::Int64 {
        let (segments, positions) = numbers(packing, |number| number as i64).ok_or_else(outside)?;
        [Values::from_vec(segments), Values::from_vec(positions)]
    } else {
        let (segments, positions) = numbers(packing, |number| number as i32).ok_or_else(outside)?;
        [Values::from_vec(segments), Values::from_vec(positions)]
    };
    Ok(Ids { segments: tensor(segments)?, positions: tensor(positions)? })
}

fn numbers<T: Copy + Default>(packing: &Packing, of: impl Fn(usize) -> T) -> Option<(Vec<T>, Vec<T>)> {
    let cells = packing.ends.len().checked_mul(packing.length)?;
    let (mut segments, mut positions) = (Vec::with_capacity(cells), Vec::with_capacity(cells));
    let mut at = 0;
    for &end in &packing.ends {
        let row = segments.len().checked_add(packing.length)?;
        for (number, &(from, len)) in packing.parts.get(at..end)?.iter().enumerate() {
            segments.resize(segments.len().checked_add(len)?, of(number + 1));
            positions.extend((from..from.checked_add(len)?).map(&of));
        }
        if segments.len() > row {
            return None;
        }
        segments.resize(row, T::default());
        positions.resize(row, T::default());
        at = end;
    }
    Some((segments, positions))
}
