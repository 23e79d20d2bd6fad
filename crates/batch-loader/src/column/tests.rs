//! Helpers of tests for columns.

use std::ops::Range;

use super::{Column, RowShape};

impl Column {
    /// Returns the range of values that some consecutive rows have.
    pub(crate) fn cells(&self, rows: Range<usize>) -> Range<usize> {
        match &self.shape {
            RowShape::Fixed(shape) => {
                let cells = shape.iter().product::<usize>();
                rows.start * cells..rows.end * cells
            }
            RowShape::Leading { offsets, inner } => {
                let cells = inner.iter().product::<usize>();
                let at = |row: usize| offsets.get(row).map_or(self.values.len(), |steps| steps * cells);
                at(rows.start)..at(rows.end)
            }
        }
    }

    /// The shape of a row, without the batch.
    pub(crate) fn shape_of(&self, row: usize) -> Vec<usize> {
        match &self.shape {
            RowShape::Fixed(shape) => shape.clone(),
            RowShape::Leading { inner, .. } => {
                let steps = self.steps(row..row + 1).map(|steps| steps.len());
                steps.into_iter().chain(inner.iter().copied()).collect()
            }
        }
    }
}
