//! Slices of all rows of a column.
//!
//! The first dimension may differ from row to row; what is taken of a step is the same in all of them and is
//! found out once, as runs of elements that lie one after the other.

use std::ops::Range;

use arrow_array::LargeBinaryArray;
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use tensor_repr::Values;

use crate::column::{Column, RowError, RowShape};
use crate::config::{Slice, SliceAxis};
use crate::{Error, Kind, Result};

/// The positions that an entry of a slice takes of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    /// The first position.
    pub(crate) start: usize,
    /// From one position to the next.
    pub(crate) step: isize,
    /// How many positions.
    pub(crate) count: usize,
    /// Whether the dimension is dropped.
    pub(crate) drops: bool,
}

impl Selection {
    /// What an entry takes of a dimension of this size, as Python does; `None` for an index that there is not,
    /// and for a step of 0.
    pub(crate) fn of(axis: &SliceAxis, size: usize) -> Option<Self> {
        let end = i64::try_from(size).ok()?;
        match *axis {
            SliceAxis::Index(index) => {
                let place = if index < 0 { index.checked_add(end)? } else { index };
                let start = usize::try_from(place).ok().filter(|place| *place < size)?;
                Some(Self { start, step: 1, count: 1, drops: true })
            }
            SliceAxis::Range { start, stop, step } => {
                let forwards = step > 0;
                let (least, most) = if forwards { (0, end) } else { (-1, end - 1) };
                let place = |place: i64| {
                    (if place < 0 { place.saturating_add(end) } else { place }).clamp(least, most)
                };
                let start = start.map_or(if forwards { 0 } else { end - 1 }, place);
                let stop = stop.map_or(if forwards { end } else { -1 }, place);
                let distance = if forwards { stop - start } else { start - stop };
                let count = match u64::try_from(distance) {
                    Ok(distance @ 1..) => (distance - 1).checked_div(step.unsigned_abs())? + 1,
                    _ if step == 0 => return None,
                    _ => 0,
                };
                Some(Self {
                    start: if count == 0 { 0 } else { usize::try_from(start).ok()? },
                    // With one position the step does not matter, and with more it is smaller than the dimension.
                    step: if count > 1 { isize::try_from(step).ok()? } else { 1 },
                    count: usize::try_from(count).ok()?,
                    drops: false,
                })
            }
        }
    }

    fn whole(size: usize) -> Self {
        Self { start: 0, step: 1, count: size, drops: false }
    }

    /// Whether it takes every position in order.
    fn is_whole(&self, size: usize) -> bool {
        self.count == size && self.step == 1
    }

    fn places(self) -> impl Iterator<Item = usize> {
        (0..self.count).map(move |at| self.start.wrapping_add_signed(self.step.wrapping_mul(at as isize)))
    }
}

/// Takes a slice of every row.
pub(super) fn apply(slice: &Slice, column: &mut Column) -> Result<(), RowError> {
    let Some((first, rest)) = slice.axes.split_first() else { return Ok(()) };
    let inner = column.inner();
    let taken = inner.iter().enumerate().map(|(at, size)| match rest.get(at) {
        Some(axis) => Selection::of(axis, *size).ok_or_else(|| out_of_range(slice, at + 1, *size)),
        None => Ok(Selection::whole(*size)),
    });
    let taken = taken.collect::<Result<Vec<_>>>()?;
    let inner_after = taken.iter().filter(|taken| !taken.drops).map(|taken| taken.count).collect::<Vec<_>>();
    let inner_is_whole = taken.iter().zip(inner).all(|(taken, size)| taken.is_whole(*size));

    let (steps, shape, is_whole) = match &column.shape {
        RowShape::Fixed(shape) => {
            let Some(size) = shape.first() else { return Ok(()) };
            let taken = Selection::of(first, *size).ok_or_else(|| out_of_range(slice, 0, *size))?;
            let before = (!taken.drops).then_some(taken.count);
            let after = before.into_iter().chain(inner_after).collect();
            (Steps::Same(taken, *size), RowShape::Fixed(after), taken.is_whole(*size))
        }
        RowShape::Leading { offsets, .. } => {
            let (all, after) = of_rows(slice, first, offsets)?;
            let is_whole = after.as_ref() == Some(offsets)
                && all.iter().all(|taken| taken.count <= 1 || taken.step == 1);
            let shape = match after {
                Some(offsets) => RowShape::Leading { offsets, inner: inner_after },
                None => RowShape::Fixed(inner_after),
            };
            (Steps::Each(all, offsets), shape, is_whole)
        }
    };
    if !(is_whole && inner_is_whole) {
        let plan =
            Plan { rows: column.rows, steps, step: StepRuns::of(inner, &taken, column.values.is_empty()) };
        column.values = plan.gather(&column.values)?;
    }
    column.shape = shape;
    Ok(())
}

