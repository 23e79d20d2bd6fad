//! Rows as dictionaries.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

/// Returns a dictionary by name for each row, of columns that are lists of the values of all rows.
#[pyfunction]
pub(crate) fn rows_of_columns<'py>(
    py: Python<'py>,
    names: Vec<Bound<'py, PyString>>,
    columns: Vec<Bound<'py, PyList>>,
    rows: usize,
) -> PyResult<Bound<'py, PyList>> {
    if columns.len() != names.len() || columns.iter().any(|column| column.len() != rows) {
        return Err(PyValueError::new_err(format!(
            "columns are as many as names, and of {rows} values each"
        )));
    }
    let row = |row| {
        let values = PyDict::new(py);
        for (name, column) in names.iter().zip(&columns) {
            values.set_item(name, column.get_item(row)?)?;
        }
        Ok(values)
    };
    PyList::new(py, (0..rows).map(row).collect::<PyResult<Vec<_>>>()?)
}
