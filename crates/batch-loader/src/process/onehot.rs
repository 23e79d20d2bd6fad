//! Indices into one-hot vectors.

use arrow_buffer::MutableBuffer;
use tensor_repr::Values;
use tfxio_core::{DType, Limits};

use super::checked;
use crate::Result;
use crate::column::{Column, RowShape};

/// Turns each index into a vector of `depth` zeros with a one at that position; out of range, into zeros.
pub(super) fn apply(depth: usize, dtype: DType, column: &mut Column, limits: &Limits) -> Result<()> {
    let count = checked(column.values.len().checked_mul(depth), dtype, 0, limits)?;
    let one = Values::from_vec(vec![1i64]).cast(dtype)?;
    let one = one.buffer().map_or(&[][..], |one| one.as_slice());
    let indices = column.values.clone().cast(DType::Int64)?;
    let indices = indices.as_slice::<i64>().unwrap_or_default();
    let mut out = MutableBuffer::from_len_zeroed(count.saturating_mul(one.len()));
    if count > 0 {
        for (vector, index) in out.chunks_exact_mut(depth.saturating_mul(one.len()).max(1)).zip(indices) {
            let cell = usize::try_from(*index).ok().filter(|index| *index < depth);
            let cell = cell.and_then(|index| vector.chunks_exact_mut(one.len()).nth(index));
            if let Some(cell) = cell {
                cell.copy_from_slice(one);
            }
        }
    }
    column.values = Values::try_new(dtype, out.into())?;
    match &mut column.shape {
        RowShape::Fixed(shape) | RowShape::Leading { inner: shape, .. } => shape.push(depth),
    }
    Ok(())
}
