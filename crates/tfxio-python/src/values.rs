//! Values of Arrow columns as objects of Python: numbers, `bytes`, `str`, lists and dictionaries.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date64Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyNotImplementedError, PyRecursionError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

/// Deepest nesting of values.
const DEPTH: usize = 200;

/// Returns a row of a batch as a dictionary by the names of the columns.
pub(crate) fn row<'py>(py: Python<'py>, batch: &RecordBatch, row: usize) -> PyResult<Bound<'py, PyDict>> {
    let values = PyDict::new(py);
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        values.set_item(field.name(), value(py, column, row)?)?;
    }
    Ok(values)
}

/// Returns the value of a row, `None` where it is null.
pub(crate) fn value<'py>(py: Python<'py>, array: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>> {
    nested(py, array, row, DEPTH)
}

/// Returns all values.
pub(crate) fn list<'py>(py: Python<'py>, array: &dyn Array) -> PyResult<Bound<'py, PyList>> {
    items(py, array, DEPTH)
}

fn items<'py>(py: Python<'py>, array: &dyn Array, depth: usize) -> PyResult<Bound<'py, PyList>> {
    let values = PyList::empty(py);
    for row in 0..array.len() {
        values.append(nested(py, array, row, depth)?)?;
    }
    Ok(values)
}

macro_rules! number {
    ($py:expr, $array:expr, $row:expr, $type:ty) => {
        $array.as_primitive::<$type>().value($row).into_bound_py_any($py)
    };
}

fn nested<'py>(py: Python<'py>, array: &dyn Array, row: usize, depth: usize) -> PyResult<Bound<'py, PyAny>> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(PyRecursionError::new_err(format!("values lie in each other more than {DEPTH} deep")));
    };
    if array.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    let sub = |items_of: ArrayRef| items(py, &items_of, depth).map(Bound::into_any);
    match array.data_type() {
        DataType::Null => Ok(py.None().into_bound(py)),
        DataType::Boolean => array.as_boolean().value(row).into_bound_py_any(py),
        DataType::Int8 => number!(py, array, row, Int8Type),
        DataType::Int16 => number!(py, array, row, Int16Type),
        DataType::Int32 => number!(py, array, row, Int32Type),
        DataType::Int64 => number!(py, array, row, Int64Type),
        DataType::UInt8 => number!(py, array, row, UInt8Type),
        DataType::UInt16 => number!(py, array, row, UInt16Type),
        DataType::UInt32 => number!(py, array, row, UInt32Type),
        DataType::UInt64 => number!(py, array, row, UInt64Type),
        DataType::Float16 => array.as_primitive::<Float16Type>().value(row).to_f64().into_bound_py_any(py),
        DataType::Float32 => number!(py, array, row, Float32Type),
        DataType::Float64 => number!(py, array, row, Float64Type),
        DataType::Utf8 => Ok(PyString::new(py, array.as_string::<i32>().value(row)).into_any()),
        DataType::LargeUtf8 => Ok(PyString::new(py, array.as_string::<i64>().value(row)).into_any()),
        DataType::Utf8View => Ok(PyString::new(py, array.as_string_view().value(row)).into_any()),
        DataType::Binary => Ok(PyBytes::new(py, array.as_binary::<i32>().value(row)).into_any()),
        DataType::LargeBinary => Ok(PyBytes::new(py, array.as_binary::<i64>().value(row)).into_any()),
        DataType::BinaryView => Ok(PyBytes::new(py, array.as_binary_view().value(row)).into_any()),
        DataType::FixedSizeBinary(_) => {
            Ok(PyBytes::new(py, array.as_fixed_size_binary().value(row)).into_any())
        }
        DataType::List(_) => sub(array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => sub(array.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => sub(array.as_fixed_size_list().value(row)),
        DataType::Struct(fields) => {
            let values = PyDict::new(py);
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                values.set_item(field.name(), nested(py, column, row, depth)?)?;
            }
            Ok(values.into_any())
        }
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let pairs = PyList::empty(py);
            for at in 0..entries.len() {
                let key = nested(py, entries.column(0), at, depth)?;
                pairs.append((key, nested(py, entries.column(1), at, depth)?))?;
            }
            Ok(pairs.into_any())
        }
        DataType::Dictionary(..) => {
            // The keys of one row: those of all would be made for each.
            let one = array.slice(row, 1);
            let dictionary = one.as_any_dictionary();
            match dictionary.normalized_keys().first() {
                Some(&key) => nested(py, dictionary.values(), key, depth),
                None => Ok(py.None().into_bound(py)),
            }
        }
        _ => by_pyarrow(py, array, row),
    }
}

/// Returns the error for a number that pyarrow would change: a date with a time, or a time outside of a day.
fn no_object(array: &dyn Array, row: usize) -> Option<String> {
    const DAY: i64 = 86_400;
    let (number, unit) = match array.data_type() {
        DataType::Date64 => (array.as_primitive::<Date64Type>().value(row), TimeUnit::Millisecond),
        DataType::Time32(TimeUnit::Second) => {
            (array.as_primitive::<Time32SecondType>().value(row).into(), TimeUnit::Second)
        }
        DataType::Time32(unit) => (array.as_primitive::<Time32MillisecondType>().value(row).into(), *unit),
        DataType::Time64(TimeUnit::Microsecond) => {
            (array.as_primitive::<Time64MicrosecondType>().value(row), TimeUnit::Microsecond)
        }
        DataType::Time64(unit) => (array.as_primitive::<Time64NanosecondType>().value(row), *unit),
        _ => return None,
    };
    let day = match unit {
        TimeUnit::Second => DAY,
        TimeUnit::Millisecond => DAY * 1_000,
        TimeUnit::Microsecond => DAY * 1_000_000,
        TimeUnit::Nanosecond => DAY * 1_000_000_000,
    };
    let (is_one, what) = match array.data_type() {
        DataType::Date64 => (number % day == 0, "a whole number of days"),
        _ => ((0..day).contains(&number), "a time of day"),
    };
    let data_type = array.data_type();
    (!is_one).then(|| {
        format!("the number {number} of the type {data_type} is not {what}, and no object of Python; cast the column to int64")
    })
}

/// Dates, decimals and what else has a type of its own in Python: pyarrow knows it.
fn by_pyarrow<'py>(py: Python<'py>, array: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if let Some(what) = no_object(array, row) {
        return Err(PyValueError::new_err(what));
    }
    let data_type = array.data_type().clone();
    let one = crate::columns::Array::unnamed(array.slice(row, 1));
    let pyarrow = py.import("pyarrow").map_err(|missing| {
        let what =
            format!("a value of type {data_type} as an object of Python needs pyarrow: pip install pyarrow");
        let error = PyNotImplementedError::new_err(what);
        error.set_cause(py, Some(missing));
        error
    })?;
    let array = pyarrow.call_method1("array", (Bound::new(py, one)?,))?;
    array.get_item(0)?.call_method0("as_py")
}
