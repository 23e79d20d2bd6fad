//! Slices of all rows of a column.
//!
//! The first dimension may differ from row to row; the selection within a step is the same in all of them and is
//! computed once, as contiguous runs of elements.

use std::ops::Range;

use crate::column::{Column, RowError, RowShape, gather};
use crate::config::{Slice, SliceAxis};
use crate::selection::Selection;
use crate::{Error, Kind, Result};

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

    let (shape, is_whole) = match &column.shape {
        RowShape::Fixed(shape) => {
            let Some(size) = shape.first() else { return Ok(()) };
            let taken = Selection::of(first, *size).ok_or_else(|| out_of_range(slice, 0, *size))?;
            let before = (!taken.drops).then_some(taken.count);
            let after = before.into_iter().chain(inner_after).collect();
            (RowShape::Fixed(after), taken.is_whole(*size))
        }
        RowShape::Leading { offsets, .. } => {
            let (after, is_whole) = of_rows(slice, first, offsets)?;
            let shape = match first {
                SliceAxis::Index(_) => RowShape::Fixed(inner_after),
                SliceAxis::Range { .. } => RowShape::Leading { offsets: after, inner: inner_after },
            };
            (shape, is_whole)
        }
    };
    if !(is_whole && inner_is_whole) {
        let step = StepRuns::of(inner, &taken, column.values.is_empty());
        let count = match &shape {
            RowShape::Fixed(shape) => column.rows * shape.iter().product::<usize>(),
            RowShape::Leading { offsets, inner } => {
                offsets.last().copied().unwrap_or(0) * inner.iter().product::<usize>()
            }
        };
        let taken = gather(&column.values, count, runs(column, first, &step));
        column.values =
            taken.ok_or_else(|| Error::new(Kind::Source, "a slice lies outside of its column"))?;
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

/// The offsets of what the first entry takes of each row, and whether that is every step in order.
fn of_rows(slice: &Slice, first: &SliceAxis, offsets: &[usize]) -> Result<(Vec<usize>, bool), RowError> {
    let mut after = Vec::with_capacity(offsets.len());
    let (mut end, mut is_whole) = (0, true);
    after.push(end);
    for (row, ends) in offsets.windows(2).enumerate() {
        let [start, stop] = ends else { continue };
        let size = stop - start;
        let Some(taken) = Selection::of(first, size) else {
            return Err(RowError::at(row, out_of_range(slice, 0, size)));
        };
        end += taken.count;
        is_whole &= taken.is_whole(size);
        after.push(end);
    }
    Ok((after, is_whole))
}

/// The elements that are taken of each step.
struct StepRuns {
    /// The elements of a step.
    cells: usize,
    /// Start of each run.
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
                    .positions()
                    .flat_map(|position| within.iter().map(move |start| position * stride + start))
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

/// The runs of elements that are taken of all rows, in the order in which they are taken.
fn runs(column: &Column, first: &SliceAxis, step: &StepRuns) -> impl Iterator<Item = Range<usize>> {
    let StepRuns { cells, starts, len } = step;
    let is_whole = step.is_whole();
    let taken = |row: usize| {
        let steps = column.steps(row..row + 1)?;
        Some((steps.start, Selection::of(first, steps.len())?))
    };
    (0..column.rows).filter_map(taken).flat_map(move |(begin, taken)| {
        // Whole steps that follow each other are one run.
        let is_run = is_whole && taken.step == 1;
        let (count, len) = if is_run { (1, taken.count * cells) } else { (taken.count, *len) };
        Selection { count, ..taken }.positions().flat_map(move |position| {
            let first = (begin + position) * cells;
            starts.iter().map(move |start| first + start..first + start + len)
        })
    })
}
