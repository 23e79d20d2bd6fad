//! Views of numpy, by the array interface: numpy reads the memory of Arrow and keeps its owner alive.

use arrow_array::{Array, ArrayRef};
use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::columns::{self, type_string};
use crate::values;

/// Returns the description of memory by which numpy sees it: read-only, without strides.
pub(crate) fn interface<'py>(
    py: Python<'py>,
    type_string: &str,
    shape: &[usize],
    address: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let interface = PyDict::new(py);
    interface.set_item("version", 3)?;
    interface.set_item("typestr", type_string)?;
    interface.set_item("shape", PyTuple::new(py, shape)?)?;
    interface.set_item("data", (address, true))?;
    Ok(interface)
}

/// Returns the description of a column of numbers.
///
/// # Errors
/// `AttributeError`, by which numpy takes another way, if the values are not numbers or some are null.
pub(crate) fn interface_of<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyDict>> {
    let data = array.to_data();
    let view = type_string(array.data_type()).filter(|_| array.null_count() == 0);
    let (Some(name), Some(buffer)) = (view, data.buffers().first()) else {
        return Err(PyAttributeError::new_err("__array_interface__"));
    };
    let width = array.data_type().primitive_width().unwrap_or(1);
    let address = buffer.as_ptr().addr() + data.offset() * width;
    interface(py, name, &[array.len()], address)
}

/// Returns a column as an array of numpy, without a copy where numbers have no nulls.
pub(crate) fn array<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import("numpy")?;
    if type_string(array.data_type()).is_some() && array.null_count() == 0 {
        let owner = Bound::new(py, columns::Array::unnamed(array.clone()))?;
        return numpy.call_method1("asarray", (owner,));
    }
    let all = values::list(py, array)?;
    if *array.data_type() == arrow_schema::DataType::Boolean && array.null_count() == 0 {
        return numpy.call_method1("array", (all, "bool"));
    }
    // Item by item: numpy would make lists of equal length a second dimension.
    let objects = numpy.call_method1("empty", (array.len(), "O"))?;
    for (row, value) in all.iter().enumerate() {
        objects.set_item(row, value)?;
    }
    Ok(objects)
}

/// Does what numpy asks of `__array__`: another type, a copy, or none.
pub(crate) fn converted<'py>(
    py: Python<'py>,
    array: Bound<'py, PyAny>,
    dtype: Option<Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let is_view = !array.getattr("flags")?.getattr("owndata")?.extract::<bool>()?;
    let dtype = match dtype {
        Some(dtype) => dtype,
        None => array.getattr("dtype")?,
    };
    let is_same = array.getattr("dtype")?.eq(&dtype)?;
    if copy == Some(false) && !(is_same && is_view) {
        return Err(PyValueError::new_err("these values cannot become an array of numpy without a copy"));
    }
    let fields = PyDict::new(py);
    fields.set_item("copy", copy == Some(true) && is_view)?;
    array.call_method("astype", (dtype,), Some(&fields))
}
