//! `arrow.array_util`: functions over arrays.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{
    Array, ArrayRef, GenericListArray, Int32Array, Int64Array, NullArray, OffsetSizeTrait, UInt8Array,
    make_array,
};
use arrow_schema::{DataType, Field};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3_arrow::PyArray;
use tfxio::Result;
use tfxio::tensor_repr::array::{self, EmptyParents};

use super::status::{invalid, of_array, runtime, unimplemented};
use crate::imported::GivenArray;

/// Returns the array of an object.
pub(super) fn given(object: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    imported(object, |object| object.extract::<GivenArray>())
}

/// Returns the array of an object, with text as bytes: it may be no text.
fn given_bytes(object: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let array = imported(object, GivenArray::not_validated)?;
    let bytes = match array.data_type() {
        DataType::Utf8 => DataType::Binary,
        DataType::LargeUtf8 => DataType::LargeBinary,
        _ => return given(object),
    };
    let bytes = array.to_data().into_builder().data_type(bytes).build();
    bytes.map(make_array).map_err(|error| runtime(error.to_string()))
}

fn imported<'py>(
    object: &Bound<'py, PyAny>,
    import: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<GivenArray>,
) -> PyResult<ArrayRef> {
    let array = import(object).map_err(|error| {
        let found = object.get_type().name().map(|name| name.to_string()).unwrap_or_default();
        runtime(format!("an array of Arrow expected, found {found}: {error}"))
    })?;
    Ok(array.array)
}

/// Returns an array of pyarrow.
pub(super) fn given_back(py: Python<'_>, array: impl Array + 'static) -> PyResult<Bound<'_, PyAny>> {
    shared(py, Arc::new(array))
}

fn shared(py: Python<'_>, array: ArrayRef) -> PyResult<Bound<'_, PyAny>> {
    Ok(PyArray::from_array_ref(array).to_pyarrow(py)?.unbind().into_bound(py))
}

/// Calls a function of one array, without the GIL.
fn call<T: Send>(
    object: &Bound<'_, PyAny>,
    function: impl FnOnce(&ArrayRef) -> Result<T> + Send,
) -> PyResult<T> {
    let array = given(object)?;
    object.py().detach(|| function(&array)).map_err(|error| of_array(&error, object))
}

/// Calls a function of one array as `call` does, which does not take lists of a fixed size: tfx-bsl does not.
fn call_of_lists<T: Send>(
    object: &Bound<'_, PyAny>,
    function: impl FnOnce(&ArrayRef) -> Result<T> + Send,
) -> PyResult<T> {
    match given(object)?.data_type() {
        DataType::FixedSizeList(..) => Err(unimplemented(object)),
        _ => call(object, function),
    }
}

/// Returns the number of elements of each list, or of bytes of each string.
#[pyfunction(name = "ListLengthsFromListArray")]
pub(crate) fn list_lengths<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    element_lengths(array)
}

/// Returns the number of elements of each list, or of bytes of each string.
#[pyfunction(name = "GetElementLengths")]
pub(crate) fn element_lengths<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    given_back(array.py(), call_of_lists(array, |array| array::element_lengths(array))?)
}

/// Returns the row of the list of each element.
#[pyfunction(name = "GetFlattenedArrayParentIndices")]
pub(crate) fn parent_indices<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    shared(array.py(), call_of_lists(array, |array| array::parent_indices(array))?)
}

/// Returns 1 for each null, and 0 for each value. A column of the type Null has no bitmap, and so no nulls here.
#[pyfunction(name = "GetArrayNullBitmapAsByteArray")]
pub(crate) fn null_bytes<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let bytes = call(array, |array| {
        Ok(match array.data_type() {
            DataType::Null => UInt8Array::from(vec![0; array.len()]),
            _ => array::null_bytes(array),
        })
    });
    given_back(array.py(), bytes?)
}

/// Returns the number of bytes of all strings.
#[pyfunction(name = "GetBinaryArrayTotalByteSize")]
pub(crate) fn total_string_bytes(array: &Bound<'_, PyAny>) -> PyResult<usize> {
    call(array, |array| array::total_string_bytes(array))
}

/// Returns how many strings are not UTF-8.
#[pyfunction(name = "CountInvalidUTF8")]
pub(crate) fn count_invalid_utf8(array: &Bound<'_, PyAny>) -> PyResult<usize> {
    let bytes = given_bytes(array)?;
    array.py().detach(|| array::count_invalid_utf8(&bytes)).map_err(|error| of_array(&error, array))
}

/// Returns whether tfx-bsl knows the size of arrays of a type.
pub(super) fn is_sized(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) => is_sized(item.data_type()),
        DataType::Struct(fields) => fields.iter().all(|field| is_sized(field.data_type())),
        DataType::Float16 => false,
        DataType::Null | DataType::Boolean => true,
        other => other.is_numeric() && !other.is_decimal() || is_string(other),
    }
}

fn is_string(data_type: &DataType) -> bool {
    is_text(data_type) || is_bytes(data_type)
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8)
}

fn is_bytes(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Binary | DataType::LargeBinary)
}

/// Returns the bytes that an array takes.
#[pyfunction(name = "GetByteSize")]
pub(crate) fn byte_size(array: &Bound<'_, PyAny>) -> PyResult<usize> {
    if !is_sized(given(array)?.data_type()) {
        return Err(unimplemented(array));
    }
    call(array, |array| array::byte_size(array))
}