#[cold]
fn out_of_range(slice: &Slice, axis: usize, size: usize) -> Error {
    let what =
        format!("the slice {slice} takes a position of dimension {axis} that does not exist: it has {size}");
    Error::new(Kind::Record, what)
        .help("an index needs its position in every record; a range such as -1: takes what there is")
}

/// What the first entry takes of each row, and the offsets of what is taken unless the dimension is dropped.
fn of_rows(
    slice: &Slice,
    first: &SliceAxis,
    offsets: &[usize],
) -> Result<(Vec<Selection>, Option<Vec<usize>>), RowError> {
    let mut all = Vec::with_capacity(offsets.len());
    let mut after = Vec::with_capacity(offsets.len());
    let mut end = 0;
    after.push(end);
    for (row, ends) in offsets.windows(2).enumerate() {
        let [start, stop] = ends else { continue };
        let size = stop - start;
        let Some(taken) = Selection::of(first, size) else {
            return Err(RowError::at(row, out_of_range(slice, 0, size)));
        };
        end += taken.count;
        after.push(end);
        all.push(taken);
    }
    Ok((all, matches!(first, SliceAxis::Range { .. }).then_some(after)))
}

/// What is taken of all rows.
struct Plan<'a> {
    rows: usize,
    steps: Steps<'a>,
    step: StepRuns,
}

/// The steps that are taken of each row.
enum Steps<'a> {
    /// The same of every row, and how many each row has.
    Same(Selection, usize),
    /// Row by row, and where their steps begin.
    Each(Vec<Selection>, &'a [usize]),
}

/// The elements that are taken of each step.
struct StepRuns {
    /// The elements of a step.
    cells: usize,
    /// Where the runs begin.
    starts: Vec<usize>,
    /// The elements of a run.
    len: usize,
}

impl StepRuns {
    fn of(sizes: &[usize], taken: &[Selection], nothing: bool) -> Self {
        let cells = sizes.iter().product();
        if nothing || taken.iter().any(|taken| taken.count == 0) {
            return Self { cells, starts: Vec::new(), len: 0 };
        }
        let mut starts = vec![0];
        let mut len = 1;
        let mut stride = 1;
        let mut is_run = true;
        // From the innermost dimension outwards: runs grow as long as everything within is taken.
        for (size, taken) in sizes.iter().zip(taken).rev() {
            if is_run && taken.step == 1 {
                len *= taken.count;
                starts = vec![taken.start * stride];
                is_run = taken.is_whole(*size);
            } else {
                let within = std::mem::take(&mut starts);
                starts = taken
                    .places()
                    .flat_map(|place| within.iter().map(move |start| place * stride + start))
                    .collect();
                is_run = false;
            }
            stride *= size;
        }
        Self { cells, starts, len }
    }

    /// Whether a step is taken as it is.
    fn is_whole(&self) -> bool {
        self.len == self.cells && self.starts.len() == 1
    }
}

