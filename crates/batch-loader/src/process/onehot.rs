//! Indices into one-hot vectors.

use half::{bf16, f16};
use tensor_repr::{Element, Values};
use tfxio_core::{DType, Limits};

use super::checked;
use crate::column::{Column, RowShape};
use crate::{Error, Kind, Result};

/// Turns each index into a vector of `depth` zeros with a one at that position; out of range, into zeros.
pub(super) fn apply(depth: usize, dtype: DType, column: &mut Column, limits: &Limits) -> Result<()> {
    let count = checked(column.values.len().checked_mul(depth), dtype, 0, limits)?;
    column.values = match dtype {
        DType::Int8 => hot(&column.values, depth, count, 1i8),
        DType::Int16 => hot(&column.values, depth, count, 1i16),
        DType::Int32 => hot(&column.values, depth, count, 1i32),
        DType::Int64 => hot(&column.values, depth, count, 1i64),
        DType::UInt8 => hot(&column.values, depth, count, 1u8),
        DType::UInt16 => hot(&column.values, depth, count, 1u16),
        DType::UInt32 => hot(&column.values, depth, count, 1u32),
        DType::UInt64 => hot(&column.values, depth, count, 1u64),
        DType::Float16 => hot(&column.values, depth, count, f16::ONE),
        DType::BFloat16 => hot(&column.values, depth, count, bf16::ONE),
        DType::Float32 => hot(&column.values, depth, count, 1f32),
        DType::Float64 => hot(&column.values, depth, count, 1f64),
        _ => None,
    }
    .ok_or_else(|| {
        let what = format!("one-hot vectors of dtype \"{dtype}\" from \"{}\"", column.values.dtype());
        Error::new(Kind::InvalidValue, what)
    })?;
    match &mut column.shape {
        RowShape::Fixed(shape) | RowShape::Leading { inner: shape, .. } => shape.push(depth),
    }
    Ok(())
}

fn hot<T: Element>(indices: &Values, depth: usize, count: usize, one: T) -> Option<Values> {
    let mut values = vec![T::zeroed(); count];
    if let Some(indices) = indices.as_slice::<i64>() {
        mark(&mut values, indices.iter().copied(), depth, one);
    } else {
        let indices = indices.as_slice::<i32>()?;
        mark(&mut values, indices.iter().copied().map(i64::from), depth, one);
    }
    Some(Values::from_vec(values))
}

fn mark<T: Element>(values: &mut [T], indices: impl Iterator<Item = i64>, depth: usize, one: T) {
    if depth == 0 {
        return;
    }
    for (vector, index) in values.chunks_exact_mut(depth).zip(indices) {
        if let Some(cell) = usize::try_from(index).ok().and_then(|index| vector.get_mut(index)) {
            *cell = one;
        }
    }
}
