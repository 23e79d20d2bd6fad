//! Sparse tensors as lists.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array};
use arrow_buffer::OffsetBuffer;

use super::column;
use crate::array::{int64, with_room};
use crate::{Error, Kind, SparseTensor};

/// Returns the values of each row. The entries of a row must be at 0, 1, 2, …
pub(super) fn lists(tensor: &SparseTensor) -> Result<ArrayRef, Error> {
    let offsets = offsets(tensor)?;
    let mut row = 0;
    for (entry, index) in tensor.indices().chunks_exact(2).enumerate() {
        while offsets.get(row + 1).is_some_and(|&end| end <= int64(entry)) {
            row += 1;
        }
        let within = offsets.get(row).map(|&start| int64(entry) - start);
        if within != Some(index[1]) {
            let text = format!(
                "entry {entry} has the index {index:?}, and the entries of row {row} have to stand at 0, 1, 2, … to become a list; name the tensor in with_generic_sparse_tensors"
            );
            return Err(Error::new(Kind::InvalidTensor, text));
        }
    }
    column::lists(offsets, column::array(tensor.values())?)
}

/// Appends the values of each row, and for each dimension their indices.
pub(super) fn with_indices(tensor: &SparseTensor, columns: &mut Vec<ArrayRef>) -> Result<(), Error> {
    let offsets = offsets(tensor)?;
    columns.push(column::lists(offsets.clone(), column::array(tensor.values())?)?);
    for dimension in 1..tensor.rank() {
        let mut indices: Vec<i64> = with_room(tensor.entries())?;
        indices.extend(tensor.indices().iter().skip(dimension).step_by(tensor.rank()));
        columns.push(column::lists(offsets.clone(), Arc::new(Int64Array::from(indices)))?);
    }
    Ok(())
}

/// Returns the offsets of the entries of each row.
fn offsets(tensor: &SparseTensor) -> Result<OffsetBuffer<i64>, Error> {
    let mut offsets = with_room(tensor.rows().saturating_add(1))?;
    offsets.push(0);
    let rows = tensor.indices().iter().step_by(tensor.rank());
    for (entry, &row) in rows.enumerate() {
        // The tensor holds no index outside of its shape.
        let row = usize::try_from(row).unwrap_or(usize::MAX).min(tensor.rows());
        if row + 1 < offsets.len() {
            let before = offsets.len() - 1;
            let text = format!(
                "entry {entry} is of row {row}, and one of row {before} stands before it: sort the entries"
            );
            return Err(Error::new(Kind::InvalidTensor, text));
        }
        offsets.resize(row + 1, int64(entry));
    }
    offsets.resize(tensor.rows().saturating_add(1), int64(tensor.entries()));
    Ok(OffsetBuffer::new(offsets.into()))
}
