//! Dense tensors as lists.

use arrow_array::ArrayRef;

use super::column::{array, equal_lists, lists};
use crate::{DenseTensor, Error, Kind};

/// One list a row, of all its cells.
pub(super) fn flat(tensor: &DenseTensor) -> Result<ArrayRef, Error> {
    let inner = tensor.shape().iter().skip(1);
    let cells = inner.fold(1_usize, |cells, &size| cells.saturating_mul(size));
    lists(equal_lists(tensor.rows(), cells)?, array(tensor.values())?)
}

/// Lists inside of lists, one level for each dimension but the batch.
pub(super) fn nested(tensor: &DenseTensor) -> Result<ArrayRef, Error> {
    let mut lengths = Vec::with_capacity(tensor.shape().len());
    let mut rows = 1_usize;
    for pair in tensor.shape().windows(2) {
        rows = rows
            .checked_mul(pair[0])
            .ok_or_else(|| Error::new(Kind::Overflow, "more lists than 64 bits can count"))?;
        lengths.push((rows, pair[1]));
    }
    let innermost = array(tensor.values())?;
    lengths
        .into_iter()
        .rev()
        .try_fold(innermost, |values, (rows, size)| lists(equal_lists(rows, size)?, values))
}
