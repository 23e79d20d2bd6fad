//! Schemas: the names and types of columns.

use arrow_schema::{Schema as ArrowSchema, SchemaRef};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyType};
use pyo3_arrow::ffi::to_schema_pycapsule;

use crate::errors::{OrRaise, exported};
use crate::imported::GivenSchema;

/// The names and types of columns. Every library that reads the Arrow PyCapsule interface takes it.
#[pyclass(frozen, eq, module = "tfxio", from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct Schema(pub(crate) SchemaRef);

#[pymethods]
impl Schema {
    /// Returns the schema of any object that has one: of pyarrow, polars, a data set.
    #[classmethod]
    fn from_arrow(_class: &Bound<'_, PyType>, schema: GivenSchema) -> Self {
        Self(schema.0)
    }

    /// The names of the columns, in order.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.0.fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// The types of the columns, in order, as Arrow writes them.
    #[getter]
    fn types(&self) -> Vec<String> {
        self.0.fields().iter().map(|field| field.data_type().to_string()).collect()
    }

    /// Returns the type of a column, as Arrow writes it.
    fn __getitem__(&self, name: &str) -> PyResult<String> {
        match self.0.field_with_name(name) {
            Ok(field) => Ok(field.data_type().to_string()),
            Err(_) => Err(PyKeyError::new_err(missing(name, &self.0))),
        }
    }

    fn __contains__(&self, name: &str) -> bool {
        self.0.field_with_name(name).is_ok()
    }

    fn __len__(&self) -> usize {
        self.0.fields().len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.names().into_pyobject(py)?.call_method0("__iter__")
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        exported(py, to_schema_pycapsule(py, self.0.as_ref()))
    }

    fn __repr__(&self) -> String {
        format!("Schema({})", self.__str__().replace('\n', "\n       "))
    }

    pub(crate) fn __str__(&self) -> String {
        let width = self.names().iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let field = |(name, data_type): (&str, String)| format!("{name:width$}  {data_type}");
        self.names().into_iter().zip(self.types()).map(field).collect::<Vec<_>>().join("\n")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let text =
            serde_json::to_string(self.0.as_ref()).map_err(|error| crate::options::not_json(&error))?;
        Ok((py.get_type::<Self>().getattr("_from_json")?, (text,)))
    }

    #[classmethod]
    fn _from_json(_class: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        let schema =
            serde_json::from_str::<ArrowSchema>(text).map_err(|error| crate::options::not_json(&error))?;
        Ok(Self(schema.into()))
    }
}

/// Returns the message of an unknown column, with the nearest name.
pub(crate) fn missing(name: &str, schema: &ArrowSchema) -> String {
    let names = schema.fields().iter().map(|field| field.name().as_str());
    format!("no column {name:?}: {}", tfxio::tfxio_core::suggest::hint(name, names, "columns"))
}

/// Returns a schema of TensorFlow Metadata as text, from its text or its bytes.
#[pyfunction]
pub(crate) fn schema_text(py: Python<'_>, schema: &[u8]) -> PyResult<String> {
    Ok(tfxio::tensor_repr::TfmdSchema::from_either(schema).or_raise(py)?.to_text())
}
