//! The steps of the records of a continuous sequence.

use tfxio_core::Count;

use crate::column::{Column, RowError};
use crate::shape::TensorInfo;
use crate::{Error, Kind, Result};

/// Returns the step offsets of the records: the start of each, and the end of the last.
///
/// # Errors
/// `Record` for a record whose tensors differ in their number of steps.
pub(super) fn of_records(
    tensors: &[TensorInfo],
    columns: &[Column],
    rows: usize,
) -> Result<Vec<usize>, RowError> {
    let Some(first) = columns.first() else { return Ok(vec![0; rows + 1]) };
    let end = |row: usize| first.steps(0..row).map(|steps| steps.end);
    let offsets = (0..=rows).filter_map(end).collect();
    for (at, column) in columns.iter().enumerate().skip(1) {
        let steps = |column: &Column, row: usize| column.steps(row..row + 1).map_or(0, |steps| steps.len());
        let mut pairs = (0..rows).map(|row| (row, steps(first, row), steps(column, row)));
        if let Some((row, steps, others)) = pairs.find(|(_, steps, others)| steps != others) {
            let name = |at: usize| tensors.get(at).map_or("", |info| &info.name);
            let what = format!(
                "the tensor {:?} has {}, {:?} has {}",
                name(0),
                Count::of(steps, "step"),
                name(at),
                others
            );
            let error = Error::new(Kind::Record, what).help(
                "all tensors of a continuous sequence have the same length along their first dimension",
            );
            return Err(RowError::at(row, error));
        }
    }
    Ok(offsets)
}
