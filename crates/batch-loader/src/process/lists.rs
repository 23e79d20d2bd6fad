//! Steps of processing and constants of tensors whose steps are lists of any number of values.

use tfxio_core::{DType, Limits};

use super::{checked, filled, onehot, slice};
use crate::column::{Column, RowError, RowShape, packed, unpacked};
use crate::config::{Operation, Slice, SliceAxis};
use crate::error::outside;
use crate::pipeline::{PipelineStep, Secondary};
use crate::{Error, Result};

/// Runs a step on a column.
///
/// # Errors
/// As [`apply`](super::apply).
pub(super) fn run(step: &PipelineStep, column: &mut Column, limits: &Limits) -> Result<(), RowError> {
    let inner = step.before.shape.iter().skip(2).copied().flatten().collect::<Vec<_>>();
    let dtype = step.before.dtype;
    match &step.operation {
        Operation::Slice(of) => sliced(of, column, dtype, &inner),
        Operation::OneHot { depth, dtype: to } => {
            let mut lists = column.lists(dtype, &inner).ok_or_else(outside)?;
            onehot::apply(*depth, *to, &mut lists, limits)?;
            column.values = lists.packed_rows().ok_or_else(outside)?;
            Ok(())
        }
        // Refused when the pipeline is compiled.
        Operation::Reshape(_) => Err(outside().into()),
    }
}

/// Takes a slice: its first entry of the steps, the others of the lists.
fn sliced(of: &Slice, column: &mut Column, dtype: DType, inner: &[usize]) -> Result<(), RowError> {
    let Some((first, rest)) = of.axes.split_first() else { return Ok(()) };
    slice::apply(&Slice { axes: vec![*first] }, column)?;
    let rest = Slice { axes: rest.to_vec() };
    if matches!(first, SliceAxis::Index(_)) {
        // One list of each row.
        *column = column.lists(dtype, inner).ok_or_else(outside)?;
        return slice::apply(&rest, column)
            .map_err(|RowError { row, error }| RowError { row, error: of_steps(error) });
    }
    if rest.axes.is_empty() {
        return Ok(());
    }
    let mut lists = column.lists(dtype, inner).ok_or_else(outside)?;
    slice::apply(&rest, &mut lists).map_err(|RowError { row, error }| RowError {
        row: row.and_then(|step| row_of(column, step)),
        error: of_steps(error),
    })?;
    if !matches!(rest.axes.first(), Some(SliceAxis::Index(_))) {
        column.values = lists.packed_rows().ok_or_else(outside)?;
        return Ok(());
    }
    let RowShape::Fixed(inner) = lists.shape else { return Err(outside().into()) };
    let offsets = offsets(column).ok_or_else(outside)?;
    *column = Column { rows: column.rows, shape: RowShape::Leading { offsets, inner }, values: lists.values };
    Ok(())
}

/// Returns the error of a slice of lists, which counts their dimensions.
#[cold]
fn of_steps(error: Error) -> Error {
    let what = format!("of the values of a step, {}", error.what());
    error.saying(what)
}

/// Returns the borders of the rows among the steps.
fn offsets(column: &Column) -> Option<Vec<usize>> {
    (0..=column.rows).map(|row| if row == 0 { Some(0) } else { Some(column.steps(0..row)?.end) }).collect()
}

/// Returns the row that has a step.
fn row_of(column: &Column, step: usize) -> Option<usize> {
    offsets(column)?.partition_point(|&end| end <= step).checked_sub(1)
}

/// Returns a column of one value in every cell, of the shapes of another.
pub(super) fn constant(secondary: &Secondary, like: &Column, of: DType, limits: &Limits) -> Result<Column> {
    let (_, ends) = unpacked(&like.values, of).ok_or_else(outside)?;
    let count = ends.last().copied();
    let count = checked(count, secondary.value.dtype, secondary.value.bytes.len(), limits)?;
    let values = packed(&filled(&secondary.value, count)?, &ends).ok_or_else(outside)?;
    Ok(Column { rows: like.rows, shape: like.shape.clone(), values })
}
