//! Zero mean and unit variance along one dimension.

use half::{bf16, f16};
use tfxio_core::{Count, DType};

use super::layout::product;
use super::pool::Room;
use crate::{Error, Kind, Result};

/// Keeps the square root, and the division by it, away from 0.
const EPSILON: f64 = 1e-8;

/// A type of floating-point numbers, calculated with as `f64`.
trait Float: bytemuck::Pod {
    fn get(self) -> f64;
    fn of(value: f64) -> Self;
}

macro_rules! floats {
    ($($type:ty: $get:expr, $of:expr;)*) => {$(
        impl Float for $type {
            #[inline]
            fn get(self) -> f64 {
                $get(self)
            }

            #[inline]
            fn of(value: f64) -> Self {
                $of(value)
            }
        }
    )*};
}

floats! {
    f16: f16::to_f64, f16::from_f64;
    bf16: bf16::to_f64, bf16::from_f64;
    f32: f64::from, |value| value as f32;
    f64: |value| value, |value| value;
}

/// Normalises a tensor of this shape, the batch first, along an axis that does not count the batch: of each series of
/// numbers in that direction, `(x - mean) / (sqrt(variance + 1e-8) + 1e-8)`, where the variance is the population's.
pub(super) fn normalize(room: &mut Room, dtype: DType, shape: &[usize], axis: usize) -> Result<()> {
    let (Some(&length), Some(outer), Some(inner)) = (
        shape.get(axis.saturating_add(1)),
        shape.get(..=axis).and_then(product),
        shape.get(axis.saturating_add(2)..).and_then(product),
    ) else {
        let what =
            format!("axis {axis} is not below the {}", Count::of(shape.len().saturating_sub(1), "dimension"));
        return Err(Error::new(Kind::InvalidValue, what));
    };
    if outer == 0 || length == 0 || inner == 0 {
        return Ok(());
    }
    match dtype {
        DType::Float16 => all(room.values::<f16>(), length, inner),
        DType::BFloat16 => all(room.values::<bf16>(), length, inner),
        DType::Float32 => all(room.values::<f32>(), length, inner),
        DType::Float64 => all(room.values::<f64>(), length, inner),
        other => {
            let what = format!("{other} cannot be normalised, only float16, bfloat16, float32 and float64");
            return Err(Error::new(Kind::InvalidValue, what));
        }
    }
    Ok(())
}

/// Every block of `length` rows of `inner` numbers, the series of which run across the rows.
fn all<T: Float>(values: &mut [T], length: usize, inner: usize) {
    if inner == 1 {
        return values.chunks_exact_mut(length).for_each(series);
    }
    for block in values.chunks_exact_mut(length.saturating_mul(inner)) {
        let wide = inner - inner % LANES;
        for column in (0..wide).step_by(LANES) {
            columns::<T, LANES>(block, inner, column);
        }
        for column in wide..inner {
            columns::<T, 1>(block, inner, column);
        }
    }
}

/// Sums side by side, so that additions need not wait for each other. Their number is part of the result.
const LANES: usize = 8;

/// The sum of a function of all numbers.
#[inline(always)]
fn sum<T: Float>(values: &[T], of: impl Fn(f64) -> f64) -> f64 {
    let mut lanes = [0.0; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane += of(value.get());
        }
    }
    for (lane, &value) in lanes.iter_mut().zip(rest) {
        *lane += of(value.get());
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Returns the factor to unit variance: `squares` is the sum of the squared distances from the mean.
#[inline(always)]
fn scale(squares: f64, count: f64) -> f64 {
    1.0 / ((squares / count + EPSILON).sqrt() + EPSILON)
}

/// Normalises one contiguous series.
fn series<T: Float>(values: &mut [T]) {
    let count = values.len() as f64;
    // Distances from the first, so that equal numbers have exactly that mean.
    let begin = values.first().map_or(0.0, |&first| first.get());
    let mean = begin + sum(values, |value| value - begin) / count;
    let scale = scale(sum(values, |value| (value - mean) * (value - mean)), count);
    for value in values {
        *value = T::of((value.get() - mean) * scale);
    }
}

/// `N` series side by side, from a column on, in a block of rows of `inner` numbers.
fn columns<T: Float, const N: usize>(block: &mut [T], inner: usize, column: usize) {
    let part = |row: &[T]| row.get(column..).and_then(<[T]>::first_chunk::<N>).map(|row| row.map(T::get));
    let Some(begin) = part(block) else { return };
    let rows = block.chunks_exact(inner);
    let count = rows.len() as f64;
    let mut sums = [0.0; N];
    for row in rows.clone().filter_map(part) {
        sums = std::array::from_fn(|at| sums[at] + (row[at] - begin[at]));
    }
    let mean = std::array::from_fn::<f64, N, _>(|at| begin[at] + sums[at] / count);
    let mut squares = [0.0; N];
    for row in rows.filter_map(part) {
        squares = std::array::from_fn(|at| squares[at] + (row[at] - mean[at]) * (row[at] - mean[at]));
    }
    let scale = squares.map(|squares| scale(squares, count));
    for row in block.chunks_exact_mut(inner) {
        if let Some(row) = row.get_mut(column..).and_then(<[T]>::first_chunk_mut::<N>) {
            *row = std::array::from_fn(|at| T::of((row[at].get() - mean[at]) * scale[at]));
        }
    }
}
