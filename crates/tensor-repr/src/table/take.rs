//! Chosen rows of a batch.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch, RecordBatchOptions, UInt64Array, downcast_integer_array};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{DataType, Schema};
use arrow_select::take::take;
use tfxio_core::Count;

use super::merged_type::nullable;
use crate::array::Lists;
use crate::kind::Locate as _;
use crate::{Error, Kind};

/// Returns the rows of a batch that `rows` names, in that order, as often as it names them.
///
/// `rows` holds integers of any width. Where it is null, the new row is null in every column.
///
/// # Errors
///
/// - [`Kind::TypeMismatch`] if `rows` does not hold integers.
/// - [`Kind::InvalidArgument`] if the batch has no such row.
/// - [`Kind::Overflow`] if the lists of the new rows hold more than 32-bit offsets can count.
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch, UInt32Array, cast::AsArray, types::Int64Type};
/// use tensor_repr::table::take_rows;
///
/// let values: ArrayRef = Arc::new(Int64Array::from(vec![7, 8, 9]));
/// let batch = RecordBatch::try_from_iter([("a", values)])?;
/// let taken = take_rows(&batch, &UInt32Array::from(vec![2, 0, 2]))?;
/// assert_eq!(taken.column(0).as_primitive::<Int64Type>(), &Int64Array::from(vec![9, 7, 9]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn take_rows(batch: &RecordBatch, rows: &dyn Array) -> Result<RecordBatch, Error> {
    let rows = positions(rows, batch.num_rows())?;
    let mut columns = Vec::with_capacity(batch.num_columns());
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        if !offsets_suffice(column, &rows) {
            let text = "the lists of these rows hold more than 32-bit offsets can count; take fewer rows";
            return Err(Error::new(Kind::Overflow, text).in_column(field.name()));
        }
        columns.push(take(column, &rows, None).map_err(|error| Error::from(error).in_column(field.name()))?);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    let mut schema = batch.schema();
    if rows.null_count() > 0 {
        let fields = schema.fields().iter().map(nullable).collect::<Vec<_>>();
        schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    }
    Ok(RecordBatch::try_new_with_options(schema, columns, &options)?)
}

/// Integers of any type as row numbers, each checked to be one.
fn positions(rows: &dyn Array, len: usize) -> Result<UInt64Array, Error> {
    downcast_integer_array!(
        rows => {
            let checked = rows.iter().enumerate().map(|(at, row)| {
                let Some(row) = row else { return Ok(None) };
                match row.to_usize() {
                    Some(found) if found < len => Ok(Some(found as u64)),
                    _ => {
                        let text = format!("row {row} at {at}: the batch has {}", Count::of(len, "row"));
                        Err(Error::new(Kind::InvalidArgument, text))
                    }
                }
            });
            checked.collect()
        }
        other => Err(Error::new(Kind::TypeMismatch, format!("row numbers expected, found {other}"))),
    )
}

/// Returns whether the lists of 32-bit offsets among the chosen rows have room for their elements. Arrow's kernel would
/// panic where they have not.
fn offsets_suffice(column: &dyn Array, rows: &UInt64Array) -> bool {
    match column.data_type() {
        DataType::List(_) | DataType::Map(..) => {
            let lengths = |row: usize| match column.as_list_opt::<i32>() {
                Some(lists) => lists.value_length(row).as_usize(),
                None => column.as_map_opt().map_or(0, |map| map.value_length(row).as_usize()),
            };
            let chosen = rows.iter().flatten().filter_map(|row| usize::try_from(row).ok());
            let total = chosen.fold(0_usize, |sum, row| sum.saturating_add(lengths(row)));
            i32::try_from(total).is_ok()
        }
        DataType::Struct(_) => {
            column.as_struct().columns().iter().all(|column| offsets_suffice(column, rows))
        }
        // Not exact: as if the longest list of all stood in every row.
        DataType::FixedSizeList(_, size) => {
            let Some(lists) = Lists::of(column) else { return true };
            let items = rows.len().saturating_mul(size.as_usize());
            longest_small_list(lists.values()).saturating_mul(items) <= i32::MAX.as_usize()
        }
        _ => true,
    }
}

/// Returns the most elements in a list of 32-bit offsets that is reached through structs and lists of fixed size.
fn longest_small_list(array: &dyn Array) -> usize {
    match array.data_type() {
        DataType::List(_) => {
            Lists::of(array).and_then(|lists| lists.ranges().map(|range| range.len()).max()).unwrap_or(0)
        }
        DataType::Struct(_) => {
            array.as_struct().columns().iter().map(|column| longest_small_list(column)).max().unwrap_or(0)
        }
        DataType::FixedSizeList(_, size) => Lists::of(array)
            .map_or(0, |lists| longest_small_list(lists.values()).saturating_mul(size.as_usize())),
        _ => 0,
    }
}
