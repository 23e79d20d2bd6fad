//! Tensors of many records in one chunk: what decoding and processing make and batches are gathered from.

mod fill;
mod gather;
mod lists;
mod rows;
mod take;
#[cfg(test)]
mod tests;

use std::ops::Range;

use tensor_repr::Values;

pub(crate) use self::gather::{end_before, gather};
pub(crate) use self::lists::{count, packed, texts, unpacked};
pub(crate) use self::rows::{RowKind, columns_of};
use crate::Error;

/// One tensor of each of a number of rows (records), one after the other.
///
/// The values of all rows are contiguous, in row-major order: row `r` of a column of fixed shape begins at `r · cells`,
/// row `r` of a column whose first dimension varies at `offsets[r] · inner cells`. Steps that are lists of any number of values are
/// an element each ([`packed`]).
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) rows: usize,
    pub(crate) shape: RowShape,
    /// Exactly the elements of all rows, of the tensor's dtype.
    pub(crate) values: Values,
}

/// The shapes of the rows of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RowShape {
    /// Every row has this shape.
    Fixed(Vec<usize>),
    /// The first dimension varies: row `r` has `offsets[r + 1] - offsets[r]` steps, each of the shape `inner`.
    /// There is one offset more than rows; the first is 0.
    Leading { offsets: Vec<usize>, inner: Vec<usize> },
}

impl Column {
    /// The dimensions of one step: all of a row's but the first. None for a scalar, too.
    pub(crate) fn inner(&self) -> &[usize] {
        match &self.shape {
            RowShape::Fixed(shape) => shape.get(1..).unwrap_or_default(),
            RowShape::Leading { inner, .. } => inner,
        }
    }

    /// Returns the steps of these rows among the steps of all rows; a scalar counts as one.
    #[inline(always)]
    pub(crate) fn steps(&self, rows: Range<usize>) -> Option<Range<usize>> {
        match &self.shape {
            RowShape::Fixed(shape) => {
                let first = shape.first().copied().unwrap_or(1);
                Some(rows.start.checked_mul(first)?..rows.end.checked_mul(first)?)
            }
            RowShape::Leading { offsets, .. } => Some(*offsets.get(rows.start)?..*offsets.get(rows.end)?),
        }
    }
}

/// An error in the rows of a chunk, and the first row that it concerns.
#[derive(Debug)]
pub(crate) struct RowError {
    /// The row; `None` when it concerns all.
    pub(crate) row: Option<usize>,
    pub(crate) error: Error,
}

impl RowError {
    #[cold]
    pub(crate) fn at(row: usize, error: Error) -> Self {
        Self { row: Some(row), error }
    }
}

impl From<Error> for RowError {
    fn from(error: Error) -> Self {
        Self { row: None, error }
    }
}
