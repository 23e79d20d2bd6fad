//! Ragged tensors as lists.

use arrow_array::ArrayRef;
use arrow_buffer::OffsetBuffer;

use super::column;
use crate::array::with_room;
use crate::{Error, Kind, RaggedTensor, RowSplits};

/// Lists inside of lists, one level for each of the row splits; the inner dimensions are flat in the
/// innermost.
pub(super) fn lists(tensor: &RaggedTensor) -> Result<ArrayRef, Error> {
    let width = tensor.inner_shape().iter().fold(1_usize, |width, &size| width.saturating_mul(size));
    nest(tensor.row_splits(), width, column::array(tensor.values())?)
}

/// The lists that row splits divide an array into, which has `width` elements for each innermost item.
pub(super) fn nest(row_splits: &[RowSplits], width: usize, array: ArrayRef) -> Result<ArrayRef, Error> {
    let (mut column, mut width) = (array, width);
    for splits in row_splits.iter().rev() {
        column = column::lists(offsets(splits, width)?, column)?;
        width = 1;
    }
    Ok(column)
}

/// Row splits as offsets of items that are `width` values each. Shared if they are of 64 bits and the
/// items single values.
fn offsets(splits: &RowSplits, width: usize) -> Result<OffsetBuffer<i64>, Error> {
    if let (RowSplits::Int64(splits), 1) = (splits, width) {
        return Ok(OffsetBuffer::new(splits.clone()));
    }
    let too_many = || Error::new(Kind::Overflow, "more values than 64 bits can count");
    let width = i64::try_from(width).map_err(|_| too_many())?;
    let mut offsets = with_room(splits.len())?;
    for split in splits.iter() {
        offsets.push(split.checked_mul(width).ok_or_else(too_many)?);
    }
    Ok(OffsetBuffer::new(offsets.into()))
}
