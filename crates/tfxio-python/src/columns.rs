//! Columns of batches.

use arrow_array::{Array as ArrowArray, ArrayRef};
use arrow_schema::{DataType, Field, FieldRef};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyTuple, PyType};
use pyo3_arrow::ffi::{to_array_pycapsules, to_schema_pycapsule};

use crate::errors::{OrRaise, exported};
use crate::imported::GivenArray;
use crate::{numpy, values};

/// The values of a column. Every library that reads the Arrow PyCapsule interface takes it without a copy, numpy where
/// the layout allows it.
#[pyclass(frozen, module = "tfxio")]
pub(crate) struct Array {
    pub(crate) field: FieldRef,
    pub(crate) array: ArrayRef,
}

impl Array {
    pub(crate) fn unnamed(array: ArrayRef) -> Self {
        Self { field: Field::new("", array.data_type().clone(), true).into(), array }
    }
}

#[pymethods]
impl Array {
    /// Returns the values of any object that has some: of pyarrow, polars, nanoarrow.
    ///
    /// Its values are validated, since the C data interface takes them as their giver describes them.
    /// `dangerously_not_validated` leaves that out: bytes that are not text, or an offset beyond its values, end the
    /// process later.
    #[classmethod]
    #[pyo3(signature = (array, *, dangerously_not_validated=false))]
    fn from_arrow(
        _class: &Bound<'_, PyType>,
        array: &Bound<'_, PyAny>,
        dangerously_not_validated: bool,
    ) -> PyResult<Self> {
        let GivenArray { array, field } = match dangerously_not_validated {
            true => GivenArray::not_validated(array)?,
            false => array.extract()?,
        };
        Ok(Self { field, array })
    }

    /// The type, as Arrow writes it.
    #[getter]
    fn r#type(&self) -> String {
        self.array.data_type().to_string()
    }

    /// Number of null values.
    #[getter]
    fn null_count(&self) -> usize {
        self.array.logical_null_count()
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: isize) -> PyResult<Bound<'py, PyAny>> {
        let len = self.array.len();
        let row = if index < 0 { len.checked_add_signed(index) } else { usize::try_from(index).ok() };
        match row.filter(|&row| row < len) {
            Some(row) => values::value(py, &self.array, row),
            None => Err(PyIndexError::new_err(format!("index {index} of an array of {len} values"))),
        }
    }

    /// Returns the values as a list of objects of Python.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        values::list(py, &self.array)
    }

    /// Returns the values as an array of numpy: a read-only view of numbers without nulls, otherwise a copy. Strings, lists and
    /// structs become objects.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numpy::array(py, &self.array)
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        numpy::converted(py, self.to_numpy(py)?, dtype, copy)
    }

    /// The values of all lists, one after the other, without the values of nulls and of rows that a slice has cut away.
    #[getter]
    fn flattened(&self, py: Python<'_>) -> PyResult<Self> {
        if !tfxio::tensor_repr::array::is_list_type(self.array.data_type()) {
            return Err(PyTypeError::new_err(format!(
                "a column of type {} has no lists",
                self.array.data_type()
            )));
        }
        Ok(Self::unnamed(tfxio::tensor_repr::array::flatten_nested(&self.array).or_raise(py)?))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        exported(py, to_array_pycapsules(py, self.field.clone(), &self.array, requested_schema))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        exported(py, to_schema_pycapsule(py, self.field.as_ref()))
    }

    /// The address of the values, by which numpy sees them without a copy.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        numpy::interface_of(py, &self.array)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        const SHOWN: usize = 10;
        let first = self.array.slice(0, self.array.len().min(SHOWN));
        let shown = values::list(py, &first)?.repr()?.to_string();
        let more =
            if self.array.len() > SHOWN { format!("{}, …]", shown.trim_end_matches(']')) } else { shown };
        Ok(format!("Array({}, {}, {more})", self.array.data_type(), self.array.len()))
    }
}

/// Returns whether numpy can see the values of a type.
pub(crate) fn type_string(data_type: &DataType) -> Option<&'static str> {
    Some(match data_type {
        DataType::Int8 => "|i1",
        DataType::UInt8 => "|u1",
        DataType::Int16 => "<i2",
        DataType::UInt16 => "<u2",
        DataType::Int32 => "<i4",
        DataType::UInt32 => "<u4",
        DataType::Int64 => "<i8",
        DataType::UInt64 => "<u8",
        DataType::Float16 => "<f2",
        DataType::Float32 => "<f4",
        DataType::Float64 => "<f8",
        _ => return None,
    })
}
