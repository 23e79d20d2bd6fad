//! Batches of rows.

use arrow_array::{RecordBatch as ArrowBatch, StructArray};
use arrow_schema::Field;
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyTuple, PyType};
use pyo3_arrow::ffi::{to_array_pycapsules, to_schema_pycapsule};
use tfxio::Origins;

use crate::columns::Array;
use crate::errors::exported;
use crate::imported::GivenBatch;
use crate::schema::{Schema, missing};
use crate::values;

/// File, number in the file, and byte of a record.
type Origin = (String, Option<u64>, Option<u64>);

/// Rows as columns of Arrow. Every library that reads the Arrow PyCapsule interface takes it without a copy.
#[pyclass(frozen, module = "tfxio")]
pub(crate) struct RecordBatch {
    pub(crate) batch: ArrowBatch,
    origins: Origins,
}

impl From<tfxio::Batch> for RecordBatch {
    fn from(batch: tfxio::Batch) -> Self {
        let (batch, origins) = batch.into_parts();
        Self { batch, origins }
    }
}

#[pymethods]
impl RecordBatch {
    /// Returns the batch of any object that has one: of pyarrow, polars, nanoarrow.
    ///
    /// Its values are validated, since the C data interface takes them as their giver describes them.
    /// `dangerously_not_validated` leaves that out: bytes that are not text, or an offset beyond its values, end the
    /// process later.
    #[classmethod]
    #[pyo3(signature = (batch, *, dangerously_not_validated=false))]
    fn from_arrow(
        _class: &Bound<'_, PyType>,
        batch: &Bound<'_, PyAny>,
        dangerously_not_validated: bool,
    ) -> PyResult<Self> {
        let GivenBatch(batch) = match dangerously_not_validated {
            true => GivenBatch::not_validated(batch)?,
            false => batch.extract()?,
        };
        Ok(tfxio::Batch::from(batch).into())
    }

    /// The names and types of the columns.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.batch.schema())
    }

    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// The number of columns.
    #[getter]
    fn num_columns(&self) -> usize {
        self.batch.num_columns()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// Returns the column of a name.
    fn __getitem__(&self, name: &str) -> PyResult<Array> {
        let schema = self.batch.schema_ref();
        match schema.index_of(name) {
            Ok(at) => Ok(Array { field: schema.fields()[at].clone(), array: self.batch.column(at).clone() }),
            Err(_) => Err(PyKeyError::new_err(missing(name, schema))),
        }
    }

    /// Returns rows of the batch, without a copy.
    #[pyo3(signature = (offset=0, length=None))]
    fn slice(&self, offset: usize, length: Option<usize>) -> Self {
        let offset = offset.min(self.batch.num_rows());
        let left = self.batch.num_rows() - offset;
        let length = length.map_or(left, |length| length.min(left));
        let origins = match self.origins.is_empty() {
            true => Origins::default(),
            false => self.origins.slice(offset, length),
        };
        Self { batch: self.batch.slice(offset, length), origins }
    }

    /// Returns the file, the number in the file and the byte of the record that a row was read from; `None` where they are not
    /// known.
    fn origin(&self, row: usize) -> PyResult<Option<Origin>> {
        if row >= self.batch.num_rows() {
            let what = format!("row {row} of a batch of {} rows", self.batch.num_rows());
            return Err(PyIndexError::new_err(what));
        }
        Ok(self.origins.get(row).and_then(|origin| {
            let position = origin.position();
            position.file.map(|file| (file.to_string(), position.record, position.byte))
        }))
    }

    /// Returns the rows as dictionaries.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        for row in 0..self.batch.num_rows() {
            rows.append(values::row(py, &self.batch, row)?)?;
        }
        Ok(rows)
    }

    /// Returns the columns as lists, by name.
    fn to_pydict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for (field, column) in self.batch.schema_ref().fields().iter().zip(self.batch.columns()) {
            columns.set_item(field.name(), values::list(py, column)?)?;
        }
        Ok(columns)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let schema = self.batch.schema_ref();
        let rows = StructArray::from(self.batch.clone());
        let field =
            Field::new_struct("", schema.fields().clone(), false).with_metadata(schema.metadata().clone());
        exported(py, to_array_pycapsules(py, field.into(), &rows, requested_schema))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        exported(py, to_schema_pycapsule(py, self.batch.schema_ref().as_ref()))
    }

    fn __repr__(&self) -> String {
        format!("RecordBatch({} rows)\n{}", self.batch.num_rows(), self.schema().__str__())
    }
}
