//! Columns in one form.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, LargeListArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema};

use crate::array::{Lists, is_list_type, singleton_lists, widen};
use crate::kind::Locate as _;
use crate::{Error, Kind};

/// Returns the batch with every column as a `LargeList` of the widest type of its kind.
///
/// Signed integers become int64, unsigned ones uint64, floats float64, strings `LargeBinary`, and bool
/// int8; a `Null` column becomes one of null lists of `LargeBinary`. Lists become `LargeList`s, at
/// every level, and a column without lists becomes one of [`singleton_lists`].
///
/// # Errors
///
/// [`Kind::Unsupported`] for columns of other types. The error names the column.
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int32Array, LargeListArray, RecordBatch, cast::AsArray, types::Int64Type};
/// use tensor_repr::table::canonical_batch;
///
/// let values: ArrayRef = Arc::new(Int32Array::from(vec![Some(7), None]));
/// let batch = canonical_batch(&RecordBatch::try_from_iter([("a", values)])?)?;
/// let lists = LargeListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(7)]), None]);
/// assert_eq!(batch.column(0).as_list::<i64>(), &lists);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn canonical_batch(batch: &RecordBatch) -> Result<RecordBatch, Error> {
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        let column = canonical(column).map_err(|error| error.in_column(field.name()))?;
        fields.push(Field::new(field.name(), column.data_type().clone(), true));
        columns.push(column);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let schema = Schema::new_with_metadata(fields, batch.schema_ref().metadata().clone());
    Ok(RecordBatch::try_new_with_options(Arc::new(schema), columns, &options)?)
}

fn canonical(column: &ArrayRef) -> Result<ArrayRef, Error> {
    let wide = wide(column)?;
    if is_list_type(wide.data_type()) { Ok(wide) } else { Ok(Arc::new(singleton_lists(&wide)?)) }
}

/// Returns the values in the widest type of their kind, in `LargeList`s at every level.
fn wide(column: &ArrayRef) -> Result<ArrayRef, Error> {
    let Some(lists) = Lists::of(column) else {
        return widen(column)?.ok_or_else(|| {
            let of = column.data_type();
            let text = format!("{of} has no canonical form; numbers, strings and lists of them have");
            Error::new(Kind::Unsupported, text)
        });
    };
    let items = wide(lists.values())?;
    let item = Arc::new(Field::new_list_field(items.data_type().clone(), true));
    if column.data_type() == &DataType::LargeList(Arc::clone(&item)) {
        return Ok(Arc::clone(column));
    }
    Ok(Arc::new(LargeListArray::try_new(item, lists.offsets()?, items, column.nulls().cloned())?))
}
