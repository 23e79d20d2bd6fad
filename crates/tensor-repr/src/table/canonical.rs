//! Columns in one form.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, Schema};

use crate::array::{is_list_type, singleton_lists};
use crate::{Error, ErrorKind};

/// The batch with every column as a `LargeList` of the widest type of its kind.
///
/// Signed integers become int64, unsigned ones uint64, floats float64, strings `LargeBinary`, and bool
/// int8; a `Null` column becomes one of null lists of `LargeBinary`. Lists become `LargeList`s, at
/// every level, and a column without lists becomes one of [`singleton_lists`].
///
/// # Errors
///
/// [`ErrorKind::Unsupported`] for columns of other types. The error names the column.
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
    let to = canonical_type(column.data_type())?;
    let column = if column.data_type() == &to {
        Arc::clone(column)
    } else {
        cast_with_options(column, &to, &CastOptions { safe: false, ..CastOptions::default() })?
    };
    if is_list_type(&to) { Ok(column) } else { Ok(Arc::new(singleton_lists(&column)?)) }
}

fn canonical_type(of: &DataType) -> Result<DataType, Error> {
    use DataType::{
        Binary, BinaryView, Boolean, FixedSizeList, Float16, Float32, Float64, Int8, Int16, Int32, Int64,
        LargeBinary, LargeList, LargeUtf8, List, Null, UInt8, UInt16, UInt32, UInt64, Utf8, Utf8View,
    };
    Ok(match of {
        List(item) | LargeList(item) | FixedSizeList(item, _) => {
            DataType::new_large_list(canonical_type(item.data_type())?, true)
        }
        Int8 | Int16 | Int32 | Int64 => Int64,
        UInt8 | UInt16 | UInt32 | UInt64 => UInt64,
        Float16 | Float32 | Float64 => Float64,
        Boolean => Int8,
        Null | Binary | LargeBinary | BinaryView | Utf8 | LargeUtf8 | Utf8View => LargeBinary,
        other => {
            let text = format!("{other} has no canonical form; numbers, strings and lists of them have");
            return Err(Error::new(ErrorKind::Unsupported, text));
        }
    })
}
