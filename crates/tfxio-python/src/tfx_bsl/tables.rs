//! `arrow.table_util`: functions over batches.

use arrow_array::{Array as _, ArrayRef, RecordBatch, downcast_integer_array};
use arrow_buffer::ArrowNativeType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use tfxio::tensor_repr::{Kind, array, table};

use super::arrays::{given, is_sized};
use super::status::{runtime, unimplemented};
use crate::imported::GivenBatch;

/// Returns the batch of an object.
pub(super) fn given_batch(object: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let batch = object.extract::<GivenBatch>().map_err(|error| runtime(error.to_string()))?;
    Ok(batch.0)
}

/// Returns a batch of pyarrow.
pub(super) fn batch_back(py: Python<'_>, batch: RecordBatch) -> PyResult<Bound<'_, PyAny>> {
    if let Some(field) = batch.schema_ref().fields().iter().find(|field| field.name().contains('\0')) {
        let name = field.name();
        return Err(runtime(format!(
            "INVALID_ARGUMENT: the column {name:?} has a NUL in its name, which the C data interface of Arrow cannot hold"
        )));
    }
    PyRecordBatch::new(batch).into_pyarrow(py)
}

/// Returns the rows of several batches, whose columns need not be the same.
#[pyfunction(name = "MergeRecordBatches")]
pub(crate) fn merge_batches<'py>(batches: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = batches.py();
    let batches = batches.try_iter()?.map(|batch| given_batch(&batch?)).collect::<PyResult<Vec<_>>>()?;
    let merged =
        py.detach(|| table::merge_batches(&batches)).map_err(|error| match error.detail::<Kind>() {
            Some(Kind::TypeMismatch) => {
                runtime(format!("FAILED_PRECONDITION: Unable to merge incompatible type: {error}"))
            }
            _ => runtime(format!("INVALID_ARGUMENT: {error}")),
        })?;
    batch_back(py, merged)
}

/// Returns chosen rows.
#[pyfunction(name = "RecordBatchTake")]
pub(crate) fn take_rows<'py>(
    batch: &Bound<'py, PyAny>,
    indices: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = batch.py();
    let (batch, rows) = (given_batch(batch)?, given(indices)?);
    let taken = py.detach(|| table::take_rows(&batch, &rows));
    let taken = taken.map_err(|error| match error.detail::<Kind>() {
        Some(Kind::InvalidArgument) => {
            let row = outside(&rows, batch.num_rows()).unwrap_or_default();
            runtime(format!("INTERNAL: Arrow error Index error : Index {row} out of bounds: {error}"))
        }
        Some(Kind::TypeMismatch) => {
            runtime(format!("UNIMPLEMENTED: Function array_take has no kernel matching input types: {error}"))
        }
        _ => runtime(format!("INVALID_ARGUMENT: {error}")),
    })?;
    batch_back(py, taken)
}

/// Returns the first of the row numbers that is none of a batch, as text.
fn outside(rows: &ArrayRef, count: usize) -> Option<String> {
    downcast_integer_array!(
        rows => {
            let is_outside = |row: &_| ArrowNativeType::to_usize(*row).is_none_or(|row| row >= count);
            rows.iter().flatten().find(is_outside).map(|row| row.to_string())
        }
        _ => None
    )
}

/// Returns the bytes that the rows take, with or without columns whose size is not known.
#[pyfunction(name = "TotalByteSize")]
#[pyo3(signature = (record_batch, ignore_unsupported=false))]
pub(crate) fn batch_byte_size(record_batch: &Bound<'_, PyAny>, ignore_unsupported: bool) -> PyResult<usize> {
    let batch = given_batch(record_batch)?;
    let mut total = 0_usize;
    for (at, column) in batch.columns().iter().enumerate() {
        let size = is_sized(column.data_type()).then(|| array::byte_size(column).ok()).flatten();
        match size {
            Some(size) => total = total.saturating_add(size),
            None if ignore_unsupported => {}
            None => {
                let columns = record_batch.getattr("columns")?;
                return Err(match columns.get_item(at) {
                    Ok(column) => unimplemented(&column),
                    Err(error) => PyTypeError::new_err(error.to_string()),
                });
            }
        }
    }
    Ok(total)
}
