//! Tensors of strings.

use arrow_array::LargeBinaryArray;
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use tensor_repr::Values;

use super::layout::{Layout, Out};
use super::pool::Pool;
use super::runs::{CellRun, Runs};
use crate::column::end_before;
use crate::error::outside;
use crate::item::{Item, Unit};
use crate::{Error, Kind, Result};

/// The strings of a column from one to before another.
#[derive(Clone, Copy)]
pub(super) struct Strings<'a> {
    column: &'a tensor_repr::Strings,
    from: usize,
    to: usize,
}

/// The memory of the two buffers of strings.
#[derive(Default)]
pub(super) struct Pools {
    pub(super) offsets: Pool,
    pub(super) data: Pool,
}

impl<'a> Strings<'a> {
    /// Returns each string; `None` for one that is not there.
    pub(super) fn each(self) -> impl Iterator<Item = Option<&'a [u8]>> {
        (self.from..self.to).map(move |at| self.column.get(at))
    }

    /// The bytes of all strings.
    fn bytes(self) -> Option<&'a [u8]> {
        let (from, to) = (end_before(self.column, self.from)?, end_before(self.column, self.to)?);
        self.column.data().as_slice().get(from..to)
    }
}

impl CellRun for Strings<'_> {
    fn part(self, from: usize, to: usize) -> Option<Self> {
        let (from, to) = (self.from.checked_add(from)?, self.from.checked_add(to)?);
        (from <= to && to <= self.to).then_some(Self { from, to, ..self })
    }

    fn cells(self) -> usize {
        self.to.saturating_sub(self.from)
    }
}

/// The strings of a tensor in a batch's examples.
pub(super) fn find(items: &[Item], unit: Unit, tensor: usize, inner: usize) -> Result<Runs<Strings<'_>>> {
    Runs::find(items, unit, tensor, inner, |column, from, to| {
        let column = column.values.as_strings()?;
        Strings { column, from: 0, to: column.len() }.part(from, to)
    })
}

/// Returns the number of bytes of all strings, with `padding` pad values among them; `None` if that overflows.
pub(super) fn bytes(runs: &Runs<Strings<'_>>, padding: usize, pad: &[u8]) -> Option<usize> {
    let all = padding.checked_mul(pad.len())?;
    runs.runs.iter().try_fold(all, |all, run| all.checked_add(run.bytes()?.len()))
}

/// Writes a tensor of `cells` strings of `bytes` bytes together.
pub(super) fn write(
    runs: &Runs<Strings<'_>>,
    layout: &Layout,
    cells: usize,
    bytes: usize,
    pad: &[u8],
    pools: &Pools,
) -> Result<Values> {
    let room = cells.checked_add(1).and_then(|offsets| offsets.checked_mul(8)).ok_or_else(outside)?;
    let (mut offsets, mut data) = (pools.offsets.room(room)?, pools.data.room(bytes)?);
    let (first, rest) = offsets.values::<i64>().split_first_mut().ok_or_else(outside)?;
    *first = 0;
    let mut out = Cells { offsets: rest, bytes: data.values::<u8>(), end: 0, pad };
    let written = layout.write(runs, &mut out);
    written.filter(|()| out.offsets.is_empty() && out.bytes.is_empty()).ok_or_else(outside)?;
    let offsets = OffsetBuffer::new(ScalarBuffer::<i64>::from(offsets.finish()));
    let broken = |error: &dyn std::fmt::Display| Error::new(Kind::Record, error.to_string());
    let array = LargeBinaryArray::try_new(offsets, data.finish(), None).map_err(|error| broken(&error))?;
    Values::from_array(&array).map_err(|error| broken(&error))
}

struct Cells<'a> {
    offsets: &'a mut [i64],
    bytes: &'a mut [u8],
    /// The offset written last.
    end: i64,
    pad: &'a [u8],
}

impl<'a> Cells<'a> {
    fn next(&mut self, cells: usize) -> Option<&'a mut [i64]> {
        let (next, rest) = std::mem::take(&mut self.offsets).split_at_mut_checked(cells)?;
        self.offsets = rest;
        Some(next)
    }

    fn put(&mut self, bytes: &[u8]) -> Option<()> {
        let (next, rest) = std::mem::take(&mut self.bytes).split_at_mut_checked(bytes.len())?;
        next.copy_from_slice(bytes);
        self.bytes = rest;
        Some(())
    }

    /// Writes the ends of strings whose offsets are these.
    fn offsets<O: Copy + Into<i64>>(&mut self, own: &[O]) -> Option<()> {
        let (first, own) = own.split_first()?;
        let shift = self.end.wrapping_sub((*first).into());
        for (to, &from) in self.next(own.len())?.iter_mut().zip(own) {
            *to = shift.wrapping_add(from.into());
        }
        self.end = own.last().map_or(self.end, |&last| shift.wrapping_add(last.into()));
        Some(())
    }
}

impl Out<Strings<'_>> for Cells<'_> {
    fn copy(&mut self, run: Strings<'_>) -> Option<()> {
        match run.column.small_offsets() {
            Some(offsets) => self.offsets(offsets.get(run.from..=run.to)?)?,
            None => self.offsets(run.column.large_offsets()?.get(run.from..=run.to)?)?,
        }
        self.put(run.bytes()?)
    }

    fn fill(&mut self, cells: usize) -> Option<()> {
        let (pad, length) = (self.pad, i64::try_from(self.pad.len()).ok()?);
        for to in self.next(cells)? {
            self.end = self.end.checked_add(length)?;
            *to = self.end;
        }
        if pad.is_empty() {
            return Some(());
        }
        (0..cells).try_for_each(|_| self.put(pad))
    }
}
