//! Tensors: dense, sparse, ragged and structured.

mod adapter;
mod dense;
mod description;
mod dlpack;
mod read;
mod tensor_proto;

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tfxio::Error;
use tfxio::tensor_repr::{RowSplits, Tensor, TensorBatch, Values};

pub(crate) use self::adapter::TensorAdapter;
pub(crate) use self::dense::DenseTensor;
pub(crate) use self::description::Description;
pub(crate) use self::read::{TensorReader, Tensors, specs};
use crate::errors::OrRaise;

/// Returns the tensors of a batch by name.
pub(crate) fn by_name(py: Python<'_>, batch: TensorBatch) -> PyResult<Bound<'_, PyDict>> {
    let tensors = PyDict::new(py);
    for (name, tensor) in batch {
        tensors.set_item(&*name, object(py, tensor)?)?;
    }
    Ok(tensors)
}

/// Returns a tensor as an object of its class.
fn object(py: Python<'_>, tensor: Tensor) -> PyResult<Bound<'_, PyAny>> {
    match tensor {
        Tensor::Dense(tensor) => Ok(Bound::new(py, DenseTensor::from(tensor))?.into_any()),
        Tensor::Sparse(tensor) => Ok(Bound::new(py, SparseTensor(tensor))?.into_any()),
        Tensor::Ragged(tensor) => Ok(Bound::new(py, RaggedTensor(tensor))?.into_any()),
        Tensor::Structured(tensor) => Ok(Bound::new(py, StructuredTensor(tensor))?.into_any()),
        other => Err(crate::errors::exception(py, &unknown(&other))),
    }
}

fn unknown(tensor: &Tensor) -> Error {
    Error::new(tfxio::ErrorKind::Unsupported, format!("no class of Python for a tensor of {}", tensor.spec()))
}

/// Returns values as a dense tensor.
fn dense(py: Python<'_>, shape: Vec<usize>, values: Values) -> PyResult<DenseTensor> {
    Ok(tfxio::tensor_repr::DenseTensor::try_new(shape, values).or_raise(py)?.into())
}

/// Returns each row splits as a dense tensor of one dimension.
fn splits(py: Python<'_>, row_splits: &[RowSplits]) -> PyResult<Vec<DenseTensor>> {
    let values = |splits: &RowSplits| match splits {
        RowSplits::Int32(splits) => Values::try_new(tfxio::DType::Int32, splits.inner().clone()),
        RowSplits::Int64(splits) => Values::try_new(tfxio::DType::Int64, splits.inner().clone()),
    };
    row_splits.iter().map(|splits| dense(py, vec![splits.len()], values(splits).or_raise(py)?)).collect()
}

/// A tensor of which only some values are kept, each with its indices.
#[pyclass(frozen, module = "tfxio")]
pub(crate) struct SparseTensor(tfxio::tensor_repr::SparseTensor);

#[pymethods]
impl SparseTensor {
    /// The indices of the values: int64, of shape [values, rank].
    #[getter]
    fn indices(&self, py: Python<'_>) -> PyResult<DenseTensor> {
        let values = Values::try_new(tfxio::DType::Int64, self.0.indices().inner().clone()).or_raise(py)?;
        dense(py, vec![self.0.entries(), self.0.rank()], values)
    }

    /// The values: of shape [values].
    #[getter]
    fn values(&self, py: Python<'_>) -> PyResult<DenseTensor> {
        dense(py, vec![self.0.entries()], self.0.values().clone())
    }

    /// The size of each dimension.
    #[getter]
    fn dense_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.dense_shape())
    }

    /// The type of the values, by its name in numpy.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.0.dtype().name()
    }

    fn __len__(&self) -> usize {
        self.0.rows()
    }

    fn __repr__(&self) -> String {
        let entries = self.0.entries();
        format!("SparseTensor({}, dense_shape={:?}, {entries} values)", self.0.dtype(), self.0.dense_shape())
    }
}

/// A tensor of rows of different lengths, at any depth.
#[pyclass(frozen, module = "tfxio")]
pub(crate) struct RaggedTensor(tfxio::tensor_repr::RaggedTensor);

#[pymethods]
impl RaggedTensor {
    /// The values of all rows, one after the other: of shape [values, inner dimensions …].
    #[getter]
    fn values(&self, py: Python<'_>) -> PyResult<DenseTensor> {
        let inner = self.0.inner_shape();
        let each = inner.iter().product::<usize>().max(1);
        let mut shape = vec![self.0.values().len() / each];
        shape.extend(inner);
        dense(py, shape, self.0.values().clone())
    }

    /// For each ragged dimension, the outermost first, where its rows begin and end: row `i` has the items
    /// `splits[i]:splits[i + 1]` of the next dimension.
    #[getter]
    fn row_splits(&self, py: Python<'_>) -> PyResult<Vec<DenseTensor>> {
        splits(py, self.0.row_splits())
    }

    /// The type of the values, by its name in numpy.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.0.dtype().name()
    }

    fn __len__(&self) -> usize {
        self.0.rows()
    }

    fn __repr__(&self) -> String {
        let spec = Tensor::Ragged(self.0.clone()).spec();
        format!("RaggedTensor({spec}, {} rows, {} values)", self.0.rows(), self.0.values().len())
    }
}

/// A tensor of structs: for each field a tensor, with common row splits.
#[pyclass(frozen, module = "tfxio")]
pub(crate) struct StructuredTensor(tfxio::tensor_repr::StructuredTensor);

#[pymethods]
impl StructuredTensor {
    /// The tensors of the fields, by name. Their first dimension is the structs.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        for (name, tensor) in self.0.fields() {
            fields.set_item(&**name, object(py, tensor.clone())?)?;
        }
        Ok(fields)
    }

    /// For each ragged dimension, the outermost first, where its rows begin and end.
    #[getter]
    fn row_splits(&self, py: Python<'_>) -> PyResult<Vec<DenseTensor>> {
        splits(py, self.0.row_splits())
    }

    fn __len__(&self) -> usize {
        self.0.rows()
    }

    fn __repr__(&self) -> String {
        let names = self.0.fields().iter().map(|(name, _)| Arc::clone(name)).collect::<Vec<_>>();
        format!("StructuredTensor({} rows, {} structs, fields {names:?})", self.0.rows(), self.0.structs())
    }
}
