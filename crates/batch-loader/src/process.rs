//! Secondary features and the steps of processing, on whole chunks.
//!
//! A step that changes only a shape shares the values; the others write them once.

mod lists;
mod onehot;
mod slice;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow_buffer::MutableBuffer;
use tensor_repr::Values;
use tfxio_core::{Count, DType, Limits};

use crate::column::{Column, RowError, RowShape};
use crate::config::Operation;
use crate::error::Locate as _;
use crate::error::outside;
use crate::pipeline::{Cell, Pipeline, PipelineStep, Secondary};
use crate::selection::Selection;
use crate::shape::is_of_lists;
use crate::{Error, Kind, Result};

/// Returns the columns of a pipeline's tensors, made from the columns of its features.
///
/// # Errors
/// `Record` for a row that a step does not fit; `LimitExceeded` for more than `limits.batch_bytes` in one column.
#[cfg(test)]
pub(crate) fn apply(
    pipeline: &Pipeline,
    columns: Vec<Column>,
    rows: usize,
    limits: &Limits,
) -> Result<Vec<Column>, RowError> {
    apply_and_count(pipeline, columns, rows, limits).map(|(columns, _)| columns)
}

/// The same, with the number of rows of which a tensor was truncated.
///
/// # Errors
/// As [`apply`].
pub(crate) fn apply_and_count(
    pipeline: &Pipeline,
    mut columns: Vec<Column>,
    rows: usize,
    limits: &Limits,
) -> Result<(Vec<Column>, u64), RowError> {
    let mut truncated = vec![false; if pipeline.steps.iter().any(|step| step.truncates) { rows } else { 0 }];
    for secondary in &pipeline.secondary {
        let column = constant(pipeline, secondary, &columns, rows, limits)
            .map_err(|error| error.of_tensor(Arc::clone(&secondary.info.name)))?;
        columns.push(column);
    }
    for step in &pipeline.steps {
        let Some(column) = columns.get_mut(step.tensor) else { continue };
        if step.truncates {
            for (row, truncated) in truncated.iter_mut().enumerate() {
                let length = column.steps(row..row.saturating_add(1)).map_or(0, |steps| steps.len());
                *truncated |= step.length_after(length) < length;
            }
        }
        step.run(column, limits).map_err(|RowError { row, error }| RowError {
            row,
            error: error.of_tensor(Arc::clone(&step.before.name)),
        })?;
    }
    Ok((columns, truncated.into_iter().filter(|truncated| *truncated).count() as u64))
}

impl PipelineStep {
    /// Runs the step on a column.
    ///
    /// # Errors
    /// As [`apply`].
    pub(crate) fn run(&self, column: &mut Column, limits: &Limits) -> Result<(), RowError> {
        if is_of_lists(&self.before.shape) {
            return lists::run(self, column, limits);
        }
        match &self.operation {
            Operation::Slice(slice) => slice::apply(slice, column),
            Operation::OneHot { depth, dtype } => Ok(onehot::apply(*depth, *dtype, column, limits)?),
            Operation::Reshape(shape) => reshape(shape, column),
        }
    }

    /// The first dimension after the step of a tensor that has this one before. Anything, where the step fails.
    pub(crate) fn length_after(&self, length: usize) -> usize {
        let slice = match &self.operation {
            Operation::OneHot { .. } => return length,
            Operation::Reshape(shape) => return shape.first().copied().unwrap_or(1),
            Operation::Slice(slice) => slice,
        };
        let sizes = std::iter::once(Some(length)).chain(self.before.shape.iter().skip(1).copied());
        let mut left = sizes.enumerate().filter_map(|(axis, size)| match slice.axes.get(axis) {
            None => size,
            Some(axis) => Selection::of(axis, size?).filter(|taken| !taken.drops).map(|taken| taken.count),
        });
        left.next().unwrap_or(1)
    }
}

/// A column of one value in every cell.
fn constant(
    pipeline: &Pipeline,
    secondary: &Secondary,
    columns: &[Column],
    rows: usize,
    limits: &Limits,
) -> Result<Column> {
    let (shape, count) = match secondary.shape_of.and_then(|at| Some((at, columns.get(at)?))) {
        Some((at, column)) if is_of_lists(&secondary.info.shape) => {
            let of = pipeline.primary.get(at).map(|primary| primary.info.dtype).ok_or_else(outside)?;
            return lists::constant(secondary, column, of, limits);
        }
        Some((_, column)) if secondary.steps_only => {
            let inner = secondary.info.shape.iter().skip(1).copied().flatten().collect::<Vec<_>>();
            let ends =
                (0..=rows).map(|row| column.steps(0..row).map(|steps| steps.end)).collect::<Option<Vec<_>>>();
            let offsets = ends.ok_or_else(outside)?;
            let steps = offsets.last().copied().unwrap_or(0);
            let count = inner.iter().copied().try_fold(steps, usize::checked_mul);
            (RowShape::Leading { offsets, inner }, count)
        }
        Some((_, column)) => (column.shape.clone(), Some(column.values.len())),
        None => {
            let shape = secondary.info.shape.iter().copied().flatten().collect::<Vec<_>>();
            let count = shape.iter().copied().try_fold(rows, usize::checked_mul);
            (RowShape::Fixed(shape), count)
        }
    };
    let count = checked(count, secondary.value.dtype, secondary.value.bytes.len(), limits)?;
    Ok(Column { rows, shape, values: filled(&secondary.value, count)? })
}

/// Refuses a column that would be larger than a batch may be. Returns the number of its elements.
fn checked(count: Option<usize>, dtype: DType, text: usize, limits: &Limits) -> Result<usize> {
    // A string has its bytes and an offset.
    let width = dtype.width().unwrap_or(text.saturating_add(size_of::<i64>()));
    let bytes = count.and_then(|count| count.checked_mul(width));
    match (count, bytes) {
        (Some(count), Some(bytes)) if bytes as u64 <= limits.batch_bytes => Ok(count),
        _ => Err(Error::new(
            Kind::LimitExceeded,
            format!(
                "the records that are parsed together would have more than {} of it",
                Count::of(limits.batch_bytes, "byte")
            ),
        )
        .help("make it smaller, or raise the limit of batch_bytes")),
    }
}

/// As many copies of one element.
fn filled(value: &Cell, count: usize) -> Result<Values> {
    if value.dtype == DType::String {
        return Ok(Values::from_strings(std::iter::repeat_n(&value.bytes, count)));
    }
    let mut buffer = MutableBuffer::new(0);
    buffer.repeat_slice_n_times(&value.bytes, count);
    Values::try_new(value.dtype, buffer.into())
}

/// The same values in another shape.
fn reshape(shape: &[usize], column: &mut Column) -> Result<(), RowError> {
    if let RowShape::Leading { offsets, inner } = &column.shape {
        // Both products were checked when the pipeline was compiled.
        let wanted = shape.iter().product::<usize>();
        let each = inner.iter().product::<usize>();
        let found = offsets.windows(2).map(|ends| match ends {
            [start, end] => (end - start) * each,
            _ => wanted,
        });
        if let Some((row, found)) = found.enumerate().find(|(_, found)| *found != wanted) {
            let found = Count::of(found, "value");
            let what = format!("{found} cannot take the shape {shape:?}, which has {wanted}");
            let error = Error::new(Kind::Record, what)
                .help("all records need as many values for a reshape; pad the tensor instead");
            return Err(RowError::at(row, error));
        }
    }
    column.shape = RowShape::Fixed(shape.to_vec());
    Ok(())
}
