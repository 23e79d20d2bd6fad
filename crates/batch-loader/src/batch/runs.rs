//! Runs of a tensor's cells in the chunks of a batch's examples.

use std::ops::Range;

use crate::column::Column;
use crate::error::outside;
use crate::item::{Item, Span, Unit};

use crate::Result;

/// Contiguous cells of a column.
pub(super) trait CellRun: Copy {
    /// Returns the cells from `from` to `to`, or `None` if there are fewer.
    fn part(self, from: usize, to: usize) -> Option<Self>;
    /// Returns how many there are.
    fn cells(self) -> usize;
}

impl<T> CellRun for &[T] {
    fn part(self, from: usize, to: usize) -> Option<Self> {
        self.get(from..to)
    }

    fn cells(self) -> usize {
        self.len()
    }
}

/// One tensor of every example.
pub(super) struct Runs<R> {
    /// The parts of all examples, in order.
    pub(super) runs: Vec<R>,
    pub(super) examples: Vec<Extent>,
}

/// Extent of an example in its tensor.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// The size of its first dimension; 1 if there is none.
    pub(super) steps: usize,
    /// Number of runs up to its end.
    pub(super) end: usize,
}

impl<R> Runs<R> {
    /// Finds the cells of a tensor, which has `inner` of them a step. `run` lends cells of a column.
    pub(super) fn find<'a>(
        items: &'a [Item],
        unit: Unit,
        tensor: usize,
        inner: usize,
        run: impl Fn(&'a Column, usize, usize) -> Option<R>,
    ) -> Result<Self> {
        let mut found =
            Self { runs: Vec::with_capacity(items.len()), examples: Vec::with_capacity(items.len()) };
        for item in items {
            let mut steps = found.add(&item.first, unit, tensor, inner, &run).ok_or_else(outside)?;
            for span in item.rest.iter().flat_map(|rest| rest.iter()) {
                let more = found.add(span, unit, tensor, inner, &run);
                steps = more.and_then(|more| steps.checked_add(more)).ok_or_else(outside)?;
            }
            found.examples.push(Extent { steps, end: found.runs.len() });
        }
        Ok(found)
    }

    /// Adds the run of a part and returns its steps.
    #[inline(always)]
    fn add<'a>(
        &mut self,
        span: &'a Span,
        unit: Unit,
        tensor: usize,
        inner: usize,
        run: &impl Fn(&'a Column, usize, usize) -> Option<R>,
    ) -> Option<usize> {
        let column = span.chunk.columns.get(tensor)?;
        let Range { start, end } = steps(column, unit, span)?;
        self.runs.push(run(column, start.checked_mul(inner)?, end.checked_mul(inner)?)?);
        end.checked_sub(start)
    }

    /// The examples with their runs.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &[R])> + '_ {
        let mut begin = 0;
        self.examples.iter().map(move |example| {
            let runs = self.runs.get(begin..example.end).unwrap_or_default();
            begin = example.end;
            (example.steps, runs)
        })
    }
}

/// Returns the steps of a part, as a range of the steps of its chunk's column.
#[inline(always)]
fn steps(column: &Column, unit: Unit, span: &Span) -> Option<Range<usize>> {
    let start = span.start as usize;
    let units = start..start.checked_add(span.len as usize)?;
    match unit {
        Unit::Steps => Some(units),
        Unit::Row | Unit::Rows => column.steps(units),
    }
}

/// Returns the boundaries of the windows in a list of records, and the length of each record.
pub(super) fn row_lengths(items: &[Item], tensor: usize) -> Result<(Vec<i64>, Vec<i64>)> {
    let (mut splits, mut lengths) = (vec![0], Vec::with_capacity(items.len()));
    for item in items {
        for span in item.spans() {
            let column = span.chunk.columns.get(tensor).ok_or_else(outside)?;
            let start = span.start as usize;
            for row in start..start.saturating_add(span.len as usize) {
                lengths.push(column.steps(row..row.saturating_add(1)).ok_or_else(outside)?.len() as i64);
            }
        }
        splits.push(lengths.len() as i64);
    }
    Ok((splits, lengths))
}
