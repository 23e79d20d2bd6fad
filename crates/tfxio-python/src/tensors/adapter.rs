//! Tensors of batches that come from anywhere.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tfxio::Result;
use tfxio::tensor_repr::Adapter;

use super::{Description, by_name, specs};
use crate::batch::RecordBatch;
use crate::errors::OrRaise;
use crate::schema::Schema;

/// Turns batches of one schema into tensors, without a copy where the layout allows it.
#[pyclass(frozen, module = "tfxio")]
pub(crate) struct TensorAdapter(Adapter);

#[pymethods]
impl TensorAdapter {
    #[new]
    fn new(py: Python<'_>, schema: &Schema, descriptions: Vec<(String, Description)>) -> PyResult<Self> {
        let named =
            |(name, of): (String, Description)| Ok((name.clone(), of.representation(&name, &schema.0)?));
        let representations = descriptions.into_iter().map(named).collect::<Result<Vec<_>>>().or_raise(py)?;
        Ok(Self(Adapter::builder(Arc::clone(&schema.0), representations).build().or_raise(py)?))
    }

    /// The kind, dtype and shape of each tensor, by name.
    #[getter]
    fn specs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        specs(py, self.0.specs())
    }

    /// Returns the tensors of a batch, by name; only some of them, if names are given.
    #[pyo3(signature = (batch, names=None))]
    fn tensors<'py>(
        &self,
        py: Python<'py>,
        batch: &RecordBatch,
        names: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let names = names.as_ref().map(|names| names.iter().map(String::as_str).collect::<Vec<_>>());
        let tensors = py.detach(|| match names {
            Some(names) => self.0.tensors_of(&batch.batch, &names),
            None => self.0.tensors(&batch.batch),
        });
        by_name(py, tensors.or_raise(py)?)
    }
}
