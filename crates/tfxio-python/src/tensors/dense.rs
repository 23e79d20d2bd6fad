//! Dense tensors.

use pyo3::exceptions::{PyAttributeError, PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyTuple};
use tfxio::DType;

use super::{dlpack, tensor_proto};
use crate::errors::OrRaise;
use crate::{columns, numpy, values};

/// A tensor of numbers, truth values or strings. numpy reads it without a copy, and so does every library that
/// reads DLPack: torch, JAX, CuPy. Its memory may be shared: do not write to it.
#[pyclass(frozen, module = "tfxio")]
pub(crate) struct DenseTensor(tfxio::tensor_repr::DenseTensor);

impl From<tfxio::tensor_repr::DenseTensor> for DenseTensor {
    fn from(tensor: tfxio::tensor_repr::DenseTensor) -> Self {
        Self(tensor)
    }
}

#[pymethods]
impl DenseTensor {
    /// The size of each dimension.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.shape())
    }

    /// The type of the values, by its name in numpy; `string` for bytes.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.0.dtype().name()
    }

    fn __len__(&self) -> PyResult<usize> {
        match self.0.shape() {
            [] => Err(PyTypeError::new_err("a tensor without dimensions has no length")),
            [rows, ..] => Ok(*rows),
        }
    }

    /// Returns the tensor as an array of numpy: a read-only view; for strings an array of `bytes` objects. bfloat16, which numpy
    /// does not have, becomes the type of the package `ml_dtypes`, if it is installed.
    fn numpy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let numpy = py.import("numpy")?;
        let tensor = &slf.get().0;
        match tensor.dtype() {
            DType::String => {
                let strings = tensor.values().to_array().or_raise(py)?;
                // Bytes are scalars to numpy, whatever their lengths.
                let objects = numpy.call_method1("array", (values::list(py, &strings)?, "O"))?;
                objects.call_method1("reshape", (slf.get().shape(py)?,))
            }
            DType::BFloat16 => {
                let types = py.import("ml_dtypes").map_err(|_| {
                    PyTypeError::new_err(
                        "numpy has no bfloat16: pip install ml_dtypes, or read the tensor by DLPack",
                    )
                })?;
                numpy.call_method1("asarray", (slf,))?.call_method1("view", (types.getattr("bfloat16")?,))
            }
            _ => numpy.call_method1("asarray", (slf,)),
        }
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        numpy::converted(slf.py(), Self::numpy(slf)?, dtype, copy)
    }

    /// Returns the values as a column of Arrow, in one dimension.
    fn to_arrow(&self, py: Python<'_>) -> PyResult<columns::Array> {
        Ok(columns::Array::unnamed(self.0.values().to_array().or_raise(py)?))
    }

    /// Returns strings as a serialized `TensorProto`, of which `tf.io.parse_tensor` makes a tensor without an object for each;
    /// `None` for other values, and where such a message would be too large.
    fn to_tensor_proto<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        if self.0.dtype() != DType::String {
            return Ok(None);
        }
        let encode = || {
            let strings = self.0.values().to_array()?;
            Ok(tensor_proto::of_strings(self.0.shape(), &strings))
        };
        let message = py.detach(encode).or_raise(py)?;
        Ok(message.map(|message| PyBytes::new(py, &message)))
    }

    /// Returns the values as nested lists of objects of Python.
    fn tolist<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::numpy(slf)?.call_method0("tolist")
    }

    /// The address of the values, by which numpy sees them without a copy.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let type_string = match self.0.dtype() {
            DType::Bool => "|b1",
            DType::Int8 => "|i1",
            DType::UInt8 => "|u1",
            DType::Int16 => "<i2",
            DType::UInt16 | DType::BFloat16 => "<u2",
            DType::Int32 => "<i4",
            DType::UInt32 => "<u4",
            DType::Int64 => "<i8",
            DType::UInt64 => "<u8",
            DType::Float16 => "<f2",
            DType::Float32 => "<f4",
            DType::Float64 => "<f8",
            _ => return Err(PyAttributeError::new_err("__array_interface__")),
        };
        let address = self.0.values().buffer().map_or(0, |buffer| buffer.as_ptr().addr());
        numpy::interface(py, type_string, self.0.shape(), address)
    }

    /// Returns the device of the values: main memory.
    fn __dlpack_device__(&self) -> (i32, i32) {
        (1, 0)
    }

    /// Returns the tensor for another library by DLPack 1, as read-only. `copy=True` gives a copy, which may be written
    /// to; DLPack before version 1 (`max_version` left out, or below it) gets nothing else.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = stream;
        if dl_device.is_some_and(|device| device != (1, 0)) {
            return Err(PyBufferError::new_err("the tensor lies in main memory: ask for it there"));
        }
        let is_versioned = max_version.is_some_and(|(major, _)| major >= 1);
        match (is_versioned, copy) {
            (true, Some(true)) => dlpack::versioned(py, self.0.to_dlpack_copied().or_raise(py)?),
            (true, _) => dlpack::versioned(py, self.0.to_dlpack_versioned().or_raise(py)?),
            (false, Some(true)) => {
                let copied = self.0.copied().and_then(|copied| copied.to_dlpack());
                dlpack::unversioned(py, copied.or_raise(py)?)
            }
            (false, _) => Err(PyBufferError::new_err(
                "the tensor must not be written to, which DLPack before version 1 cannot say: ask with \
                 max_version=(1, 0), or for a copy with copy=True; for JAX, which does neither, use tfxio.jax.to_jax",
            )),
        }
    }

    /// Returns the tensor for a library that knows DLPack before version 1 alone, and never writes to a tensor.
    fn _dlpack_unversioned<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        dlpack::unversioned(py, self.0.to_dlpack().or_raise(py)?)
    }

    fn __repr__(&self) -> String {
        format!("DenseTensor({}, shape={:?})", self.0.dtype(), self.0.shape())
    }
}