/// Returns the index of each value in a set of values; null where it has none.
#[pyfunction(name = "IndexIn")]
pub(crate) fn index_in<'py>(
    values: &Bound<'py, PyAny>,
    value_set: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (array, set) = (given(values)?, given(value_set)?);
    let (one, other) = (array.data_type(), set.data_type());
    if matches!(one, DataType::Dictionary(..)) && (array.is_empty() || set.is_empty()) {
        return given_back(values.py(), Int32Array::new_null(array.len()));
    }
    let name = |object: &Bound<'py, PyAny>| object.getattr("type")?.str();
    if one.is_nested() || matches!(one, DataType::Dictionary(..)) {
        return Err(runtime(format!(
            "UNIMPLEMENTED: Function index_in has no kernel matching input types (array[{}])",
            name(values)?
        )));
    }
    let is_comparable = one == other || is_text(one) && is_text(other) || is_bytes(one) && is_bytes(other);
    if !is_comparable {
        let (one, other) = (name(values)?, name(value_set)?);
        return Err(invalid(format!("Array type didn't match type of values set: {one} vs {other}")));
    }
    given_back(values.py(), call(values, |values| array::index_in(values, &set))?)
}

/// Returns the lists, with null ones replaced.
#[pyfunction(name = "FillNullLists")]
pub(crate) fn fill_null_lists<'py>(
    lists: &Bound<'py, PyAny>,
    fill_with: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (array, fill) = (given(lists)?, given(fill_with)?);
    let item = match array.data_type() {
        DataType::List(item) | DataType::LargeList(item) => item,
        _ => return Err(unimplemented(lists)),
    };
    if item.data_type() != fill.data_type() {
        let (expected, found) =
            (lists.getattr("type")?.getattr("value_type")?.str()?, fill_with.getattr("type")?.str()?);
        return Err(runtime(format!(
            "INTERNAL: Arrow error Invalid : Expected a `fill_with` to be of the same type as `list_array`'s \
             value_type, {expected} but got: {found}"
        )));
    }
    shared(lists.py(), call(lists, |lists| array::fill_null_lists(lists, &fill))?)
}

/// Returns lists of values, by the row of each. Rows without values are null, or empty.
#[pyfunction(name = "MakeListArrayFromParentIndicesAndValues")]
#[pyo3(signature = (num_parents, parent_indices, values, empty_list_as_null=true))]
pub(crate) fn lists_from_parent_indices<'py>(
    num_parents: i128,
    parent_indices: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
    empty_list_as_null: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let Ok(num_parents) = usize::try_from(num_parents) else {
        return Err(PyTypeError::new_err(format!("num_parents is a number of lists, not {num_parents}")));
    };
    let (parents, items) = (given(parent_indices)?, given(values)?);
    let Some(parents) = parents.as_primitive_opt::<Int64Type>() else {
        return Err(runtime("INVALID_ARGUMENT: Parent indices array must be int64."));
    };
    if parents.len() != items.len() {
        return Err(runtime(format!(
            "INVALID_ARGUMENT: values array and parent indices array must be of the same length: {} v.s. {}",
            items.len(),
            parents.len()
        )));
    }
    let outside = |parent: &i64| usize::try_from(*parent).is_ok_and(|parent| parent >= num_parents);
    if let Some(parent) = parents.iter().flatten().find(outside) {
        return Err(runtime(format!(
            "INVALID_ARGUMENT: Found a parent index {parent} while num_parents was {num_parents}"
        )));
    }
    let empty = if empty_list_as_null { EmptyParents::Null } else { EmptyParents::Empty };
    let lists = array::lists_from_parent_indices(num_parents, parents, &items, empty);
    given_back(values.py(), lists.map_err(|error| of_array(&error, values))?)
}

/// Returns lists with nulls in the place of lists of a fixed size, which tfx-bsl takes for elements.
fn without_fixed_lists(array: &ArrayRef) -> PyResult<ArrayRef> {
    match array.data_type() {
        DataType::FixedSizeList(..) => Ok(Arc::new(NullArray::new(array.len()))),
        DataType::List(_) => elements_without_fixed_lists::<i32>(array),
        DataType::LargeList(_) => elements_without_fixed_lists::<i64>(array),
        _ => Ok(Arc::clone(array)),
    }
}

fn elements_without_fixed_lists<O: OffsetSizeTrait>(array: &ArrayRef) -> PyResult<ArrayRef> {
    let Some(lists) = array.as_list_opt::<O>() else { return Ok(Arc::clone(array)) };
    let elements = without_fixed_lists(lists.values())?;
    let field = Arc::new(Field::new_list_field(elements.data_type().clone(), true));
    let lists =
        GenericListArray::<O>::try_new(field, lists.offsets().clone(), elements, lists.nulls().cloned());
    Ok(Arc::new(lists.map_err(invalid)?))
}

/// Returns the coordinates of each innermost element, and the shape around them.
#[pyfunction(name = "CooFromListArray")]
pub(crate) fn coo_from_lists<'py>(
    array: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let py = array.py();
    let lists = without_fixed_lists(&given(array)?)?;
    let coo = py.detach(|| array::coo_from_lists(&lists)).map_err(|error| of_array(&error, array))?;
    Ok((given_back(py, Int64Array::from(coo.indices))?, given_back(py, Int64Array::from(coo.dense_shape))?))
}
