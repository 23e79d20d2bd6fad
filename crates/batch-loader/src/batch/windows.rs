//! Steps on the tensors of windows, before they become a batch.

use std::sync::Arc;

use bytemuck::Pod;
use tensor_repr::Values;
use tfxio_core::Limits;

use super::batcher::broken;
use super::failure::{ExamplePosition, too_large};
use super::layout::{Layout, product};
use super::pool::Pool;
use super::runs::{Extent, Runs};
use super::{fixed, text};
use crate::Result;
use crate::column::{Column, RowShape};
use crate::config::{Operation, SliceAxis};
use crate::error::outside;
use crate::item::{Chunk, Item, Span, Unit};
use crate::pipeline::PipelineStep;
use crate::selection::Selection;
use crate::shape::{TensorInfo, is_of_lists};

/// One tensor of the windows of a batch.
pub(super) struct Windows<'a> {
    pub(super) items: &'a [Item],
    pub(super) unit: Unit,
    pub(super) tensor: usize,
    pub(super) files: &'a [Arc<str>],
    /// The most bytes of all windows.
    pub(super) limit: u64,
}

impl Windows<'_> {
    /// The windows after some steps: a row each of one chunk, whose only column is the tensor.
    ///
    /// # Errors
    /// `Record` for a window that a step does not fit; `LimitExceeded` for windows of more than the limit.
    pub(super) fn after(&self, info: &TensorInfo, steps: &[PipelineStep]) -> Result<Vec<Item>> {
        let mut column = self.column(info)?;
        let limits = Limits::default().batch_bytes(self.limit);
        for step in steps {
            step.run(&mut column, &limits).map_err(|failed| {
                let item = failed.row.and_then(|row| self.items.get(row));
                let position = item.map(|item| ExamplePosition::of(item, self.unit, self.files));
                match position {
                    Some(position) => position.add_to(failed.error),
                    None => failed.error,
                }
            })?;
        }
        let records = (0..self.items.len() as u64).collect();
        let chunk = Arc::new(Chunk { records, columns: vec![column], ..Chunk::default() });
        let rows = 0..u32::try_from(self.items.len()).map_err(|_| outside())?;
        let item = |start| Item { first: Span { chunk: Arc::clone(&chunk), start, len: 1 }, rest: None };
        Ok(rows.map(item).collect())
    }

    /// The windows as rows of a column, one after the other.
    fn column(&self, info: &TensorInfo) -> Result<Column> {
        if is_of_lists(&info.shape) {
            return self.strings(Vec::new());
        }
        let inner =
            info.shape.iter().skip(1).map(|size| size.ok_or_else(outside)).collect::<Result<Vec<_>>>()?;
        match info.dtype.width() {
            Some(1) => self.fixed::<u8>(info, inner),
            Some(2) => self.fixed::<u16>(info, inner),
            Some(4) => self.fixed::<u32>(info, inner),
            Some(_) => self.fixed::<u64>(info, inner),
            None => self.strings(inner),
        }
    }

    fn fixed<T: Pod>(&self, info: &TensorInfo, inner: Vec<usize>) -> Result<Column> {
        let step = product(&inner).ok_or_else(outside)?;
        let runs = fixed::find::<T>(self.items, self.unit, self.tensor, step)?;
        let (runs, offsets, layout) = joined(runs, &inner)?;
        let cells = self.within(&layout, size_of::<T>(), 0)?;
        let room = fixed::write(&runs, &layout, cells, &[], &Pool::default())?;
        let values = Values::try_new(info.dtype, room.finish()).map_err(broken)?;
        Ok(Column { rows: self.items.len(), shape: RowShape::Leading { offsets, inner }, values })
    }

    fn strings(&self, inner: Vec<usize>) -> Result<Column> {
        let step = product(&inner).ok_or_else(outside)?;
        let runs = text::find(self.items, self.unit, self.tensor, step)?;
        let bytes = text::bytes(&runs, 0, &[]).ok_or_else(outside)?;
        let (runs, offsets, layout) = joined(runs, &inner)?;
        let cells = self.within(&layout, size_of::<i64>(), bytes)?;
        let values = text::write(&runs, &layout, cells, bytes, &[], &text::Pools::default())?;
        Ok(Column { rows: self.items.len(), shape: RowShape::Leading { offsets, inner }, values })
    }

    /// The cells of all windows, if they are within the limit.
    fn within(&self, layout: &Layout, width: usize, more: usize) -> Result<usize> {
        let cells = layout.cells(1);
        let bytes =
            cells.and_then(|cells| cells.checked_mul(width)?.checked_add(more)).map(|bytes| bytes as u64);
        match cells.filter(|_| bytes.is_some_and(|bytes| bytes <= self.limit)) {
            Some(cells) => Ok(cells),
            None => {
                let shape = [&[layout.steps], &layout.own[..]].concat();
                Err(too_large(&shape, bytes, 0, self.limit))
            }
        }
    }
}

/// Joins all runs into one example. Returns the boundaries of the windows in it, and its layout.
fn joined<R>(runs: Runs<R>, inner: &[usize]) -> Result<(Runs<R>, Vec<usize>, Layout)> {
    let mut offsets = Vec::with_capacity(runs.examples.len() + 1);
    let mut steps = 0usize;
    offsets.push(steps);
    for example in &runs.examples {
        steps = steps.checked_add(example.steps).ok_or_else(outside)?;
        offsets.push(steps);
    }
    let examples = vec![Extent { steps, end: runs.runs.len() }];
    let layout = Layout { steps, own: inner.to_vec(), padded: inner.to_vec() };
    Ok((Runs { runs: runs.runs, examples }, offsets, layout))
}

/// Applies a step to the lengths of the records of windows, which `splits` bounds. `None` if the step does not leave
/// each record with a length.
pub(super) fn cut_lengths(operation: &Operation, splits: &[i64], lengths: &mut [i64]) -> Option<()> {
    let axis = match operation {
        Operation::OneHot { .. } => return Some(()),
        Operation::Reshape(_) => return None,
        Operation::Slice(slice) => slice.axes.first(),
    };
    let Some(axis) = axis else { return Some(()) };
    if !matches!(axis, SliceAxis::Range { step: 1.., .. }) {
        return None;
    }
    for window in splits.windows(2) {
        let [begin, end] = *window else { return None };
        let lengths = lengths.get_mut(usize::try_from(begin).ok()?..usize::try_from(end).ok()?)?;
        let all = usize::try_from(lengths.iter().sum::<i64>()).ok()?;
        let taken = Selection::of(axis, all)?;
        let step = taken.step.unsigned_abs().max(1);
        // How many of the taken steps lie before a position.
        let before = |position: usize| position.saturating_sub(taken.start).div_ceil(step).min(taken.count);
        let mut at = 0;
        for length in lengths {
            let next = at + usize::try_from(*length).ok()?;
            *length = before(next).saturating_sub(before(at)) as i64;
            at = next;
        }
    }
    Some(())
}