impl Plan<'_> {
    /// The number of elements that are taken.
    fn count(&self) -> usize {
        let steps = match &self.steps {
            Steps::Same(taken, _) => taken.count * self.rows,
            Steps::Each(all, _) => all.iter().map(|taken| taken.count).sum(),
        };
        steps * self.step.starts.len() * self.step.len
    }

    /// Calls a function with each run of elements, in the order in which they are taken.
    fn each_run(&self, mut run: impl FnMut(Range<usize>)) {
        let StepRuns { cells, starts, len } = &self.step;
        if starts.is_empty() || *len == 0 {
            return;
        }
        let is_whole = self.step.is_whole();
        let mut row = |taken: &Selection, first: usize| {
            if is_whole && taken.step == 1 {
                let start = (first + taken.start) * cells;
                run(start..start + taken.count * cells);
                return;
            }
            for place in taken.places() {
                let step = (first + place) * cells;
                for start in starts {
                    run(step + start..step + start + len);
                }
            }
        };
        match &self.steps {
            Steps::Same(taken, size) => (0..self.rows).for_each(|at| row(taken, at * size)),
            Steps::Each(all, offsets) => {
                all.iter().zip(*offsets).for_each(|(taken, first)| row(taken, *first))
            }
        }
    }

    fn gather(&self, values: &Values) -> Result<Values> {
        let Some(buffer) = values.buffer() else { return self.gather_strings(values) };
        let buffer = match values.dtype().width() {
            Some(1) => self.gather_elements::<u8>(buffer),
            Some(2) => self.gather_elements::<u16>(buffer),
            Some(4) => self.gather_elements::<u32>(buffer),
            _ => self.gather_elements::<u64>(buffer),
        };
        Values::try_new(values.dtype(), buffer)
    }

    fn gather_elements<T: bytemuck::Pod + arrow_buffer::ArrowNativeType>(&self, buffer: &Buffer) -> Buffer {
        let from = bytemuck::try_cast_slice::<u8, T>(buffer.as_slice()).unwrap_or_default();
        let mut taken = Vec::with_capacity(self.count());
        if self.step.len == 1 && !(self.step.is_whole() && self.step.cells > 1) {
            self.each_run(|run| match from.get(run.clone()) {
                Some([one]) => taken.push(*one),
                some => taken.extend_from_slice(some.unwrap_or_default()),
            });
        } else {
            self.each_run(|run| taken.extend_from_slice(from.get(run).unwrap_or_default()));
        }
        Buffer::from_vec(taken)
    }

    /// Consecutive strings are copied at once.
    fn gather_strings(&self, values: &Values) -> Result<Values> {
        let Some(strings) = values.as_strings() else { return Ok(values.clone()) };
        let mut ends = Vec::with_capacity(self.count() + 1);
        let mut bytes = Vec::new();
        ends.push(0i64);
        let data = strings.data().as_slice();
        // The end of a string, or the beginning of the first.
        let end = |at: usize| match (strings.small_offsets(), strings.large_offsets()) {
            (Some(offsets), _) => offsets.get(at).and_then(|end| usize::try_from(*end).ok()),
            (None, offsets) => {
                offsets.and_then(|offsets| offsets.get(at)).and_then(|end| usize::try_from(*end).ok())
            }
        };
        self.each_run(|run| {
            let (Some(first), Some(last)) = (end(run.start), end(run.end)) else { return };
            let before = bytes.len();
            bytes.extend_from_slice(data.get(first..last).unwrap_or_default());
            for at in run.start..run.end {
                let here = end(at + 1).unwrap_or(last) - first;
                ends.push((before + here) as i64);
            }
        });
        let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
        let array = LargeBinaryArray::try_new(ends, Buffer::from_vec(bytes), None);
        let array = array.map_err(|error| no_column(error.into()))?;
        Values::from_array(&array).map_err(|error| no_column(error.into()))
    }
}

#[cold]
fn no_column(error: Box<dyn std::error::Error + Send + Sync>) -> Error {
    Error::new(Kind::Source, "sliced strings do not make a column").because(error)
}
