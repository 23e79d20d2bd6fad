//! Columns and batches that are made of objects of Python: lists of values, and arrays of numpy.

use std::sync::Arc;

use arrow_array::builder::BooleanBufferBuilder;
use arrow_array::cast::AsArray as _;
use arrow_array::types::UInt8Type;
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, FixedSizeListArray, LargeListArray, RecordBatch as ArrowBatch,
    RecordBatchOptions, make_array, new_null_array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Schema as ArrowSchema, TimeUnit};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tfxio::{Error, Result};

use crate::batch::RecordBatch;
use crate::columns::Array;
use crate::errors::OrRaise;
use crate::imported::GivenArray;
use crate::objects::{self, Unfit, Value};
use crate::schema::Schema;

/// Returns a column of values, of the type that they have or that the column of a schema has.
///
/// The values are of the rows from `first` on, which errors count by.
#[pyfunction]
#[pyo3(signature = (name, values, first=0, like=None))]
pub(crate) fn array_of_values(
    py: Python<'_>,
    name: &str,
    values: Vec<Bound<'_, PyAny>>,
    first: u64,
    like: Option<&Schema>,
) -> PyResult<Array> {
    let misfit =
        |(row, unfit): (usize, Unfit)| objects::misfit(name, first.saturating_add(row as u64), unfit);
    let of =
        |(row, value): (usize, &Bound<'_, PyAny>)| Value::of(value).map_err(|unfit| misfit((row, unfit)));
    let values = values.iter().enumerate().map(of).collect::<Result<Vec<_>>>().or_raise(py)?;
    let known =
        like.and_then(|schema| schema.0.field_with_name(name).ok()).map(|field| field.data_type().clone());
    let built = py.detach(|| {
        let data_type = known.map_or_else(|| objects::infer(&values), Ok)?;
        objects::build(&values.iter().collect::<Vec<_>>(), &data_type)
    });
    Ok(Array::unnamed(built.map_err(misfit).or_raise(py)?))
}

/// Returns a column of the numbers of a one-dimensional, contiguous array of numpy.
///
/// `kind` is the type of the numbers where their dtype is another: `bool` and `float16` as unsigned ones, `date32`,
/// `timestamp[us]`, `duration[s]`. `nulls` has a truth value for each number: whether it is null.
#[pyfunction]
#[pyo3(signature = (values, kind=None, nulls=None))]
pub(crate) fn array_of_numpy(
    py: Python<'_>,
    values: &Bound<'_, PyAny>,
    kind: Option<&str>,
    nulls: Option<Vec<bool>>,
) -> PyResult<Array> {
    let mut array = GivenArray::not_validated(values)?.array;
    if kind == Some("bool")
        && let Some(bytes) = array.as_primitive_opt::<UInt8Type>()
    {
        array = Arc::new(BooleanArray::from_unary(bytes, |byte| byte != 0));
    }
    let data_type = match kind {
        None | Some("bool") => array.data_type().clone(),
        Some(kind) => {
            stored(kind).ok_or_else(|| PyValueError::new_err(format!("no values are called {kind:?}")))?
        }
    };
    let built = (|| {
        let mut data = array.to_data().into_builder().data_type(data_type);
        if let Some(nulls) = nulls.filter(|nulls| nulls.contains(&true)) {
            let mut valid = BooleanBufferBuilder::new(nulls.len());
            nulls.iter().for_each(|null| valid.append(!null));
            data = data.nulls(Some(NullBuffer::new(valid.finish())));
        }
        Ok(make_array(data.build().map_err(Error::from)?))
    })();
    Ok(Array::unnamed(Result::or_raise(built, py)?))
}

/// Returns the type of values that are stored as numbers.
fn stored(kind: &str) -> Option<DataType> {
    let unit = |of: &str| {
        Some(match kind.strip_prefix(of)?.strip_prefix('[')?.strip_suffix(']')? {
            "s" => TimeUnit::Second,
            "ms" => TimeUnit::Millisecond,
            "us" => TimeUnit::Microsecond,
            "ns" => TimeUnit::Nanosecond,
            _ => return None,
        })
    };
    match kind {
        "float16" => Some(DataType::Float16),
        "date32" => Some(DataType::Date32),
        _ => {
            let time = unit("timestamp").map(|unit| DataType::Timestamp(unit, None));
            time.or_else(|| unit("duration").map(DataType::Duration))
        }
    }
}

/// Returns a column of arrays of one shape, whose values are contiguous.
#[pyfunction]
pub(crate) fn array_of_shape(
    py: Python<'_>,
    values: &Array,
    rows: usize,
    shape: Vec<usize>,
) -> PyResult<Array> {
    let mut array = Arc::clone(&values.array);
    for (at, size) in shape.iter().enumerate().rev() {
        let before = shape.get(..at).unwrap_or_default();
        let lists = before.iter().try_fold(rows, |all, size| all.checked_mul(*size));
        let (Some(lists), Ok(size)) = (lists, i32::try_from(*size)) else {
            return Err(PyValueError::new_err("an array has more values than a column can have"));
        };
        let item = Arc::new(Field::new_list_field(array.data_type().clone(), true));
        let made = FixedSizeListArray::try_new_with_length(item, size, array, None, lists);
        array = Arc::new(made.map_err(Error::from).or_raise(py)?);
    }
    Ok(Array::unnamed(array))
}

/// Returns a column of lists of these lengths, whose values are contiguous; `None` is a row without a list.
#[pyfunction]
pub(crate) fn array_of_lists(py: Python<'_>, values: &Array, lengths: Vec<Option<usize>>) -> PyResult<Array> {
    let item = Arc::new(Field::new_list_field(values.array.data_type().clone(), true));
    let nulls = lengths.contains(&None).then(|| NullBuffer::from_iter(lengths.iter().map(Option::is_some)));
    let all = lengths.iter().try_fold(0usize, |all, length| all.checked_add(length.unwrap_or_default()));
    if all != Some(values.array.len()) {
        return Err(PyValueError::new_err("the lengths of the lists are not those of their values"));
    }
    let offsets = OffsetBuffer::from_lengths(lengths.iter().map(|length| length.unwrap_or_default()));
    let lists = LargeListArray::try_new(item, offsets, Arc::clone(&values.array), nulls);
    Ok(Array::unnamed(Arc::new(lists.map_err(Error::from).or_raise(py)?)))
}

/// Returns columns as a batch, of their own types or of the types of a schema. A column of nulls fits any type.
///
/// # Errors
/// A column has another type than the schema.
#[pyfunction]
#[pyo3(signature = (names, columns, rows, like=None, first=0))]
pub(crate) fn batch_of_columns(
    py: Python<'_>,
    names: Vec<String>,
    columns: Vec<PyRef<'_, Array>>,
    rows: usize,
    like: Option<&Schema>,
    first: u64,
) -> PyResult<RecordBatch> {
    let mut arrays: Vec<ArrayRef> = columns.iter().map(|column| Arc::clone(&column.array)).collect();
    let schema = match like {
        None => {
            let fields = names.iter().zip(&arrays);
            let fields = fields.map(|(name, array)| Field::new(name, array.data_type().clone(), true));
            Arc::new(ArrowSchema::new(fields.collect::<Vec<_>>()))
        }
        Some(schema) => {
            for (array, field) in arrays.iter_mut().zip(schema.0.fields()) {
                if array.data_type() == field.data_type() {
                    continue;
                }
                if !objects::is_nothing(&**array) {
                    let others = objects::called(field.data_type());
                    let what = format!(
                        "it is of the type {}, and others are {others}",
                        objects::called(array.data_type())
                    );
                    return Err(objects::misfit(field.name(), first, Unfit(what))).or_raise(py);
                }
                *array = new_null_array(field.data_type(), rows);
            }
            Arc::clone(&schema.0)
        }
    };
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let batch = ArrowBatch::try_new_with_options(schema, arrays, &options);
    Ok(tfxio::Batch::from(batch.map_err(Error::from).or_raise(py)?).into())
}
