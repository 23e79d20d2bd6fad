//! Tensors of elements of fixed width.

use bytemuck::{AnyBitPattern, NoUninit, Pod};

use super::layout::{Layout, Out, product};
use super::pool::{Pool, Room};
use super::runs::Runs;
use crate::Result;
use crate::column::{Column, RowShape};
use crate::error::outside;
use crate::item::{Item, Unit};

/// Cells of this many elements or fewer are written one by one: a call for them costs more.
const FEW: usize = 8;

/// The cells of a tensor in a batch's examples.
pub(super) fn find<T: AnyBitPattern>(
    items: &[Item],
    unit: Unit,
    tensor: usize,
    inner: usize,
) -> Result<Runs<&[T]>> {
    Runs::find(items, unit, tensor, inner, |column, from, to| cells(column)?.get(from..to))
}

#[inline(always)]
fn cells<T: AnyBitPattern>(column: &Column) -> Option<&[T]> {
    bytemuck::try_cast_slice(column.values.buffer()?.as_slice()).ok()
}

/// Writes a tensor of `cells` elements.
pub(super) fn write<T: Pod>(
    runs: &Runs<&[T]>,
    layout: &Layout,
    cells: usize,
    pad: &[u8],
    pool: &Pool,
) -> Result<Room> {
    let pad = bytemuck::try_pod_read_unaligned(pad).unwrap_or_else(|_| T::zeroed());
    let mut room = pool.room(cells.checked_mul(size_of::<T>()).ok_or_else(outside)?)?;
    let mut out = Cells { rest: room.values::<T>(), pad };
    // Whatever was in the memory before, all of it has to be written.
    layout.write(runs, &mut out).filter(|()| out.rest.is_empty()).ok_or_else(outside)?;
    Ok(room)
}

/// Writes a tensor of records all of which have this one shape, without finding them first; `None` if they have not.
pub(super) fn records<T: Pod>(items: &[Item], tensor: usize, shape: &[usize], room: &mut Room) -> Option<()> {
    let size = product(shape).filter(|&size| size > 0)?;
    for (item, to) in items.iter().zip(room.values::<T>().chunks_exact_mut(size)) {
        let column = item.first.chunk.columns.get(tensor)?;
        if !matches!(&column.shape, RowShape::Fixed(own) if own == shape) || item.rest.is_some() {
            return None;
        }
        let from = (item.first.start as usize).checked_mul(size)?;
        copy(to, cells(column)?.get(from..from.checked_add(size)?)?);
    }
    Some(())
}

/// Copies as many cells as there are.
#[inline(always)]
fn copy<T: Copy>(to: &mut [T], from: &[T]) {
    if let ([to], [from]) = (&mut *to, from) {
        *to = *from;
    } else if from.len() <= FEW {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    } else {
        to.copy_from_slice(from);
    }
}

struct Cells<'a, T> {
    rest: &'a mut [T],
    pad: T,
}

impl<'a, T: NoUninit> Cells<'a, T> {
    #[inline]
    fn next(&mut self, cells: usize) -> Option<&'a mut [T]> {
        let (next, rest) = std::mem::take(&mut self.rest).split_at_mut_checked(cells)?;
        self.rest = rest;
        Some(next)
    }
}

impl<T: NoUninit> Out<&[T]> for Cells<'_, T> {
    #[inline]
    fn copy(&mut self, run: &[T]) -> Option<()> {
        copy(self.next(run.len())?, run);
        Some(())
    }

    #[inline]
    fn fill(&mut self, cells: usize) -> Option<()> {
        let pad = self.pad;
        self.next(cells)?.fill(pad);
        Some(())
    }
}
